# SPDX-License-Identifier: Apache-2.0
"""Whether a linearized function for one lane may be refused when it is widened, told without making a form of it.

The answer is careful: of what it says no, each part of widening (widen.py) takes any shape that a value may have. What
they refuse are aggregates, vectors of pointers, packed integers in memory, atomics without a mask, and calls that have
no form.
"""
from clpy.compiler.analysis.builtin_table import row_of
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import odd_bits
from clpy.compiler.analysis.own_vectors import PLAIN
from clpy.compiler.spmd.sub_groups import row_of_call

TAKEN = PLAIN | {"phi", "br", "ret", "unreachable", "select", "extractelement", "insertelement", "shufflevector",
                 "getelementptr", "alloca"}
MASKED = ("clpy.mload", "clpy.mstore")
OWN = ("clpy.any", "clpy.guarded")
IGNORED = ("llvm.lifetime", "llvm.assume", "llvm.dbg", "llvm.experimental.noalias")


def may_refuse(lane):
    """Whether something in the function for one lane may have no vector form."""
    return not all(is_taken(inst) for block in lane.blocks for inst in block.instructions)


def is_taken(inst):
    op = inst.opcode
    if op == "call":
        return is_call_taken(inst, inst.callee.name)
    if op in ("load", "store"):
        value = inst if op == "load" else inst.operand(0)
        return not inst.is_atomic and not inst.is_volatile and lies_plain(value.type)
    return op in TAKEN and is_plain(inst.type)


def is_call_taken(inst, name):
    if name.startswith(IGNORED):
        return True
    types = [inst.type, *(arg.type for arg in inst.args)]
    if not all(map(is_plain, types)):
        return False
    if name.startswith(MASKED):
        return all(map(lies_plain, types))
    if name.startswith(OWN) or intrinsic_base(name) or row_of_call(inst) is not None:
        return True
    return row_of(name) is not None and not inst.is_void and not any(t.is_vector for t in types)


def is_plain(type_):
    """A number, an address, a vector of numbers, or nothing."""
    if type_.is_struct or type_.is_array or type_.target_ext_name:
        return False
    return not type_.is_vector or not type_.element.is_pointer


def lies_plain(type_):
    return is_plain(type_) and not (type_.is_vector and odd_bits(type_))
