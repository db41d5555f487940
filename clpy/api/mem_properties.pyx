# SPDX-License-Identifier: Apache-2.0
"""The property lists of buffers and images. A list of devices may lie within, with a 0 of its own at its end."""
from libc.string cimport memset
from clpy.cl cimport cl_external_memory_handle_type_khr, cl_int, cl_mem_properties, cl_uint
from clpy.core.context cimport Context, context_has
from clpy.core.external_memory cimport external_is_valid
from clpy.core.object cimport KIND_DEVICE, object_is
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                               CL_INVALID_DEVICE, CL_INVALID_PROPERTY, CL_MEM_DEVICE_HANDLE_LIST_KHR,
                               CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_SUCCESS, CL_TRUE)


include "properties/memory.pxi"


cdef bint is_said_before(const cl_mem_properties *list, size_t at) noexcept nogil:
    """"if the same property name is specified more than once": the one whose place is `at`."""
    cdef size_t i = 0
    while i < at:
        if list[i] == list[at]:
            return True
        if list[i] == CL_MEM_DEVICE_HANDLE_LIST_KHR:
            while list[i] != 0:
                i += 1
            i += 1
        else:
            i += 2
    return False


cdef cl_int mem_properties_read(const cl_mem_properties *list, MemProperties *out) noexcept nogil:
    cdef size_t i = 0
    cdef cl_mem_properties name
    memset(out, 0, sizeof(out[0]))
    if list == NULL:
        return CL_SUCCESS
    while list[i] != 0:
        name = list[i]
        if name == CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT and not out.has_private_address and list[i + 1] <= CL_TRUE:
            out.has_private_address = True
            out.private_address = list[i + 1] == CL_TRUE
            i += 2
        # "if properties includes more than one external memory handle"
        elif (name == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR
              or name == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR) and out.external.type == 0:
            out.external.type = <cl_external_memory_handle_type_khr>name
            out.external.fd = <int>list[i + 1]
            i += 2
        elif name == CL_MEM_DEVICE_HANDLE_LIST_KHR and out.external.devices == NULL:
            i += 1
            out.external.devices = <Device *const *>&list[i]
            while list[i] != 0:
                out.external.n_devices += 1
                i += 1
            i += 1
        elif not is_said_before(list, i) and other_memory_property(name, list[i + 1]) == CL_SUCCESS:
            i += 2
        else:
            return CL_INVALID_PROPERTY
    out.n = i + 1
    # "if properties does not include a supported external memory handle and CL_MEM_DEVICE_HANDLE_LIST_KHR is specified"
    if out.external.devices != NULL and (out.external.type == 0 or out.external.n_devices == 0):
        return CL_INVALID_PROPERTY
    return CL_SUCCESS


cdef bint has_dma_bufs(const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if not ctx.devices[i].has_dma_bufs:
            return False
    return True


cdef cl_int mem_properties_check(const Context *ctx, const MemProperties *properties) noexcept nogil:
    cdef const Device *dev
    cdef cl_uint i
    if properties.external.type == 0:
        return CL_SUCCESS
    if (properties.external.type == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR and not has_dma_bufs(ctx)
            or not external_is_valid(&properties.external)):
        return CL_INVALID_PROPERTY
    # "if a device [...] is not a valid device or is not associated with context"
    for i in range(properties.external.n_devices):
        dev = properties.external.devices[i]
        if not object_is(dev, KIND_DEVICE) or not context_has(ctx, dev):
            return CL_INVALID_DEVICE
    return CL_SUCCESS
