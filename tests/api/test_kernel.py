# SPDX-License-Identifier: Apache-2.0
"""Kernel objects: creation, arguments, queries."""
import struct
from ctypes import addressof, byref, c_float, c_int32, c_void_p, create_string_buffer

import pytest
from clapi import E, handles, sizes

ALL_KINDS = """
typedef struct { int a; double b; } pair;
kernel void k(global float *g, constant int *c, local double *l, int i, pair p, char4 v) {
  g[0] = c[0] + i + p.b + v.x; l[get_local_id(0)] = g[0]; }
"""
ONE = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }"


class TestCreate:
    def test_errors_in_order(self, api, program):
        def error(*args):
            return api.new("clCreateKernel", *args)[1]
        assert error(None, b"k") == "CL_INVALID_PROGRAM"
        assert error(program(ONE, None), None) == "CL_INVALID_PROGRAM_EXECUTABLE"
        made = program(ONE)
        assert error(made, b"no") == "CL_INVALID_KERNEL_NAME"
        assert error(made, b"") == "CL_INVALID_KERNEL_NAME"
        assert error(made, None) == "CL_INVALID_VALUE"
        assert api.error("clCreateKernelsInProgram", None, 0, None, None) == "CL_INVALID_PROGRAM"
        assert api.error("clCreateKernelsInProgram", program(ONE, None), 0, None,
                         None) == "CL_INVALID_PROGRAM_EXECUTABLE"

    def test_references(self, api, program):
        kernel = api.make("clCreateKernel", program(ONE), b"k")
        api.ok("clRetainKernel", kernel)
        assert api.number("clGetKernelInfo", kernel, E.KERNEL_REFERENCE_COUNT) == 2
        api.ok("clReleaseKernel", kernel)
        api.ok("clReleaseKernel", kernel)
        for function in ("clReleaseKernel", "clRetainKernel"):
            assert api.error(function, kernel) == "CL_INVALID_KERNEL"
        assert api.error("clSetKernelArg", kernel, 0, 8, None) == "CL_INVALID_KERNEL"

    def test_a_kernel_keeps_its_program(self, api, context, queue, buffer, contents):
        text = create_string_buffer(ONE.encode())
        program = api.make("clCreateProgramWithSource", context, 1, handles(addressof(text)), None)
        api.ok("clBuildProgram", program, 0, None, None, None, None)
        kernel = api.make("clCreateKernel", program, b"k")
        api.ok("clReleaseProgram", program)
        assert api.number("clGetKernelInfo", kernel, E.KERNEL_PROGRAM) == program
        mem = buffer(contents=bytes(4))
        api.ok("clSetKernelArg", kernel, 0, 8, byref(c_void_p(mem)))
        api.ok("clEnqueueTask", queue, kernel, 0, None, None)
        assert contents(mem, 4) == b"\1\0\0\0"
        api.ok("clReleaseKernel", kernel)


class TestSetArg:
    def test_handles_and_index(self, api, kernel):
        k = kernel(ALL_KINDS)
        assert api.error("clSetKernelArg", None, 99, 0, None) == "CL_INVALID_KERNEL"
        assert api.error("clSetKernelArg", k, 6, 4, None) == "CL_INVALID_ARG_INDEX"

    @pytest.mark.parametrize("index", [0, 1], ids=["global", "constant"])
    def test_buffers(self, api, kernel, buffer, other_context, queue, index):
        k, mem = kernel(ALL_KINDS), buffer(16)

        def error(size, value):
            return api.error("clSetKernelArg", k, index, size, value)
        assert error(8, byref(c_void_p(queue))) == "CL_INVALID_MEM_OBJECT"
        assert error(8, byref(c_void_p(12345))) == "CL_INVALID_MEM_OBJECT"
        assert error(8, byref(c_void_p(buffer(16, within=other_context)))) == "CL_INVALID_CONTEXT"
        assert error(4, byref(c_void_p(mem))) == "CL_INVALID_ARG_SIZE"
        assert error(16, byref(c_void_p(mem))) == "CL_INVALID_ARG_SIZE"
        assert error(8, byref(c_void_p(mem))) == "CL_SUCCESS"
        assert error(8, byref(c_void_p(None))) == "CL_SUCCESS"
        assert error(8, None) == "CL_SUCCESS"

    def test_local_memory(self, api, kernel):
        k, marker = kernel(ALL_KINDS), create_string_buffer(8)
        assert api.error("clSetKernelArg", k, 2, 64, marker) == "CL_INVALID_ARG_VALUE"
        for size in (64, 0):        # "For OpenCL 3.1 and newer, arg_size may be zero"
            assert api.error("clSetKernelArg", k, 2, size, None) == "CL_SUCCESS"

    def test_no_local_memory_at_all(self, api, queue, kernel, buffer, contents):
        k = kernel("kernel void k(global int *a, local int *l, local int *m) { m[0] = 7; a[0] = m[0]; }")
        mem = buffer(contents=bytes(4))
        api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        api.ok("clSetKernelArg", k, 1, 0, None)
        api.ok("clSetKernelArg", k, 2, 4, None)
        api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(1), None, 0, None, None)
        api.ok("clFinish", queue)
        assert struct.unpack("i", contents(mem, 4)) == (7,)

    @pytest.mark.parametrize(("index", "size"), [(3, 4), (4, 16), (5, 4)], ids=["int", "struct", "char4"])
    def test_values(self, api, kernel, index, size):
        k, data = kernel(ALL_KINDS), create_string_buffer(64)
        for wrong in (0, size - 1, size + 1, 2 * size):
            assert api.error("clSetKernelArg", k, index, wrong, data) == "CL_INVALID_ARG_SIZE"
        assert api.error("clSetKernelArg", k, index, size, None) == "CL_INVALID_ARG_VALUE"
        assert api.error("clSetKernelArg", k, index, size, data) == "CL_SUCCESS"

    def test_a_failed_call_changes_nothing(self, api, queue, kernel, buffer, contents):
        k = kernel("kernel void k(global int *a, int b) { a[0] = b; }")
        mem = buffer(contents=bytes(4))
        api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        api.ok("clSetKernelArg", k, 1, 4, byref(c_int32(7)))
        assert api.error("clSetKernelArg", k, 1, 2, byref(c_int32(9))) == "CL_INVALID_ARG_SIZE"
        assert api.error("clSetKernelArg", k, 0, 8, byref(c_void_p(queue))) == "CL_INVALID_MEM_OBJECT"
        api.ok("clEnqueueTask", queue, k, 0, None, None)
        assert contents(mem, 4) == b"\7\0\0\0"

    def test_values_are_copied_at_once(self, api, queue, kernel, buffer, contents):
        k, mem = kernel("kernel void k(global int *a, int b, int at) { a[at] = b; }"), buffer(contents=bytes(40))
        api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        value = c_int32()
        for at in range(10):
            value.value = at * at
            api.ok("clSetKernelArg", k, 1, 4, byref(value))
            value.value = at
            api.ok("clSetKernelArg", k, 2, 4, byref(value))
            api.ok("clEnqueueTask", queue, k, 0, None, None)
        assert struct.unpack("10i", contents(mem, 40)) == tuple(n * n for n in range(10))

    def test_null_buffers(self, api, queue, kernel, buffer, contents):
        k, mem = kernel("kernel void k(global int *a, global int *b, constant int *c) { a[0] = b ? 1 : c ? 2 : 3; }"), \
            buffer(contents=bytes(4))
        api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        api.ok("clSetKernelArg", k, 1, 8, byref(c_void_p(None)))
        api.ok("clSetKernelArg", k, 2, 8, None)
        api.ok("clEnqueueTask", queue, k, 0, None, None)
        assert contents(mem, 4) == b"\3\0\0\0"

    def test_many_arguments(self, api, queue, kernel, buffer, contents):
        """More than fit into a command, buffers and values in turn."""
        params = ", ".join(f"global float *g{n}, double4 v{n}" for n in range(24))
        body = " ".join(f"g{n}[0] += v{n}.s2 + {n};" for n in range(24))
        k = kernel(f"kernel void k({params}) {{ {body} }}")
        mems = [buffer(contents=bytes(4)) for _ in range(24)]
        for n, mem in enumerate(mems):
            api.ok("clSetKernelArg", k, 2 * n, 8, byref(c_void_p(mem)))
            api.ok("clSetKernelArg", k, 2 * n + 1, 32, struct.pack("4d", 0, 0, n * 100, 0))
        api.ok("clEnqueueTask", queue, k, 0, None, None)
        assert [c_float.from_buffer_copy(contents(m, 4)).value for m in mems] == [101 * n for n in range(24)]

    def test_clone(self, api, queue, kernel, buffer, contents):
        assert api.new("clCloneKernel", None)[1] == "CL_INVALID_KERNEL"
        k, mem = kernel("kernel void k(global int *a, int b) { a[0] += b; }"), buffer(contents=bytes(4))
        api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        api.ok("clSetKernelArg", k, 1, 4, byref(c_int32(5)))
        copy = api.make("clCloneKernel", k)
        api.ok("clSetKernelArg", k, 1, 4, byref(c_int32(1000)))
        assert api.number("clGetKernelInfo", copy, E.KERNEL_REFERENCE_COUNT) == 1
        api.ok("clEnqueueTask", queue, copy, 0, None, None)
        api.ok("clReleaseKernel", copy)
        assert contents(mem, 4) == b"\5\0\0\0"


class TestInfo:
    def test_kernel(self, api, context, program):
        made = program("kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int *a, int b) { *a = b; }")
        kernel = api.make("clCreateKernel", made, b"k")
        info = "clGetKernelInfo"
        assert api.text(info, kernel, E.KERNEL_FUNCTION_NAME) == "k"
        assert api.number(info, kernel, E.KERNEL_NUM_ARGS) == 2
        assert api.number(info, kernel, E.KERNEL_REFERENCE_COUNT) == 1
        assert api.number(info, kernel, E.KERNEL_CONTEXT) == context
        assert api.number(info, kernel, E.KERNEL_PROGRAM) == made
        assert api.text(info, kernel, E.KERNEL_ATTRIBUTES).replace(" ", "") == "reqd_work_group_size(4,2,1)"
        assert api.error(info, None, E.KERNEL_NUM_ARGS, 0, None, None) == "CL_INVALID_KERNEL"
        assert api.error(info, kernel, 0x1234, 0, None, None) == "CL_INVALID_VALUE"
        assert api.error(info, kernel, E.KERNEL_NUM_ARGS, 3, create_string_buffer(3), None) == "CL_INVALID_VALUE"
        api.ok("clReleaseKernel", kernel)

    @pytest.mark.parametrize(("declaration", "expected"), [
        ("global float *x", ("GLOBAL", "NONE", 0, "float*")),
        ("global const volatile unsigned int * restrict x",
         ("GLOBAL", "NONE", E.KERNEL_ARG_TYPE_CONST | E.KERNEL_ARG_TYPE_VOLATILE | E.KERNEL_ARG_TYPE_RESTRICT,
          "uint*")),
        ("constant uchar4 *x", ("CONSTANT", "NONE", E.KERNEL_ARG_TYPE_CONST, "uchar4*")),
        ("local long *x", ("LOCAL", "NONE", 0, "long*")),
        ("unsigned char x", ("PRIVATE", "NONE", 0, "uchar")),
        ("const int x", ("PRIVATE", "NONE", 0, "int")),
        ("struct s x", ("PRIVATE", "NONE", 0, "struct s")),
        ("double16 x", ("PRIVATE", "NONE", 0, "double16")),
    ])
    def test_arguments(self, api, kernel, declaration, expected):
        k = kernel(f"struct s {{ int i; }}; kernel void k(int first, {declaration}) {{ }}",
                   options="-cl-kernel-arg-info")
        info, (space, access, qualifier, name) = "clGetKernelArgInfo", expected
        assert api.number(info, k, 1, E.KERNEL_ARG_ADDRESS_QUALIFIER) == getattr(E, f"KERNEL_ARG_ADDRESS_{space}")
        assert api.number(info, k, 1, E.KERNEL_ARG_ACCESS_QUALIFIER) == getattr(E, f"KERNEL_ARG_ACCESS_{access}")
        assert api.number(info, k, 1, E.KERNEL_ARG_TYPE_QUALIFIER) == qualifier
        assert api.text(info, k, 1, E.KERNEL_ARG_TYPE_NAME) == name
        assert api.text(info, k, 1, E.KERNEL_ARG_NAME) == "x"
        assert api.text(info, k, 0, E.KERNEL_ARG_NAME) == "first"

    def test_argument_errors(self, api, kernel):
        k = kernel(ONE, options="-cl-kernel-arg-info")
        info = "clGetKernelArgInfo"
        assert api.error(info, None, 0, E.KERNEL_ARG_NAME, 0, None, None) == "CL_INVALID_KERNEL"
        assert api.error(info, k, 1, E.KERNEL_ARG_NAME, 0, None, None) == "CL_INVALID_ARG_INDEX"
        assert api.error(info, k, 0, 0x1234, 0, None, None) == "CL_INVALID_VALUE"
        assert api.error(info, k, 0, E.KERNEL_ARG_NAME, 1, create_string_buffer(1), None) == "CL_INVALID_VALUE"

    def test_work_group(self, api, device, kernel):
        source = """kernel __attribute__((reqd_work_group_size(8, 2, 1)))
          void k(global int *a, local int *b, local int *c) {
            local int mine[100]; mine[get_local_id(0)] = a[0]; barrier(CLK_LOCAL_MEM_FENCE);
            b[0] = mine[7]; c[1] = b[0]; a[1] = c[1]; }"""
        k, info = kernel(source), "clGetKernelWorkGroupInfo"
        assert struct.unpack("3Q", api.info(info, k, device, E.KERNEL_COMPILE_WORK_GROUP_SIZE)) == (8, 2, 1)
        assert api.number(info, k, device, E.KERNEL_WORK_GROUP_SIZE) == 16
        assert api.number(info, k, None, E.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) >= 1
        assert api.number(info, k, None, E.KERNEL_PRIVATE_MEM_SIZE) < 4096
        before = api.number(info, k, device, E.KERNEL_LOCAL_MEM_SIZE)
        assert 400 <= before < 600
        api.ok("clSetKernelArg", k, 1, 1000, None)
        api.ok("clSetKernelArg", k, 2, 24, None)
        assert 1024 <= api.number(info, k, device, E.KERNEL_LOCAL_MEM_SIZE) - before < 1100
        plain = kernel(ONE)
        assert struct.unpack("3Q", api.info(info, plain, device, E.KERNEL_COMPILE_WORK_GROUP_SIZE)) == (0, 0, 0)
        assert api.number(info, plain, device, E.KERNEL_WORK_GROUP_SIZE) <= api.number(
            "clGetDeviceInfo", device, E.DEVICE_MAX_WORK_GROUP_SIZE)

    def test_work_group_errors(self, api, context, device, kernel):
        k, info = kernel(ONE), "clGetKernelWorkGroupInfo"
        assert api.error(info, None, device, E.KERNEL_WORK_GROUP_SIZE, 0, None, None) == "CL_INVALID_KERNEL"
        assert api.error(info, k, context, E.KERNEL_WORK_GROUP_SIZE, 0, None, None) == "CL_INVALID_DEVICE"
        assert api.error(info, k, device, 0x1234, 0, None, None) == "CL_INVALID_VALUE"
        assert api.error(info, k, device, E.KERNEL_GLOBAL_WORK_SIZE, 0, None, None) == "CL_INVALID_VALUE"
        assert api.error(info, k, device, E.KERNEL_WORK_GROUP_SIZE, 4, create_string_buffer(4),
                         None) == "CL_INVALID_VALUE"

    def test_sub_groups(self, api, context, device, kernel):
        k, info = kernel(ONE), "clGetKernelSubGroupInfo"
        tail = E.KERNEL_MAX_NUM_SUB_GROUPS, 0, None, 0, None, None
        assert api.error(info, None, device, *tail) == "CL_INVALID_KERNEL"
        assert api.error(info, k, context, *tail) == "CL_INVALID_DEVICE"
        most = api.number("clGetDeviceInfo", device, E.DEVICE_MAX_NUM_SUB_GROUPS)
        assert api.error(info, k, device, *tail) == ("CL_SUCCESS" if most else "CL_INVALID_OPERATION")

    def test_kernels_share_nothing(self, api, queue, program, buffer, contents):
        """Two kernel objects of one function have arguments of their own."""
        made, mems = program(ONE), [buffer(contents=bytes(8)) for _ in range(2)]
        kernels = [api.make("clCreateKernel", made, b"k") for _ in range(2)]
        for k, mem in zip(kernels, mems, strict=True):
            api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        api.ok("clEnqueueNDRangeKernel", queue, kernels[0], 1, None, sizes(1), None, 0, None, None)
        api.ok("clEnqueueNDRangeKernel", queue, kernels[1], 1, None, sizes(2), None, 0, None, None)
        assert [contents(m, 8) for m in mems] == [b"\1\0\0\0\0\0\0\0", b"\1\0\0\0\1\0\0\0"]
        for k in kernels:
            api.ok("clReleaseKernel", k)
