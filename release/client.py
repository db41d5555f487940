# SPDX-License-Identifier: Apache-2.0
"""A program of pyopencl's with clpy from a wheel: python client.py SPIRV OBJECT. Any Python from 3.8 on.

Builds from source, from the file with SPIR-V, and from the object that another process compiled; the first process
writes that. Prints the libraries of the process that are not the C library's.
"""
import os
import sys

import numpy as np
import pyopencl as cl

SOURCE = "kernel void k(global uint *out) { out[get_global_id(0)] = native_sin(0.0f) + 7 * get_global_id(0) + N; }"


def run(context, program, n=64):
    out = np.zeros(n, np.uint32)
    buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    queue = cl.CommandQueue(context)
    cl.Kernel(program, "k")(queue, (n,), None, buffer)
    cl.enqueue_copy(queue, out, buffer)
    return out


def main(spirv, thing):
    platforms = [p for p in cl.get_platforms() if p.name == "clpy"]
    assert len(platforms) == 1, cl.get_platforms()
    context = cl.Context(platforms[0].get_devices())
    wanted = 7 * np.arange(64, dtype=np.uint32) + 3
    assert (run(context, cl.Program(context, SOURCE).build(["-DN=3"])) == wanted).all()
    with open(spirv, "rb") as file:
        assert run(context, cl.Program(context, file.read()).build())[0] == 2
    if os.path.exists(thing):
        with open(thing, "rb") as file:
            program = cl.Program(context, context.devices, [file.read()])
        assert (run(context, cl.link_program(context, [program])) == wanted).all()
    else:
        program = cl.Program(context, SOURCE)
        program.compile(["-DN=3"])
        with open(thing, "wb") as file:
            file.write(program.get_info(cl.program_info.BINARIES)[0])
    with open("/proc/self/maps") as file:
        print("\n".join(sorted({line.split()[-1] for line in file if ".so" in line})))


main(*sys.argv[1:])
