# SPDX-License-Identifier: Apache-2.0
"""printf becomes stores to a buffer that the device reads when the work-group is done, as for GCN chips
(amdgpu/printf_calls.py has the form of a record).

The buffer is in a window of its own. Room in it is reserved by an atomic addition (library/printing.cl). All stores are
of words: those of less are atomic operations on these chips. Texts are the program's constants, whose addresses become
the host's.
"""
from clpy.compiler.amdgpu.printf_calls import RECORD
from clpy.compiler.passes.printf_calls import HEADER, NAME, POINTER, describe, padded, storable
from clpy.llvm.ir import Builder, Types, add_function, declare, functions, get_function

ALLOCATE, TEXT = "__clpy_record", "__clpy_text"
GLOBAL, CONSTANT = 1, 4
WORD, WORD_BITS = 4, 32


def lower(module):
    """Whether the module prints."""
    printf = get_function(module, NAME)
    if printf is None or not printf.has_users:
        return False
    writers = {}
    for function in functions(module):
        for call in function.instructions_of("call"):
            if call.callee == printf:
                replace(module, call, writers)
    return True


def replace(module, call, writers):
    """One call by one of the function for these types."""
    types, builder = Types(module), Builder(module).before(call)
    args = [call.args[0], *(storable(builder, types, value) for value in call.args[1:])]
    key = tuple(str(value.type) for value in args)
    if key not in writers:
        writers[key] = make_writer(module, types, [value.type for value in args], len(writers))
    call.replace_with(builder.call(writers[key], args))
    call.erase()


def make_writer(module, types, params, number):
    """A function that writes the record of a format and arguments of these types; it is inlined."""
    function = add_function(module, f"printf.record.{number}", types.function(types.i32, params))
    function.set_internal()
    function.add_attribute("alwaysinline")
    builder = Builder(module).at_end(function.append_block())
    given = [(value, describe(value.type)) for value in function.params[1:]]
    size = RECORD + sum(HEADER + padded(bytes_ * count) for _, (_, bytes_, count) in given)
    place = types.pointer(GLOBAL)
    record = builder.call(declare(module, ALLOCATE, types.function(place, [types.i32])), [types.i32.const(size)])
    full, room = function.append_block(), function.append_block()
    builder.cond_br(builder.icmp("eq", record, place.null), full, room)
    builder.at_end(full)
    builder.ret(types.i32.const(-1))
    builder.at_end(room)
    words = Words(module, builder)
    words.number(size, 0)
    words.text(function.params[0])
    for value, about in given:
        words.number(*about, 0)
        words.argument(value, *about)
    for at, word in enumerate(words.made):
        builder.store(word, builder.gep(types.i32, record, [types.i32.const(at)])).align = WORD
    builder.ret(types.i32.null)
    return function


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
