# SPDX-License-Identifier: Apache-2.0
"""Calls that must come one after the other for vendors' functions to do something: chance alone would not make them.
`world` is the World whose objects and chances they take. Without the vendor's folder there is nothing to call."""
import ctypes
from array import array

from .memory import read_words
from .table import SUCCESS, VALUES


def of_vendors(world, queue, kernel):
    """Now and then. The kernel's arguments are set."""
    if world.rng.random() < 0.3:
        launch_at_once(world, queue, kernel)
    if world.rng.random() < 0.2:
        estimate(world)
    if world.rng.random() < 0.3:
        write_past_the_host(world)
    if world.rng.random() < 0.1:
        fill_a_pipe(world)


def launch_at_once(world, queue, kernel):
    """Groups that all run at the same time: as many as may be, or one more. Then as others again."""
    how, most = VALUES.get("CL_KERNEL_EXEC_INFO_DISPATCH_TYPE_INTEL"), "clGetKernelMaxConcurrentWorkGroupCountINTEL"
    if how is None or most not in world.functions:
        return
    world.scratch.reset()
    at, local, word = world.scratch.words([0]), world.scratch.words([4]), world.scratch.words([1])
    world.plain("clSetKernelExecInfo", kernel, how, 4, word)
    if world.plain(most, queue, kernel, 1, 0, local, at)[1] == SUCCESS:
        groups = read_words(at, 1)[0] + world.rng.choice((0, 0, 1))
        world.plain("clEnqueueNDRangeKernel", queue, kernel, 1, 0, world.scratch.words([4 * groups]), local, 0, 0,
                    world.scratch.room(64))
    if world.rng.random() < 0.5:
        world.plain("clSetKernelExecInfo", kernel, how, 4, world.scratch.words([0]))


def estimate(world):
    """A built-in kernel of a vendor, with arguments and ranges that are right for the most part."""
    context, device = world.basics()
    world.scratch.reset()
    name = world.scratch.data(b"block_motion_estimate_intel\0")
    program, code = world.call(world.functions["clCreateProgramWithBuiltInKernels"],
                               [context, 1, world.scratch.words([device]), name, 0])
    if code != SUCCESS or "clCreateAcceleratorINTEL" not in world.functions:
        return
    kernel = world.plain("clCreateKernel", program, name, 0)[0]
    how = [world.rng.choice((0, 1, 2)), world.rng.choice((0, 1, 2)), world.rng.choice((0, 1)), 1]
    accelerator = world.plain("clCreateAcceleratorINTEL", context, 0, 16, world.scratch.words(how, 32), 0)[0]
    gray = world.scratch.words([VALUES["CL_R"], VALUES["CL_UNORM_INT8"]], 32)
    image = world.plain("clCreateImage", context, 1, gray,
                        world.scratch.words([VALUES["CL_MEM_OBJECT_IMAGE2D"], 24, 20]), 0, 0)[0]
    vectors = world.plain("clCreateBuffer", context, 1, world.rng.choice((4, 4096)), 0, 0)[0]
    for index, value in enumerate((accelerator, image, image, 0, vectors, 0)):
        world.plain("clSetKernelArg", kernel, index, 8, world.scratch.words([value or 0]))
    world.plain("clEnqueueNDRangeKernel", world.some("cl_command_queue"), kernel, 2, 0,
                world.scratch.words([world.rng.choice((1, 16, 24, 25)), world.rng.choice((0, 1, 16, 20))]), 0, 0, 0,
                world.scratch.room(64))


def write_past_the_host(world):
    """Memory on the bus, a window to it, a signal through the window and a wait for the signal."""
    ours, there = VALUES.get("CL_MEM_BUS_ADDRESSABLE_AMD"), VALUES.get("CL_MEM_EXTERNAL_PHYSICAL_AMD")
    if ours is None or "clEnqueueWriteSignalAMD" not in world.functions:
        return
    context, _ = world.basics()
    queue = world.pools["cl_command_queue"][0]
    world.set_user_events()
    world.scratch.reset()
    memory, code = world.plain("clCreateBuffer", context, ours, 4096, 0, 0)
    addresses = world.scratch.words([0, 0])
    if code != SUCCESS or world.plain("clEnqueueMakeBuffersResidentAMD", queue, 1, world.scratch.words([memory]), 1,
                                      addresses, 0, 0, 0)[1] != SUCCESS:
        return
    window, code = world.plain("clCreateBuffer", context, there, world.rng.choice((4096, 64)), addresses, 0)
    if code == SUCCESS:
        value = world.rng.choice((0, 1, 7))
        world.plain("clEnqueueWriteSignalAMD", queue, window, value, world.rng.choice((0, 0, 4, 2, 4096)), 0, 0, 0)
        signal = ctypes.c_uint32.from_address(read_words(addresses, 2)[1])
        world.plain("clFinish", queue)       # what it is now does not change
        world.plain("clEnqueueWaitSignalAMD", world.some("cl_command_queue"), memory, signal.value, 0, 0,
                    world.scratch.room(64))


def pipe_of_program(capacity=4):
    """SPIR-V of a pipe of words that the host reads and writes, by the name "pipe"; its only kernel does nothing."""
    def text(data):
        return array("I", data + bytes(4 - len(data) % 4))
    out = [0x07230203, 0x00010100, 0, 9, 0]
    for opcode, *operands in (
            (17, 4), (17, 6), (17, 17), (17, 60), (17, 6187),                       # OpCapability
            (10, *text(b"SPV_INTEL_global_variable_host_access")), (14, 2, 2), (15, 6, 1, *text(b"k")),
            (71, 2, 6188, 3, *text(b"pipe")),                                       # OpDecorate HostAccessINTEL
            (19, 3), (322, 4), (32, 5, 5, 4), (323, 4, 6, 4, 4, capacity), (59, 5, 2, 5, 6),
            (33, 7, 3), (54, 3, 1, 0, 7), (248, 8), (253,), (56,)):                 # void k() { }
        out += [len(operands) + 1 << 16 | opcode, *operands]
    return array("I", out).tobytes()


def fill_a_pipe(world):
    """Words into a pipe of a program, and out again. What other calls find is full now and then, or empty."""
    if "clEnqueueWriteHostPipeINTEL" not in world.functions:
        return
    context, _ = world.basics()
    queue, module, n = world.pools["cl_command_queue"][0], pipe_of_program(), world.rng.choice((1, 3, 4))
    world.scratch.reset()
    program, code = world.plain("clCreateProgramWithIL", context, world.scratch.data(module), len(module), 0)
    if code != SUCCESS or world.plain("clBuildProgram", program, 0, 0, 0, 0, 0)[1] != SUCCESS:
        return
    world.set_user_events()
    name = world.scratch.data(b"pipe\0")
    for way, times in (("Write", n), ("Read", world.rng.choice((0, 1, n)))):
        for _ in range(min(times, n)):
            world.plain(f"clEnqueue{way}HostPipeINTEL", queue, program, name, 1, world.arena.start, 4, 0, 0, 0)


__all__ = ["of_vendors"]
