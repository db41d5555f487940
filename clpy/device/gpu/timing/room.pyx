# SPDX-License-Identifier: Apache-2.0
"""Room for traces, which one launch leaves to the next: memory that is new costs as much as what is done with it."""
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc
from clpy.futex cimport mutex_lock, mutex_unlock

cdef enum:
    MOST = 32                    # rooms that are kept
    MOST_WORDS = 1 << 24         # of all of them together: 64 MiB

cdef int32_t lock = 0
cdef Room kept[MOST]
cdef int n_kept = 0
cdef size_t n_words = 0          # in those


cdef int suitable(size_t n, bint grows) noexcept nogil:
    """Which kept room of at least so many words is the smallest, or the largest; -1: none has as many."""
    cdef int i, found = -1
    for i in range(n_kept):
        if kept[i].n >= n and (found < 0 or (kept[i].n > kept[found].n) == grows):
            found = i
    return found


cdef Room room_take(size_t n, bint grows) noexcept nogil:
    global n_kept, n_words
    cdef Room room
    cdef int found
    mutex_lock(&lock)
    found = suitable(n, grows)
    if found >= 0:
        room = kept[found]
        n_words -= room.n
        n_kept -= 1
        kept[found] = kept[n_kept]
    mutex_unlock(&lock)
    if found < 0:
        room.words, room.n = <uint32_t *> malloc(n * sizeof(uint32_t)), n
    return room


cdef void room_give(Room room) noexcept nogil:
    global n_kept, n_words
    cdef bint keeps = False
    if room.words == NULL:
        return
    mutex_lock(&lock)
    if n_kept < MOST and n_words + room.n <= MOST_WORDS:
        kept[n_kept] = room
        n_kept += 1
        n_words += room.n
        keeps = True
    mutex_unlock(&lock)
    if not keeps:
        free(room.words)
