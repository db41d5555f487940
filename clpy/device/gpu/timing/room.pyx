# SPDX-License-Identifier: Apache-2.0
"""Room for traces, which one launch leaves to the next: memory that is new costs as much as what is done with it. It is
cheaper in large pages."""
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from posix.mman cimport madvise
from clpy.futex cimport mutex_lock, mutex_unlock

cdef extern from "<stdlib.h>" nogil:
    int posix_memalign(void **out, size_t align, size_t size)

cdef extern from "<sys/mman.h>" nogil:
    int MADV_HUGEPAGE

cdef enum:
    LARGE_PAGE = 2 << 20         # bytes
    MOST = 32                    # rooms that are kept

cdef size_t most_words = 3 << 24         # of all of them together: 192 MiB
cdef int32_t lock = 0
cdef Room kept[MOST]
cdef int n_kept = 0
cdef size_t n_words = 0          # in those


cdef void rooms_keep(size_t words) noexcept nogil:
    global most_words
    most_words = max(most_words, words)


cdef int suitable(size_t n, bint grows) noexcept nogil:
    """Which kept room of at least so many words is the smallest, or the largest; -1: none has as many."""
    cdef int i, found = -1
    for i in range(n_kept):
        if kept[i].n >= n and (found < 0 or (kept[i].n > kept[found].n) == grows):
            found = i
    return found


cdef Room room_make(size_t n) noexcept nogil:
    cdef void *words = NULL
    cdef size_t size = n * sizeof(uint32_t)
    if size < 2 * LARGE_PAGE:
        words = malloc(size)
    elif posix_memalign(&words, LARGE_PAGE, size) == 0:
        madvise(words, size, MADV_HUGEPAGE)      # where there are none it goes without
    else:
        words = NULL
    return Room(<uint32_t *> words, n)


cdef bint room_grow(Room *room, size_t used, size_t n) noexcept nogil:
    cdef Room wider = room_make(n)
    if wider.words == NULL:
        return False
    memcpy(wider.words, room.words, used * sizeof(uint32_t))
    free(room.words)
    room[0] = wider
    return True


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
    return room if found >= 0 else room_make(n)


cdef bint drop_smaller(size_t n) noexcept nogil:
    """One of the kept rooms, the smallest; False: it has as many words."""
    global n_kept, n_words
    cdef int i, smallest = 0
    for i in range(1, n_kept):
        if kept[i].n < kept[smallest].n:
            smallest = i
    if n_kept == 0 or kept[smallest].n >= n:
        return False
    free(kept[smallest].words)
    n_words -= kept[smallest].n
    n_kept -= 1
    kept[smallest] = kept[n_kept]
    return True


cdef void room_give(Room room) noexcept nogil:
    """Large rooms are kept rather than small ones."""
    global n_kept, n_words
    cdef bint keeps = True
    if room.words == NULL:
        return
    mutex_lock(&lock)
    while keeps and (n_kept == MOST or n_words + room.n > most_words):
        keeps = drop_smaller(room.n)
    if keeps:
        kept[n_kept] = room
        n_kept += 1
        n_words += room.n
    mutex_unlock(&lock)
    if not keeps:
        free(room.words)
