# SPDX-License-Identifier: Apache-2.0
"""Which pointers lead to different memory: by their address spaces, and by what is known of the arguments that they
come from. An argument is distinct when a work-item reaches its memory through it alone, as far as some of it is
written: where the program says `restrict`, and where each launch makes sure (passes/distinct.py)."""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import ID, MATH, PRINT, PURE, SPACE, row_of
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import GENERIC, base_of, space_of
from clpy.llvm.ir import Function

THROUGH = ("getelementptr", "addrspacecast", "bitcast", "phi", "select", "freeze")


def distinct_indices(function):
    """Of the parameters that are distinct between barriers only, from 0; LLVM knows nothing of them."""
    text = function.attribute_text(fr.DISTINCT)
    return [int(index) for index in text.split(",")] if text else []


def is_distinct(function, index):
    return function.has_attribute("noalias", index + 1) or index in distinct_indices(function)


def may_alias(function, a, b):
    """Whether two pointers may lead to the same memory."""
    bases, spaces = (base_of(a), base_of(b)), {space_of(a), space_of(b)}
    if len(spaces) == 2 and GENERIC not in spaces:
        return False
    if bases[0] == bases[1] or not all(base.is_argument for base in bases):
        return True
    return not any(is_distinct(function, function.params.index(base)) for base in bases)


def orders_memory(function):
    """It waits for others or looks at what they write: barriers, fences, atomics, and functions that may have some."""
    return any(map(orders, function.instructions))


def orders(inst):
    op = inst.opcode
    if op in ("fence", "atomicrmw", "cmpxchg"):
        return True
    if op in ("load", "store"):
        return inst.is_atomic
    if op != "call":
        return False
    callee = inst.callee
    if not isinstance(callee, Function) or not callee.is_declaration:
        return True
    row = row_of(callee.name)
    return not (intrinsic_base(callee.name) or callee.name.startswith("llvm.") or
                (row is not None and row.kind in (ID, MATH, PURE, PRINT, SPACE)))


def roots_of(pointer):
    """The values that a pointer may be computed from, through joins too."""
    found, seen, pending = set(), set(), [pointer]
    while pending:
        value = base_of(pending.pop())
        if value in seen:
            continue
        seen.add(value)
        if value.opcode == "phi":
            pending += [v for v, _ in value.incoming]
        elif value.opcode == "select":
            pending += value.operands[1:]
        elif value.opcode == "freeze":
            pending.append(value.operand(0))
        else:
            found.add(value)
    return found


def led_to(function, pointers):
    """Indices of the parameters that these pointers may lead to, from 0."""
    roots = {root for pointer in pointers for root in roots_of(pointer)}
    return {index for index, param in enumerate(function.params) if param in roots}


def leaking(function):
    """Indices of the parameters that pointers which are not seen to come from them may lead to: they, or addresses
    made of them, are stored, become numbers or parts of structures, or go through a function that gives a pointer."""
    kept = []
    for inst in function.instructions:
        op = inst.opcode
        if op in ("store", "ptrtoint", "insertvalue", "insertelement"):
            kept.append(inst.operand(1 if op.startswith("insert") else 0))
        elif op == "call" and inst.type.is_pointer:
            kept += inst.operands
    return led_to(function, [value for value in kept if value.type.is_pointer])
