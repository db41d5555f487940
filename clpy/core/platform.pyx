# SPDX-License-Identifier: Apache-2.0
"""The one platform, and what it says of itself."""
from clpy import __version__
from clpy.core.object cimport KIND_PLATFORM, kind_register, object_is, object_keep_for_ever, object_new

NAME = VENDOR = "clpy"
PROFILE = "FULL_PROFILE"
CL_VERSION = (3, 0, 0)
VERSION = f"OpenCL {CL_VERSION[0]}.{CL_VERSION[1]} clpy {__version__}"
ICD_SUFFIX = "CLPY"
# Extensions of the platform itself.
EXTENSIONS = ("cl_khr_icd", "cl_khr_extended_versioning")
# Revisions of extensions that are not 1.0.0.
REVISIONS = {"cl_khr_integer_dot_product": (2, 0, 0)}

cdef Platform *platform = NULL


cdef Platform *the_platform() noexcept nogil:
    return platform


cdef bint is_platform(const void *handle) noexcept nogil:
    return handle == NULL or object_is(handle, KIND_PLATFORM)


def extensions():
    """The platform's own, and "each extension that is supported by all devices associated with this platform"."""
    return EXTENSIONS


cdef int make_platform() except -1:
    global platform
    if kind_register(KIND_PLATFORM, sizeof(Platform), NULL) != 0:
        raise MemoryError
    platform = <Platform *>object_new(KIND_PLATFORM)
    if platform == NULL:
        raise MemoryError
    object_keep_for_ever(platform)
    return 0


make_platform()
