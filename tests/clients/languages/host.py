# SPDX-License-Identifier: Apache-2.0
"""A Python program: host.py LIBRARY WHAT [PLATFORM]. Beside what it does, it asks clpy for a right result."""
import ctypes
import os
import sys


def steps(name="clpy"):
    assert ctypes.CDLL(sys.argv[1]).steps(name.encode()) == 0, name


def plain():
    steps()


def beside():
    """Another platform in the process, before and after."""
    steps(sys.argv[3])
    steps()
    steps(sys.argv[3])


def behind():
    """Another platform that comes after."""
    steps()
    steps(sys.argv[3])
    steps()


def jit(first):
    """numba compiles a function before and after."""
    import numba

    def compiled(k):
        function = numba.njit(lambda x: x * k + 1)
        assert function(2) == 2 * k + 1
    if first:
        compiled(3)
    steps()
    compiled(4)
    steps()


def torch():
    """As PyTorch's users have it: operators of its own, before and after."""
    import torch
    a = torch.arange(16.0).reshape(4, 4)
    steps()
    assert (a @ torch.eye(4) == a).all()


def prefork():
    """As gunicorn does: the program is loaded, then processes are forked, and one more when one has ended."""
    ctypes.CDLL(sys.argv[1])
    children = [child() for _ in range(3)]
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in [*children, child()]] == [0] * 4
    steps()


def child():
    pid = os.fork()
    if pid == 0:
        steps()
        os._exit(0)
    return pid


def workers():
    """Processes of multiprocessing's fork server."""
    import multiprocessing
    context = multiprocessing.get_context("forkserver")
    jobs = [context.Process(target=plain) for _ in range(3)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert [job.exitcode for job in jobs] == [0, 0, 0]


def pyopencl():
    import numpy as np
    import pyopencl as cl
    platform = next(p for p in cl.get_platforms() if p.name == "clpy")
    print("clpy listed")
    context = cl.Context(platform.get_devices())
    program = cl.Program(context, "kernel void k(global int *x) { x[get_global_id(0)] = get_global_id(0); }").build()
    print("clpy built")
    out = np.zeros(64, np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    with cl.CommandQueue(context) as queue:
        cl.Kernel(program, "k")(queue, (64,), None, buffer)
        cl.enqueue_copy(queue, out, buffer)
    assert (out == np.arange(64)).all()
    print("clpy right")


WHAT = {"plain": plain, "beside": beside, "behind": behind, "jit-first": lambda: jit(True),
        "jit-then": lambda: jit(False), "torch": torch, "prefork": prefork, "workers": workers, "pyopencl": pyopencl}

if __name__ == "__main__":
    WHAT[sys.argv[2]]()
