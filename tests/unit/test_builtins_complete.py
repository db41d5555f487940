# SPDX-License-Identifier: Apache-2.0
"""The library against Clang's own header: every function that it declares for user code is defined."""
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from clpy.compiler.analysis.builtin_table import CUT, FENCE, ID, OF_THE_CORE, SPACE, TOGETHER, row_of
from clpy.compiler.library import index_name, readable

LLVM_BIN = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22")) / "bin"
FOLDER = Path(__file__).resolve().parents[2] / "clpy" / "compiler" / "builtins"
MANGLED = re.compile(r"_Z(\d+)(\w+)")

# Declared, and not a function of this library: the compiler makes them itself (first two lines), or they belong to
# extensions and features that the device does not name.
ELSEWHERE = re.compile(
    r"(get_(global|local|group|enqueued|num_groups|work_dim|fence).*|get_num_groups|barrier|work_group_barrier|printf|"
    r"to_(global|local|private)|"
    r"get_(max_|num_|enqueued_num_)?sub_groups?(_size|_id|_local_id)?|sub_group_(barrier|reserve_.*|commit_.*)|"
    r"intel_.*|amd_.*|arm_.*|work_group_(all|any|broadcast|reduce|scan).*|"
    r"is_valid_.*|get_pipe.*|"
    r"bit_reverse|bitfield_.*|convert_half.*)")
# What the header has for extensions that Clang knows nothing else of.
MACROS = [f"-Dcl_khr_subgroup_{name}" for name in (
    "ballot", "clustered_reduce", "extended_types", "non_uniform_arithmetic", "non_uniform_vote", "rotate", "shuffle",
    "shuffle_relative")]
# Images with samples, and writing a level of an image: of extensions too.
IMAGES_ELSEWHERE = re.compile(r"msaa|write_image\w+_(wo|rw)(Dv._)?ii")
HALF = re.compile(r"Dh|Dv\d+_Dh")      # a parameter of type half, which only cl_khr_fp16 has
LIBM = ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2",
        "expm1", "fma", "fmod", "hypot", "log", "log1p", "log2", "log10", "pow", "remainder", "sin", "sinh", "tan",
        "tanh", "tgamma")
C_LIBRARY = {f + s for f in LIBM for s in ("", "f")} | {"exp10", "exp10f", "lgamma_r", "lgammaf_r"}
# What the compiler itself knows: functions of work-items and what they do together, what is in handles, and memory.
KINDS = (ID, CUT, FENCE, SPACE, TOGETHER)
HANDLES = ("__clpy_view", "__clpy_sampler", "__clpy_pipe_ro", "__clpy_pipe_wo", "__clpy_reservation",
           "__clpy_reserve_id", "__clpy_image_after", "__clpy_image_distance", "__clpy_scratch")
ONCE = re.compile(r"^define .*@\w*__clpy_group_\w+\(.*\) .*#(\d+)", re.MULTILINE)     # one call for a whole group


def name_of(symbol):
    match = MANGLED.match(symbol)
    return match[2][:int(match[1])]


def symbols(*which):
    files = sorted(FOLDER.glob("*.bc"))
    out = subprocess.run([LLVM_BIN / "llvm-nm", *which, "--just-symbol-name", *files],
                         check=True, capture_output=True, text=True).stdout
    return {line for line in out.split() if line and not line.endswith(":")}


@pytest.fixture(scope="module")
def defined():
    return symbols("--defined-only")


def declared(standard):
    """Mangled names of all functions in the header that Clang's table of builtins is made after."""
    out = subprocess.run(
        [LLVM_BIN / "clang", "-cc1", "-triple", "spir64-unknown-unknown", "-x", "cl", f"-cl-std={standard}",
         "-cl-ext=+all", *MACROS, "-finclude-default-header", "-ast-dump=json", "-"],
        check=True, capture_output=True, text=True, input="").stdout
    return {json.loads('"' + name + '"') for name in re.findall(r'"mangledName": "(_Z[^"]*)"', out)}


@pytest.mark.parametrize("standard", ["CL1.2", "CL3.0"])
def test_every_declared_function_is_defined(defined, standard):
    names = declared(standard)
    assert len(names) > 10000
    missing = sorted(n for n in names - defined if not ELSEWHERE.fullmatch(name_of(n)) and not HALF.search(n)
                     and not IMAGES_ELSEWHERE.search(n))
    # nan of a half has the code as its parameter
    missing = [n for n in missing if not re.fullmatch(r"_Z3nan(Dv\d+_)?t", n)]
    assert missing == []


def test_calls_only_the_c_library_and_work_item_functions(defined):
    wanted = {s for s in symbols("--undefined-only") - defined if not s.startswith("llvm.")}
    known = {s for s in wanted if (row := row_of(s)) is not None and row.kind in KINDS}
    assert {s for s in wanted - C_LIBRARY - known - set(OF_THE_CORE) if readable(s) not in HANDLES} == set()


def test_the_index_names_everything():
    listed = set()
    for line in (FOLDER / "index.txt").read_text().splitlines():
        family, *names = line.split()
        assert (FOLDER / family).exists()
        listed.update(names)
    assert listed == {index_name(symbol) for symbol in symbols("--defined-only", "--extern-only")}


# rsqrt, and what is made of it
ROOTS = re.compile(r"define .*?@_Z\d+(native_rsqrt|half_rsqrt|rsqrt|fast_normalize)(f|Dv\d+_f)\(")


def test_nothing_is_fixed_that_options_decide():
    """No fast-math flag, target, or denormal mode that differs from a caller's."""
    for path in FOLDER.glob("*.bc"):
        text = subprocess.run([LLVM_BIN / "llvm-dis", "-o", "-", path], check=True, capture_output=True, text=True)
        text = text.stdout
        bodies = re.findall(r"^define .*?^}", text, re.MULTILINE | re.DOTALL)
        assert bodies, path
        fixed = r"= f\w+ (fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) |!fpmath|!tbaa"
        for body in bodies:
            # Divisions that passes/inverse_roots.py takes the flag from.
            checked = body.replace("= fdiv arcp ", "= fdiv ") if ROOTS.match(body) else body
            assert not re.search(fixed, checked), (path, body)
        assert "target-cpu" not in text and "target-features" not in text
        once = set(ONCE.findall(text))
        for number, attributes in re.findall(r"^attributes #(\d+) = \{(.*)\}", text, re.MULTILINE):
            assert "denormal" not in attributes or '"denormal-fp-math"="dynamic,dynamic"' in attributes
            assert "optnone" not in attributes
            assert "noinline" not in attributes or "cold" in attributes or number in once
