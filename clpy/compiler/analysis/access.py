# SPDX-License-Identifier: Apache-2.0
"""Accesses to memory in a linearized function, and their addresses as sums."""
from clpy.compiler.analysis.allocas import struct_offset
from clpy.compiler.analysis.memory import LOCAL


def is_access(inst):
    op = inst.opcode
    return op in ("load", "store") or (op == "call" and inst.callee.name.startswith(("clpy.mload", "clpy.mstore")))


def is_store(inst):
    return inst.opcode == "store" or (inst.opcode == "call" and inst.callee.name.startswith("clpy.mstore"))


def accessed_type(inst):
    return (inst.operand(0) if is_store(inst) else inst).type


def pointer_of(inst):
    return inst.operand(1 if is_store(inst) else 0)


def mask_of(inst):
    return inst.args[2 if is_store(inst) else 1] if inst.opcode == "call" else None


def stored_bytes(type_):
    return type_.scalar.size * (type_.count if type_.is_vector else 1)


def local_atomics(function):
    return [inst for inst in function.instructions_of("atomicrmw", "cmpxchg")
            if inst.operand(0).type.address_space == LOCAL]


def low_half(inst):
    """(value, scale) where an ashr makes (the sign extension of the value's lower 32 bits) << scale, else None."""
    value, amount = inst.operands
    if amount.is_const_int and amount.zext <= 32 and value.opcode == "shl" \
            and value.operand(1).is_const_int and value.operand(1).zext == 32 and inst.type.is_int \
            and inst.type.width == 64:
        return value.operand(0), 32 - amount.zext
    return None


class Address:
    """A pointer as base + a constant + multiples of values that are not looked into. `probable`: as it is if nothing
    wraps."""

    def __init__(self, pointer, probable=False):
        self.terms, self.constant, self.probable = {}, 0, probable
        self.pointer(pointer)
        self.key = frozenset((leaf, factor) for leaf, factor in self.terms.items() if factor)

    def note(self, leaf, factor):
        self.terms[leaf] = self.terms.get(leaf, 0) + factor

    def pointer(self, pointer):
        while pointer.opcode == "getelementptr":
            type_ = pointer.gep_source_type
            for n, index in enumerate(pointer.operands[1:]):
                if n and type_.is_struct:
                    self.constant += struct_offset(type_, index.zext)
                    type_ = type_.fields[index.zext]
                    continue
                type_ = type_.element if n else type_
                self.value(index, type_.size, "" if index.type.width == 64 else "sext")
            pointer = pointer.operand(0)
        self.note((pointer, ""), 1)

    def value(self, value, factor, how, depth=0):
        """Add factor * the extension `how` of a value; sums and products that do not wrap are taken apart."""
        if value.is_const_int:
            self.constant += factor * (value.zext if how == "zext" else value.sext)
            return
        op = value.opcode
        exact = self.probable or not how or op == "or" or (op in ("add", "sub", "mul", "shl") and (
            value.nsw if how == "sext" else value.nuw))
        if depth < 8 and exact and (op in ("add", "sub") or (op == "or" and value.is_disjoint)):
            self.value(value.operand(0), factor, how, depth + 1)
            self.value(value.operand(1), -factor if op == "sub" else factor, how, depth + 1)
        elif depth < 8 and exact and op in ("mul", "shl") and value.operand(1).is_const_int:
            by = value.operand(1).sext if op == "mul" else 1 << value.operand(1).zext
            self.value(value.operand(0), factor * by, how, depth + 1)
        elif depth < 8 and op in ("sext", "zext") and (not how or how == op):
            self.value(value.operand(0), factor, op, depth + 1)
        elif op == "ashr" and low_half(value) is not None and how != "zext":
            low, scale = low_half(value)
            self.note((low, "low"), factor << scale)
        elif op == "trunc" and how == "sext" and value.type.width == 32 and value.operand(0).type.width == 64:
            self.note((value.operand(0), "low"), factor)
        else:
            self.note((value, how), factor)


def always_there(load, function):
    """Whether a load may be done where the program does not: of a place that a parameter's attributes vouch for, such
    as what an image's descriptor says."""
    address = Address(load.operand(0))
    (base, _), factor = next(iter(address.terms.items()))
    if len(address.terms) > 1 or factor != 1 or not base.is_argument:
        return False
    known = function.attribute_value("dereferenceable", function.params.index(base) + 1) or 0
    return 0 <= address.constant <= known - stored_bytes(load.type)
