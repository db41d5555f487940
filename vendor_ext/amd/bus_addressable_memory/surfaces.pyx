# SPDX-License-Identifier: Apache-2.0
"""Buffers that other devices write (CL_MEM_BUS_ADDRESSABLE_AMD), and the windows through which they do
(CL_MEM_EXTERNAL_PHYSICAL_AMD). The bus that they share is the memory of the process: a bus address is one of it, and
the host may write there too."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from clpy.cl cimport cl_int, cl_ulong
from clpy.core.context cimport Context
from clpy.core.memory cimport Store
from clpy.core.object cimport object_drop, object_hold
from clpy.device.base cimport Device
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport (CL_INVALID_HOST_PTR, CL_INVALID_VALUE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                               CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE,
                               CL_MEM_USE_HOST_PTR, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_SUCCESS)
from clpy.threads cimport at_fork_in_child

EXTERNAL_PHYSICAL = 0x80000000

cdef cl_ulong NOT_SHARED = CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR | EXTERNAL_PHYSICAL
cdef cl_ulong NOT_REMOTE = (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE
                            | CL_MEM_READ_ONLY | BUS_ADDRESSABLE)

cdef Surface *shared = NULL      # all that windows can be made of
cdef int32_t lock = 0


cdef inline size_t whole_pages(size_t size) noexcept nogil:
    return (size + SIGNAL_BYTES - 1) & ~<size_t>(SIGNAL_BYTES - 1)


# ---- the memory of this side

cdef void unshare(Surface *surface) noexcept nogil:
    """Once neither a buffer nor a window is left."""
    cdef Surface **link = &shared
    mutex_lock(&lock)
    surface.users -= 1
    if surface.users > 0:
        mutex_unlock(&lock)
        return
    while link[0] != surface:
        link = &link[0].next
    link[0] = surface.next
    mutex_unlock(&lock)
    surface.device.ops.free(surface.device, surface.block, surface.block_size)
    object_drop(surface.device)
    free(surface)


cdef void release_shared(Store *store) noexcept nogil:
    unshare(<Surface *>store)


cdef cl_int may_be_shared(const Context *ctx, cl_ulong flags, size_t size, const void *host_ptr) noexcept nogil:
    if flags & NOT_SHARED:
        return CL_INVALID_VALUE
    return CL_INVALID_HOST_PTR if host_ptr != NULL and not flags & CL_MEM_COPY_HOST_PTR else CL_SUCCESS


cdef cl_int share(Context *ctx, cl_ulong flags, size_t size, const void *host_ptr, Store **out) noexcept nogil:
    """Whole pages, and one for the signal behind them, which is 0."""
    global shared
    cdef Device *dev = ctx.devices[0]
    cdef Surface *surface = <Surface *>calloc(1, sizeof(Surface))
    cdef uintptr_t start
    if surface == NULL:
        return CL_OUT_OF_HOST_MEMORY
    surface.size = whole_pages(size)
    surface.block_size = surface.size + 2 * SIGNAL_BYTES
    surface.block = dev.ops.alloc(dev, surface.block_size)
    if surface.block == NULL:    # "if [...] no memory can be allocated with a valid bus address"
        free(surface)
        return CL_OUT_OF_HOST_MEMORY
    start = whole_pages(<uintptr_t>surface.block)
    surface.store.data = <void *>start
    surface.store.release = release_shared
    surface.signal = <uint32_t *>(start + surface.size)
    memset(surface.signal, 0, SIGNAL_BYTES)
    object_hold(dev)
    surface.device = dev
    surface.users = 1
    mutex_lock(&lock)
    surface.next = shared
    shared = surface
    mutex_unlock(&lock)
    out[0] = &surface.store
    return CL_SUCCESS


# ---- windows

cdef void release_window(Store *store) noexcept nogil:
    cdef Surface *window = <Surface *>store
    mutex_lock(&lock)
    window.remote.has_window = False
    mutex_unlock(&lock)
    unshare(window.remote)
    free(window)


cdef cl_int may_be_remote(const Context *ctx, cl_ulong flags, size_t size, const void *host_ptr) noexcept nogil:
    """host_ptr: two bus addresses, of the contents and of the signal."""
    cdef const int64_t *addresses = <const int64_t *>host_ptr
    cdef int i
    if flags & NOT_REMOTE:
        return CL_INVALID_VALUE
    if addresses == NULL:
        return CL_INVALID_HOST_PTR
    for i in range(2):           # "are 0 or not page aligned"
        if addresses[i] == 0 or addresses[i] % SIGNAL_BYTES:
            return CL_INVALID_HOST_PTR
    return CL_SUCCESS


cdef Surface *find(const int64_t *addresses, size_t size) noexcept nogil:
    """Under the lock."""
    cdef Surface *surface = shared
    while surface != NULL:
        if (<uintptr_t>surface.store.data == <uintptr_t>addresses[0] and size <= surface.size
                and <uintptr_t>surface.signal == <uintptr_t>addresses[1]):
            return surface
        surface = surface.next
    return NULL


cdef cl_int reach(Context *ctx, cl_ulong flags, size_t size, const void *host_ptr, Store **out) noexcept nogil:
    cdef Surface *window = <Surface *>calloc(1, sizeof(Surface))
    cdef Surface *remote
    cdef cl_int err = CL_SUCCESS
    if window == NULL:
        return CL_OUT_OF_HOST_MEMORY
    mutex_lock(&lock)
    remote = find(<const int64_t *>host_ptr, size)
    if remote == NULL:           # "the remote bus address cannot be mapped to the device address space"
        err = CL_MEM_OBJECT_ALLOCATION_FAILURE
    elif remote.has_window:      # "already used by another application or context"
        err = CL_OUT_OF_RESOURCES
    else:
        remote.has_window = True
        remote.users += 1
    mutex_unlock(&lock)
    if err != CL_SUCCESS:
        free(window)
        return err
    window.store.data = remote.store.data
    window.store.release = release_window
    window.remote = remote
    window.size = remote.size
    window.signal = remote.signal
    out[0] = &window.store
    return CL_SUCCESS


cdef void free_lock() noexcept nogil:
    """In the child of a fork: whoever held it is not there."""
    global lock
    lock = 0


at_fork_in_child(free_lock)
