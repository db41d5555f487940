# SPDX-License-Identifier: Apache-2.0
"""Rows of memory that lanes walk along element by element, a row for each lane, but not in blocks. An analysis.

`for (k...) x[id * n + k] = ...`: in each turn every lane reads and writes a line of its own, and needs the same lines
in the next turns. With rows a power of two apart these lines have the same few slots in a cache, and where they are
more than a slot holds, each is fetched again in each turn: fewer lanes at a time are faster then, by up to four times.
How far rows lie apart is known when a group begins (spmd/vector_loop.py). Rows that are read in blocks (walks.py) do
not count: a line is fetched once for many turns.
"""
from collections import namedtuple

from clpy.compiler.analysis.access import Address, accessed_type, is_access, pointer_of
from clpy.compiler.analysis.columns import LINE, WAYS
from clpy.compiler.analysis.counters import is_given
from clpy.compiler.analysis.memory import CONSTANT, GLOBAL, space_of
from clpy.compiler.analysis.transfer import VARYING

SLOTS = 4096     # bytes after which a first-level cache's slots begin again
FEWEST = 4       # lanes that are worth being vectors
LEAST_BITS = 32  # of numbers that rows are multiplied by


class Pitch(namedtuple("Pitch", "constant terms")):
    """Bytes from a lane's row to the next one's: `constant` + factor * the extension `how` of each (value, how, factor)
    of `terms`."""
    __slots__ = ()


class Rows(namedtuple("Rows", "many narrow pitches")):
    """Rows of `many` places for each lane, and the `pitches` that they have; where they lie badly, `narrow` lanes at a
    time fit in a cache, 1 being one work-item after the other."""
    __slots__ = ()

    def fit(self, width):
        """Whether the lines of so many lanes find room however they lie."""
        return width * self.many <= WAYS

    def apart(self, width):
        """Bytes, a power of two: where pitches are multiples of that, the lines of so many lanes are too many."""
        apart = SLOTS
        while width * self.many * (apart // 2) > WAYS * SLOTS:
            apart //= 2
        return max(apart, LINE)

    def may_crowd(self, pitch, width):
        """Whether that many lanes may be too many, as far as it is known now."""
        beside = (pitch.constant + self.near) % self.apart(width)
        return bool(pitch.terms) or beside <= 2 * self.near

    @property
    def near(self):
        """Bytes more or less that are as bad: so near to each other do lines still share slots."""
        return LINE * self.many // WAYS


def rows_of(walks, width, wide, pays):
    """Rows of a function that runs `width` lanes at a time, and `wide` where there are as many; None where all find
    room in any case. `pays`: whether so few lanes are faster as vectors."""
    around = {loop.parent for loop in walks.cfg.loops}      # whose turns are few beside those of the loops inside
    loops = [loop for loop in walks.cfg.loops if loop not in around and not walks.is_short(loop)]
    most = max((pitches_of(walks, loop) for loop in loops), key=len, default={})
    narrow = width
    while narrow > FEWEST and narrow * len(most) > WAYS:
        narrow //= 2
    if narrow < width and (narrow * len(most) > WAYS or not pays(narrow)):
        narrow = 1
    rows = Rows(len(most), narrow, list(dict.fromkeys(most.values())))
    if rows.fit(wide) or narrow == wide or not any(rows.may_crowd(pitch, wide) for pitch in rows.pitches):
        return None
    return rows


def pitches_of(walks, loop):
    """Rows that are walked along in a loop: what is their address but for constants -> Pitch."""
    found, in_blocks = {}, {}
    for b in loop.blocks:
        for inst in walks.cfg.blocks[b].instructions:
            if is_access(inst) and is_row(walks, inst, loop):
                address = Address(pointer_of(inst), probable=True)
                pitch = pitch_of(walks.shapes, address)
                if pitch is not None:
                    (in_blocks if inst in walks.of else found)[address.key] = pitch
    return in_blocks | found if found and walks.strides.bits < LINE * 8 else found


def is_row(walks, inst, loop):
    pointer, shape = pointer_of(inst), walks.shapes[pointer_of(inst)]
    if space_of(pointer) not in (GLOBAL, CONSTANT) or accessed_type(inst).is_vector or pointer in walks.shapes.inside:
        return False
    far = shape == VARYING or abs(shape) >= LINE
    return far and 0 < abs(walks.step(pointer, loop, probable=True)) < LINE


def pitch_of(shapes, address):
    """The Pitch of an address whose lanes are ids times what a whole group is given; else None."""
    constant, terms = 0, []
    for (leaf, how), factor in address.terms.items():
        shape = shapes[leaf]
        if shape != VARYING:
            constant += factor * shape
            continue
        if leaf.opcode != "mul" or leaf.type.width < LEAST_BITS:
            return None
        for ids, given in (leaf.operands, leaf.operands[::-1]):
            if shapes[ids] != VARYING and shapes.uniform(given) and is_given(given):
                terms.append((given, how, factor * shapes[ids]))
                break
        else:
            return None
    return Pitch(constant, tuple(terms))
