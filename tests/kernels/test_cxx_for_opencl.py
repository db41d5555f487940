# SPDX-License-Identifier: Apache-2.0
"""C++ for OpenCL, 1.0 and 2021: what the language adds to OpenCL C, and objects of the program that are constructed
before its first kernel."""
import numpy as np
import pyopencl as cl
import pytest

STANDARDS = ("-cl-std=CLC++", "-cl-std=CLC++1.0", "-cl-std=CLC++2021")


@pytest.fixture(autouse=True)
def has_cxx(machine):
    machine.needs("cl_ext_cxx_for_opencl")


def run(machine, source, options, size=1, count=8, arguments=()):
    out = np.zeros(count, np.int32)
    machine.launch(machine.build(source, options).k, (size,), None, [out, *arguments])
    return out.tolist()


@pytest.mark.parametrize("options", STANDARDS)
def test_the_language(machine, options):
    """Overloads, templates, references, lambdas, classes with constructors and operators, namespaces, constexpr."""
    source = """
        namespace shapes {
            template<class T, int N> struct vec {
                T at[N];
                vec(T x) { for (auto &a : at) a = x; }
                T &operator[](int i) { return at[i]; }
                T sum() const { T s = 0; for (int i = 0; i < N; i++) s += at[i]; return s; }
            };
            template<class T> T twice(T x) { return x + x; }
        }
        int kind(int) { return 1; }
        int kind(float) { return 2; }
        int kind(global int *) { return 3; }
        int kind(local int *) { return 4; }
        constexpr int square(int x) { return x * x; }
        struct guard { int &at; guard(int &a) : at(a) { at += 1; } ~guard() { at += 10; } };
        kernel void k(global int *out) {
            local int shared;
            shapes::vec<int, 4> v(3);
            v[1] = 7;
            out[0] = v.sum();
            out[1] = shapes::twice(3) + (int)shapes::twice(1.5f);
            out[2] = kind(1) * 1000 + kind(1.0f) * 100 + kind(out) * 10 + kind(&shared);
            int table[square(3)];
            out[3] = sizeof(table);
            auto add = [](int x, int y) { return x + y; };
            out[4] = add(4, 5);
            int lives = 0;
            { guard g(lives); out[5] = lives; }
            out[6] = lives;
            float4 f = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
            out[7] = static_cast<int>(f.wzyx.x + dot(f, f));
        }"""
    assert run(machine, source, options) == [16, 9, 1234, 36, 9, 1, 11, 34]


@pytest.mark.parametrize("options", STANDARDS)
def test_barriers_and_builtins(machine, options):
    source = """
        template<class T> void reverse(local T *tmp, T x, global T &to) {
            size_t i = get_local_id(0), n = get_local_size(0);
            tmp[i] = x;
            barrier(CLK_LOCAL_MEM_FENCE);
            to = tmp[n - 1 - i];
        }
        kernel void k(global int *out, local int *tmp) {
            size_t i = get_global_id(0);
            reverse<int>(tmp, (int)i, out[i]);
        }
    """
    out = np.zeros(30, np.int32)
    machine.launch(machine.build(source, options).k, (30,), (10,), [out, cl.LocalMemory(40)])
    np.testing.assert_array_equal(out, np.arange(30).reshape(3, 10)[:, ::-1].ravel())


OBJECTS = """
struct counter {
    int n;
    counter(int x) : n(x * 2) {}
    ~counter() { n = -1; }
    int more(int x) { return n += x; }
};
counter first(21);
int second = first.n + 1;
namespace { counter third = counter(second); }
float table[100];
struct fill { fill() { for (int i = 0; i < 100; i++) table[i] = sqrt((float)i); } } filled;
int once = first.more(5);
"""


@pytest.mark.parametrize("options", [*STANDARDS, "-cl-std=CLC++2021 -cl-opt-disable"])
def test_objects_of_the_program(machine, options):
    """Constructed in their order, once, before the first kernel; both kernels see the same objects."""
    source = OBJECTS + """
        kernel void k(global int *out) {
            int i = get_global_id(0);
            if (i == 0) {
                out[0] = first.n; out[1] = second; out[2] = third.n; out[3] = once;
                out[4] = (int)table[81];
            }
        }
        kernel void change(global int *out) { first.more(100); }
    """
    program = machine.build(source, options)
    out, dummy = np.zeros(5, np.int32), np.zeros(1, np.int32)
    kernel = cl.Kernel(program, "k")
    machine.launch(kernel, (1000,), None, [out])
    assert out.tolist() == [47, 43, 86, 47, 9]
    machine.launch(cl.Kernel(program, "change"), (1,), None, [dummy])
    machine.launch(kernel, (1,), None, [out])
    assert out.tolist() == [147, 43, 86, 47, 9], "they keep what kernels make of them"
    assert {k.function_name for k in program.all_kernels()} == {"k", "change"}


def test_objects_with_many_groups_at_once(machine):
    """Every group of the first launch finds them constructed."""
    source = """
        struct slow { int n; slow() : n(0) { for (int i = 0; i < 3000000; i++) n += i & 3; } } object;
        kernel void k(global int *out) { out[get_global_id(0)] = object.n; }
    """
    program = machine.build(source, "-cl-std=CLC++2021")
    out = np.zeros(1 << 14, np.int32)
    machine.launch(program.k, out.shape, (16,), [out])
    assert (out == 4500000).all()


def test_static_objects_of_functions(machine):
    source = """
        struct one { int n; one() : n(4) {} };
        int next() { static one at; return at.n++; }
        kernel void k(global int *out) { out[0] = next(); out[1] = next(); out[2] = next(); }
    """
    assert run(machine, source, "-cl-std=CLC++2021", count=3) == [4, 5, 6]


@pytest.mark.parametrize("options", STANDARDS)
def test_macros(machine, options):
    source = """kernel void k(global int *out) {
        out[0] = __OPENCL_CPP_VERSION__;
        out[1] = __CL_CPP_VERSION_1_0__;
        #ifdef __OPENCL_C_VERSION__
        out[2] = 1;
        #endif
        #ifdef cl_ext_cxx_for_opencl
        out[3] = 1;
        #endif
        #ifdef __opencl_cpp_global_destructor
        out[4] = 1;
        #endif
        #ifdef cl_khr_fp64
        out[5] = sizeof(double);
        #endif
    }"""
    version = 202100 if "2021" in options else 100
    assert run(machine, source, options, count=6) == [version, 100, 0, 0, 0, 8]


def test_the_query_agrees():
    """"the value of the __OPENCL_CPP_VERSION__ macro agrees with the version" of the query, for -cl-std=CLC++."""
    from clapi import API, E
    api = API()
    device = api.devices()[0]
    version = api.number("clGetDeviceInfo", device, E.DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT)
    assert (version >> 22) * 100 + (version >> 12 & 1023) * 10 + (version & 4095) == 100


@pytest.mark.parametrize("options", STANDARDS)
def test_linked_with_c(machine, options):
    """A library in C, with C linkage in C++; objects of two C++ sources are all constructed."""
    c = cl.Program(machine.context, "int from_c(int x) { return 3 * x; }").compile("-cl-std=CL3.0")
    parts = ["""
        extern "C" int from_c(int x);
        struct a { int n; a() : n(from_c(2)) {} } left;
        extern int right_of(int x);
        kernel void k(global int *out) { out[0] = left.n; out[1] = right_of(1); }
    """, """
        struct b { int n; b(int x) : n(x) {} } right(40);
        int right_of(int x) { return right.n + x; }
    """]
    compiled = [cl.Program(machine.context, part).compile(options) for part in parts]
    program = cl.link_program(machine.context, [c, *compiled])
    out = np.zeros(2, np.int32)
    machine.launch(cl.Kernel(program, "k"), (1,), None, [out])
    assert out.tolist() == [6, 41]


def test_binary(machine):
    """Objects are constructed for a program from a binary, too; from its bitcode as from its machine code."""
    source = OBJECTS + "kernel void k(global int *out) { out[0] = first.n; out[1] = third.n; }"
    program = machine.build(source, "-cl-std=CLC++")
    again = cl.Program(machine.context, [machine.device], program.get_info(cl.program_info.BINARIES)).build()
    out = np.zeros(2, np.int32)
    machine.launch(cl.Kernel(again, "k"), (1,), None, [out])
    assert out.tolist() == [47, 86]
    assert [k.function_name for k in again.all_kernels()] == ["k"]


@pytest.mark.parametrize(("source", "said"), [
    ("struct a { virtual int f() { return 1; } }; kernel void k(global int *o) {}", "virtual functions"),
    ("kernel void k(global int *o) { throw 1; }", "exceptions"),
    ("kernel void k(global int *o) { o[0] = *new int(3); }", "new"),
    ("template<class T> kernel void k(global T *o) {}", "template"),
])
def test_what_the_language_has_not(machine, source, said):
    with pytest.raises(cl.RuntimeError, match=said):
        machine.build(source, "-cl-std=CLC++2021")


def test_a_constructor_that_faults(machine):
    """The kernels of the program fail, each time; other programs go on."""
    source = """
        struct bad { int n; bad() { volatile global int *p = (volatile global int *)16ul; n = *p; } } object;
        kernel void k(global int *out) { out[0] = object.n; }
    """
    kernel = cl.Kernel(machine.build(source, "-cl-std=CLC++2021"), "k")
    kernel.set_args(cl.Buffer(machine.context, cl.mem_flags.READ_WRITE, 4))
    queue = cl.CommandQueue(machine.context)
    for _ in range(2):
        with pytest.raises(cl.Error):
            cl.enqueue_nd_range_kernel(queue, kernel, (1,), None).wait()
    assert run(machine, "kernel void k(global int *out) { out[0] = 5; }", "", count=1) == [5]
