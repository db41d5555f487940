# SPDX-License-Identifier: Apache-2.0
"""Addresses of atomics that all lanes of a wavefront share are in scalar registers, for the chips of gfx6.

LLVM 22 crashes for those chips (SIFixSGPRCopies) where an address is the same for all lanes but computed in vector
registers, from what was loaded or from floats, and an atomic that it makes one for the wavefront is not the only access
there. v_readfirstlane_b32 brings the address to scalar registers. Of addresses for which it is not plain that all lanes
share them nothing is said here.
"""
from clpy.compiler.metadata import sizes
from clpy.llvm.ir import Builder, functions, intrinsic
from clpy.llvm.opcodes import AMDGPU_KERNEL

GLOBAL, LOCAL, CONSTANT = 1, 3, 4
INTEGERS = {"getelementptr", "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "trunc", "zext", "sext",
            "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "freeze"}        # the scalar unit has these
OTHERS = {"udiv", "sdiv", "urem", "srem", "fneg", "fadd", "fsub", "fmul", "fdiv", "fptoui", "fptosi", "uitofp",
          "sitofp", "fptrunc", "fpext", "icmp", "fcmp", "select", "extractelement", "insertelement", "shufflevector"}
SHARED = ("llvm.amdgcn.workgroup.id.", "llvm.amdgcn.dispatch.ptr", "llvm.amdgcn.implicitarg.ptr",
          "llvm.amdgcn.kernarg.segment.ptr", "llvm.amdgcn.readfirstlane.")
LANES = "llvm.amdgcn."
ITEM_ID = "llvm.amdgcn.workitem.id."       # 0 along dimensions in which the groups have one work-item
MOST = 100       # values that one address is made of, as far as it is looked at


class Sharing:
    """What all lanes share that are on at an instruction, as far as it is plain: what becomes of the kernel's arguments
    and of loads from places that are shared. A phi may tell lanes by the way they came, and what a loop loaded by how
    often they went around it."""

    def __init__(self, function, block):
        self.is_kernel, self.block, self.known = function.call_conv == AMDGPU_KERNEL, block, {}
        self.single = {n for n, size in enumerate(sizes(function, "reqd_work_group_size")) if size == 1}
        self.needs_vectors = False       # something of it is computed in vector registers

    def is_shared(self, value):
        if value not in self.known:
            if len(self.known) == MOST:
                return False
            self.known[value] = False            # until it is known, and where a value is made of itself
            self.known[value] = self.examined(value)
        return self.known[value]

    def examined(self, value):
        if value.is_constant:
            return True
        if value.is_argument:
            return self.is_kernel
        if value.opcode == "call":
            return self.call_is_shared(value)
        if value.opcode == "load":
            if not self.place_is_shared(value):
                return False
        elif value.opcode not in INTEGERS and value.opcode not in OTHERS:
            return False
        self.needs_vectors |= value.opcode in OTHERS or (value.opcode == "load" and in_space(value, GLOBAL, LOCAL))
        return all(self.is_shared(operand) for operand in value.operands)

    def place_is_shared(self, load):
        return in_space(load, GLOBAL, LOCAL, CONSTANT) and (load.block == self.block or not comes_again(load.block))

    def call_is_shared(self, call):
        name = call.callee.name if call.callee is not None else ""
        if name.startswith(SHARED):
            return True
        if name.startswith(ITEM_ID) and "xyz".index(name[-1]) in self.single:
            self.needs_vectors = True
            return True
        if not name.startswith("llvm.") or name.startswith(LANES) or not call.callee.has_attribute("speculatable"):
            return False
        self.needs_vectors = True
        return all(self.is_shared(operand) for operand in call.args)


def in_space(load, *spaces):
    return load.operands[0].type.address_space in spaces


def comes_again(block):
    """Whether a loop leads back to it."""
    seen, left = set(), list(block.successors)
    while left:
        one = left.pop()
        if one == block:
            return True
        if one not in seen:
            seen.add(one)
            left.extend(one.successors)
    return False


def run(module):
    for function in functions(module):
        for atomic in function.instructions_of("atomicrmw"):
            address = atomic.operands[0]
            if address.type.address_space != GLOBAL:
                continue
            sharing = Sharing(function, atomic.block)
            if sharing.is_shared(address) and sharing.needs_vectors:
                first = intrinsic(module, "llvm.amdgcn.readfirstlane", [address.type])
                atomic.set_operand(0, Builder(module).before(atomic).call(first, [address]))
