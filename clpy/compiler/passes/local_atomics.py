# SPDX-License-Identifier: Apache-2.0
"""Atomic operations on local memory become plain ones: a work-group runs on one thread, so nobody else is there.

For devices that run each work-group on a single thread only. Comes after the passes that mark accesses as independent
between work-items: these are not. The functions of OpenCL C 1.x take pointers to volatile, so that says nothing.
"""
from clpy.compiler.analysis.access import local_atomics
from clpy.llvm.ir import Builder, functions, intrinsic

BINARY = {"add", "sub", "and", "or", "xor", "fadd", "fsub"}
MIN_MAX = {"max": "llvm.smax", "min": "llvm.smin", "umax": "llvm.umax", "umin": "llvm.umin",
           "fmax": "llvm.maxnum", "fmin": "llvm.minnum"}


def combined(module, b, operation, old, operand):
    """The new value, or None for an operation that is left alone."""
    if operation == "xchg":
        return operand
    if operation in BINARY:
        return b.binop(operation, old, operand)
    if operation == "nand":
        return b.binop("xor", b.binop("and", old, operand), old.type.all_ones)
    if operation in MIN_MAX:
        return b.call(intrinsic(module, MIN_MAX[operation], [old.type]), [old, operand])
    return None


def plain_rmw(module, b, inst):
    pointer, operand = inst.operands
    b.before(inst)
    old = b.load(operand.type, pointer)
    old.align = operand.type.size
    new = combined(module, b, inst.rmw_operation, old, operand)
    if new is None:
        old.erase()
        return
    b.store(new, pointer).align = operand.type.size
    inst.replace_with(old)
    inst.erase()


def plain_exchange(module, b, inst):
    """cmpxchg gives {old value, whether it was the expected one}."""
    pointer, expected, desired = inst.operands[:3]
    b.before(inst)
    old = b.load(expected.type, pointer)
    old.align = expected.type.size
    equal = b.icmp("eq", old, expected)
    b.store(b.select(equal, desired, old), pointer).align = expected.type.size
    pair = b.insert_value(b.insert_value(inst.type.poison, old, 0), equal, 1)
    inst.replace_with(pair)
    inst.erase()


def run(module, lowering):
    b = Builder(module)
    for function in functions(module):
        for inst in local_atomics(function):
            (plain_rmw if inst.opcode == "atomicrmw" else plain_exchange)(module, b, inst)
