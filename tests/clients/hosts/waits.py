# SPDX-License-Identifier: Apache-2.0
"""A Python program with signals while it waits for kernels: `waits.py MODE`, prints "ok"."""
import ctypes
import ctypes.util
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyopencl as cl

# flags[0]: a work-group runs; flags[1]: they may end.
SOURCE = """
kernel void until_told(global volatile int *flags) { flags[0] = 1; while (!flags[1]); }
kernel void prints(global volatile int *flags) { flags[0] = 1; while (!flags[1]) printf(""); }
kernel void barriers(global volatile int *flags, local int *shared) {
    do { shared[get_local_id(0)] = flags[1]; flags[0] = 1; barrier(CLK_LOCAL_MEM_FENCE); } while (!shared[0]); }
kernel void math(global volatile int *flags) {
    float x = get_global_id(0);
    while (!flags[1]) { x = sin(x) + pow(x, 1.5f); flags[0] = 1 + (x == 7.5f); } }
kernel void spins(global volatile int *flags, int endless) { flags[0] = endless; while (endless && !flags[1]); }
kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }
kernel void slow(global float *x, int n) {
    float y = x[get_global_id(0)];
    for (int i = 0; i < n; i++) y = sin(y) + 1.5f;
    x[get_global_id(0)] = y;
}
"""
FAILED = -5                      # CL_OUT_OF_RESOURCES
N = 1000


class Setting:
    """A context with a queue, programs, and flags that kernels and this program share."""

    def __init__(self, out_of_order=False):
        platform = next(p for p in cl.get_platforms() if p.name == "clpy")
        self.context = cl.Context(platform.get_devices())
        properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE if out_of_order else 0
        self.queue = cl.CommandQueue(self.context, properties=properties)
        self.program = cl.Program(self.context, SOURCE).build()
        self.kernels = {kernel.function_name: kernel for kernel in self.program.all_kernels()}
        self.flags = np.zeros(2, np.int32)
        use = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        self.shared = cl.Buffer(self.context, use, hostbuf=self.flags)

    def begin(self, groups=64):
        """A kernel that never ends, and its event."""
        self.flags[:] = 0
        event = self.kernels["until_told"](self.queue, (groups,), (1,), self.shared)
        self.queue.flush()
        return event

    def works(self):
        """It does what it is told, in the right order."""
        x = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4 * N)
        cl.enqueue_copy(self.queue, x, np.arange(N, dtype=np.int32)).wait()
        for i in range(10):
            self.kernels["add"](self.queue, (N,), None, x, np.int32(i)).wait()
        out = np.empty(N, np.int32)
        cl.enqueue_copy(self.queue, out, x)
        self.queue.finish()
        assert (out == np.arange(N) + 45).all()


def send(setting, number=signal.SIGINT):
    """To this process, from another thread, when a kernel runs and the main thread has had time to wait for it."""
    def wait_and_send():
        while not setting.flags[0]:
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(os.getpid(), number)
    thread = threading.Thread(target=wait_and_send)
    thread.start()
    return thread


def interrupts(setting, wait, error=KeyboardInterrupt):
    """Does `wait` raise the error, soon?"""
    thread = send(setting)
    try:
        wait()
    except error:
        thread.join()
        return True
    return False


def interrupted_in(wait_for, out_of_order=False, before=lambda setting: ()):
    """`wait_for(setting, event, ...)` is the call; what takes time is done `before`, which returns the others of its
    arguments."""
    setting = Setting(out_of_order)
    event = setting.begin()
    more = before(setting)
    assert interrupts(setting, lambda: wait_for(setting, event, *more))
    assert event.command_execution_status == FAILED
    setting.works()
    Setting().works()


def finish():
    interrupted_in(lambda setting, event: setting.queue.finish())


def finish_out_of_order():
    interrupted_in(lambda setting, event: setting.queue.finish(), out_of_order=True)


def wait():
    interrupted_in(lambda setting, event: event.wait())


def wait_for_several():
    def behind(setting):
        return [setting.kernels["add"](setting.queue, (2,), None, setting.shared, np.int32(0))]
    interrupted_in(lambda setting, event, other: cl.wait_for_events([other, event]), before=behind)


def read():
    out = np.zeros(2, np.int32)
    interrupted_in(lambda setting, event: cl.enqueue_copy(setting.queue, out, setting.shared))


def map_():
    def wait_for(setting, event):
        cl.enqueue_map_buffer(setting.queue, setting.shared, cl.map_flags.READ, 0, (2,), np.int32)
    interrupted_in(wait_for)


def holding_the_lock():
    """A binding that does not give Python's lock away; the signal comes from outside of Python's threads."""
    libc = ctypes.CDLL(None)
    libc.alarm.argtypes = [ctypes.c_uint]
    binding = ctypes.PyDLL(ctypes.util.find_library("OpenCL"))
    binding.clFinish.argtypes = [ctypes.c_void_p]
    setting = Setting()
    event = setting.begin()

    def handler(number, frame):
        raise TimeoutError
    signal.signal(signal.SIGALRM, handler)
    libc.alarm(1)
    try:
        binding.clFinish(setting.queue.int_ptr)
    except TimeoutError:
        assert event.command_execution_status == FAILED
        setting.works()
        return
    raise AssertionError


def kinds_of_kernels():
    """What a kernel is in the middle of makes no difference."""
    setting = Setting()
    local = cl.LocalMemory(4 * 16)
    for name, size, args in ("prints", 1, ()), ("barriers", 16, (local,)), ("math", 16, ()), ("until_told", 1, ()):
        setting.flags[:] = 0
        event = setting.kernels[name](setting.queue, (16 * size,), (size,), setting.shared, *args)
        assert interrupts(setting, setting.queue.finish), name
        assert event.command_execution_status == FAILED, name
        setting.works()


def what_comes_after():
    """All that the context was given ends; nothing of it runs."""
    setting = Setting()
    setting.begin()
    events = [setting.kernels["until_told"](setting.queue, (64,), (1,), setting.shared) for _ in range(50)]
    gate = cl.UserEvent(setting.context)
    gated = setting.kernels["until_told"](setting.queue, (64,), (1,), setting.shared, wait_for=[gate])
    assert interrupts(setting, setting.queue.finish)
    assert {e.command_execution_status for e in [*events, gated]} == {FAILED}
    setting.works()
    later = cl.enqueue_marker(setting.queue, wait_for=[gate])
    assert later.command_execution_status > 0
    gate.set_status(cl.command_execution_status.COMPLETE)
    later.wait()
    setting.works()


def user_event():
    """Nobody sets it."""
    setting = Setting()
    gate = cl.UserEvent(setting.context)
    setting.flags[0] = 1
    assert interrupts(setting, gate.wait)
    out = np.zeros(2, np.int32)
    assert interrupts(setting, lambda: cl.enqueue_copy(setting.queue, out, setting.shared, wait_for=[gate]))
    gate.set_status(cl.command_execution_status.COMPLETE)
    setting.queue.finish()
    assert out[0] == 0           # the memory may be somebody else's by now
    setting.works()


def once_short():
    """Its first launches take no time, so the thread that waits runs it, or the one that enqueues it: the binding does
    not give Python's lock away there, so the signal comes from another process."""
    setting = Setting()
    spins = setting.kernels["spins"]
    for groups in (1, 64, 4000):
        setting.flags[:] = 0
        for _ in range(200):
            spins(setting.queue, (groups,), (1,), setting.shared, np.int32(0))
        setting.queue.finish()
        sender = subprocess.Popen(["sh", "-c", f"sleep 1; kill -INT {os.getpid()}"])
        try:
            spins(setting.queue, (groups,), (1,), setting.shared, np.int32(1))
            setting.queue.finish()
            raise AssertionError
        except KeyboardInterrupt:
            assert setting.flags[0] == 1
        sender.wait()
        setting.works()


def handler_that_returns():
    """It runs while the kernel does, again and again, and the wait goes on to its end."""
    setting = Setting()
    calls = []

    def handler(number, frame):
        calls.append(number)
        if len(calls) == 5:
            setting.flags[1] = 1
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.15, 0.15)
    event = setting.begin()
    setting.queue.finish()
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert event.command_execution_status == cl.command_execution_status.COMPLETE
    assert len(calls) >= 5, calls
    setting.works()


def handler_that_uses_the_queue():
    """While the main thread waits for it."""
    setting = Setting()
    other = cl.CommandQueue(setting.context)
    done = []

    def handler(number, frame):
        x = cl.Buffer(setting.context, cl.mem_flags.READ_WRITE, 4 * N)
        cl.enqueue_fill_buffer(other, x, np.int32(3), 0, 4 * N)
        setting.flags[1] = 1
        setting.queue.finish()
        other.finish()
        done.append(True)
    signal.signal(signal.SIGINT, handler)
    setting.begin()
    thread = send(setting)
    setting.queue.finish()
    thread.join()
    assert done == [True]
    setting.works()


def handler_that_raises():
    class Late(Exception):
        pass

    def handler(number, frame):
        raise Late
    signal.signal(signal.SIGINT, handler)
    setting = Setting()
    event = setting.begin()
    assert interrupts(setting, setting.queue.finish, Late)
    assert event.command_execution_status == FAILED
    setting.works()


def other_thread():
    """Its wait is no business of the main thread's signals, until that waits for the same."""
    setting = Setting()
    event = setting.begin()
    ended = []

    def waits():
        try:
            event.wait()
        except cl.Error:
            ended.append(time.monotonic())
    thread = threading.Thread(target=waits)
    thread.start()
    assert interrupts(setting, lambda: time.sleep(60))
    assert not ended and event.command_execution_status > 0
    assert interrupts(setting, setting.queue.finish)
    thread.join()
    assert ended
    setting.works()


def no_signal():
    """What takes long and ends is not affected, with what it leaves in memory."""
    setting = Setting()
    x = cl.Buffer(setting.context, cl.mem_flags.READ_WRITE, 4 * N)
    results = []
    for n in (1000, 100000):
        cl.enqueue_fill_buffer(setting.queue, x, np.float32(1), 0, 4 * N)
        begin = time.monotonic()
        setting.kernels["slow"](setting.queue, (N,), (1,), x, np.int32(n))
        setting.queue.finish()
        out = np.empty(N, np.float32)
        cl.enqueue_copy(setting.queue, out, x)
        results.append((time.monotonic() - begin, out))
    assert all((out == out[0]).all() and 0.4 < out[0] < 2.6 for _, out in results), results


def uncaught():
    setting = Setting()
    setting.begin()
    send(setting)
    setting.queue.finish()


MODES = {name.strip("_").replace("_", "-"): value for name, value in list(globals().items())
         if callable(value) and name not in ("Setting", "send", "interrupts", "interrupted_in")}

if __name__ == "__main__":
    MODES[sys.argv[1]]()
    print("ok")
