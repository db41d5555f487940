# SPDX-License-Identifier: Apache-2.0
"""The one platform: libclpy.so's, or one of our own where the core is used without that library."""
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_uint
from clpy.core import identity
from clpy.core.device cimport device_answer
from clpy.core.identity import EXTENSIONS
from clpy.core.object cimport KIND_PLATFORM, kind_register, object_keep_for_ever, object_new
from clpy.device.answers import Answers, of_semaphores, version, with_versions
from clpy.device.base cimport SVM_TYPE_COUNT, Device, device_list
from clpy.spec.consts cimport (CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR,
                               CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR,
                               CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR, CL_DEVICE_EXTENSIONS,
                               CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR)

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
    shared = set.intersection(*[set(names) for names in lists]) - set(EXTENSIONS) if lists else ()
    return EXTENSIONS + tuple([name for name in lists[0] if name in shared] if lists else ())


def svm_types():
    """What all devices that have a type can do with it."""
    return [svm_type(type) for type in range(SVM_TYPE_COUNT)]


def svm_type(int type):
    cdef cl_uint i, n = 0
    cdef Device **devices = device_list(&n)
    shared = None
    for i in range(n):
        if devices[i].svm_types[type]:
            shared = devices[i].svm_types[type] if shared is None else shared & devices[i].svm_types[type]
    return shared or 0


def memory_handle_types():
    """What is said of the platform holds for all of its devices."""
    cdef cl_uint i, n = 0
    cdef Device **devices = device_list(&n)
    if all([devices[i].has_dma_bufs for i in range(n)]):
        return [CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR]
    return [CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR]


def all_answers():
    return {
        "CL_PLATFORM_PROFILE": identity.PROFILE,
        "CL_PLATFORM_VERSION": identity.VERSION,
        "CL_PLATFORM_NUMERIC_VERSION": version(*identity.CL_VERSION),
        "CL_PLATFORM_NAME": identity.NAME,
        "CL_PLATFORM_VENDOR": identity.VENDOR,
        "CL_PLATFORM_ICD_SUFFIX_KHR": identity.ICD_SUFFIX,
        "CL_PLATFORM_HOST_TIMER_RESOLUTION": 1,
        # the host orders commands across devices
        "CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR": CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR
        | CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR | CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR,
        **of_semaphores("PLATFORM"),
        "CL_PLATFORM_EXTENSIONS": lambda: " ".join(extensions()),
        "CL_PLATFORM_EXTENSIONS_WITH_VERSION": lambda: with_versions(extensions()),
        "CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR": memory_handle_types,
        "CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR": svm_types,
    }


cdef object platform_answer(int param):
    # made anew each time: the devices have a say in some of it
    return Answers(all_answers, "PLATFORM").answer(param)


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
