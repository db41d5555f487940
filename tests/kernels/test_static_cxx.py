# SPDX-License-Identifier: Apache-2.0
"""AMD's static C++ kernel language (`-x clc++`): what AMD's guide shows, and what it forbids."""
import numpy as np
import pyopencl as cl
import pytest

OPTIONS = ("-x clc++", "-x clc++ -cl-std=CL1.2", "-xclc++")


@pytest.fixture(autouse=True)
def has_cxx(machine):
    machine.needs("cl_ext_cxx_for_opencl")


def names(program):
    return set(program.kernel_names.split(";"))


def run(machine, program, name, *arrays, size=1):
    machine.launch(cl.Kernel(program, name), (size,), None, list(arrays))


def refused(machine, source, options="-x clc++"):
    with pytest.raises(cl.RuntimeError) as error:
        machine.build(source, options)
    return str(error.value)


# ---- the guide's examples

OVERLOADED = """
__attribute__((mangled_name(testAddFloat4))) kernel void
testAdd(global float4 * src1, global float4 * src2, global float4 * dst)
{
    int tid = get_global_id(0);
    dst[tid] = src1[tid] + src2[tid];
}
__attribute ((mangled_name(testAddInt8))) kernel void
testAdd(global int8 * src1, global int8 * src2, global int8 * dst)
{
    int tid = get_global_id(0);
    dst[tid] = src1[tid] + src2[tid];
}
"""

TEMPLATE = """
template <class T>
kernel void testAdd(global T * src1, global T * src2, global T * dst)
{
    int tid = get_global_id(0);
    dst[tid] = src1[tid] + src2[tid];
}
template __attribute__((mangled_name(testAddFloat4))) kernel void
testAdd(global float4 * src1, global float4 * src2, global float4 * dst);
template __attribute__((mangled_name(testAddInt8))) kernel void
testAdd(global int8 * src1, global int8 * src2, global int8 * dst);
"""


@pytest.mark.parametrize("source", [OVERLOADED, TEMPLATE], ids=["overloaded", "template"])
@pytest.mark.parametrize("options", OPTIONS)
def test_kernels_with_names(machine, source, options):
    program = machine.build(source, options)
    assert names(program) == {"testAddFloat4", "testAddInt8"}
    for name, kind, size in (("testAddFloat4", np.float32, 4), ("testAddInt8", np.int32, 2)):
        a, b, c = np.arange(16, dtype=kind), np.arange(16, dtype=kind)[::-1].copy(), np.zeros(16, kind)
        run(machine, program, name, a, b, c, size=size)
        np.testing.assert_array_equal(c, np.full(16, 15))


def test_an_object_from_the_host(machine):
    """Its members keep what the host gave them, and the host sees what methods made of them."""
    source = """
        class Base { protected: float4 at; public: float4 twice() const { return at + at; } };
        class Test : public Base {
        public:
            void setX(int value);
            void move() { at = twice(); }
        private:
            int x;
        };
        void Test::setX(int value) { x += value; }
        kernel void foo(global Test *InClass) {
            if (get_global_id(0) == 0) {
                InClass->setX(5);
                InClass->move();
            }
        }"""
    one = np.zeros(1, np.dtype({"names": ["at", "x"], "formats": ["4f4", "i4"], "itemsize": 32}))
    one["at"], one["x"] = (1, 2, 3, 4), 100
    run(machine, machine.build(source, "-x clc++"), "foo", one, size=3)
    assert one["x"][0] == 105 and one["at"][0].tolist() == [2, 4, 6, 8]


def test_objects_in_kernels(machine):
    """Private ones, and those that a work-group shares."""
    source = """
        class myClass {
        public:
            int myMethod1() { return x; }
            void myMethod2() { x = 0; }
            int x;
        };
        kernel __attribute__((reqd_work_group_size(4, 1, 1))) void myKernel(global int *out) {
            myClass c1;
            local myClass c2;
            c1.x = get_local_id(0);
            if (c1.x == 0) { c2.myMethod2(); c2.x = 7; }
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = c1.myMethod1() + c2.myMethod1();
        }"""
    program = machine.build(source, "-x clc++")
    out = np.zeros(4, np.int32)
    run(machine, program, "myKernel", out, size=4)
    assert out.tolist() == [7, 8, 9, 10]
    kernel = cl.Kernel(program, "myKernel")
    assert kernel.get_work_group_info(cl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE, machine.device) == [4, 1, 1]


# ---- what the guide lists

def test_the_language(machine):
    """Multiple inheritance, friends, member templates, default arguments, partial specialization, namespaces,
    references, `this`; kernels in namespaces, static methods as kernels, kernels that call kernels."""
    source = """
        namespace outer { namespace inner {
            template<class T, int N = 2> struct many { T at[N]; template<class U> U sum() const {
                U s = 0; for (int i = 0; i < N; i++) s += at[i]; return s; } };
            template<class T> struct many<T, 1> { T at[1]; template<class U> U sum() const { return -1; } };
            kernel void nested(global int *out) { many<int> m; m.at[0] = 3; m.at[1] = 4; out[0] = m.sum<int>(); }
        } }
        struct left { int l; left &self() { return *this; } };
        struct right { int r; };
        class both : public left, public right { friend class thief; int s; public: both(int x) {
            this->s = x; l = x + 1; r = x + 2; } };
        class thief { public: static int secret(const both &b) { return b.s; } };
        struct holder {
            static __attribute__((mangled_name(of_a_class))) kernel void run(global int *out) {
                local int shared[4];
                shared[0] = 21;
                out[0] = shared[0] * 2;
            }
        };
        kernel void first(global int &out) { both b(10); out = thief::secret(b) * 10000 + b.self().l * 100 + b.r; }
        kernel void second(global int *out) { first(out[0]); outer::inner::many<int, 1> m; out[1] = m.sum<int>(); }"""
    program = machine.build(source, "-x clc++")
    assert names(program) == {"nested", "of_a_class", "first", "second"}
    for name, wanted in (("nested", 7), ("of_a_class", 42), ("first", 101112), ("second", 101112)):
        out = np.zeros(2, np.int32)
        run(machine, program, name, out)
        assert out[0] == wanted, name
    assert out[1] == -1


def test_kernels_without_names(machine):
    """A kernel that has no name of its own is called by its signature, where its plain name is not enough."""
    source = """
        struct mine { int x; };
        kernel void one(global uint *out) { out[0] = 1; }
        kernel void over(global uint *out) { out[0] = 2; }
        kernel void over(global uint *out, constant mine *m, uint4 v) { out[0] = v.y; }
        template<class T> kernel void of(global T *out) { out[0] = sizeof(T); }
        template kernel void of<uchar>(global uchar *);
        template kernel void of(global float2 *);"""
    program = machine.build(source, "-x clc++")
    assert names(program) == {"one", "over(global uint*)", "over(global uint*,constant mine*,uint4)",
                              "of<uchar>", "of<float2>"}
    out = np.zeros(1, np.uint32)
    run(machine, program, "over(global uint*)", out)
    assert out[0] == 2
    run(machine, program, "of<uchar>", out)
    assert out[0] == 1


def test_declared_first(machine):
    source = """
        kernel void later(global int *out);
        kernel void now(global int *out) { later(out); }
        kernel void later(global int *out) { out[0] = 9; }"""
    program = machine.build(source, "-x clc++")
    assert names(program) == {"later", "now"}
    for name in ("now", "later"):
        out = np.zeros(1, np.int32)
        run(machine, program, name, out)
        assert out[0] == 9


def test_called_before_it_is_made(machine):
    """An instance of a template that another kernel calls."""
    source = """
        template<class T> kernel void put(global T *out) { out[0] = sizeof(T); }
        kernel void uses(global int *out) { put(out); }
        namespace other {
            __attribute__((mangled_name(other_uses))) kernel void uses(global int *out) { ::uses(out); out[0]++; }
        }
        template __attribute__((mangled_name(put_int))) kernel void put(global int *);"""
    program = machine.build(source, "-x clc++")
    assert names(program) == {"put_int", "uses", "other_uses"}
    for name, wanted in (("put_int", 4), ("uses", 4), ("other_uses", 5)):
        out = np.zeros(1, np.int32)
        run(machine, program, name, out)
        assert out[0] == wanted


def test_versions(machine):
    """The language builds on OpenCL C 1.2, and `clc` is OpenCL C."""
    source = """kernel void k(global int *out) {
        out[0] = __OPENCL_C_VERSION__;
        #ifdef __cplusplus
        out[1] = 1;
        #endif
    }"""
    for options, wanted in (("-x clc++", [120, 1]), ("-x clc", [120, 0]), ("-x clc -cl-std=CL3.0", [300, 0])):
        out = np.zeros(2, np.int32)
        run(machine, machine.build(source, options), "k", out)
        assert out.tolist() == wanted


def test_linked_and_from_a_binary(machine):
    program = machine.build(TEMPLATE, "-x clc++")
    again = cl.Program(machine.context, [machine.device], program.get_info(cl.program_info.BINARIES)).build()
    assert names(again) == names(program)
    parts = [cl.Program(machine.context, text).compile("-x clc++") for text in (TEMPLATE, "kernel void x() {}")]
    assert names(cl.link_program(machine.context, parts)) == {*names(program), "x"}


# ---- what the language has not

@pytest.mark.parametrize(("source", "said"), [
    ("struct a { virtual int f() { return 1; } };", "virtual"),
    ("struct a { virtual int f() = 0; };", "virtual"),
    ("struct a {}; struct b : virtual a {};", "virtual"),
    ("kernel void k(global int *o) { throw 1; }", "exceptions"),
    ("kernel void k(global int *o) { try { o[0] = 1; } catch (...) {} }", "exceptions"),
    ("kernel void k(global int *o) { o[0] = *new int(3); }", "new"),
    ("void f(int *x) { delete x; }", "delete"),
    ("struct a {}; struct b : a {}; b *f(a *x) { return dynamic_cast<b *>(x); }", "dynamic_cast"),
    ("#include <vector>\n", "'vector' file not found"),
    ("class c { local int y; };", "address space"),
    ("struct s { kernel void k(global int *o) {} };", "static methods"),
    ("struct s { kernel s() {} };", "static methods"),
    ("kernel int k(global int *o) { return 1; }", "void return type"),
    ("static kernel void k(global int *o) {}", "static"),
    ("kernel void k(int *o) {}", "private"),
    ("kernel void k(global int *global *o) {}", "pointers to pointers"),
    ("kernel void k(bool b) {}", "argument"),
    ("struct s { global int *p; }; kernel void k(s x) {}", "argument"),
    ("kernel void k(int) {} kernel int k(float) { return 1; }", "void return type"),
    ("kernel void k(int) {} kernel int k(int) { return 1; }", "return type"),
    ("__attribute__((mangled_name(1))) kernel void k() {}", "needs a name"),
    ("__attribute__((mangled_name(x))) void k() {}", "for kernels"),
    ("kernel int x;", "functions"),
    ("__attribute__((mangled_name(x))) kernel void a(int) {} __attribute__((mangled_name(x))) kernel void a(float) {}",
     "the same name"),
    ("kernel __attribute__((reqd_work_group_size(0, 1, 1))) void k() {}", "positive integers"),
    ("int counter = 0;", "constant"),
])
def test_what_it_has_not(machine, source, said):
    log = refused(machine, source)
    assert said in log


@pytest.mark.parametrize("options", ["-x", "-x c++", "-x clc++ -cl-std=CL2.0", "-x clc++ -cl-std=CL3.0",
                                     "-cl-std=CLC++ -x clc", "-x clc++ -cl-std=CLC++"])
def test_wrong_options(machine, options):
    with pytest.raises(cl.Error, match="INVALID_BUILD_OPTIONS"):
        machine.build("kernel void k() {}", options)


def test_the_attribute_elsewhere(machine):
    """In other languages it means nothing, with a warning."""
    machine.build("__attribute__((mangled_name(x))) kernel void k() {}", "")
    machine.build("__attribute__((mangled_name(x))) kernel void k() {}", "-cl-std=CLC++")
