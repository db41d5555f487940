# SPDX-License-Identifier: Apache-2.0
"""printf becomes stores to a buffer that the device reads when the work-group is done, as for GCN chips
(amdgpu/printf_calls.py has the form of a record).

The buffer is in a window of its own. Room in it is reserved by an atomic addition (library/printing.cl). All stores are
of words: those of less are atomic operations on these chips. Texts are the program's constants, whose addresses become
the host's.
"""
from clpy.compiler.amdgpu.printf_calls import replace_calls
from clpy.compiler.passes.printf_calls import POINTER
from clpy.llvm.ir import Types, declare

ALLOCATE, TEXT = "__clpy_record", "__clpy_text"
CONSTANT = 4
WORD, WORD_BITS = 4, 32


def lower(module):
    """Whether the module prints."""
    return replace_calls(module, ALLOCATE, write_record)


def write_record(module, builder, record, size, text, given):
    types, words = Types(module), Words(module, builder)
    words.number(size, 0)
    words.text(text)
    for value, about in given:
        words.number(*about, 0)
        words.argument(value, *about)
    for at, word in enumerate(words.made):
        builder.store(word, builder.gep(types.i32, record, [types.i32.const(at)])).align = WORD


class Words:
    """What a record has in it, as words."""

    def __init__(self, module, builder):
        self.module, self.b, self.types, self.made = module, builder, Types(module), []

    def number(self, *numbers):
        self.made += [self.types.i32.const(number) for number in numbers]

    def long(self, value):
        t = self.types
        high = self.b.binop("lshr", value, t.i64.const(WORD_BITS))
        self.made += [self.b.cast("trunc", value, t.i32), self.b.cast("trunc", high, t.i32)]

    def text(self, address):
        """The host's address of one of the program's constants."""
        find = declare(self.module, TEXT, self.types.function(self.types.i64, [self.types.pointer(CONSTANT)]))
        self.long(self.b.call(find, [address]))

    def argument(self, value, kind, size, count):
        """A value, padded to 8 bytes."""
        t, start = self.types, len(self.made)
        elements = [value] if count == 1 and not value.type.is_vector else [
            self.b.extract_element(value, t.i32.const(i)) for i in range(count)]
        for index, element in enumerate(elements):
            if kind == POINTER:
                self.pointer(element)
            else:
                self.element(element, size, size * index % WORD)
        if (len(self.made) - start) % 2:
            self.number(0)

    def pointer(self, value):
        if value.type.address_space == CONSTANT:
            self.text(value)
        else:
            self.made += [self.b.cast("ptrtoint", value, self.types.i32), self.types.i32.null]

    def element(self, value, size, shift):
        """So many bytes, `shift` bytes into a word."""
        t = self.types
        if value.type.is_float:
            value = self.b.cast("bitcast", value, t.int(8 * size))
        if size == 2 * WORD:
            self.long(value)
            return
        if size < WORD:
            value = self.b.cast("zext", value, t.i32)
        if shift:
            moved = self.b.binop("shl", value, t.i32.const(8 * shift))
            self.made[-1] = self.b.binop("or", self.made[-1], moved)
        else:
            self.made.append(value)
