# SPDX-License-Identifier: Apache-2.0
"""Clang in this process: macros, headers, diagnostics, and that no source can do harm."""
import os
import time
from pathlib import Path

import pytest
from at_once import at_once

from clpy.compiler import frontend, metadata
from clpy.compiler.cpu import CPU_EXTENSIONS, CPU_FEATURES, CpuTarget, choose
from clpy.compiler.options import COMPILE, Options, parse_options
from clpy.compiler.target import IMAGE_FEATURES
from clpy.errors import CLError
from clpy.extensions import OF_NO_LANGUAGE

TARGET = CpuTarget()


def compile_source(source, options="", headers=None, target=TARGET):
    return frontend.compile_source(source.encode(), headers or {}, parse_options(options), target)


def value_of(expression, options=""):
    """The value of a constant expression of OpenCL C, by way of a variable's initializer in the IR."""
    result = compile_source(f"constant long value = ({expression});\nkernel void k(global long *p) {{ *p = value; }}",
                            options)
    assert result.module is not None, result.log
    line = next(line for line in result.module.to_text().splitlines() if line.startswith("@value"))
    return int(line.split("i64 ")[1].split(",")[0]) if "zeroinit" not in line else 0


@pytest.mark.parametrize(("options", "expression", "value"), [
    ("", "__OPENCL_VERSION__", TARGET.version),
    ("", "__OPENCL_C_VERSION__", 120),
    ("-cl-std=CL1.1", "__OPENCL_C_VERSION__", 110),
    ("-cl-std=CL2.0", "__OPENCL_C_VERSION__", 200),
    ("-cl-std=CL3.0", "__OPENCL_C_VERSION__", 300),
    ("-cl-std=CL3.1 -Werror", "__OPENCL_C_VERSION__", 310),
    ("-DX=42", "X", 42),
    ("-D X", "X", 1),
    ('-D "X=40 + 2"', "X", 42),
    ("-D X='a'", "X", 97),
    ('-D X=sizeof(\\"abc\\")', "X", 4),
    ("-DF(x)=x*2", "F(21)", 42),
    ("", "sizeof(size_t)", 8),
    ("", "__ENDIAN_LITTLE__", 1),
    ("", "sizeof(float3)", 16),
    ("-cl-fast-relaxed-math", "__FAST_RELAXED_MATH__", 1),
    ("", "CL_VERSION_3_0", 300),
    ("", "CL_VERSION_3_1", 310),
])
def test_macros(options, expression, value):
    assert value_of(expression, options) == value


def is_defined(macro, options="", target=TARGET):
    result = compile_source(f"#ifndef {macro}\n#error no\n#endif\n", options, target=target)
    return result.module is not None


def test_extension_macros_say_what_the_target_has():
    later = [name for name in CPU_EXTENSIONS if name.startswith(("cl_khr_mipmap", "cl_khr_srgb", "cl_khr_subgroups"))]
    # those are since 2.0; the last is a language of its own
    others = [name for name in CPU_EXTENSIONS if name not in (*later, "cl_ext_cxx_for_opencl")]
    assert later and all(is_defined(name) for name in others)
    assert all(is_defined(name, "-cl-std=CL3.0") for name in later)
    assert all(is_defined(name, "-cl-std=CL3.0") for name in CPU_FEATURES)
    assert is_defined("__IMAGE_SUPPORT__", "-cl-std=CL3.0")
    for name in ("cl_intel_va_api_media_sharing", "cl_clpy_something"):
        assert not is_defined(name, "-cl-std=CL3.0")
    less = CpuTarget(c_features=[name for name in CPU_FEATURES if name not in IMAGE_FEATURES])
    for name in ("__IMAGE_SUPPORT__", *IMAGE_FEATURES):
        assert not is_defined(name, "-cl-std=CL3.0", less)
    more = CpuTarget(extensions=(*CPU_EXTENSIONS, "cl_khr_fp16", "cl_clpy_something"),
                     c_features=CPU_FEATURES)
    for name in ("cl_khr_fp16", "cl_clpy_something"):
        assert is_defined(name, "-cl-std=CL3.0", more)


def pragma(name, behaviour, options="", target=TARGET):
    text = f"#pragma OPENCL EXTENSION {name} : {behaviour}\nkernel void k(global int *p) {{ *p = 1; }}\n"
    result = compile_source(text, options, target=target)
    return result, result.log


@pytest.mark.parametrize("std", ["CL1.2", "CL3.0", "CLC++2021"])
@pytest.mark.parametrize("behaviour", ["enable", "disable"])
def test_extensions_that_there_are_may_be_named_without_a_word(std, behaviour):
    """Also those that bring nothing to the language, and those of later versions of it."""
    names = (*CPU_EXTENSIONS, *OF_NO_LANGUAGE)
    assert {"cl_khr_icd", "cl_khr_subgroups", "cl_khr_fp16", "cl_khr_il_program"} <= set(names)
    text = "".join(f"#pragma OPENCL EXTENSION {name} : {behaviour}\n" for name in names)
    result = compile_source(text + "kernel void k(global int *p) { *p = 1; }", f"-cl-std={std} -Werror")
    assert result.log == "" and result.module is not None


@pytest.mark.parametrize("behaviour", ["enable", "disable"])
@pytest.mark.parametrize("name", ["cl_acme_thing", "cl_khr_gl_sharing", "__opencl_c_images", "CL_MAD",
                                  "cl_clang_storage_class_specifiers"])
def test_an_extension_that_is_not_there_is_a_warning(name, behaviour):
    """The specification has an error where it is enabled; programs that do so are built by all others."""
    result, log = pragma(name, behaviour, "-cl-std=CL3.0")
    assert result.module is not None and log.startswith("<source>:1:26: warning: ") and f"'{name}'" in log
    assert pragma(name, behaviour, "-w")[1] == "" and pragma(name, behaviour, "-Werror")[0].module is None


def test_an_extension_may_be_there_for_one_device_alone():
    less = CpuTarget(extensions=[name for name in CPU_EXTENSIONS if name != "cl_khr_fp16"])
    assert pragma("cl_khr_fp16", "enable", "-Werror")[0].module is not None
    assert pragma("cl_khr_fp16", "enable", "-Werror", target=less)[0].module is None
    guarded = "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\nkernel void k() {}"
    assert compile_source(guarded, "-Werror", target=less).module is not None


def test_all_extensions_can_only_be_disabled():
    result, log = pragma("all", "enable")
    assert result.module is not None and "warning: 'all'" in log
    assert pragma("all", "enable", "-Werror")[0].module is None
    assert pragma("all", "disable", "-Werror")[0].module is not None
    half = "kernel void k(global half *p) { half x = *p; *p = x + x; }"
    enable, disable = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n", "#pragma OPENCL EXTENSION all : disable\n"
    assert compile_source(disable + enable + half).module is not None
    assert compile_source(enable + disable + half).module is None


@pytest.mark.parametrize("text", ["cl_khr_fp64", "cl_khr_fp64 enable", "cl_khr_fp64 : maybe", ": enable", "",
                                  "cl_khr_fp64 : enable more", "\"all\" : enable", "1 : enable", "x" * 100000])
def test_what_is_no_such_pragma_is_a_warning(text):
    result = compile_source(f"#pragma OPENCL EXTENSION {text}\nkernel void k() {{}}")
    assert result.module is not None and "warning: " in result.log


def test_a_language_that_the_device_lacks_is_a_wrong_option():
    old = CpuTarget(c_version=120)
    for stage, code in (("build", -43), (COMPILE, -66)):
        with pytest.raises(CLError) as caught:
            frontend.arguments(parse_options("-cl-std=CL3.0", stage), old)
        assert caught.value.code == code


def test_errors_come_with_file_line_and_caret():
    result = compile_source("kernel void k(global int *p) {\n  *p = foo;\n}\n")
    assert result.module is None
    lines = result.log.splitlines()
    assert lines[0].startswith("<source>:2:8: error: use of undeclared identifier 'foo'")
    assert "*p = foo;" in lines[1]
    assert lines[2].endswith("       ^~~")
    assert lines[-1] == "1 error generated."


def test_line_directives_name_the_file():
    result = compile_source('#line 7 "mine.cl"\nint x = ;\n')
    assert "mine.cl:7:" in result.log


def test_a_pointer_to_another_type_is_a_warning():
    """As it was for drivers that programs were written for: Clang has made it an error since. One to other memory is
    an error, as ever."""
    source = "kernel void k(global float *p) { %s float4 *q = p; *q = (float4)(1.0f); }"
    plain = compile_source(source % "global")
    assert plain.module is not None and "warning: incompatible pointer types" in plain.log
    assert compile_source(source % "global", "-w").log == ""
    assert compile_source(source % "global", "-Werror").module is None
    assert compile_source(source % "local").module is None


def test_warnings_and_the_options_for_them():
    source = "kernel void k(global int *p) { int x; *p = x; }"
    shown = compile_source(source, "")
    assert shown.module is not None and shown.log == ""
    source = "#warning careful\nkernel void k(global int *p) { *p = 1; }"
    assert "warning: careful" in compile_source(source).log
    assert compile_source(source, "-w").log == ""
    strict = compile_source(source, "-Werror")
    assert strict.module is None and "error: careful" in strict.log


def test_given_headers_include_each_other_and_are_no_files():
    headers = {"a.h": b'#include "dir/b.h"\n', "dir/b.h": b'#include "c.h"\n#include <top.h>\n',
               "dir/c.h": b"#define C 3\n", "top.h": b"#define TOP 4\n"}
    result = compile_source('#include "a.h"\nkernel void k(global int *p) { *p = C + TOP; }', headers=headers)
    assert result.module is not None, result.log
    assert not result.reads_files
    broken = compile_source('#include "a.h"\n', headers={"a.h": b"\nint x = ;\n"})
    assert "a.h:2:" in broken.log


def test_files_of_the_machine_are_noticed(tmp_path):
    (tmp_path / "real.h").write_text("#define R 5\n")
    result = compile_source("#include <real.h>\nkernel void k(global int *p) { *p = R; }", f'-I "{tmp_path}"')
    assert result.module is not None and result.reads_files
    unused = compile_source("kernel void k(global int *p) { *p = 1; }", f'-I "{tmp_path}"')
    assert unused.module is not None and not unused.reads_files
    asked = compile_source('#if __has_include("not_there.h")\n#endif\n', f'-I "{tmp_path}"')
    assert asked.reads_files


@pytest.fixture
def headers_read(monkeypatch):
    """For each run of Clang, how many of our headers it was given."""
    from clpy.llvm import frontend as clang
    run, read = clang.compile, []
    monkeypatch.setattr(clang, "compile", lambda source, args, headers, name: (
        read.append(sum(header.startswith("clpy/") for header in headers)), run(source, args, headers, name))[1])
    return read


FENCE = "async_work_group_copy_fence"       # of an extension whose header is read for a word in it


@pytest.mark.parametrize(("head", "name", "options", "runs"), [
    ("", FENCE, "", 1), ("", "F", f"-DF={FENCE}", 1), ("#include <real.h>", "F", "-I {}", 2),
    ("#define P(a, b) a##b", "P(async_wor, k_group_copy_fence)", "", 2)])
def test_headers_are_read_for_a_word_wherever_it_stands(tmp_path, headers_read, head, name, options, runs):
    (tmp_path / "real.h").write_text(f"#define F {FENCE}\n")
    result = compile_source(f"{head}\nkernel void k() {{ {name}(CLK_LOCAL_MEM_FENCE); }}", options.format(tmp_path))
    assert result.module is not None, result.log
    assert len(headers_read) == runs and headers_read[-1] > 0


def test_programs_without_such_words_read_no_headers(tmp_path, headers_read):
    """Also where macros put words together, and where files are included."""
    (tmp_path / "real.h").write_text("#define F(x) x##f\n")
    result = compile_source("#include <real.h>\nkernel void k(global float *p) { *p = F(1.0); }", f"-I {tmp_path}")
    assert result.module is not None and headers_read == [0]


@pytest.mark.parametrize("source", [
    "(" * 50000, "{" * 50000, "kernel void k() {" * 1000, "#include <nothing.h>", "#include __FILE__", "\0x",
    "\xff\xfe", "#define A A A\n#define A A A\nA", "#if 1", "/*", '"', "struct S { struct S s; };", "kernel int k() {}",
    "int f() { return 1; }" * 2, "kernel void k(int *p) {}", "kernel void k(bool b) {}", "kernel void k(size_t n) {}",
    "kernel void k() { asm(\"hlt\"); }", "kernel void k() { goto *0; }", "kernel void k() { int a[-1]; }",
], ids=range(20))
def test_bad_sources_end_with_a_log(source):
    result = compile_source(source)
    assert result.module is None
    assert "error" in result.log


@pytest.mark.parametrize("body", [
    "*p = " + " + ".join(["*p"] * 4000), "*p = " + "-~" * 5000 + "1", "if (*p) " * 2000,
    "*p = " + "(" * 2000 + "1" + ")" * 2000,
], ids=["sum", "unary", "if", "brackets"])
def test_depth_that_needs_much_stack(body):
    assert compile_source(f"kernel void k(global int *p) {{ {body}; }}").module is not None


def test_a_program_in_one_line_takes_as_long_as_in_many():
    """Clang knows where a line ends that it looks for a column in, but for the last one of a file."""
    took = []
    for between in "\n ":
        steps = between.join(f"x += a[{i}];" for i in range(3000))
        before = time.process_time()
        assert compile_source(f"kernel void k(global int *a) {{ int x = 0; {steps} a[0] = x; }}").module is not None
        took.append(time.process_time() - before)
    assert took[1] < 5 * took[0]


def test_nothing_of_the_process_is_changed():
    def state():
        # Signal 33 is glibc's own, for its threads.
        caught = next(line for line in Path("/proc/self/status").read_text().splitlines() if "SigCgt" in line)
        return int(caught.split()[1], 16) & ~(1 << 32), dict(os.environ), Path.cwd()
    before = state()
    compile_source("kernel void k(global int *p) { *p = 1; }")
    compile_source("int x = ;")
    assert state() == before


def test_many_threads_at_once():
    logs = {}

    def work(n):
        for i in range(5):
            good = compile_source(f"kernel void k{n}(global int *p) {{ p[{i}] = {n}; }}")
            bad = compile_source(f"int only_in_{n} = ;")
            logs[n, i] = (good.module is not None and f"@k{n}(" in good.module.to_text(), f"only_in_{n}" in bad.log)

    at_once(work, 4)
    assert len(logs) == 20 and all(good and bad for good, bad in logs.values())


def kernel_info(source, options=""):
    from clpy.llvm.ir import functions
    result = compile_source(source, options)
    assert result.module is not None, result.log
    return metadata.read_kernel(next(f for f in functions(result.module) if metadata.is_kernel(f)))


def test_arguments_and_their_places():
    info = kernel_info("""typedef struct { int a; char b; float3 c; } S;
        kernel void k(char c, S s, float3 v, local int *l, constant float *n, global const volatile uint *restrict g,
                      uchar3 u, double d, long16 big, short last) {}""")
    kinds = [arg.kind for arg in info.args]
    assert kinds == [0, 0, 0, 3, 2, 1, 0, 0, 0, 0]
    assert [(a.offset, a.size) for a in info.args] == [
        (0, 1), (16, 32), (48, 16), (64, 8), (72, 8), (80, 8), (88, 4), (96, 8), (128, 128), (256, 2)]
    assert info.args_size == 272
    assert [a.type_name for a in info.args][:6] == ["char", "S", "float3", "int*", "float*", "uint*"]
    assert [a.name for a in info.args] == ["c", "s", "v", "l", "n", "g", "u", "d", "big", "last"]
    assert info.args[5].type_qualifier == 1 | 2 | 4 and info.args[4].type_qualifier == 1
    assert [a.address_qualifier for a in info.args[2:6]] == [0x119E, 0x119C, 0x119D, 0x119B]
    assert info.args[3].align == 4


def test_attributes():
    info = kernel_info("__attribute__((reqd_work_group_size(8, 4, 2))) __attribute__((vec_type_hint(float4))) "
                       "kernel void k(global int *p) {}")
    assert info.reqd_size == (8, 4, 2) and info.vec_hint == "float4"
    assert info.attributes == "reqd_work_group_size(8,4,2) vec_type_hint(float4)"
    info = kernel_info("__attribute__((work_group_size_hint(3, 1, 1))) __attribute__((vec_type_hint(uint))) "
                       "kernel void k() {}")
    assert info.attributes == "work_group_size_hint(3,1,1) vec_type_hint(uint)"
    assert (info.args, info.args_size) == ([], 0)


def test_a_hundred_arguments():
    params = ", ".join(f"long a{i}" for i in range(128))
    info = kernel_info(f"kernel void k({params}) {{}}")
    assert [a.name for a in info.args] == [f"a{i}" for i in range(128)]
    assert info.args_size == 1024


@pytest.mark.parametrize(("isa", "cpu", "features", "answer"), [
    ("native", "znver4", "+avx512vl,+avx2,+sse4.2", ("znver4", 512)),
    ("native", "skylake", "+avx2,+sse4.2", ("skylake", 256)),
    ("native", "generic", "+avx512vl,+avx2,+sse4.2", ("x86-64-v4", 512)),
    ("native", "", "+avx2,+sse4.2", ("x86-64-v3", 256)),
    ("native", "", "+sse4.2", ("x86-64-v2", 128)),
    ("native", "", "", ("x86-64", 128)),
    ("avx2", "znver4", "+avx512vl,+avx2,+sse4.2", ("x86-64-v3", 256)),
    ("sse4.2", "znver4", "+avx512vl,+avx2,+sse4.2", ("x86-64-v2", 128)),
    ("avx512", "skylake", "+avx2,+sse4.2", ("skylake", 256)),
])
def test_choice_of_the_cpu(isa, cpu, features, answer):
    chosen, _, bits = choose(isa, cpu, features)
    assert (chosen, bits) == answer


def test_slow_instructions_are_left_out():
    """A shuffle of bytes by AMD's insertq took as long as a hundred others."""
    features = choose("native", "znver3", "+avx2,+sse4.2,+sse4a")[1].split(",")
    assert "-sse4a" in features and "+sse4a" not in features and "+avx2" in features


def test_a_target_loads_no_llvm():
    import subprocess
    import sys
    code = ("from clpy.compiler import options, program, target; target.host_target(); program.parse_options('-w');"
            "print(any('LLVM' in line or 'clang' in line for line in open('/proc/self/maps')))")
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "False"


def test_default_options_are_those_of_an_empty_string():
    assert parse_options("") == Options()


def test_arguments_that_were_read_before():
    """They are kept for the next program, which neither has what the last was compiled with nor loses a warning."""
    for value in (3, 4, 4, 3):
        module = compile_source("kernel void k(global int *a) { *a = VALUE; }", f"-DVALUE={value}").module
        assert f"store i32 {value}," in module.to_text()
    from clpy.llvm import frontend as clang
    arguments = frontend.arguments(parse_options("", "build"), TARGET, headers={})
    for source in (b"kernel void k() {}", b"int g(void);", b"kernel void k() {}"):
        assert "no-such-warning" in clang.compile(source, [*arguments, b"-Wno-such-warning"], {}).log
    for n in (b"1", b"2"):
        headers = {"n.h": b"#define N " + n}
        made = clang.compile(b'#include "n.h"\nkernel void k(global int *a) { *a = N; }', arguments, headers)
        assert f"store i32 {n.decode()}," in made.module.to_text()
