# SPDX-License-Identifier: Apache-2.0
"""AMD's static C++ kernel language (`-x clc++`): what AMD's guide shows, and what it forbids."""
import numpy as np
import pyopencl as cl
import pytest

OPTIONS = ("-x clc++", "-x clc++ -cl-std=CL1.2", "-xclc++")


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


def test_an_object_goes_to_the_device_and_back_by_maps(machine):
    """It lies in memory of the host that the buffer uses, as the guide has it."""
    source = """
        class pair {
            float2 place;
        protected:
            int n;
        public:
            void grow(int by) { n += by; place *= 2.0f; }
        };
        class counter : public pair { uint calls; public: void call() { calls++; grow(calls); } };
        kernel void step(global counter *c, int times) { for (int i = 0; i < times; i++) c->call(); }"""
    kernel = cl.Kernel(machine.build(source, "-x clc++"), "step")
    layout = np.dtype({"names": ["place", "n", "calls"], "formats": ["2f4", "i4", "u4"], "offsets": [0, 8, 12],
                       "itemsize": 16})
    there = np.zeros(1, layout)
    there["place"], there["n"] = (1, 3), 10
    buffer = cl.Buffer(machine.context, cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, hostbuf=there)
    for calls, place, n in ((2, [4, 12], 13), (4, [16, 48], 20)):
        kernel(machine.queue, (1,), None, buffer, np.int32(2))
        seen, _ = cl.enqueue_map_buffer(machine.queue, buffer, cl.map_flags.READ, 0, 1, layout)
        with seen.base:
            assert (seen["calls"][0], seen["place"][0].tolist(), seen["n"][0]) == (calls, place, n)
    seen, _ = cl.enqueue_map_buffer(machine.queue, buffer, cl.map_flags.WRITE, 0, 1, layout)
    with seen.base:
        seen["calls"] = 100
    kernel(machine.queue, (1,), None, buffer, np.int32(1))
    cl.enqueue_copy(machine.queue, there, buffer)
    assert there["calls"][0] == 101 and there["n"][0] == 121


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


def test_the_best_of_several_functions(machine):
    """By types of elements and numbers of them; what a scalar is taken for where none is its own; methods too."""
    source = """
        int of(char) { return 1; }
        int of(int) { return 2; }
        int of(float) { return 3; }
        int of(char4) { return 4; }
        int of(int4) { return 5; }
        int of(float4) { return 6; }
        int of(float8) { return 7; }
        int of(global int *) { return 8; }
        int of(const local int *) { return 9; }
        struct scale {
            int by;
            int operator()(int x) const { return by * x; }
            int4 operator()(int4 x) const { return by * x; }
            scale operator+(const scale &other) const { scale sum = {by + other.by}; return sum; }
        };
        kernel void k(global int *out) {
            local int shared[1];
            short s = 1;
            char4 c = 1;
            float8 f = 1;
            out[0] = of(c.x); out[1] = of(s); out[2] = of(1.0f); out[3] = of(c); out[4] = of(convert_int4(c));
            out[5] = of(f.lo); out[6] = of(f); out[7] = of(out); out[8] = of(shared);
            scale two = {2}, five = {5};
            out[9] = (two + five)(6);
            out[10] = (two + five)((int4)(1, 2, 3, 4)).w;
        }"""
    out = np.zeros(11, np.int32)
    run(machine, machine.build(source, "-x clc++"), "k", out)
    assert out.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 42, 28]
    log = refused(machine, "int of(int4) { return 1; } int f(float4 x) { return of(x); }")
    assert "no matching function" in log


def test_arguments_of_templates(machine):
    """Vectors, and pointers that say to which memory; numbers; types of the program; arguments that others follow
    from."""
    source = """
        template<class T> struct kind { enum { at = 0 }; };
        template<class T> struct kind<global T *> { enum { at = 1 }; };
        template<class T> struct kind<local T *> { enum { at = 2 }; };
        template<class T> struct kind<constant T *> { enum { at = 3 }; };
        template<> struct kind<float4> { enum { at = 4 }; };
        struct mine { int x; };
        template<class T, class P = global T *, int N = sizeof(T)> int about() { return kind<P>::at * 100 + N; }
        kernel void k(global int *out) {
            out[0] = about<int>(); out[1] = about<mine, local mine *>();
            out[2] = about<double2, constant double2 *, 7>();
            out[3] = about<char, float4>(); out[4] = about<int8, mine>();
        }"""
    out = np.zeros(5, np.int32)
    run(machine, machine.build(source, "-x clc++"), "k", out)
    assert out.tolist() == [104, 204, 307, 401, 32]


def test_kernels_that_are_overloaded_and_templates(machine):
    """Arguments of the template's types and of others in one signature; a plain kernel of the same name."""
    source = """
        struct mine { int x; };
        template<class T> kernel void put(global T *out, int n) { out[0] = (T)n; }
        template<class T> kernel void put(global T *out, int n, global mine *m) { out[0] = (T)(n + m->x); }
        kernel void put(global int *out) { put(out, 3); out[1] = 4; }
        template kernel void put(global int *, int);
        template __attribute__((mangled_name(of_short))) kernel void put(global short *, int);
        template kernel void put<int>(global int *, int, global mine *);"""
    program = machine.build(source, "-x clc++")
    assert names(program) == {"put", "of_short", "put<int>(global int*,int)",
                              "put<int>(global int*,int,global mine*)"}
    out, mine = np.zeros(2, np.int32), np.full(1, 30, np.int32)
    run(machine, program, "put", out)
    assert out.tolist() == [3, 4]
    run(machine, program, "put<int>(global int*,int)", out, np.int32(5))
    assert out.tolist() == [5, 4]
    run(machine, program, "put<int>(global int*,int,global mine*)", out, np.int32(5), mine)
    assert out.tolist() == [35, 4]
    with pytest.raises(cl.Error, match="INVALID_KERNEL_NAME"):
        cl.Kernel(program, "put<nothing>(global nothing*,int)")


def test_types_and_functions_of_opencl_c(machine):
    """Images, samplers, events and functions of OpenCL C 1.2, in classes and templates."""
    source = """
        template<class T, int N> struct window {
            local T *at;
            void fill(const global T *from) { event_t done = async_work_group_copy(at, from, N, 0);
                                              wait_group_events(1, &done); }
            T sum() const { T s = 0; for (int i = 0; i < N; i++) s += at[i]; return s; }
        };
        struct reader {
            static float4 pixel(read_only image2d_t from, sampler_t how, float x) {
                return read_imagef(from, how, (float2)(x, x - 1)); }
        };
        constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        kernel void k(global float *out, const global float *in, read_only image2d_t from) {
            local float shared[4];
            window<float, 4> w;
            w.at = shared;
            w.fill(in);
            out[0] = clamp(w.sum(), 0.0f, 9.0f);
            out[1] = reader::pixel(from, nearest, in[0] + 0.5f).y;
            int one = in[0] > 0;
            float2 both = {one, one};
            out[2] = dot(vload4(0, in), (float4)(both.x, 0, 0, one));
            out[3] = as_float(atomic_xchg((volatile global int *)out, as_int(8.0f)));
        }"""
    pixels = np.arange(8, dtype=np.float32)
    image = cl.create_image(machine.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR,
                            cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT), shape=(2, 1), hostbuf=pixels)
    out = np.zeros(4, np.float32)
    run(machine, machine.build(source, "-x clc++"), "k", out, np.array([1, 2, 3, 4], np.float32), image)
    assert out.tolist() == [8, 5, 5, 9]


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


def test_many_of_a_name(machine):
    """Each declaration of a name is found by way of the one before it."""
    types = ("char", "int", "float", "uint", "short")
    source = "".join(f"kernel void over({name} x, global float *o) {{ o[0] = x + {n}; }}\n"
                     for n, name in enumerate(types))
    source += """
        template<class T> kernel void over(T x, T y, global float *o) { over(x, o); over(y, o + 1); }
        template kernel void over(float, float, global float *);
        kernel void last(global float *o) { over(1.0f, o); over((short)1, o + 1); }"""
    program = machine.build(source, "-x clc++")
    assert names(program) == {"last", "over<float>", *(f"over({name},global float*)" for name in types)}
    out = np.zeros(2, np.float32)
    run(machine, program, "last", out)
    assert out.tolist() == [3, 5]
    run(machine, program, "over<float>", np.float32(5), np.float32(7), out)
    assert out.tolist() == [7, 9]


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
    ("struct s { kernel ~s() {} };", "static methods"),
    ("class c { public: global int y; };", "address space"),
    ("struct a { virtual ~a() {} };", "virtual"),
    ("#include <algorithm>\n", "'algorithm' file not found"),
    ("kernel void k(global int *o) { o[0] = work_group_reduce_add(1); }", "work_group_reduce_add"),
    ("kernel void k(global atomic_int *o) { atomic_fetch_add(o, 1); }", "atomic"),
    ("kernel void k(read_only pipe int p) {}", "pipe"),
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
    if "cl_ext_cxx_for_opencl" in machine.device.extensions.split():
        machine.build("__attribute__((mangled_name(x))) kernel void k() {}", "-cl-std=CLC++")


SEVERAL = """
class Point { public: int x; void move(int d) { x += d; } };
kernel void k(global Point *p, global int *o, int n) {
    local Point l[4];
    int i = get_global_id(0);
    l[i].x = p[i].x;
    Point *q = i < n ? (Point *)&p[i] : (Point *)&l[i];
    q->move(3);
    o[i] = q->x * 2 + (p[i].x == l[i].x + 3);
}
"""


def test_a_pointer_to_several_kinds_of_memory(machine):
    """Chips before gfx7 have none; what is known to be of one kind works there, as the other tests show."""
    if "__opencl_c_generic_address_space" not in machine.features:
        assert "error: k reads or writes by a pointer that may lead to memory of" in refused(machine, SEVERAL)
        return
    points, out = np.arange(4, dtype=np.int32) * 10, np.zeros(4, np.int32)
    machine.launch(cl.Kernel(machine.build(SEVERAL, "-x clc++"), "k"), (4,), (4,), [points, out, np.int32(2)])
    assert out.tolist() == [7, 27, 46, 66]
