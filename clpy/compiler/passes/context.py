# SPDX-License-Identifier: Apache-2.0
"""Context memory: where values of a work-item wait while the other work-items run.

Laid out [value][work-item], so that neighbours lie side by side. Value v of work-item i is at
context + offset(v) * items + i * size(v); offsets grow by falling alignment, so each array is aligned when the number
of work-items in a full group, `items`, multiplies them.
"""
from . import arrays

MAX_ALIGN = 128
STACK_BYTES = 16384  # private arrays of one kernel that may lie on the stack


class Layout:
    """Offsets for (key, size, align) entries; `bytes` is the sum per work-item. `steps`: element sizes of arrays that
    lie [element][work-item], see arrays.py."""

    def __init__(self, entries, steps=()):
        self.size, self.align, self.offset = {}, {}, {}
        self.steps = dict(steps)
        self.bytes = 0
        for key, size, align in sorted(entries, key=lambda e: -min(e[2], MAX_ALIGN)):
            size = max(1, -(-size // align) * align)
            self.size[key], self.align[key], self.offset[key] = size, min(align, MAX_ALIGN), self.bytes
            self.bytes += size

    def __contains__(self, key):
        return key in self.offset

    def address(self, builder, types, frame, linear, key):
        """Address of an entry; `linear` is the work-item's number in the group."""
        i64 = types.i64
        at = builder.mul(linear, i64.const(self.steps.get(key) or self.size[key]), nuw=True, nsw=True)
        base = frame["context"]
        if self.offset[key]:
            start = builder.mul(frame["items"], i64.const(self.offset[key]), nuw=True, nsw=True)
            base = builder.gep(types.i8, base, [start])
        address = builder.gep(types.i8, base, [at])
        if self.steps.get(key):
            arrays.mark(types.module, address, self.steps[key])
        return address


def odd_bits(type_):
    """Bits of an integer, or of a vector's integers, that memory cannot hold as they are; they are stored wider, since
    a vector of them would lie packed in memory. 0 for other types."""
    e = type_.scalar
    return e.width if e.is_int and e.width not in (8, 16, 32, 64, 128) else 0


def wider_bits(bits):
    return max(8, 1 << (bits - 1).bit_length())


def stored_size(type_):
    """(size, alignment) of a value in context memory."""
    bits = odd_bits(type_)
    if not bits:
        return type_.size, type_.align
    count = type_.count if type_.is_vector else 1
    size = wider_bits(bits) // 8 << (count - 1).bit_length()
    return size, size


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
