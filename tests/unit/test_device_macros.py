# SPDX-License-Identifier: Apache-2.0
"""What the device is, told by macros as AMD's compilers do: programs choose between code for chips and processors."""
import pytest

from clpy.compiler import frontend
from clpy.compiler.amdgpu import frontend as of_chips
from clpy.compiler.amdgpu.target import ChipTarget
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target

KINDS = ("__CPU__", "__GPU__", "__X86_64__", "__Tahiti__", "__gfx900__")


@pytest.mark.parametrize(("target", "compiler", "expected"), [
    (host_target(), frontend, {"__CPU__", "__X86_64__"}),
    (ChipTarget("gfx600", "tahiti", "Tahiti"), of_chips, {"__GPU__", "__Tahiti__"}),
    (ChipTarget("gfx900", "vega10", "gfx900"), of_chips, {"__GPU__", "__gfx900__"})], ids=["cpu", "tahiti", "vega10"])
def test_macros_of_a_device(target, compiler, expected):
    checks = "".join(f"#if{'n' if name in expected else ''}def {name}\n#error {name}\n#endif\n" for name in KINDS)
    made = compiler.compile_source((checks + "kernel void k() {}").encode(), {}, parse_options("-Werror"), target)
    assert made.module is not None, made.log
