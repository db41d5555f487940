# SPDX-License-Identifier: Apache-2.0
"""Small copies of memory, as assigning a structure makes them, spelled out as loads and stores.

A vector of work-items then copies with whole vectors what each work-item would copy by itself.
"""
from clpy.llvm.ir import Builder, Types

MOST_BYTES = 128
COPIES = ("llvm.memcpy.", "llvm.memmove.")


def unit_of(call, size):
    """Bytes copied at a time: what both places are aligned to, and the size is a multiple of."""
    unit = min(8, *[call.call_attribute_value("align", index) or 1 for index in (1, 2)])
    while size % unit:
        unit //= 2
    return unit


def spell_out_copies(module, function):
    types, builder = Types(module), Builder(module)
    for call in function.instructions_of("call"):
        if not call.callee.name.startswith(COPIES):
            continue
        to, source, size, is_volatile = call.args
        if not size.is_const_int or size.zext > MOST_BYTES or is_volatile.zext:
            continue
        unit = unit_of(call, size.zext)
        if size.zext // unit > MOST_BYTES // 4:
            continue
        builder.before(call)
        places = range(0, size.zext, unit)
        values = [builder.load(types.int(8 * unit), moved(builder, types, source, at)) for at in places]
        for value in values:
            value.align = unit
        for value, at in zip(values, places, strict=True):
            builder.store(value, moved(builder, types, to, at)).align = unit
        call.erase()


def moved(builder, types, pointer, distance):
    return builder.gep(types.i8, pointer, [types.i64.const(distance)]) if distance else pointer
