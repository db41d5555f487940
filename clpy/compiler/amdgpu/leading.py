# SPDX-License-Identifier: Apache-2.0
"""Which arguments of a kernel lead to places in memory: what is loaded from them becomes part of an address, as the
column numbers of a sparse matrix do. An analysis of optimized code.

Which way a work-item goes does not count here: that shows in how often code is gone through.
"""
from clpy.llvm.ir import Function, Inst

GENERIC, LOCAL, CONSTANT, PRIVATE = 0, 3, 4, 5          # AMD's address spaces
POINTER = {"load": 0, "store": 1, "atomicrmw": 0, "cmpxchg": 0}         # operand
READS = ("load", "atomicrmw", "cmpxchg")
STEPS = ("getelementptr", "addrspacecast", "bitcast", "freeze")         # from one pointer to another
CHOICES = ("phi", "select")
# LLVM's functions whose operands are places in memory.
ACCESSES = ("llvm.amdgcn.image.", "llvm.amdgcn.raw.", "llvm.amdgcn.struct.", "llvm.amdgcn.global.",
            "llvm.amdgcn.flat.", "llvm.amdgcn.ds.a", "llvm.mem")
IMAGES = "llvm.amdgcn.image."
COPIES = ("llvm.memcpy", "llvm.memmove")


class Unknown(Exception):
    """Any argument may lead somewhere."""


def leading(kernel):
    """Numbers of the parameters, a set; None: any may be one."""
    try:
        return Search(kernel).run()
    except Unknown:
        return None


class Search:
    """Backwards from all addresses, by what values are made of."""

    def __init__(self, kernel):
        self.params = {param: index for index, param in enumerate(kernel.params)}
        self.accesses = kernel.instructions_of(*POINTER)
        self.calls = kernel.instructions_of("call", "invoke", "callbr")
        self.found, self.seen, self.pending = set(), set(), []
        self.spaces = set()              # whose contents are part of addresses: of work-items' and groups' own memory

    def run(self):
        for access in self.accesses:
            self.pending.append(access.operand(POINTER[access.opcode]))
        for call in self.calls:
            if not isinstance(call.callee, Function) or not call.callee.intrinsic:
                raise Unknown
            if call.callee.name.startswith(ACCESSES):        # descriptors and pixels are vectors, coordinates are not
                self.pending += [each for each in call.operands if not each.type.is_vector]
        while self.pending:
            value = self.pending.pop()
            if isinstance(value, Inst) and value not in self.seen:
                self.seen.add(value)
                self.look(value)
        return self.found

    def look(self, inst):
        if inst.opcode in READS:
            self.read(inst.operand(POINTER[inst.opcode]))
        elif inst.opcode == "call" and inst.callee.name.startswith(IMAGES):
            raise Unknown
        else:
            self.pending += inst.operands

    def read(self, pointer):
        """What stands there is part of an address."""
        for root in roots(pointer):
            space = root.type.address_space
            if root.is_argument:
                self.found.add(self.params[root])
            elif space in (LOCAL, PRIVATE):
                self.contents(space)
            elif space != CONSTANT:
                raise Unknown

    def contents(self, space):
        """All that is stored in such memory."""
        if space in self.spaces:
            return
        self.spaces.add(space)
        for access in self.accesses:
            pointer = access.operand(POINTER[access.opcode])
            if access.opcode != "load" and pointer.type.address_space in (space, GENERIC):
                self.pending += [each for each in access.operands if each != pointer]
        for call in self.calls:
            if call.callee.name.startswith(COPIES) and call.operand(0).type.address_space in (space, GENERIC):
                self.read(call.operand(1))


def roots(pointer):
    """What a pointer is made of. Unknown where it comes from memory, or is a number."""
    found, seen, pending = [], set(), [pointer]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, Inst) and value.opcode in CHOICES:
            pending += [each for each in value.operands if each.type.is_pointer]
        elif value.is_const_expr or (isinstance(value, Inst) and value.opcode in STEPS):
            pending.append(value.operand(0))
        elif isinstance(value, Inst) and value.opcode not in ("alloca", "call"):
            raise Unknown
        elif value.type.is_pointer and not value.is_null and not value.is_undef:
            found.append(value)
    return found
