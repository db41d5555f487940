# SPDX-License-Identifier: Apache-2.0
"""Semaphores as edges of the graph of commands: the k-th wait that is enqueued waits for the k-th signal, whichever
comes first, so a semaphore may be signaled and waited for again as soon as the calls return, and nobody blocks.

A wait that comes first waits for a *gate*, an internal command that is completed by the signal to come. A signal that
comes first is kept until its wait comes.

An exportable or imported semaphore has its state in an eventfd, where other processes see it: a signal adds one, a wait
takes one away, in the order in which the waits were enqueued (clpy.core.watch tells when there is something to take).

The state of one that was made from a sync file is that of the file until a wait has it; then it is one of this process.
"""
from libc.errno cimport EAGAIN, EINTR, errno
from libc.stdint cimport uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, strncmp
from posix.fcntl cimport F_GETFL, F_SETFL, O_NONBLOCK, fcntl
from posix.unistd cimport close, read, readlink, write
from clpy.abi cimport clpy_object
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_event, cl_external_semaphore_handle_type_khr, cl_int, cl_semaphore_properties_khr,
                      cl_uint)
from clpy.core.command cimport (Command, Queue, Wait, command_discard, command_finish, command_new, command_submit,
                                command_uses)
from clpy.core.context cimport Context
from clpy.core.gate cimport command_gate, command_open_gate
from clpy.core.object cimport KIND_SEMAPHORE, kind_register, object_drop, object_hold, object_new
from clpy.core.sync_file cimport sync_file_gate, sync_file_is_signaled
from clpy.core.wait cimport command_wait
from clpy.core.watch cimport watch, watch_end
from clpy.device.base cimport Device, Task
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport (CL_COMMAND_SEMAPHORE_SIGNAL_KHR, CL_COMMAND_SEMAPHORE_WAIT_KHR, CL_COMPLETE,
                               CL_CONTEXT_TERMINATED_KHR, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
                               CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, CL_SUCCESS)

cdef extern from "<poll.h>" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    int poll(pollfd *fds, unsigned long n, int timeout)
    int POLLIN

cdef extern from "<sys/eventfd.h>" nogil:
    int eventfd(unsigned int value, int flags)
    int EFD_CLOEXEC
    int EFD_NONBLOCK
    int EFD_SEMAPHORE

cdef extern from "<fcntl.h>" nogil:
    int F_DUPFD_CLOEXEC

cdef enum:
    INLINE_USES = 8              # as Command has them


# ---- making and ending -----------------------------------------------------------------------------------------------

cdef cl_int semaphore_new(Context *ctx, Device *dev, size_t n_properties,
                          const cl_semaphore_properties_khr *properties,
                          cl_external_semaphore_handle_type_khr exports,
                          cl_external_semaphore_handle_type_khr imports, int fd, Semaphore **out) noexcept nogil:
    cdef Semaphore *sema = <Semaphore *>object_new(KIND_SEMAPHORE)
    if sema == NULL:
        return CL_OUT_OF_HOST_MEMORY
    object_hold(ctx)
    sema.context = ctx
    if dev != NULL:
        object_hold(dev)
    sema.device = dev
    sema.fd = sema.sync_fd = -1
    sema.exports = exports
    sema.properties = <cl_semaphore_properties_khr *>malloc(n_properties * sizeof(cl_semaphore_properties_khr))
    if sema.properties == NULL:
        object_drop(sema)
        return CL_OUT_OF_HOST_MEMORY
    memcpy(sema.properties, properties, n_properties * sizeof(cl_semaphore_properties_khr))
    sema.n_properties = n_properties
    if exports == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR:
        sema.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)
        if sema.fd < 0:
            object_drop(sema)
            return CL_OUT_OF_RESOURCES
    elif imports == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR:
        sema.fd = fd
    elif imports == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR:
        sema.imports_sync = sema.has_sync = True
        sema.sync_fd = fd
    out[0] = sema
    return CL_SUCCESS


cdef Command *pop(Linked **list) noexcept nogil:
    """The oldest, held by the caller from then on; NULL when there is none."""
    cdef Linked *link = list[0]
    cdef Command *command
    if link == NULL:
        return NULL
    command = link.command
    list[0] = link.next
    free(link)
    return command


cdef bint push(Linked **list, Command *command) noexcept nogil:
    """At the end. Takes the caller's hold over, where there is memory for it."""
    cdef Linked *link = <Linked *>malloc(sizeof(Linked))
    if link == NULL:
        return False
    link.command = command
    link.next = NULL
    while list[0] != NULL:
        list = &list[0].next
    list[0] = link
    return True


cdef void destroy(clpy_object *obj) noexcept nogil:
    """There are no gates: a wait holds its semaphores."""
    cdef Semaphore *sema = <Semaphore *>obj
    cdef Command *command = pop(&sema.signals)
    while command != NULL:
        object_drop(command)
        command = pop(&sema.signals)
    if sema.fd >= 0:
        close(sema.fd)
    if sema.sync_fd >= 0:
        close(sema.sync_fd)
    free(sema.properties)
    if sema.device != NULL:
        object_drop(sema.device)
    object_drop(sema.context)


# ---- state behind a file descriptor ----------------------------------------------------------------------------------

cdef bint is_semaphore_fd(int fd) noexcept nogil:
    cdef char path[64]
    cdef char name[64]
    cdef Py_ssize_t n
    cdef int flags = fcntl(fd, F_GETFL)
    if flags < 0:
        return False
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd)
    n = readlink(path, name, sizeof(name) - 1)
    if n >= 0 and (n < 20 or strncmp(name, "anon_inode:[eventfd]", 20) != 0):
        return False             # without /proc there is no telling
    return flags & O_NONBLOCK or fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0


cdef bint take_one(int fd) noexcept nogil:
    cdef uint64_t value
    while True:
        if read(fd, &value, sizeof(value)) == sizeof(value):
            return True
        if errno != EINTR:
            return False


cdef bint add_one(int fd) noexcept nogil:
    cdef uint64_t one = 1
    while write(fd, &one, sizeof(one)) != sizeof(one):
        if errno != EINTR:
            return errno == EAGAIN       # as far up as it goes: signaled, certainly
    return True


cdef int semaphore_export(Semaphore *sema) noexcept nogil:
    return fcntl(sema.fd, F_DUPFD_CLOEXEC, 0)


cdef bint semaphore_is_signaled(Semaphore *sema) noexcept nogil:
    cdef pollfd one
    cdef bint signaled
    if sema.fd >= 0:
        one.fd, one.events, one.revents = sema.fd, <short>POLLIN, 0
        return poll(&one, 1, 0) == 1 and one.revents & POLLIN
    mutex_lock(&sema.lock)
    if sema.has_sync:
        signaled = sema.sync_fd < 0 or sync_file_is_signaled(sema.sync_fd)
    else:
        signaled = sema.signals != NULL and atomic_load_i32(&sema.signals.command.status) == CL_COMPLETE
    mutex_unlock(&sema.lock)
    return signaled


cdef void semaphore_release_waiters(Semaphore *sema) noexcept nogil:
    cdef Command *gate
    cdef bint was_watched
    while True:
        mutex_lock(&sema.lock)
        gate = pop(&sema.gates)
        if gate == NULL:
            was_watched = sema.watched
            sema.watched = False
        mutex_unlock(&sema.lock)
        if gate == NULL:
            break
        command_finish(gate, CL_CONTEXT_TERMINATED_KHR)      # drops it
    if was_watched:
        watch_end(sema)


# ---- state in a sync file --------------------------------------------------------------------------------------------

cdef void semaphore_reimport(Semaphore *sema, int fd) noexcept nogil:
    """"equivalent to destroying sema_object and re-creating it"."""
    cdef Command *signal
    cdef int before
    mutex_lock(&sema.lock)
    signal = pop(&sema.signals)
    while signal != NULL:
        object_drop(signal)
        signal = pop(&sema.signals)
    before = sema.sync_fd
    sema.sync_fd = fd
    sema.has_sync = True
    mutex_unlock(&sema.lock)
    if before >= 0:
        close(before)


cdef cl_int semaphore_take_signal(Semaphore *sema) noexcept nogil:
    cdef Command *signal
    cdef cl_int status
    mutex_lock(&sema.lock)
    signal = pop(&sema.signals)
    mutex_unlock(&sema.lock)
    if signal == NULL:
        return CL_OUT_OF_RESOURCES
    status = command_wait(signal)
    object_drop(signal)
    return CL_SUCCESS if status == CL_COMPLETE else CL_OUT_OF_RESOURCES


cdef bint let_waits_pass(void *arg) noexcept nogil:
    """The descriptor can be read: as many waits as there are signals. False when none is left to watch it for."""
    cdef Semaphore *sema = <Semaphore *>arg
    cdef Command *gate
    cdef bint more = True
    while more:
        gate = NULL
        mutex_lock(&sema.lock)
        if sema.gates != NULL and take_one(sema.fd):
            gate = pop(&sema.gates)
        if sema.gates == NULL:
            sema.watched = False
        more = sema.watched
        mutex_unlock(&sema.lock)
        if gate == NULL:
            return more
        command_finish(gate, CL_COMPLETE)    # drops it
    return False


# ---- signal ----------------------------------------------------------------------------------------------------------

cdef cl_int run_signal(Task *task, uint32_t part) noexcept nogil:
    cdef Command *cmd = <Command *>task.command
    cdef Semaphore *sema
    cdef uint32_t i
    cdef cl_int status = CL_COMPLETE
    for i in range(cmd.n_uses):
        sema = <Semaphore *>(cmd.uses[i] if i < INLINE_USES else cmd.more_uses[i - INLINE_USES])
        if sema.fd >= 0 and not add_one(sema.fd):
            status = CL_OUT_OF_RESOURCES
    return status


cdef cl_int link_signal(Semaphore *sema, Command *cmd) noexcept nogil:
    """To the wait that was first, or for the one to come. cmd is held by the caller."""
    cdef Command *gate
    cdef Command *stale = NULL
    cdef cl_int err = CL_SUCCESS
    mutex_lock(&sema.lock)
    gate = pop(&sema.gates)
    if gate == NULL:
        # Signaled twice, with no wait between: "may lead to undefined behavior". It stays signaled.
        if sema.signals != NULL and atomic_load_i32(&sema.signals.command.status) == CL_COMPLETE:
            stale = pop(&sema.signals)
        object_hold(cmd)
        if not push(&sema.signals, cmd):
            object_drop(cmd)
            err = CL_OUT_OF_HOST_MEMORY
    mutex_unlock(&sema.lock)
    if gate != NULL:
        command_open_gate(gate, cmd)
    if stale != NULL:
        object_drop(stale)
    return err


cdef cl_int uses_all(Command *cmd, cl_uint n, Semaphore *const *semas) noexcept nogil:
    cdef cl_uint i
    cdef cl_int err = CL_SUCCESS
    for i in range(n):
        if err == CL_SUCCESS:
            err = command_uses(cmd, semas[i])
    return err


cdef cl_int semaphores_signal(Queue *q, cl_uint n, Semaphore *const *semas, const Wait *wait) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef cl_uint i
    cdef bint writes = False
    cdef Command *cmd = command_new(q, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, &err)
    if cmd == NULL:
        return err
    err = uses_all(cmd, n, semas)
    if err != CL_SUCCESS:
        command_discard(cmd)
        return err
    for i in range(n):
        writes = writes or semas[i].fd >= 0
    if writes:
        cmd.task.run = run_signal
    object_hold(cmd)
    err = command_submit(cmd, wait.n, wait.events, wait.event_out, False)
    for i in range(n):
        if err == CL_SUCCESS and semas[i].fd < 0:
            err = link_signal(semas[i], cmd)
    object_drop(cmd)
    return err


# ---- wait ------------------------------------------------------------------------------------------------------------

cdef cl_int new_gate(Semaphore *sema, Command **out) noexcept nogil:
    """Under the lock. Held by the list, and by the caller. None in a terminated context: see core/terminate."""
    cdef Command *gate
    if atomic_load_i32(&sema.context.terminated):
        return CL_CONTEXT_TERMINATED_KHR
    gate = command_gate(sema.context)
    if gate == NULL:
        return CL_OUT_OF_HOST_MEMORY
    if not push(&sema.gates, gate):
        object_drop(gate)
        return CL_OUT_OF_HOST_MEMORY
    object_hold(gate)
    out[0] = gate
    return CL_SUCCESS


cdef cl_int before_wait(Semaphore *sema, Command **out) noexcept nogil:
    """What a wait has to wait for, held by the caller; NULL where the semaphore was signaled, which it is no more."""
    cdef cl_int err = CL_SUCCESS
    cdef bint to_watch = False
    cdef int sync_fd = -1
    out[0] = NULL
    mutex_lock(&sema.lock)
    if sema.has_sync:            # "a temporarily imported payload": this wait has it
        sync_fd = sema.sync_fd
        sema.has_sync = False
        sema.sync_fd = -1
    elif sema.fd < 0:
        out[0] = pop(&sema.signals)
        if out[0] == NULL:
            err = new_gate(sema, out)
    elif sema.gates != NULL or not take_one(sema.fd):
        err = new_gate(sema, out)
        to_watch = err == CL_SUCCESS and not sema.watched
        sema.watched = sema.watched or to_watch
    mutex_unlock(&sema.lock)
    if sync_fd >= 0:
        return sync_file_gate(sema.context, sync_fd, out)
    if to_watch and not watch(sema.fd, let_waits_pass, sema):
        return CL_OUT_OF_RESOURCES
    return err


cdef cl_int semaphores_wait(Queue *q, cl_uint n, Semaphore *const *semas, const Wait *wait) noexcept nogil:
    cdef cl_int err = CL_SUCCESS
    cdef cl_uint i, n_before = 0
    cdef Command *before
    cdef cl_event *events
    cdef Command *cmd = command_new(q, CL_COMMAND_SEMAPHORE_WAIT_KHR, &err)
    if cmd == NULL:
        return err
    events = <cl_event *>malloc((<size_t>wait.n + n) * sizeof(cl_event))
    err = uses_all(cmd, n, semas) if events != NULL else CL_OUT_OF_HOST_MEMORY
    if err == CL_SUCCESS and wait.n:
        memcpy(events, wait.events, wait.n * sizeof(cl_event))
    for i in range(n):
        if err == CL_SUCCESS:
            err = before_wait(semas[i], &before)
            if before != NULL:
                events[wait.n + n_before] = <cl_event>before
                n_before += 1
    if err == CL_SUCCESS:
        err = command_submit(cmd, wait.n + n_before, events, wait.event_out, False)
    else:
        command_discard(cmd)
    for i in range(n_before):
        object_drop(<void *>events[wait.n + i])
    free(events)
    return err


if kind_register(KIND_SEMAPHORE, sizeof(Semaphore), destroy) != CL_SUCCESS:
    raise MemoryError("no address space for semaphores")
