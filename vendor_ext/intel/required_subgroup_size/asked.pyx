# SPDX-License-Identifier: Apache-2.0
"""The answers to CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL and CL_KERNEL_SPILL_MEM_SIZE_INTEL."""
from libc.stdlib cimport strtoul
from libc.string cimport strlen, strstr
from clpy.api.info cimport info_size, info_u64
from clpy.cl cimport cl_int
from clpy.core.device cimport device_lists
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport KernelCode
from clpy.device.base cimport Device
from clpy.spec.consts cimport CL_INVALID_VALUE

cdef const char *EXTENSION = "cl_intel_required_subgroup_size"
cdef const char *ATTRIBUTE = "intel_reqd_sub_group_size("


cdef cl_int asked_size(const KernelCode *variant, const Device *dev, size_t input_size, const void *input, size_t size,
                       void *value, size_t *size_ret) noexcept nogil:
    """"If the sub-group size is not specified using the [...] attribute qualifier then 0 is returned." The input is
    ignored."""
    cdef const char *found = strstr(variant.attributes, ATTRIBUTE)
    if not device_lists(dev, EXTENSION):
        return CL_INVALID_VALUE
    return info_size(strtoul(found + strlen(ATTRIBUTE), NULL, 10) if found != NULL else 0, size, value, size_ret)


cdef cl_int spilled(Kernel *kernel, KernelCode *variant, Device *dev, size_t size, void *value,
                    size_t *size_ret) noexcept nogil:
    """What of a kernel's private variables lies in memory."""
    if not device_lists(dev, EXTENSION):
        return CL_INVALID_VALUE
    return info_u64(variant.traits.private_bytes, size, value, size_ret)
