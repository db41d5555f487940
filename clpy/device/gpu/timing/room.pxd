# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint32_t

ctypedef struct Room:
    uint32_t *words              # malloc'ed; NULL: there is no memory
    size_t n

# Room for at least so many words, which hold anything; `grows`: there may be many more.
cdef Room room_take(size_t n, bint grows) noexcept nogil
# More, with what is in the first `used`. False: there is no memory, and nothing is changed.
cdef bint room_grow(Room *room, size_t used, size_t n) noexcept nogil
# So many words are kept at least, of rooms that nobody has.
cdef void rooms_keep(size_t words) noexcept nogil
# What was taken, by any thread.
cdef void room_give(Room room) noexcept nogil
