# SPDX-License-Identifier: Apache-2.0
"""The one platform: libclpy.so's, or one of our own where the core is used without that library."""
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_uint
from clpy.core.device cimport device_answer
from clpy.core.identity import EXTENSIONS
from clpy.core.object cimport KIND_PLATFORM, kind_register, object_keep_for_ever, object_new
from clpy.device.base cimport Device, device_list
from clpy.spec.consts cimport CL_DEVICE_EXTENSIONS

cdef void *platform = NULL


cdef void *the_platform() noexcept nogil:
    return platform


cdef bint is_platform(const void *handle) noexcept nogil:
    return handle == NULL or handle == platform


cdef void adopt_platform(void *other) noexcept nogil:
    global platform
    platform = other


def extensions():
    """The platform's own, and "each extension that is supported by all devices associated with this platform"."""
    cdef cl_uint i, n = 0
    cdef Device **devices = device_list(&n)
    lists = [device_answer(devices[i], CL_DEVICE_EXTENSIONS).rstrip(b"\0").decode().split() for i in range(n)]
    shared = [name for name in lists[0] if all(name in others for others in lists)] if lists else []
    return EXTENSIONS + tuple(name for name in shared if name not in EXTENSIONS)


cdef int make_platform() except -1:
    global platform
    if kind_register(KIND_PLATFORM, sizeof(clpy_object), NULL) != 0:
        raise MemoryError
    platform = object_new(KIND_PLATFORM)
    if platform == NULL:
        raise MemoryError
    object_keep_for_ever(platform)
    return 0


make_platform()
