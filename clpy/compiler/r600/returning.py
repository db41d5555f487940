# SPDX-License-Identifier: Apache-2.0
"""Atomic operations on global memory, as LLVM's code generator needs them.

It takes a pointer for the chip's address, which is in words there. And it refuses results that are wanted: the chip
leaves what memory held in a return buffer, which the code reads after, and LLVM makes the operation, but not the read.
So the result becomes a load of the kernel's parameters, from a place behind them all that stands for the work-item's
word of the return buffer (isa/r600/memory.py).
"""
from clpy.compiler.amdgpu.code import is_kernel

GLOBAL, PARAMETERS = 1, 7       # address spaces
RETURNED = 0x7F00               # offset of a fetch, which has 16 bits
WORD = 4
ITEM = "llvm.r600.read.tidig.x"


def run(module):
    from clpy.llvm.ir import functions
    for function in functions(module):
        if not is_kernel(function):
            continue
        for atomic in function.instructions_of("atomicrmw", "cmpxchg"):
            if atomic.operand(0).type.address_space == GLOBAL:
                if atomic.has_users:
                    read_after(module, atomic)
                in_words(module, atomic)


def in_words(module, atomic):
    from clpy.llvm.ir import Builder, Types
    t, b, pointer = Types(module), Builder(module).before(atomic), atomic.operand(0)
    address = b.cast("ptrtoint", pointer, t.i32)
    less = b.sub(b.binop("lshr", address, t.i32.const(2)), address)
    atomic.set_operand(0, b.gep(t.i8, pointer, [less], flags=0))       # so that it is known whose memory it is


def read_after(module, atomic):
    from clpy.llvm.ir import Builder, Types, intrinsic
    t, b = Types(module), Builder(module).before(atomic.next)
    item = b.call(intrinsic(module, ITEM, []), [])
    place = b.cast("inttoptr", b.binop("shl", item, t.i32.const(2)), t.pointer(PARAMETERS))
    load = b.load(t.i32, b.gep(t.i8, place, [t.i32.const(RETURNED)], flags=0))
    load.is_volatile = True
    load.align = WORD
    for user in list(atomic.users):
        if user == load:
            continue
        if atomic.opcode == "atomicrmw":
            value = load if atomic.type == t.i32 else b.cast("bitcast", load, atomic.type)
            replace(user, atomic, value)
            continue
        if user.opcode != "extractvalue":
            raise ValueError(f"a compare and exchange whose result goes to {user.opcode}")
        wanted = atomic.operand(1)
        user.replace_with(load if user.indices[0] == 0 else b.icmp("eq", load, wanted))
        user.erase()


def replace(user, old, new):
    for index, operand in enumerate(user.operands):
        if operand == old:
            user.set_operand(index, new)
