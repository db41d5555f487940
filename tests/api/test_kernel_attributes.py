# SPDX-License-Identifier: Apache-2.0
"""What the specification says of functions declared `kernel`, and of the attributes that they may have."""
import struct
from ctypes import addressof, byref, c_void_p, create_string_buffer
from itertools import product

import pytest
from clapi import E, handles, sizes

HINTED = "kernel __attribute__((vec_type_hint({}))) void k(global {}{} *a) {{ a[get_global_id(0)] += 1; }}"
SCALARS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q",
           "float": "f", "double": "d"}
IDS = """kernel {} void k(global int *a) {{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    a[x + get_global_size(0) * (y + get_global_size(1) * z)] += (int)(1 + get_local_id(0) + 100 * get_group_id(0));
}}"""
INVALID = "CL_INVALID_WORK_GROUP_SIZE"
CXX = pytest.param("-cl-std=CLC++2021", marks=pytest.mark.needs("generic pointers"))


@pytest.fixture
def ready(api, kernel, buffer):
    """new(source, bytes, options) -> kernel with a buffer of zeros as its argument, the buffer"""
    def new(source, size=4096, options=""):
        k, mem = kernel(source, options=options), buffer(contents=bytes(size))
        api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        return k, mem
    return new


def enqueue(api, queue, k, shape, local=None):
    return api.error("clEnqueueNDRangeKernel", queue, k, len(shape), None, sizes(*shape), local and sizes(*local),
                     0, None, None)


def text_of(api, k):
    return api.text("clGetKernelInfo", k, E.KERNEL_ATTRIBUTES).replace(" ", "")


def error_of(api, program, device, source):
    made = program(source, None)
    assert api.error("clBuildProgram", made, 0, None, b"", None, None) == "CL_BUILD_PROGRAM_FAILURE"
    return api.text("clGetProgramBuildInfo", made, device, E.PROGRAM_BUILD_LOG)


# ---- kernels

@pytest.mark.parametrize("word", ["kernel", "__kernel"])
def test_it_can_be_called_by_the_host(api, queue, ready, contents, word):
    k, mem = ready(f"{word} void k(global int *a) {{ a[get_global_id(0)] = 7; }}")
    assert enqueue(api, queue, k, (3,)) == "CL_SUCCESS"
    assert contents(mem, 16) == struct.pack("4i", 7, 7, 7, 0)


def test_others_cannot_be_called_by_the_host(api, program):
    made = program("void f(global int *a) { *a = 1; } kernel void k(global int *a) { f(a); }")
    assert api.new("clCreateKernel", made, b"f") == (None, "CL_INVALID_KERNEL_NAME")


def test_a_kernel_that_another_calls_is_a_function(api, queue, ready, contents):
    k, mem = ready("""
        kernel __attribute__((reqd_work_group_size(16, 1, 1))) void inner(global int *a, int x) {
            a[get_global_id(0)] += x;
        }
        kernel void k(global int *a) { inner(a, 2); inner(a, 3); }""")
    assert enqueue(api, queue, k, (8,), (4,)) == "CL_SUCCESS", "what the called one asks for is not asked of this"
    assert text_of(api, k) == ""
    assert contents(mem, 32) == struct.pack("8i", *[5] * 8)


def test_local_variables_in_a_kernel(api, queue, ready, contents):
    k, mem = ready("""kernel void k(global int *a) {
        local int all[8];
        size_t i = get_local_id(0);
        all[i] = (int)i;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = all[get_local_size(0) - 1 - i];
    }""")
    assert enqueue(api, queue, k, (8,), (8,)) == "CL_SUCCESS"
    assert contents(mem, 32) == struct.pack("8i", *range(7, -1, -1))
    api.ok("clEnqueueTask", queue, k, 0, None, None)
    assert contents(mem, 4) == bytes(4)


def test_local_variables_in_a_kernel_that_another_calls(api, queue, ready, contents):
    """"implementation-defined": here the variable is one for the group, as in any kernel."""
    k, mem = ready("""
        kernel void inner(global int *a) {
            local int all[8];
            size_t i = get_local_id(0);
            all[i] = (int)i + 1;
            barrier(CLK_LOCAL_MEM_FENCE);
            a[i] += all[(i + 1) % get_local_size(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        kernel void k(global int *a) { inner(a); inner(a); }""")
    assert enqueue(api, queue, k, (8,), (8,)) == "CL_SUCCESS"
    assert contents(mem, 32) == struct.pack("8i", 4, 6, 8, 10, 12, 14, 16, 2)


@pytest.mark.parametrize("source", ["void f() { int kernel = 1; }", "void f() { int __kernel = 1; }",
                                    "int kernel(int x) { return x; }", "struct __kernel { int x; };"])
def test_the_names_are_reserved(api, program, device, source):
    assert "error" in error_of(api, program, device, source + "\nkernel void k(global int *a) { *a = 1; }")


# ---- vec_type_hint

@pytest.mark.parametrize("type_", SCALARS)
def test_vector_hints(api, queue, ready, contents, type_):
    """Every built-in scalar or vector type; whatever is hinted, and however many work-items there are, the results are
    those of the kernel."""
    for width in ("", *"2348", "16"):
        hint = type_ + width
        k, mem = ready(HINTED.format(hint, type_, ""))
        assert text_of(api, k) == f"vec_type_hint({hint})"
        assert enqueue(api, queue, k, (37,)) == "CL_SUCCESS"
        code = SCALARS[type_]
        assert contents(mem, 40 * struct.calcsize(code)) == struct.pack(f"40{code}", *[1] * 37, 0, 0, 0)


def test_without_a_hint(api, ready):
    """The default is int; only what is written is told."""
    assert text_of(api, ready("kernel void k(global float4 *p) { *p = 1; }")[0]) == ""
    k, _ = ready("kernel __attribute__((vec_type_hint(int))) void k(global float4 *p) { *p = 1; }")
    assert text_of(api, k) == "vec_type_hint(int)"


@pytest.mark.parametrize("hint", ["struct s", "image2d_t", "int *", "nothing", "bool"])
def test_what_is_no_type_for_a_hint(api, program, device, hint):
    source = f"struct s {{ int x; }}; kernel __attribute__((vec_type_hint({hint}))) void k(global int *a) {{ *a = 1; }}"
    assert "error" in error_of(api, program, device, source)


@pytest.mark.parametrize("options", ["", "-cl-std=CL3.0"])
def test_merged_work_items(api, queue, ready, contents, options):
    """"the number of global or local work-items in any dimension modulo N is not zero": no number is a special one."""
    k, mem = ready(IDS.format("__attribute__((vec_type_hint(float4)))"), 8192, options)
    for (x, y, z), part in product([(1, 1, 1), (3, 5, 2), (17, 3, 1), (33, 2, 2), (7, 7, 7)], (1, 3, 4, 5)):
        if not options and x % part:
            continue
        part = min(part, x)
        api.ok("clEnqueueFillBuffer", queue, mem, bytes(4), 4, 0, 8192, 0, None, None)
        assert enqueue(api, queue, k, (x, y, z), (part, 1, 1)) == "CL_SUCCESS"
        wanted = [1 + i % part + 100 * (i // part) for i in range(x)] * (y * z)
        assert contents(mem, 4 * len(wanted) + 4) == struct.pack(f"{len(wanted) + 1}i", *wanted, 0)


@pytest.mark.parametrize("options", ["-cl-std=CL3.0", CXX])
def test_merged_work_items_in_any_dimension(api, queue, ready, contents, options):
    """Local sizes, too, that no vector fills, and groups that are left over at each end."""
    k, mem = ready("""kernel __attribute__((vec_type_hint(float4))) void k(global int *a) {
        size_t i = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
        a[i] += (int)(1 + get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2));
    }""", 8192, options)
    for (x, y, z), (i, j, l) in product([(7, 5, 3), (1, 19, 2), (2, 3, 17)], [(3, 2, 1), (1, 7, 2), (1, 1, 5)]):
        api.ok("clEnqueueFillBuffer", queue, mem, bytes(4), 4, 0, 8192, 0, None, None)
        assert enqueue(api, queue, k, (x, y, z), (i, j, l)) == "CL_SUCCESS"
        wanted = [1 + n % i + 10 * (m % j) + 100 * (o % l) for o in range(z) for m in range(y) for n in range(x)]
        assert contents(mem, 4 * len(wanted) + 4) == struct.pack(f"{len(wanted) + 1}i", *wanted, 0)


def test_functions_of_libraries_are_merged_too(api, context, device, queue, program, buffer, contents):
    """"libraries can never be hard coded binaries" alone: one without its source is still made again for a vector."""
    sources = ("int twice(int x) { return x < 20 ? 2 * x : -x; }", """int twice(int x);
        kernel __attribute__((vec_type_hint(float))) void k(global int *a) {
            a[get_global_id(0)] = twice((int)get_global_id(0));
        }""")
    library, user = (program(source, None) for source in sources)
    for each in (library, user):
        api.ok("clCompileProgram", each, 0, None, b"-fno-bin-source", 0, None, None, None, None)
    library = api.make("clLinkProgram", context, 0, None, b"-create-library", 1, handles(library), None, None)
    binary = create_string_buffer(api.number("clGetProgramInfo", library, E.PROGRAM_BINARY_SIZES))
    api.ok("clGetProgramInfo", library, E.PROGRAM_BINARIES, 8, handles(addressof(binary)), None)
    again = api.make("clCreateProgramWithBinary", context, 1, handles(device), sizes(len(binary)),
                     handles(addressof(binary)), None)
    linked = api.make("clLinkProgram", context, 0, None, b"", 2, handles(user, again), None, None)
    k, mem = api.make("clCreateKernel", linked, b"k"), buffer(contents=bytes(160))
    api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
    assert enqueue(api, queue, k, (37,)) == "CL_SUCCESS"
    assert contents(mem, 160) == struct.pack("40i", *[2 * i if i < 20 else -i for i in range(37)], 0, 0, 0)
    api.ok("clReleaseKernel", k)
    for each in (library, again, linked):
        api.ok("clReleaseProgram", each)


HALVES = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
WRITTEN = """typedef float4 four;
#define N 4
__attribute__((reqd_work_group_size(4, 2, 1))) kernel void before(global int *a) { *a = 1; }
kernel void declared(global int *a) __attribute__((work_group_size_hint(4, 2, 1)));
kernel void declared(global int *a) { *a = 1; }
void kernel __attribute__((vec_type_hint(HALF))) between(global int *a) { *a = 1; }
kernel __attribute__((reqd_work_group_size(N * 2, 1 + 1, sizeof(int)))) void computed(global int *a) { *a = 1; }
kernel __attribute__((vec_type_hint(unsigned short))) void two_words(global int *a) { *a = 1; }
kernel __attribute__((vec_type_hint(size_t))) void of_addresses(global int *a) { *a = 1; }
kernel __attribute__((vec_type_hint(four))) void named(global int *a) { *a = 1; }
kernel __attribute__((__vec_type_hint__(int2))) __attribute__((__work_group_size_hint__(3, 1, 1)))
void underlined(global int *a) { *a = 1; }
"""


@pytest.mark.parametrize("options", ["", "-cl-std=CL3.0", CXX])
def test_however_they_are_written(api, program, device, options):
    """Where GNU's attributes may stand, with any constant expressions and names of types."""
    has_half = "cl_khr_fp16" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS)
    hint = "half8" if has_half else "char8"
    size = "ulong" if api.number("clGetDeviceInfo", device, E.DEVICE_ADDRESS_BITS) == 64 else "uint"
    made = program((HALVES if has_half else "") + WRITTEN.replace("HALF", hint), options)
    for name, said in (("before", "reqd_work_group_size(4,2,1)"), ("declared", "work_group_size_hint(4,2,1)"),
                       ("between", f"vec_type_hint({hint})"), ("computed", "reqd_work_group_size(8,2,4)"),
                       ("two_words", "vec_type_hint(ushort)"), ("of_addresses", f"vec_type_hint({size})"),
                       ("named", "vec_type_hint(float4)"),
                       ("underlined", "work_group_size_hint(3,1,1)vec_type_hint(int2)")):
        k = api.make("clCreateKernel", made, name.encode())
        assert text_of(api, k) == said
        api.ok("clReleaseKernel", k)


def test_the_examples(api, queue, program, buffer, contents):
    """Three kernels that read and write float4, whatever their computations are said to be made of."""
    heads = ("", "__attribute__((vec_type_hint(float4)))", "__attribute__((vec_type_hint(double)))")
    made = program("".join(f"__kernel {head} void foo{i}(__global float4 *p) {{ p[get_global_id(0)] *= 2.0f; }}\n"
                           for i, head in enumerate(heads)))
    mem = buffer(contents=struct.pack("56f", *range(56)))
    for i in range(len(heads)):
        k = api.make("clCreateKernel", made, b"foo%d" % i)
        api.ok("clSetKernelArg", k, 0, 8, byref(c_void_p(mem)))
        assert enqueue(api, queue, k, (13,)) == "CL_SUCCESS"
        api.ok("clReleaseKernel", k)
    assert contents(mem, 224) == struct.pack("56f", *[8 * i for i in range(52)], *range(52, 56))


# ---- work_group_size_hint

def test_the_size_that_is_likely(api, queue, device, ready, contents):
    """A hint: other sizes are as good, and the kernel requires none."""
    k, mem = ready(IDS.format("__attribute__((work_group_size_hint(8, 2, 1)))"))
    assert text_of(api, k) == "work_group_size_hint(8,2,1)"
    required = api.info("clGetKernelWorkGroupInfo", k, device, E.KERNEL_COMPILE_WORK_GROUP_SIZE)
    assert struct.unpack("3Q", required) == (0, 0, 0)
    for local in ((8, 2, 1), (4, 1, 1), (1, 1, 1), (16, 2, 2), None):
        assert enqueue(api, queue, k, (16, 2, 2), local) == "CL_SUCCESS"
    api.ok("clEnqueueTask", queue, k, 0, None, None)
    assert contents(mem, 4) != bytes(4)


# ---- reqd_work_group_size

def test_the_size_that_must_be(api, queue, device, ready):
    k, _ = ready(IDS.format("__attribute__((reqd_work_group_size(4, 2, 2)))"))
    assert text_of(api, k) == "reqd_work_group_size(4,2,2)"
    required = api.info("clGetKernelWorkGroupInfo", k, device, E.KERNEL_COMPILE_WORK_GROUP_SIZE)
    assert struct.unpack("3Q", required) == (4, 2, 2)
    assert enqueue(api, queue, k, (8, 4, 4), (4, 2, 2)) == "CL_SUCCESS"
    for local in ((2, 4, 2), (4, 2, 1), (8, 2, 2), (1, 1, 1)):
        assert enqueue(api, queue, k, (8, 4, 4), local) == INVALID


def test_a_task_is_a_group_of_one(api, queue, ready):
    """"must be (1, 1, 1) if the kernel is executed via clEnqueueTask"."""
    for size in ((2, 1, 1), (1, 2, 1), (1, 1, 2)):
        k, _ = ready(IDS.format(f"__attribute__((reqd_work_group_size{size}))"))
        assert api.error("clEnqueueTask", queue, k, 0, None, None) == INVALID
    k, _ = ready(IDS.format("__attribute__((reqd_work_group_size(1, 1, 1)))"))
    api.ok("clEnqueueTask", queue, k, 0, None, None)


@pytest.mark.parametrize(("size", "dims"), [((4, 2, 2), {3}), ((4, 1, 2), {3}), ((4, 2, 1), {2, 3}),
                                            ((4, 1, 1), {1, 2, 3}), ((1, 1, 1), {1, 2, 3})])
def test_dimensions_of_a_launch(api, queue, ready, size, dims):
    """"If Z is one, the work_dim argument can be 2 or 3. If Y and Z are one, [it] can be 1, 2 or 3"."""
    k, _ = ready(IDS.format(f"__attribute__((reqd_work_group_size{size}))"))
    for dim in (1, 2, 3):
        wanted = "CL_SUCCESS" if dim in dims else INVALID
        assert enqueue(api, queue, k, (8, 4, 4)[:dim], size[:dim]) == wanted


def test_all_attributes_together(api, queue, ready, contents):
    k, mem = ready("""kernel __attribute__((vec_type_hint(float4), work_group_size_hint(4, 1, 1)))
        __attribute__((reqd_work_group_size(4, 1, 1))) void k(global float4 *p) { p[get_global_id(0)] += 1; }""")
    said = text_of(api, k)
    for each in ("vec_type_hint(float4)", "work_group_size_hint(4,1,1)", "reqd_work_group_size(4,1,1)"):
        assert each in said
    assert enqueue(api, queue, k, (8,), (4,)) == "CL_SUCCESS"
    assert contents(mem, 144) == struct.pack("36f", *[1.0] * 32, *[0.0] * 4)
    assert enqueue(api, queue, k, (8,), (8,)) == INVALID
