# SPDX-License-Identifier: Apache-2.0
"""Programs for AMD's chips: from source to code objects, their binaries, and what is said when something is wrong."""
import pytest

from clpy import config
from clpy.compiler import binary
from clpy.compiler.amdgpu import facts, program
from clpy.compiler.amdgpu.target import PROCESSORS, ChipTarget
from clpy.compiler.options import COMPILE, LINK, parse_options
from clpy.compiler.program import CompileError, pack
from clpy.errors import CLError

ADD = b"kernel void add(global const float *a, global float *b) { int i = get_global_id(0); b[i] += a[i]; }"
TAHITI, FIJI, VEGA = ChipTarget("gfx600"), ChipTarget("gfx803"), ChipTarget("gfx906")
# Functions with pointers to any memory, which the library has under the names of another Clang.
POINTERS = b"""kernel void k(global float *p, local float *l, global int *n) {
    float c; int e;
    p[0] = sincos(p[1], &c) + fract(p[2], p) + modf(p[3], l) + frexp(p[4], &e) + remquo(p[5], p[6], n) + c + e
        + vload3(0, p).x + vload_half(3, (global half *)p) + lgamma_r(p[7], &e);
}"""
ATOMICS = b"""kernel void k(global atomic_int *p, local atomic_int *l, global atomic_flag *f) {
    int e = 3;
    atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device);
    atomic_store(l, 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_compare_exchange_strong(p, &e, 4);
    atomic_compare_exchange_strong_explicit(p, &e, 5, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
    atomic_compare_exchange_weak_explicit(l, &e, 6, memory_order_seq_cst, memory_order_relaxed);
    if (atomic_flag_test_and_set(f)) atomic_fetch_max(l, e);
}"""
FUNCTIONS = b"""kernel void k(global double *d, global float4 *f, global int *i, global ulong *u, global uchar16 *c) {
    int x = get_global_id(0);
    d[x] = sin(d[x]) + pow(d[x], 3.1) + sqrt(d[x]) / d[x + 1] + fma(d[x], 2.0, 1.0);
    f[x] = exp(f[x]) + native_log(f[x]) + pow(f[x], 1.5f) + fma(f[x], 2.0f, 1.0f) + erf(f[x]) / half_cos(f[x]);
    i[x] = i[0] / i[1] % i[2] + mul24(i[3], i[4]) + popcount(i[5]) + atomic_add(i, 1) + clz(i[6]);
    u[x] = u[0] / u[1] + mul_hi(u[2], u[3]) + atom_max(u, 3ul);
    c[x] = shuffle2(c[0], c[1], c[2]) + convert_uchar16_sat(convert_float16(c[3])) + mad_sat(c[4], c[5], c[6]);
}"""


def built(source, target, options="", **more):
    return program.build(source, parse_options(options), target, **more)


def mnemonics(executable):
    return [i.text.split()[0] for i in facts.read_program(executable.objects[0], executable.kernels).listing]


@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_processor(processor):
    executable = built(ADD, ChipTarget(processor))
    info = executable.kernels["add"]
    assert [arg.offset for arg in info.args] == [0, 8] and info.args_size == 16 and info.preferred_multiple == 64
    assert executable.kind == binary.EXECUTABLE and executable.undefined == []
    assert "v_add_f32_e32" in mnemonics(executable)
    assert facts.read_program(executable.objects[0]).processor == processor


@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
@pytest.mark.parametrize("target", [TAHITI, FIJI, VEGA], ids=lambda target: target.cpu)
def test_the_library_has_it(target, options):
    for source in (POINTERS, ATOMICS, FUNCTIONS):
        options3 = options if source is FUNCTIONS else f"{options} -cl-std=CL3.0"
        assert len(mnemonics(built(source, target, options3))) > 50


def test_what_options_mean():
    def mode(target, options):
        kernel = facts.read_program(built(ADD, target, options).objects[0]).kernels["add"]
        return kernel.descriptor["float_denorm_mode_32"]

    assert (mode(TAHITI, ""), mode(VEGA, ""), mode(VEGA, "-cl-denorms-are-zero")) == (0, 3, 0)
    source = b"kernel void k(global float *p) { p[0] = sqrt(p[1]) + p[2] / p[3]; }"
    exact = mnemonics(built(source, VEGA, "-cl-fp32-correctly-rounded-divide-sqrt"))
    usual, fast = mnemonics(built(source, VEGA)), mnemonics(built(source, VEGA, "-cl-fast-relaxed-math"))
    assert len(fast) < len(usual) < len(exact)
    assert len(mnemonics(built(ADD, FIJI, "-cl-opt-disable"))) > 2 * len(mnemonics(built(ADD, FIJI)))


def test_macros_and_extensions():
    source = b"""
    #if !defined(cl_khr_fp64) || !defined(cl_khr_int64_base_atomics) || !defined(__IMAGE_SUPPORT__) || !defined(%s)
    #error missing
    #endif
    #if defined(cl_khr_fp16) != %d || __OPENCL_C_VERSION__ != 300 || defined(__opencl_c_generic_address_space) != %d
    #error wrong
    #endif
    kernel void k(global float *p) { *p = 1; }"""
    for target, half, generic in ((TAHITI, 0, 0), (ChipTarget("gfx701"), 0, 1), (FIJI, 1, 1)):
        built(source % (f"__{target.cpu}__".encode(), half, generic), target, "-cl-std=CL3.0")


def test_attributes_and_names():
    source = b"""typedef struct { float a; int b[3]; } pair;
    kernel __attribute__((reqd_work_group_size(16, 4, 1))) __attribute__((vec_type_hint(float4)))
    void k(global const pair *restrict p, pair s, image2d_t i, sampler_t m, local long4 *l) { l[0] = p->a + s.b[1]; }
    """
    info = built(source, FIJI, "-cl-kernel-arg-info").kernels["k"]
    assert info.reqd_size == (16, 4, 1)
    assert info.attributes == "reqd_work_group_size(16,4,1) vec_type_hint(float4)"
    assert [(a.name, a.type_name, a.size) for a in info.args] == [
        ("p", "pair*", 8), ("s", "pair", 16), ("i", "image2d_t", 8), ("m", "sampler_t", 8), ("l", "long4*", 8)]
    assert [a.access_qualifier for a in info.args] == [0x11A3, 0x11A3, 0x11A0, 0x11A3, 0x11A3]
    assert info.args[0].type_qualifier == 3 and info.args[4].align == 32


@pytest.mark.parametrize(("source", "options", "log"), [
    (b"kernel void k(global int *p) { *p = q; }", "", "<source>:1:37: error: use of undeclared identifier 'q'"),
    (b"int f(int); kernel void k(global int *p) { *p = f(1); }", "", "error: undefined reference to 'f'"),
    (b"kernel void k(global int *p) { local int l[20000]; l[*p] = 1; barrier(1); *p = l[1]; }", "",
     "local memory (80000) exceeds limit"),
    (b'kernel void k(global int *p) { int x; __asm("s_mov_b32 %0, 5" : "=s"(x)); *p = x; }', "", "inline assembly"),
    (b"kernel void k(int *p) { }", "", "error: pointer arguments to kernel functions must reside in"),
])
def test_errors(source, options, log):
    with pytest.raises(CompileError) as raised:
        built(source, FIJI, options)
    assert log in raised.value.log


@pytest.mark.parametrize("attribute", ["cold", "hot", 'section(".mine")'])
def test_all_code_lies_in_one_section(attribute):
    """A kernel that always calls what is cold is so itself, to LLVM."""
    function = f"__attribute__(({attribute}, noinline)) void f(global int *a) {{ if (a[0] != 3) a[1] = 4; }}"
    kernels = "kernel void k(global int *a) { f(a); } " + f"__attribute__(({attribute})) kernel void own() {{ }}"
    made = built(f"{function} {kernels}".encode(), TAHITI)
    read = facts.read_program(made.objects[0], made.kernels)
    assert all(read.symbols[name][0] < len(read.text) for name in ("k", "own", "f"))


def test_language_of_the_oldest_chips():
    """They have no pointers to any memory, which a program of OpenCL C 2.0 may need, and most do not."""
    built(ADD, TAHITI, "-cl-std=CL2.0")
    needing = b"int at(int *p) { return *p; } kernel void k(global int *p, local int *q) { *p = at(p) + at(q); }"
    built(needing, FIJI, "-cl-std=CL2.0")
    with pytest.raises(CompileError) as raised:
        built(needing, TAHITI, "-cl-std=CL2.0")
    assert "changes address space" in raised.value.log


def test_spirv_is_refused_in_words():
    with pytest.raises(CompileError) as raised:
        program.build_il(b"", parse_options(""), FIJI)
    assert "SPIR-V" in raised.value.log


def test_without_the_library(tmp_path):
    with config.override(AMD_DEVICE_LIBRARY=str(tmp_path)), pytest.raises(CompileError) as raised:
        built(b"kernel void other(global float *p) { *p = sin(*p); }", FIJI)
    assert raised.value.log.count("\n") == 1 and str(tmp_path) in raised.value.log


def test_the_package_is_named(monkeypatch):
    from clpy.compiler.amdgpu import installed
    monkeypatch.setattr(installed, "_found", {})
    monkeypatch.setattr(installed, "folders", tuple)
    with pytest.raises(CompileError) as raised:
        built(b"kernel void third(global float *p) { *p = cos(*p); }", FIJI)
    assert "install the Debian package rocm-device-libs" in raised.value.log


def test_compile_and_link():
    options = parse_options("", COMPILE)
    one = program.compile_source(b'#include "f.h"\nkernel void k(global int *p) { *p = f(*p); }',
                                 {"f.h": b"int f(int x);"}, options, FIJI)
    two = program.compile_source(b"int f(int x) { return 3 * x; }", {}, options, FIJI)
    library = program.link([two], parse_options("-create-library", LINK), FIJI)
    assert library.kind == binary.LIBRARY
    executable = program.link([one, library], parse_options("", LINK), FIJI)
    assert set(executable.kernels) == {"k"}
    with pytest.raises(CompileError, match="undefined reference to 'f'"):
        program.link([one], parse_options("", LINK), FIJI)


def test_binaries():
    executable = built(ADD, FIJI, "-w")
    blob = pack(executable, ADD, FIJI)
    again = program.unpack(blob, FIJI)
    assert again.objects == executable.objects and again.kernels == executable.kernels
    with pytest.raises(CLError):
        program.unpack(blob, VEGA)
    renamed = ChipTarget("gfx803", "gpu:fiji")
    with pytest.raises(CLError):
        program.unpack(blob, renamed)
    unit = program.compile_source(ADD, {}, parse_options("", COMPILE), FIJI)
    assert program.unpack(pack(unit, ADD, FIJI), FIJI).ir == unit.ir


def test_a_binary_of_another_version_is_compiled_anew(monkeypatch):
    executable = built(ADD, FIJI)
    blob = pack(executable, ADD, FIJI)
    monkeypatch.setattr(binary, "ABI_VERSION", binary.ABI_VERSION + 1)
    again = program.unpack(blob, FIJI)
    assert again.objects[0] == executable.objects[0]


def test_the_cache(monkeypatch):
    source = ADD.replace(b"add", b"cached")
    executable = built(source, FIJI)

    def never(*args):
        raise AssertionError("compiled again")

    monkeypatch.setattr(program, "finish", never)
    assert built(source, FIJI).objects == executable.objects
    with pytest.raises(AssertionError):
        built(source, VEGA)
