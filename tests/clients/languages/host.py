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


def torch(first):
    """As PyTorch's users have it: operators of its own, before and after, or after only."""
    if not first:
        steps()
    import torch
    a = torch.arange(16.0).reshape(4, 4)
    assert (a @ torch.eye(4) == a).all()
    steps()
    assert (a @ torch.eye(4) == a).all()


def tensorflow(first):
    """TensorFlow with functions that XLA compiles, with an LLVM of its own, before and after, or after only."""
    if not first:
        steps()
    import tensorflow

    def compiled(k):
        function = tensorflow.function(lambda x: x * k + 1, jit_compile=True)
        assert (function(tensorflow.range(4.0)).numpy() == [1, 1 + k, 1 + 2 * k, 1 + 3 * k]).all()
    compiled(3)
    steps()
    compiled(4)


def bpy():
    """Blender as a module of Python, with the LLVM of its shaders; one is compiled in a picture of a few pixels."""
    import bpy
    steps()
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 1
    scene.cycles.shading_system = True
    scene.render.resolution_x = scene.render.resolution_y = 8
    bpy.ops.render.render()
    steps()


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
        "jit-then": lambda: jit(False), "torch": lambda: torch(True), "torch-then": lambda: torch(False),
        "tensorflow": lambda: tensorflow(True), "tensorflow-then": lambda: tensorflow(False), "bpy": bpy,
        "prefork": prefork, "workers": workers, "pyopencl": pyopencl}

if __name__ == "__main__":
    WHAT[sys.argv[2]]()
