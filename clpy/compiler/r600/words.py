# SPDX-License-Identifier: Apache-2.0
"""Accesses of two words as two of one.

LLVM's code generator has pairs of registers up to T63 alone, and ends where private arrays are in most of those. Single
words and four of them may be in all registers.
"""
from clpy.compiler.amdgpu.code import is_kernel

PAIR, WORD, BITS = 8, 4, 32
IN_REGISTERS = (3, 5)       # address spaces of which words are taken one by one: local and private memory


def run(module):
    from clpy.llvm.ir import functions
    for function in functions(module):
        if is_kernel(function):
            for load in function.instructions_of("load"):
                if is_pair(load.type, load.operand(0)):
                    load_words(module, load)
            for store in function.instructions_of("store"):
                if is_pair(store.operand(0).type, store.operand(1)):
                    store_words(module, store)


def is_pair(type_, pointer):
    return type_.size == PAIR and pointer.type.address_space not in IN_REGISTERS


def places(b, t, access, pointer):
    """[(pointer, alignment)] of both words."""
    second = b.gep(t.i8, pointer, [t.i32.const(WORD)], flags=0)
    return (pointer, access.align), (second, min(access.align, WORD))


def load_words(module, load):
    from clpy.llvm.ir import Builder, Types
    t, b = Types(module), Builder(module).before(load)
    words = []
    for pointer, align in places(b, t, load, load.operand(0)):
        word = b.load(t.i32, pointer)
        word.align, word.is_volatile = align, True      # else they become one again
        words.append(b.cast("zext", word, t.i64))
    value = b.binop("or", words[0], b.binop("shl", words[1], t.i64.const(BITS)))
    load.replace_with(value if load.type == t.i64 else b.cast("bitcast", value, load.type))
    load.erase()


def store_words(module, store):
    from clpy.llvm.ir import Builder, Types
    t, b, value = Types(module), Builder(module).before(store), store.operand(0)
    if value.type != t.i64:
        value = b.cast("bitcast", value, t.i64)
    words = value, b.binop("lshr", value, t.i64.const(BITS))
    for word, (pointer, align) in zip(words, places(b, t, store, store.operand(1)), strict=True):
        made = b.store(b.cast("trunc", word, t.i32), pointer)
        made.align, made.is_volatile = align, True
    store.erase()
