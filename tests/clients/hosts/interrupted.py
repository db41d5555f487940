# SPDX-License-Identifier: Apache-2.0
"""A Python program that is interrupted in the middle of OpenCL calls: `interrupted.py MODE`, prints "ok"."""
import os
import signal
import sys
import threading
import time

import numpy as np
import pyopencl as cl

SOURCE = """kernel void work(global float *x) {{
    float y = x[get_global_id(0)];
    for (int i = 0; i < {n}; i++) y = sin(y) * {n} + cos(y);
    x[get_global_id(0)] = y;
}}"""


def make_context():
    platform = next(p for p in cl.get_platforms() if p.name == "clpy")
    return cl.Context(platform.get_devices())


def later(seconds, number=signal.SIGINT):
    """Interrupt this process in a moment, from another thread."""
    def send():
        time.sleep(seconds)
        os.kill(os.getpid(), number)
    thread = threading.Thread(target=send)
    thread.start()
    return thread


def check(context, program):
    """It was built, or the interrupt came before the call."""
    none, success = -1, 0
    status = program.get_build_info(context.devices[0], cl.program_build_info.STATUS)
    assert status in (none, success), program.get_build_info(context.devices[0], cl.program_build_info.LOG)
    if status == success:
        cl._cl.Kernel(program, "work")


def builds():
    """The build is not harmed, and the interrupt comes when the call returns."""
    context = make_context()
    interrupts = 0
    for i in range(40):
        program = cl._cl._Program(context, SOURCE.format(n=1000 * os.getpid() + i))
        thread = None
        try:
            thread = later(0.001 * (5 * i % 120))
            program._build(b"-DX")
            thread.join()
        except KeyboardInterrupt:
            interrupts += 1
        if thread is not None:          # else it came before `later` returned
            thread.join()
        check(context, program)
    assert interrupts == 40, interrupts


def handler_that_raises():
    """Also where it is another exception, of another signal."""
    class Late(Exception):
        pass

    def handler(number, frame):
        raise Late

    signal.signal(signal.SIGALRM, handler)
    context = make_context()
    for i in range(10):
        program = cl._cl._Program(context, SOURCE.format(n=1000 * os.getpid() + i))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.02 + 0.003 * i)
            program._build(b"-DX")
            while True:
                time.sleep(1)
        except Late:
            pass
        check(context, program)


def first_call():
    """While clpy itself is imported, or just before or after."""
    thread = None
    try:
        thread = later(float(sys.argv[2]))
        make_context()
        thread.join()
    except KeyboardInterrupt:
        pass
    if thread is not None:
        thread.join()
    x = np.zeros(1, np.float32)
    context = make_context()
    queue = cl.CommandQueue(context)
    cl.enqueue_copy(queue, cl.Buffer(context, cl.mem_flags.READ_WRITE, 4), x)


if __name__ == "__main__":
    {"builds": builds, "handler-that-raises": handler_that_raises, "first-call": first_call}[sys.argv[1]]()
    print("ok")
