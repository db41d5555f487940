# SPDX-License-Identifier: Apache-2.0
"""Private arrays: how large they are, who uses them, and which are accessed element by element."""

from clpy.llvm.variables import MARK

STACK_BYTES = 16384  # private arrays of one kernel that may lie on the stack


def alloca_bytes(alloca):
    return alloca.allocated_type.size * (alloca.operand(0).zext if alloca.operand(0).is_const_int else 1)


def pointer_uses(alloca):
    """(instructions that use the alloca or a pointer made from it, whether the pointer escapes)."""
    uses, pending, escapes = set(), [alloca], False
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            if user in uses:
                continue
            uses.add(user)
            op = user.opcode
            if op in ("getelementptr", "addrspacecast", "bitcast", "phi", "select", "freeze"):
                pending.append(user)
            elif op == "store":
                escapes = escapes or user.operand(0) == pointer
            elif op == "call":
                escapes = escapes or not user.callee.name.startswith("llvm.")
            elif op not in ("load", "icmp", "atomicrmw", "cmpxchg"):
                escapes = True
    return uses, escapes


def is_lifetime(inst):
    return inst.opcode == "call" and inst.callee.name.startswith("llvm.lifetime.")


def oversized(allocas):
    """The largest allocas, until the rest fits the stack."""
    total = sum(map(alloca_bytes, allocas))
    out = []
    for alloca in sorted(allocas, key=alloca_bytes, reverse=True):
        if total <= STACK_BYTES:
            break
        total -= alloca_bytes(alloca)
        out.append(alloca)
    return out


def element_step(array):
    """Bytes of an element of the private array behind the pointer `array`, 0 when it does not qualify. A debugger looks
    for variables in one piece."""
    if array.metadata(MARK) is not None:
        return 0
    sizes, scales, pending = set(), set(), [array]
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            op = user.opcode
            if op == "load":
                sizes.add(access_size(user.type))
            elif op == "store" and user.operand(0) != pointer:
                sizes.add(access_size(user.operand(0).type))
            elif op == "getelementptr" and user.operand(0) == pointer and not user.type.is_vector:
                scales.update(steps_of(user))
                pending.append(user)
            elif op == "addrspacecast":
                pending.append(user)
            elif op == "call" and user.callee.name.startswith("clpy.mload"):
                sizes.add(access_size(user.type))
            elif op == "call" and user.callee.name.startswith("clpy.mstore") and user.args[0] != pointer:
                sizes.add(access_size(user.args[0].type))
            elif not (op == "call" and user.callee.name.startswith("llvm.lifetime.")):
                return 0
    step = sizes.pop() if len(sizes) == 1 else 0
    return step if step and all(s % step == 0 for s in scales) else 0


def is_own_variable(pointer, type_):
    """A private variable of this type, a number, of which nobody takes the address: in vectors the work-items' lie side
    by side."""
    while pointer.opcode == "addrspacecast":
        pointer = pointer.operand(0)
    return (pointer.opcode == "alloca" and (type_.is_int or type_.is_float) and pointer.allocated_type == type_
            and alloca_bytes(pointer) == type_.size == element_step(pointer))


def access_size(type_):
    return type_.size if type_.is_int or type_.is_float or type_.is_pointer or type_.is_vector else 0


def steps_of(gep):
    """The byte distances a getelementptr can move by."""
    type_ = gep.gep_source_type
    for n, index in enumerate(gep.operands[1:]):
        if n == 0:
            size = type_.size
        elif type_.is_struct:
            yield struct_offset(type_, index.zext)
            type_ = type_.fields[index.zext]
            continue
        else:
            type_ = type_.element
            size = type_.size
        yield size * index.sext if index.is_const_int else size


def struct_offset(type_, field):
    at = 0
    for n, f in enumerate(type_.fields):
        at = -(-at // f.align) * f.align
        if n == field:
            return at
        at += f.size
    raise IndexError(field)
