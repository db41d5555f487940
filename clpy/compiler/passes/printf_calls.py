# SPDX-License-Identifier: Apache-2.0
"""printf becomes a call of the runtime with its arguments packed in memory.

`printf(fmt, ...)` turns into `__clpy_printf(fmt, packed, bytes)`. Each argument is a header {u32 kind, u32 bytes of an
element, u32 elements, u32 0} and the value, padded to 8 bytes; the front end has done the default promotions.
The value of printf is 0.
"""
from clpy.llvm.ir import Builder, Types, declare, functions, get_function

INTEGER, FLOATING, POINTER = range(3)
HEADER = 16
NAME, RUNTIME = "printf", "__clpy_printf"


def describe(ty):
    """(kind, bytes of an element, elements)"""
    scalar = ty.scalar
    count = ty.count if ty.is_vector else 1
    if scalar.is_pointer:
        return POINTER, 8, count
    if scalar.is_float:
        return FLOATING, scalar.size, count
    return INTEGER, scalar.size, count


def pack(builder, types, buffer, args):
    """Store the arguments, one after the other, into `buffer`."""
    offset = 0
    for value, (kind, size, count) in args:
        for at, word in enumerate((kind, size, count, 0)):
            place = builder.gep(types.i8, buffer, [types.i64.const(offset + 4 * at)])
            builder.store(types.i32.const(word), place)
        place = builder.gep(types.i8, buffer, [types.i64.const(offset + HEADER)])
        builder.store(value, place).align = 8
        offset += HEADER + padded(size * count)


def padded(size):
    return -(-size // 8) * 8


def storable(builder, types, value):
    """Integers of odd widths, as bool's i1, fill whole bytes."""
    ty = value.type
    if ty.is_int and ty.width < 8:
        return builder.cast("zext", value, types.i8)
    return value


def lower(module, function, call):
    types, builder = Types(module), Builder(module).before(call)
    args = [storable(builder, types, a) for a in call.args[1:]]
    described = [(a, describe(a.type)) for a in args]
    size = sum(HEADER + padded(bytes_ * count) for _, (_, bytes_, count) in described)
    builder.before(function.entry.first)
    buffer = builder.alloca(types.array(types.i8, max(size, 8)), "printf.args")
    buffer.align = 16
    builder.before(call)
    pack(builder, types, buffer, described)
    runtime = declare(module, RUNTIME, types.function(types.void, [types.ptr, types.ptr, types.i64]))
    runtime.add_attribute("nounwind")
    text = call.args[0]
    if text.type.address_space:
        text = builder.cast("addrspacecast", text, types.ptr)
    builder.call(runtime, [text, buffer, types.i64.const(size)])
    call.replace_with(call.type.null)
    call.erase()


def run(module, lowering):
    printf = get_function(module, NAME)
    if printf is None:
        return
    for function in functions(module):
        for call in function.instructions_of("call"):
            if call.callee == printf:
                lower(module, function, call)
