# SPDX-License-Identifier: Apache-2.0
"""How large an image of planes may be: as other images of two dimensions."""
from clpy.api.info cimport info_size
from clpy.cl cimport cl_int
from clpy.device.base cimport FORMATS_CPU, FORMATS_INTEL_GPU, Device
from clpy.spec.consts cimport CL_INVALID_VALUE


cdef cl_int max_width(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    if not dev.image_formats & (FORMATS_CPU | FORMATS_INTEL_GPU):
        return CL_INVALID_VALUE
    return info_size(dev.images.width_2d, size, value, size_ret)


cdef cl_int max_height(Device *dev, size_t size, void *value, size_t *size_ret) noexcept nogil:
    if not dev.image_formats & (FORMATS_CPU | FORMATS_INTEL_GPU):
        return CL_INVALID_VALUE
    return info_size(dev.images.height_2d, size, value, size_ret)
