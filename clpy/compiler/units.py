# SPDX-License-Identifier: Apache-2.0
"""What programs for all devices are linked from: the bitcode of their units."""
from clpy.errors import CompileError


def merge(units):
    """The Module of the bitcode of all Units. CompileError where they do not fit."""
    from clpy.llvm.module import LLVMError, Module
    try:
        module = Module.from_bitcode(units[0].ir)
        for unit in units[1:]:
            module.link_bitcode(unit.ir)
    except LLVMError as why:
        raise CompileError(f"error: {why}\n") from None
    return module
