# SPDX-License-Identifier: Apache-2.0
"""A Python program that forks while other threads of it build and wait: `forks.py fork|process`, prints "ok"."""
import multiprocessing
import os
import signal
import sys
import threading
import time

import numpy as np
import pyopencl as cl

SOURCE = "kernel void twice(global float *x) {{ x[get_global_id(0)] *= 2; }} // {}"
finished = False
builds = iter(range(1 << 30))


def make_context():
    platform = next(p for p in cl.get_platforms() if p.name == "clpy")
    return cl.Context(platform.get_devices())


def use(context):
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE.format(f"{os.getpid()} {next(builds)}")).build()
    x = np.arange(1000, dtype=np.float32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    program.twice(queue, x.shape, None, buffer)
    y = np.empty_like(x)
    cl.enqueue_copy(queue, y, buffer)
    assert (y == 2 * x).all()


def keep_using(context):
    while not finished:
        use(context)


def child():
    signal.alarm(20)
    use(make_context())


def fork():
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            child()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def process():
    made = multiprocessing.get_context("fork").Process(target=child)
    made.start()
    made.join()
    assert made.exitcode == 0, made.exitcode


def main():
    global finished
    context = make_context()
    # pyopencl and numpy import some of theirs when first used: a child forked meanwhile waits for that thread for ever.
    use(context)
    threads = [threading.Thread(target=keep_using, args=(context,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for i in range(8):
            time.sleep(0.007 * (i % 8))
            {"fork": fork, "process": process}[sys.argv[1]]()
    finally:
        finished = True
    for thread in threads:
        thread.join()
    print("ok")


if __name__ == "__main__":
    main()
