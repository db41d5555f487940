# SPDX-License-Identifier: Apache-2.0
"""Names and types of shared code for four words at a time, of each lane (builtins/pixel_code.py).

    {x, y, z, w} read(base, index of each lane, mask)    write(base, index of each lane, x, y, z, w, mask)

The mask is a bit for each lane. Forms for rows have the words as they lie in memory, in four vectors as well.
"""
from clpy.compiler.analysis.memory import GLOBAL

FORMS = "pixels."
READ, READ_ROWS = f"{FORMS}read", f"{FORMS}read_rows"
WRITE, WRITE_ROWS = f"{FORMS}write", f"{FORMS}write_rows"
WORDS, WORD = 4, 4           # bytes of one


def name_of(what, lanes):
    return f"{what}.{lanes}"


def type_of(types, what, lanes):
    """Its function type."""
    numbers = types.vector(types.float, lanes)
    place = [types.pointer(GLOBAL), types.vector(types.i32, lanes)]
    if what in (READ, READ_ROWS):
        return types.function(types.array(numbers, WORDS), [*place, types.i32])
    return types.function(types.void, [*place, *[numbers] * WORDS, types.i32])


def lanes_of(vector_bits):
    """Lanes of the forms that code calls: as many as a register has words."""
    return vector_bits // (8 * WORD)


def are_words(type_, pointer):
    """Whether a lane's value of a type, at a place, is what the forms move."""
    return type_.is_vector and type_.count == WORDS and type_.element.size == WORD and \
        pointer.type.address_space == GLOBAL
