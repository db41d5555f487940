# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint32_t

ctypedef struct Room:
    uint32_t *words              # malloc'ed; NULL: there is no memory
    size_t n

# Room for at least so many words, which hold anything; `grows`: there may be many more.
cdef Room room_take(size_t n, bint grows) noexcept nogil
# What was taken, by any thread; it may have been realloc'ed meanwhile.
cdef void room_give(Room room) noexcept nogil
