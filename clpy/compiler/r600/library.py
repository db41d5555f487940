# SPDX-License-Identifier: Apache-2.0
"""The library of OpenCL C for VLIW chips: our own functions (library/*.cl), then libclc's for the processor."""
from functools import cache
from pathlib import Path

from clpy.compiler.amdgpu.device_library import undefined
from clpy.compiler.program import CompileError
from clpy.compiler.r600 import installed

OWN = Path(__file__).parent / "library"


@cache
def bitcode(path, stamp):
    with open(path, "rb") as file:
        return file.read()


def read(processor):
    """libclc for a processor."""
    why = installed.missing(processor)
    if why:
        raise CompileError(f"error: {why}\n")
    return bitcode(installed.path(processor), installed.stamp(processor))


def link(module, target):
    """Add the functions that the module needs, and those that they need. What nobody has stays undefined."""
    from clpy.llvm.codegen import link_needed
    for path in sorted(OWN.glob("*.bc")):
        if undefined(module):
            link_needed(module, bitcode(str(path), installed.stat(str(path))))
    if undefined(module):
        link_needed(module, read(target.processor))
