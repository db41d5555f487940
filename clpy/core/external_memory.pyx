# SPDX-License-Identifier: Apache-2.0
"""External memory. Every device of ours works in host memory, so an import is a mapping, and nothing moves: memory is
the same for all who share it. Only the exporter of a dma-buf may have caches to look after; it is told.
"""
from libc.errno cimport EAGAIN, EINTR, ENOMEM, ENOTTY, errno
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc
from posix.fcntl cimport F_GETFD, fcntl
from posix.mman cimport MAP_FAILED, MAP_SHARED, PROT_READ, PROT_WRITE, mmap, munmap
from posix.types cimport off_t
from posix.unistd cimport SEEK_END, close, lseek
from clpy.cl cimport cl_int, cl_uint
from clpy.core.object cimport object_drop, object_hold
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, CL_INVALID_PROPERTY,
                               CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)

cdef extern from "dma_buf.h":
    int dma_buf_sync "clpy_dma_buf_sync"(int fd, uint64_t flags) noexcept nogil
    const uint64_t DMA_BUF_SYNC_RW
    const uint64_t DMA_BUF_SYNC_START
    const uint64_t DMA_BUF_SYNC_END


cdef bint external_is_valid(const ExternalHandle *handle) noexcept nogil:
    if fcntl(handle.fd, F_GETFD) < 0:
        return False
    if handle.type != CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR:
        return True
    # No direction is no valid request to a dma-buf, and no request at all to anything else.
    return dma_buf_sync(handle.fd, 0) == 0 or errno != ENOTTY


cdef cl_int external_import(const ExternalHandle *handle, size_t size, cl_int too_small, External **out) noexcept nogil:
    # Both memory files and dma-bufs tell their size this way. What is mapped beyond it is no memory.
    cdef off_t room = lseek(handle.fd, 0, SEEK_END)
    cdef External *external
    cdef cl_uint i
    if room >= 0 and <size_t>room < size:
        return too_small
    external = <External *>calloc(1, sizeof(External))
    if external == NULL:
        return CL_OUT_OF_HOST_MEMORY
    if handle.n_devices:
        external.devices = <Device **>malloc(handle.n_devices * sizeof(Device *))
        if external.devices == NULL:
            free(external)
            return CL_OUT_OF_HOST_MEMORY
    external.address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, handle.fd, 0)
    if external.address == MAP_FAILED:
        free(external.devices)
        free(external)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE if errno == ENOMEM else CL_INVALID_PROPERTY
    for i in range(handle.n_devices):
        external.devices[i] = handle.devices[i]
        object_hold(external.devices[i])
    external.n_devices = handle.n_devices
    external.fd = handle.fd
    external.is_dma_buf = handle.type == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR
    external.size = size
    out[0] = external
    return CL_SUCCESS


cdef void external_free(External *external, bint keep_fd) noexcept nogil:
    cdef cl_uint i
    munmap(external.address, external.size)
    if not keep_fd:
        close(external.fd)
    for i in range(external.n_devices):
        object_drop(external.devices[i])
    free(external.devices)
    free(external)


cdef bint external_is_for(const External *external, const Device *dev) noexcept nogil:
    cdef cl_uint i
    for i in range(external.n_devices):
        if external.devices[i] == dev:
            return True
    return external.n_devices == 0


cdef bint external_sync(const External *external, bint begin) noexcept nogil:
    cdef uint64_t flags = DMA_BUF_SYNC_RW | (DMA_BUF_SYNC_START if begin else DMA_BUF_SYNC_END)
    if not external.is_dma_buf:
        return True
    while dma_buf_sync(external.fd, flags) != 0:
        if errno != EINTR and errno != EAGAIN:
            return False
    return True
