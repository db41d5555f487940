# SPDX-License-Identifier: Apache-2.0
"""A program of pyopencl's with clpy from a wheel: python client.py SPIRV OBJECT. Any Python from 3.8 on.

On the CPU device it builds from source, from the file with SPIR-V, and from the object that another process compiled
(the first process writes that), uses sub-groups and lets a kernel enqueue another; on a model of a GPU it builds from
source. Prints the libraries of the process that are not the C library's.
"""
import os
import sys

import numpy as np
import pyopencl as cl

N = 64
SOURCE = "kernel void k(global uint *out) { out[get_global_id(0)] = native_sin(0.0f) + 7 * get_global_id(0) + N; }"
SUB_GROUPS = """kernel void k(global uint *out) {
    uint sum = sub_group_reduce_add((uint)get_sub_group_local_id()), n = get_sub_group_size();
    out[get_global_id(0)] = sum == n * (n - 1) / 2 && n > 1;
}"""
ENQUEUES = """kernel void k(global uint *out) {
    if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(get_global_size(0)),
                       ^{ out[get_global_id(0)] = 3 * get_global_id(0); });
}"""


def run(context, program):
    out = np.zeros(N, np.uint32)
    buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    queue = cl.CommandQueue(context)
    cl.Kernel(program, "k")(queue, (N,), (N,), buffer)
    queue.finish()
    cl.enqueue_copy(queue, out, buffer)
    return out


def of_another_process(context, thing, wanted):
    if os.path.exists(thing):
        with open(thing, "rb") as file:
            program = cl.Program(context, context.devices, [file.read()])
        assert (run(context, cl.link_program(context, [program])) == wanted).all()
    else:
        program = cl.Program(context, SOURCE)
        program.compile(["-DN=3"])
        with open(thing, "wb") as file:
            file.write(program.get_info(cl.program_info.BINARIES)[0])


def of_opencl_3(context):
    assert (run(context, cl.Program(context, SUB_GROUPS).build(["-cl-std=CL3.0"])) == 1).all()
    kinds = cl.command_queue_properties
    on_device = kinds.ON_DEVICE | kinds.ON_DEVICE_DEFAULT | kinds.OUT_OF_ORDER_EXEC_MODE_ENABLE
    default = cl.CommandQueue(context, properties=[cl.queue_properties.PROPERTIES, on_device])
    assert (run(context, cl.Program(context, ENQUEUES).build(["-cl-std=CL2.0"])) == 3 * np.arange(N)).all()
    del default


def main(spirv, thing):
    platforms = [p for p in cl.get_platforms() if p.name == "clpy"]
    assert len(platforms) == 1, cl.get_platforms()
    wanted = 7 * np.arange(N, dtype=np.uint32) + 3
    kinds = set()
    for device in platforms[0].get_devices():
        context = cl.Context([device])
        assert (run(context, cl.Program(context, SOURCE).build(["-DN=3"])) == wanted).all()
        kinds.add(device.type)
    assert {cl.device_type.CPU, cl.device_type.GPU} <= kinds, kinds
    context = cl.Context(platforms[0].get_devices(cl.device_type.CPU))
    with open(spirv, "rb") as file:
        assert run(context, cl.Program(context, file.read()).build())[0] == 2
    of_another_process(context, thing, wanted)
    of_opencl_3(context)
    with open("/proc/self/maps") as file:
        print("\n".join(sorted({line.split()[-1] for line in file if ".so" in line})))


main(*sys.argv[1:])
