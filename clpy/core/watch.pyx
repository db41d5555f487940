# SPDX-License-Identifier: Apache-2.0
"""The thread that watches file descriptors: started when the first one is to be watched, asleep in poll()."""
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from posix.unistd cimport read, write
from clpy.atomics cimport atomic_load_i32, atomic_store_i32
from clpy.core.object cimport object_drop, object_hold
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.threads cimport at_fork_in_child, thread_start

cdef extern from "<poll.h>" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    int poll(pollfd *fds, unsigned long n, int timeout)
    int POLLIN
    int POLLNVAL

cdef extern from "<sys/eventfd.h>" nogil:
    int eventfd(unsigned int value, int flags)
    int EFD_CLOEXEC
    int EFD_NONBLOCK

cdef struct Watched:
    int fd
    readable_fn readable
    void *arg                    # held
    int32_t ended                # atomic: it is to be forgotten
    Watched *next

cdef Watched *watched = NULL     # under `lock`; only the thread takes something out
cdef size_t n_watched = 0
cdef size_t room = 0             # in `polled`; the thread's own
cdef pollfd *polled = NULL       # [0] is the bell
cdef int bell = -1               # tells the thread that there is something new
cdef bint running = False
cdef int32_t lock = 0


cdef bint start() noexcept nogil:
    """Under the lock."""
    global bell, running
    if running:
        return True
    if bell < 0:
        bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)
    running = bell >= 0 and thread_start(look, NULL, b"clpy-watch", 0)
    return running


cdef bint watch(int fd, readable_fn readable, void *arg) noexcept nogil:
    global watched, n_watched
    cdef uint64_t one = 1
    cdef Watched *node = <Watched *>malloc(sizeof(Watched))
    cdef bint ok
    if node == NULL:
        return False
    node.fd, node.readable, node.arg, node.ended = fd, readable, arg, 0
    mutex_lock(&lock)
    ok = start()
    if ok:
        object_hold(arg)
        node.next = watched
        watched = node
        n_watched += 1
        write(bell, &one, sizeof(one))
    mutex_unlock(&lock)
    if not ok:
        free(node)
    return ok


cdef void watch_end(void *arg) noexcept nogil:
    cdef Watched *node
    cdef uint64_t one = 1
    mutex_lock(&lock)
    node = watched
    while node != NULL:
        if node.arg == arg:
            atomic_store_i32(&node.ended, 1)
            write(bell, &one, sizeof(one))
        node = node.next
    mutex_unlock(&lock)


cdef Watched *fill_list(size_t *n, bint *some_ended) noexcept nogil:
    """What to poll, in the order of the list that begins at the result; new ones are only put in front of it."""
    global polled, room
    cdef Watched *first
    cdef Watched *node
    cdef void *grown
    cdef size_t i = 1
    mutex_lock(&lock)
    first = node = watched
    if n_watched + 1 > room:
        grown = realloc(polled, 2 * (n_watched + 1) * sizeof(pollfd))
        if grown != NULL:
            polled = <pollfd *>grown
            room = 2 * (n_watched + 1)
    while node != NULL and i < room:
        polled[i].fd, polled[i].events, polled[i].revents = node.fd, <short>POLLIN, 0
        some_ended[0] = some_ended[0] or atomic_load_i32(&node.ended) != 0
        i += 1
        node = node.next
    mutex_unlock(&lock)
    n[0] = i if room else 0
    if room:
        polled[0].fd, polled[0].events, polled[0].revents = bell, <short>POLLIN, 0
    return first


cdef void forget(Watched *node) noexcept nogil:
    global n_watched
    cdef Watched **link = &watched
    mutex_lock(&lock)
    while link[0] != node:
        link = &link[0].next
    link[0] = node.next
    n_watched -= 1
    mutex_unlock(&lock)
    object_drop(node.arg)
    free(node)


cdef void look(void *unused) noexcept nogil:
    cdef Watched *node
    cdef Watched *following
    cdef uint64_t count
    cdef size_t n = 0, i
    cdef bint some_ended
    while True:
        some_ended = False
        node = fill_list(&n, &some_ended)
        # The bell for what has ended may have been read before. Without memory for the list: look again in a moment.
        poll(polled, n, (0 if some_ended else -1) if n else 10)
        if n and polled[0].revents:
            read(bell, &count, sizeof(count))
        for i in range(1, n):
            following = node.next
            # closed by somebody else, against the rules: nothing will come from it
            if (polled[i].revents & POLLNVAL or atomic_load_i32(&node.ended)
                    or polled[i].revents and not node.readable(node.arg)):
                forget(node)
            node = following


cdef void forget_thread() noexcept nogil:
    """In the child of a fork: the thread, and what it looked at, are the parent's."""
    global watched, n_watched, bell, running, lock
    watched = NULL
    n_watched = 0
    bell = -1
    running = False
    lock = 0


at_fork_in_child(forget_thread)
