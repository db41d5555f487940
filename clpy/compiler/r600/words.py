# SPDX-License-Identifier: Apache-2.0
"""Accesses of two words as two of one, and small vectors as words where they are stored or taken as something else.

LLVM's code generator has pairs of registers up to T63 alone, and ends where private arrays are in most of those. Single
words and four of them may be in all registers. Of bytes and shorts it makes a word by way of private memory, and ends
over the order of what it then has to store.
"""
from clpy.compiler.amdgpu.code import is_kernel

WORD, BITS = 4, 32
PAIR = 2 * BITS
SMALL = (8, 16)     # bits of a vector's elements
IN_REGISTERS = (3, 5)       # address spaces of which words are taken one by one: local and private memory


def run(module):
    from clpy.llvm.ir import functions
    for function in functions(module):
        if is_kernel(function):
            for cast in function.instructions_of("bitcast"):
                if is_small_vector(cast.operand(0).type):
                    cast_parts(module, cast)
            for load in function.instructions_of("load"):
                if is_pair(load.type, load.operand(0)):
                    load_words(module, load)
            for store in function.instructions_of("store"):
                if is_small_vector(store.operand(0).type) and store.align >= WORD:
                    store_parts(module, store)
                elif is_pair(store.operand(0).type, store.operand(1)):
                    store_words(module, store)


def bits_of(type_):
    """Of numbers and vectors of them; 0 of anything else."""
    scalar = type_.scalar
    bits = scalar.width if scalar.is_int else 8 * scalar.size if scalar.is_float else 0
    return bits * type_.count if type_.is_vector else bits


def is_pair(type_, pointer):
    return bits_of(type_) == PAIR and pointer.type.address_space not in IN_REGISTERS


def is_small_vector(type_):
    return type_.is_vector and type_.scalar.is_int and type_.scalar.width in SMALL and bits_of(type_) % BITS == 0


def places(b, t, access, pointer, count=2):
    """[(pointer, alignment)] of the words."""
    return [(pointer, access.align), *((b.gep(t.i8, pointer, [t.i32.const(WORD * i)], flags=0), min(access.align, WORD))
                                       for i in range(1, count))]


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
    replace_store(b, t, store, [b.cast("trunc", word, t.i32) for word in words])


def store_parts(module, store):
    from clpy.llvm.ir import Builder, Types
    t, b = Types(module), Builder(module).before(store)
    replace_store(b, t, store, words_of(b, t, store.operand(0)))


def cast_parts(module, cast):
    from clpy.llvm.ir import Builder, Types
    t, b = Types(module), Builder(module).before(cast)
    words = words_of(b, t, cast.operand(0))
    value = words[0]
    if len(words) > 1:
        value = t.vector(t.i32, len(words)).poison
        for i, word in enumerate(words):
            value = b.insert_element(value, word, t.i32.const(i))
    cast.replace_with(value if value.type == cast.type else b.cast("bitcast", value, cast.type))
    cast.erase()


def words_of(b, t, vector):
    width = vector.type.scalar.width
    each = BITS // width
    words = []
    for first in range(0, vector.type.count, each):
        word = None
        for i in range(each):
            part = b.cast("zext", b.extract_element(vector, t.i32.const(first + i)), t.i32)
            part = b.binop("shl", part, t.i32.const(i * width)) if i else part
            word = b.binop("or", word, part) if i else part
        words.append(word)
    return words


def replace_store(b, t, store, words):
    for word, (pointer, align) in zip(words, places(b, t, store, store.operand(1), len(words)), strict=True):
        made = b.store(word, pointer)
        made.align, made.is_volatile = align, True
    store.erase()
