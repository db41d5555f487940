# SPDX-License-Identifier: Apache-2.0
"""Slices of the L2: where the requests of others are many, those to some sets stand for all.

A set is followed as a whole or not at all, so that what is in it is right. A slice has blocks that lie in one bank of
memory, so that lines which share a row of memory are followed together too, of each PARTS-th channel; which bank it is
differs by channel. At first all are followed, and half as many each time that others have asked so often as BUDGET
says, until there is one bank's of all channels. With half of the sets half of the requests are made of as many, and so
the next half is left after half as many. Where most requests are for lines that may be anywhere, as by indices
from memory, any sets show as much: SCATTERED is all that is asked before each half, and some of the channels are left.

Requests to sets that are not followed keep channels busy for as long as those of the same instruction do on average
(Means): their own channels where those are FEW, as with rows that are a power of two apart, all in turn where they are
more. If those that are followed stood for them, a channel would have much to do and then nothing.

What becomes of a followed unit's own request to a set that is not followed:

- where it has asked for the line before, it is there until as many lines have come as stay in the L2, which is learned
  from the sets that are followed;
- else it is as it was with the instruction's latest such request to a set that is followed; but what a store takes the
  place of has been changed as often as with the others' stores, which are many: a followed unit whose groups lie a
  power of two apart may come to no set that is followed.
"""
from libc.stdint cimport int64_t, uint32_t, uint64_t
from clpy.device.gpu.timing.model cimport Apart, Had, Model, Place, Seen, remainder

cdef enum:
    SCATTERED_ROOM = 4           # times as many lines as slices come again after: then any slice has as many of them
    HAD_BITS = 12

# For a Model that has its L2. `of_hit`: see Slices. False: there is no memory.
cdef bint slices_open(Model *model, int64_t of_hit) noexcept nogil
cdef void slices_close(Model *model) noexcept nogil
# Others have asked so often: less is followed from now on.
cdef void slices_fewer(Model *model) noexcept nogil
# Of what lies so far from a line.
cdef void look(const Model *model, const Apart *apart, uint32_t line, Seen *seen) noexcept nogil


cdef inline bint follows_all(const Model *model) noexcept nogil:
    return model.slices.followed == model.slices.n


cdef inline uint32_t rest_of(const Model *model, uint32_t line) noexcept nogil:
    """Its number within the slices: what is known of where it lies is known by that."""
    return remainder(line, model.slices.lines)


cdef inline bint is_place_followed(const Model *model, Place place) noexcept nogil:
    return place.slice_ < model.slices.followed


cdef inline bint is_followed(const Model *model, uint32_t line) noexcept nogil:
    return is_place_followed(model, model.slices.places[rest_of(model, line)])


cdef inline const Seen *seen_from(const Model *model, const Apart *apart, uint32_t line, uint32_t rest) noexcept nogil:
    cdef Seen *seen = apart.seen + rest
    if not seen.is_known:
        look(model, apart, line, seen)
    return seen


cdef inline uint32_t moved_to_followed(const Model *model, uint32_t line, uint32_t any_) noexcept nogil:
    """A line near this one, in one of the sets that are followed: as good as any where lines may be anywhere."""
    cdef uint32_t each = model.slices.lines.by // model.slices.n
    cdef uint32_t member = <uint32_t> (<uint64_t> any_ * (each * model.slices.followed) >> 32)
    return line - rest_of(model, line) + model.slices.members[member]


cdef inline Had *had(const Model *model, uint32_t line) noexcept nogil:
    """Where it says when the line was asked for, or another one."""
    return model.slices.had + (line * <uint32_t> 0x9e3779b9 >> (32 - HAD_BITS))


cdef inline int64_t age_of(const Model *model, const Had *before) noexcept nogil:
    return <uint32_t> model.slices.age - before.age


cdef inline bint may_be_there(const Model *model, const Had *before, uint32_t line) noexcept nogil:
    return (before.line == line + 1) & (age_of(model, before) < model.slices.lasts)


cdef inline void learn(Model *model, const Had *before, bint is_there) noexcept nogil:
    """How long a line lasts, from one that was asked for before: as often as it is less it is to be more."""
    cdef int64_t age = age_of(model, before)
    if is_there and age >= model.slices.lasts:
        model.slices.lasts += model.slices.lasts >> 6
    elif not is_there and age < model.slices.lasts:
        model.slices.lasts -= model.slices.lasts >> 6
