# SPDX-License-Identifier: Apache-2.0
"""Answers to clGetDeviceInfo: how they are encoded, and those that all devices of the platform share, as they come from
the runtime and from the features of the target. Cold: runs with the GIL.

What hot paths check as well (compute units, sizes) is in the Device itself and answered by clpy/api/device.pyx, as
are the handles (platform, parent). All else is rows of (query, type, value); a value may be a function, asked when it
is first wanted. A device's rows are these and its own.
"""
import struct

from clpy import __version__
from clpy.spec.consts cimport (
    CL_DEVICE_ADDRESS_BITS, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
    CL_DEVICE_ATOMIC_ORDER_ACQ_REL, CL_DEVICE_ATOMIC_ORDER_RELAXED, CL_DEVICE_ATOMIC_ORDER_SEQ_CST,
    CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES, CL_DEVICE_ATOMIC_SCOPE_DEVICE, CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
    CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM, CL_DEVICE_AVAILABLE, CL_DEVICE_BUILT_IN_KERNELS,
    CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_ENDIAN_LITTLE,
    CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION,
    CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
    CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, CL_DEVICE_LINKER_AVAILABLE, CL_DEVICE_LUID, CL_DEVICE_LUID_VALID,
    CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE,
    CL_DEVICE_NODE_MASK, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_DEVICE_NUMERIC_VERSION,
    CL_DEVICE_OPENCL_C_ALL_VERSIONS, CL_DEVICE_OPENCL_C_FEATURES, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR,
    CL_DEVICE_OPENCL_C_VERSION, CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_INTEROP_USER_SYNC,
    CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT,
    CL_DEVICE_PRINTF_BUFFER_SIZE, CL_DEVICE_PROFILE, CL_DEVICE_PROFILING_TIMER_RESOLUTION,
    CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR,
    CL_DEVICE_TERMINATE_CAPABILITY_KHR, CL_DEVICE_VERSION, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
    CL_DRIVER_UUID, CL_DRIVER_VERSION, CL_FALSE, CL_LUID_SIZE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUE_PROFILING_ENABLE, CL_TRUE)

# What the runtime does, on top of what the compiler of the device knows (Target.extensions).
RUNTIME_EXTENSIONS = (
    "cl_ext_buffer_device_address", "cl_ext_image_from_buffer", "cl_ext_image_requirements_info",
    "cl_ext_immutable_memory_objects", "cl_khr_command_buffer", "cl_khr_command_buffer_multi_device",
    "cl_khr_command_buffer_mutable_dispatch", "cl_khr_create_command_queue", "cl_khr_device_uuid",
    "cl_khr_extended_versioning", "cl_khr_external_memory", "cl_khr_external_memory_opaque_fd",
    "cl_khr_external_semaphore", "cl_khr_external_semaphore_opaque_fd", "cl_khr_external_semaphore_sync_fd",
    "cl_khr_image2d_from_buffer", "cl_khr_initialize_memory", "cl_khr_priority_hints", "cl_khr_semaphore",
    "cl_khr_suggested_local_work_size", "cl_khr_terminate_context", "cl_khr_throttle_hints", "cl_khr_unified_svm")
REVISIONS = {                    # of extensions that are not 1.0.0
    "cl_ext_buffer_device_address": (1, 0, 2), "cl_ext_image_requirements_info": (0, 5, 0),
    "cl_khr_command_buffer": (0, 9, 8),
    "cl_khr_command_buffer_multi_device": (0, 9, 2), "cl_khr_command_buffer_mutable_dispatch": (0, 9, 5),
    "cl_khr_external_memory": (1, 0, 1), "cl_khr_external_semaphore": (1, 0, 1),
    "cl_khr_external_semaphore_sync_fd": (1, 0, 1),
    "cl_khr_integer_dot_product": (2, 0, 0), "cl_khr_unified_svm": (0, 9, 0)}
TERMINATE_CAPABILITY_1_2 = 0x200F   # its number in the headers of OpenCL 1.2, which clinfo asks for too
C_VERSIONS = ((1, 0, 0), (1, 1, 0), (1, 2, 0), (3, 0, 0))

MIB = 1 << 20
PACK = {"uint": "=I", "ulong": "=Q", "size": "=Q"}


def version(major, minor, patch):
    """CL_MAKE_VERSION."""
    return major << 22 | minor << 12 | patch


def encode(kind, value):
    """The bytes of an answer. `versions` is a list of (name, (major, minor, patch))."""
    if kind == "bytes":
        return value
    if kind == "text":
        return value.encode() + b"\0"
    if kind == "versions":
        return b"".join(struct.pack("=I64s", version(*number), name.encode()) for name, number in value)
    return struct.pack(PACK[kind], value)


def uuid(*parts):
    """A UUID that follows from what is named: version 8 of RFC 9562, a digest with the bits of version and variant."""
    from hashlib import sha256
    digest = bytearray(sha256("\0".join(("clpy", *parts)).encode()).digest()[:16])
    digest[6] = digest[6] & 0x0f | 0x80
    digest[8] = digest[8] & 0x3f | 0x80
    return bytes(digest)


class Described:
    """A device as its target tells it. `name()` and `extensions()` are the device's own."""

    def __init__(self, target):
        self.target = target

    def has(self, feature):
        return CL_TRUE if feature in self.target.c_features else CL_FALSE

    def extension_versions(self):
        return [(name, REVISIONS.get(name, (1, 0, 0))) for name in self.extensions()]

    def feature_versions(self):
        return [(name, (3, 0, 0)) for name in self.target.c_features]


def shared_rows(device):
    """What every device answers, as the runtime is the same for all."""
    return (*atomic_rows(device.has), *version_rows(device), *state_rows(), *variable_rows(device.has))


def atomic_rows(has):
    order = (CL_DEVICE_ATOMIC_ORDER_RELAXED
             | (CL_DEVICE_ATOMIC_ORDER_ACQ_REL if has("__opencl_c_atomic_order_acq_rel") else 0)
             | (CL_DEVICE_ATOMIC_ORDER_SEQ_CST if has("__opencl_c_atomic_order_seq_cst") else 0))
    scope = (CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
             | (CL_DEVICE_ATOMIC_SCOPE_DEVICE if has("__opencl_c_atomic_scope_device") else 0)
             | (CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES if has("__opencl_c_atomic_scope_all_devices") else 0))
    return (
        (CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, "ulong", order | scope),
        (CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, "ulong",
         order | scope | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM),
        # natural alignment
        (CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, "uint", 0),
        (CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, "uint", 0),
        (CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, "uint", 0),
    )


def version_rows(device):
    return (
        (CL_DRIVER_VERSION, "text", __version__),
        (CL_DEVICE_PROFILE, "text", "FULL_PROFILE"),
        (CL_DEVICE_VERSION, "text", f"OpenCL 3.0 clpy {__version__}"),
        (CL_DEVICE_NUMERIC_VERSION, "uint", version(3, 0, 0)),
        # newer than 1.2 "if and only if all optional OpenCL C features are supported by the device"
        (CL_DEVICE_OPENCL_C_VERSION, "text", f"OpenCL C 1.2 clpy {__version__}"),
        (CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, "uint", version(1, 2, 0)),
        (CL_DEVICE_OPENCL_C_ALL_VERSIONS, "versions", [("OpenCL C", number) for number in C_VERSIONS]),
        (CL_DEVICE_OPENCL_C_FEATURES, "versions", device.feature_versions),
        (CL_DEVICE_EXTENSIONS, "text", lambda: " ".join(device.extensions())),
        (CL_DEVICE_EXTENSIONS_WITH_VERSION, "versions", device.extension_versions),
        (CL_DRIVER_UUID, "bytes", lambda: uuid("driver", __version__)),
        # what Windows knows adapters by
        (CL_DEVICE_LUID_VALID, "uint", CL_FALSE),
        (CL_DEVICE_LUID, "bytes", bytes(CL_LUID_SIZE)),
        (CL_DEVICE_NODE_MASK, "uint", 0),
        # none, in the form (vYYYY-MM-DD-XX, a date) that the conformance suite asks for
        (CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "text", "v0000-01-01-00"),
    )


def state_rows():
    return (
        (CL_DEVICE_ADDRESS_BITS, "uint", 64),
        (CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, "uint", 3),
        (CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, "uint", 128),
        (CL_DEVICE_PRINTF_BUFFER_SIZE, "size", MIB),
        (CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, "uint", CL_TRUE),
        (CL_DEVICE_ERROR_CORRECTION_SUPPORT, "uint", CL_FALSE),
        (CL_DEVICE_PROFILING_TIMER_RESOLUTION, "size", 1),
        (CL_DEVICE_ENDIAN_LITTLE, "uint", CL_TRUE),
        (CL_DEVICE_AVAILABLE, "uint", CL_TRUE),
        (CL_DEVICE_COMPILER_AVAILABLE, "uint", CL_TRUE),
        (CL_DEVICE_LINKER_AVAILABLE, "uint", CL_TRUE),
        (CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, "ulong",
         CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE),
        (CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, "uint", CL_TRUE),
        (CL_DEVICE_TERMINATE_CAPABILITY_KHR, "ulong", CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR),
        (TERMINATE_CAPABILITY_1_2, "ulong", CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR),
        (CL_DEVICE_BUILT_IN_KERNELS, "text", ""),
        (CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, "versions", ()),
    )


def variable_rows(has):
    variables = 16 * MIB if has("__opencl_c_program_scope_global_variables") else 0
    return (
        (CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, "size", variables),
        (CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, "size", variables),
        (CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, "uint", has("__opencl_c_generic_address_space")),
        (CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, "uint", has("__opencl_c_work_group_collective_functions")),
    )


class Answers:
    """Device.info: `make_rows()` gives the rows when the first query comes."""

    def __init__(self, make_rows):
        self.make_rows = make_rows
        self.rows = None
        self.known = {}

    def answer(self, param):
        """The bytes for a query; None for one this table does not have."""
        if param not in self.known:
            if self.rows is None:
                self.rows = {query: (kind, value) for query, kind, value in self.make_rows()}
            if param not in self.rows:
                return None
            kind, value = self.rows[param]
            self.known[param] = encode(kind, value() if callable(value) else value)
        return self.known[param]
