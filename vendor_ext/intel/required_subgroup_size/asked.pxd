# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_int
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport KernelCode
from clpy.device.base cimport Device

cdef cl_int asked_size(const KernelCode *variant, const Device *dev, size_t input_size, const void *input, size_t size,
                       void *value, size_t *size_ret) noexcept nogil
cdef cl_int spilled(Kernel *kernel, KernelCode *variant, Device *dev, size_t size, void *value,
                    size_t *size_ret) noexcept nogil
