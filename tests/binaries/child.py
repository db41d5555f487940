# SPDX-License-Identifier: Apache-2.0
"""A chunk of changed binaries, in a process of its own: `python -m tests.binaries.child JOURNAL SEED COUNT BREAK_AT`.

Each is loaded, built or linked, and asked about; kernels of what is accepted are set up, and run where the machine code
and all it depends on is as it was. The journal has a line for each before it is tried. Prints one line of JSON.
"""
import ctypes
import json
import os
import random
import signal
import sys
from collections import Counter

from clpy.compiler import foreign

from ..clapi import API, E, byref, c_char_p, c_void_p, handles, sizes
from .mutations import mutate

SOURCES = (
    b"kernel void k(global int *p, int n) { p[get_global_id(0)] += n; }",
    b"""typedef struct { char c; int4 v; double d; } S;
    constant int table[4] = {1, 2, 3, 4};
    kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global float *p, S s, local float *l, constant int *c,
                                                                 long16 big) {
        local int shared[16];
        size_t i = get_local_id(0);
        l[i] = p[get_global_id(0)] + s.v.x + table[i & 3];
        shared[i] = c[0] + big.s3;
        barrier(CLK_LOCAL_MEM_FENCE);
        p[get_global_id(0)] = l[7 - i] + shared[7 - i] + s.d;
    }
    kernel void other(global char *p) { p[get_global_id(0)] = sin((float)p[get_global_id(0)]); }""",
    b"""global int counter;
    kernel void k(read_only image2d_t a, write_only image2d_t b, sampler_t s, global int *out) {
        int2 at = (int2)(get_global_id(0), 0);
        write_imagef(b, at, read_imagef(a, s, at));
        out[get_global_id(0)] = atomic_inc(&counter);
    }""",
)
REFUSED = {"CL_INVALID_BINARY", "CL_INVALID_VALUE", "CL_BUILD_PROGRAM_FAILURE", "CL_LINK_PROGRAM_FAILURE",
           "CL_INVALID_LINKER_OPTIONS"}
ITEMS = 16


class World:
    """A context and what kernels may be given."""

    def __init__(self):
        self.api = api = API()
        self.device = api.devices()[0]
        self.context = api.make("clCreateContext", None, 1, handles(self.device), None, None)
        self.queue = api.make("clCreateCommandQueueWithProperties", self.context, self.device, None)
        self.buffer = api.make("clCreateBuffer", self.context, 0, 1 << 16, None)
        self.images = [api.make("clCreateImage", self.context, 0, (ctypes.c_uint32 * 2)(E.RGBA, E.FLOAT),
                                description(), None) for _ in range(2)]
        self.sampler = api.make("clCreateSamplerWithProperties", self.context, None)
        self.outcomes = Counter()

    def originals(self):
        """Binaries of every kind."""
        api = self.api
        for text in SOURCES:
            program = self.program(text)
            api.ok("clBuildProgram", program, 0, None, b"-cl-kernel-arg-info -cl-std=CL3.0 -fbin-source", None, None)
            yield self.binary_of(program), True
        for parts in (b"-fno-bin-exe", b"-fno-bin-llvmir"):
            program = self.program(SOURCES[1])
            api.ok("clBuildProgram", program, 0, None, parts, None, None)
            yield self.binary_of(program), parts == b"-fno-bin-llvmir"
        program = self.program(SOURCES[0])
        api.ok("clCompileProgram", program, 0, None, b"", 0, None, None, None, None)
        yield self.binary_of(program), False
        library = api.make("clLinkProgram", self.context, 0, None, b"-create-library", 1, handles(program), None, None)
        yield self.binary_of(library), False

    def program(self, text):
        return self.api.make("clCreateProgramWithSource", self.context, 1, (c_char_p * 1)(text), None)

    def binary_of(self, program):
        size = self.api.number("clGetProgramInfo", program, E.PROGRAM_BINARY_SIZES)
        room = ctypes.create_string_buffer(size)
        at = (c_void_p * 1)(ctypes.addressof(room))
        self.api.ok("clGetProgramInfo", program, E.PROGRAM_BINARIES, ctypes.sizeof(at), at, None)
        return room.raw

    def attempt(self, blob, runs):
        """The outcome for one binary; ValueError for a code that none may have."""
        api, room = self.api, ctypes.create_string_buffer(blob, max(1, len(blob)))
        program, error = api.new("clCreateProgramWithBinary", self.context, 1, handles(self.device), sizes(len(blob)),
                                 (c_void_p * 1)(ctypes.addressof(room)), None)
        made = [program] if program else []
        if error == "CL_SUCCESS":
            kind = api.number("clGetProgramBuildInfo", program, self.device, E.PROGRAM_BINARY_TYPE)
            if kind == E.PROGRAM_BINARY_TYPE_EXECUTABLE:
                error = api.error("clBuildProgram", program, 0, None, b"", None, None)
            else:
                runs = False         # other bitcode is another program: whatever it does is its author's wish
                program, error = api.new("clLinkProgram", self.context, 0, None, b"", 1, handles(program), None, None)
                made += [program] if program else []
        if error == "CL_SUCCESS":
            self.use(program, runs)
        elif error not in REFUSED:
            raise ValueError(f"{error} is no answer to a changed binary")
        for each in made:
            api.text("clGetProgramBuildInfo", each, self.device, E.PROGRAM_BUILD_LOG)
            api.ok("clReleaseProgram", each)
        self.outcomes[error] += 1

    def use(self, program, runs):
        api, count = self.api, ctypes.c_uint32()
        for name in (E.PROGRAM_SOURCE, E.PROGRAM_KERNEL_NAMES, E.PROGRAM_NUM_KERNELS, E.PROGRAM_BINARY_SIZES):
            api.info("clGetProgramInfo", program, name)
        self.binary_of(program)
        api.ok("clCreateKernelsInProgram", program, 0, None, byref(count))
        kernels = (c_void_p * count.value)()
        if count.value:
            api.ok("clCreateKernelsInProgram", program, count, kernels, None)
        for kernel in kernels:
            self.use_kernel(c_void_p(kernel), runs)
            api.ok("clReleaseKernel", c_void_p(kernel))
        api.ok("clFinish", self.queue)

    def use_kernel(self, kernel, runs):
        api = self.api
        for name in (E.KERNEL_FUNCTION_NAME, E.KERNEL_ATTRIBUTES):
            api.text("clGetKernelInfo", kernel, name)
        for name in (E.KERNEL_WORK_GROUP_SIZE, E.KERNEL_COMPILE_WORK_GROUP_SIZE, E.KERNEL_LOCAL_MEM_SIZE,
                     E.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, E.KERNEL_PRIVATE_MEM_SIZE):
            api.info("clGetKernelWorkGroupInfo", kernel, self.device, name)
        set_all = [self.set_argument(kernel, i) for i in range(api.number("clGetKernelInfo", kernel,
                                                                          E.KERNEL_NUM_ARGS))]
        if runs and all(set_all):
            api.ok("clEnqueueNDRangeKernel", self.queue, kernel, 1, None, sizes(ITEMS), sizes(8), 0, None, None)

    def set_argument(self, kernel, i):
        """Whether one of the things there are was taken."""
        api, got = self.api, ctypes.create_string_buffer(1 << 16)
        for name in (E.KERNEL_ARG_NAME, E.KERNEL_ARG_TYPE_NAME, E.KERNEL_ARG_ADDRESS_QUALIFIER,
                     E.KERNEL_ARG_ACCESS_QUALIFIER, E.KERNEL_ARG_TYPE_QUALIFIER):
            api.clGetKernelArgInfo(kernel, i, name, len(got), got, None)
        # Eight zeros are no buffer: where a buffer is taken too it comes after them.
        values = [got, *(byref(c_void_p(each)) for each in (self.buffer, *self.images, self.sampler))]
        taken = [value for value in values if api.error("clSetKernelArg", kernel, i, 8, value) == "CL_SUCCESS"]
        for size in (64, 1, 2, 4, 16, 32, 48, 80, 128):
            if not taken and api.error("clSetKernelArg", kernel, i, size, got) == "CL_SUCCESS":
                taken = [got]
        if not taken:
            taken = [None] * (api.error("clSetKernelArg", kernel, i, 128, None) == "CL_SUCCESS")
        return bool(taken)


def description():
    """A cl_image_desc: 2D, 16 x 16."""
    raw = ctypes.create_string_buffer(72)
    ctypes.c_uint32.from_buffer(raw, 0).value = E.MEM_OBJECT_IMAGE2D
    for i in (1, 2):
        ctypes.c_size_t.from_buffer(raw, 8 * i).value = 16
    return raw


def main():
    path, seed, count, break_at = sys.argv[1], *map(int, sys.argv[2:])
    foreign.SECONDS = 30
    world, failures = World(), []
    originals = list(world.originals())
    foreign._known.clear()
    for blob, runs in originals:
        world.attempt(blob, runs)
    journal = os.open(path, os.O_WRONLY | os.O_APPEND)
    for i in range(count):
        rng = random.Random(f"{seed} {i}")
        number = rng.choices(range(len(originals)), (24, 24, 24, 6, 6, 8, 8))[0]
        blob, runs = originals[number]
        changed, what, resealed = mutate(rng, blob)
        os.write(journal, f"{i} of original {number}: {what[:300]}\n".encode("utf-8", "replace"))
        if i == break_at:
            os.kill(os.getpid(), signal.SIGSEGV)
        try:
            world.attempt(changed, runs and not resealed)
        except (ValueError, AssertionError) as why:
            failures.append(f"{i} of original {number}: {what[:200]}: {why}")
    print(json.dumps({"failures": failures, "outcomes": world.outcomes}), flush=True)
    os._exit(1 if failures else 0)


if __name__ == "__main__":
    main()
