# SPDX-License-Identifier: Apache-2.0
"""Answers to clGetDeviceInfo and clGetPlatformInfo in Python: how they are encoded, and those that all devices of the
platform share, as they come from the runtime and from the features of the target. Cold: runs with the GIL.

Which queries these are, and their types, is written in clpy/spec/queries.txt. Answers are values by the name of the
query: a number or a list of them, text, bytes as they are, or a function that gives one of these when it is first
wanted. A device's are those that it shares with all and its own.
"""
from clpy import __version__, extensions
from clpy.compiler import spirv_environment
from clpy.spec.consts cimport (
    CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR, CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR,
    CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR,
    CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR, CL_DEVICE_ATOMIC_ORDER_ACQ_REL,
    CL_DEVICE_ATOMIC_ORDER_RELAXED, CL_DEVICE_ATOMIC_ORDER_SEQ_CST, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
    CL_DEVICE_ATOMIC_SCOPE_DEVICE, CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP, CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM,
    CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR, CL_FALSE, CL_LUID_SIZE, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
    CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
    CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
    CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_TRUE)

QUEUE_PROPERTIES = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE
C_VERSIONS = (100, 110, 120, 300, 310)

MIB = 1 << 20


def version(major, minor, patch):
    """CL_MAKE_VERSION."""
    return major << 22 | minor << 12 | patch


def with_versions(names):
    """Of extensions."""
    return [(name, extensions.version_of(name)) for name in names]


def encode(value, size):
    """The bytes of an answer whose values have that size. A name with a version is (name, (major, minor, patch))."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode() + b"\0"
    if isinstance(value, (list, tuple)):
        return b"".join([encode_name(*each) if isinstance(each, tuple) else encode(each, size) for each in value])
    return int(value).to_bytes(size, "little")


def encode_name(name, number):
    """cl_name_version."""
    return version(*number).to_bytes(4, "little") + name.encode().ljust(64, b"\0")[:64]


def uuid(*parts):
    """A UUID that follows from what is named: version 8 of RFC 9562, a digest with the bits of version and variant."""
    from hashlib import sha256
    digest = bytearray(sha256("\0".join(("clpy", *parts)).encode()).digest()[:16])
    digest[6] = digest[6] & 0x0f | 0x80
    digest[8] = digest[8] & 0x3f | 0x80
    return bytes(digest)


class Described:
    """A device as its target tells it. `name()` and `abilities()` are the device's own; abilities are what extensions
    need, in the words of clpy/spec/extensions.txt."""

    def __init__(self, target):
        self.target = target

    def has(self, feature):
        return CL_TRUE if feature in self.target.c_features else CL_FALSE

    def abilities(self):
        return ()

    def extensions(self):
        return extensions.of_device(self.abilities(), self.target.extensions)

    def extension_versions(self):
        return with_versions(self.extensions())

    def built_in_versions(self):
        kernels = extensions.built_in_kernels(self.extensions())
        return [(kernel, extensions.version_of(extension)) for kernel, extension in kernels.items()]

    def feature_versions(self):
        return [(name, (3, 0, 0)) for name in self.target.c_features]


def shared_answers(device):
    """What every device answers, as the runtime is the same for all."""
    return {**of_atomics(device.has), **of_versions(device), **of_state(), **of_variables(device.has),
            **of_command_buffers(device.has), **of_semaphores("DEVICE")}


def of_atomics(has):
    order = (CL_DEVICE_ATOMIC_ORDER_RELAXED
             | (CL_DEVICE_ATOMIC_ORDER_ACQ_REL if has("__opencl_c_atomic_order_acq_rel") else 0)
             | (CL_DEVICE_ATOMIC_ORDER_SEQ_CST if has("__opencl_c_atomic_order_seq_cst") else 0))
    scope = (CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
             | (CL_DEVICE_ATOMIC_SCOPE_DEVICE if has("__opencl_c_atomic_scope_device") else 0)
             | (CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES if has("__opencl_c_atomic_scope_all_devices") else 0))
    return {
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES": order | scope,
        "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES":
            order | scope | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM,
        # natural alignment
        "CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT": 0,
        "CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT": 0,
        "CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT": 0,
    }


def of_number(number):
    """310 as a macro is 3.1.0."""
    return number // 100, number // 10 % 10, 0


def of_versions(device):
    cl = of_number(device.target.version)
    return {
        "CL_DRIVER_VERSION": __version__,
        "CL_DEVICE_PROFILE": "FULL_PROFILE",
        "CL_DEVICE_VERSION": f"OpenCL {cl[0]}.{cl[1]} clpy {__version__}",
        "CL_DEVICE_NUMERIC_VERSION": version(*cl),
        # newer than 1.2 "if and only if all optional OpenCL C features are supported by the device"
        "CL_DEVICE_OPENCL_C_VERSION": f"OpenCL C 1.2 clpy {__version__}",
        "CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR": version(1, 2, 0),
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS": [
            ("OpenCL C", of_number(number)) for number in C_VERSIONS if number <= device.target.c_version],
        "CL_DEVICE_OPENCL_C_FEATURES": device.feature_versions,
        "CL_DEVICE_EXTENSIONS": lambda: " ".join(device.extensions()),
        "CL_DEVICE_EXTENSIONS_WITH_VERSION": device.extension_versions,
        "CL_DEVICE_BUILT_IN_KERNELS": lambda: ";".join(extensions.built_in_kernels(device.extensions())),
        "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION": device.built_in_versions,
        "CL_DRIVER_UUID": lambda: uuid("driver", __version__),
        # what Windows knows adapters by
        "CL_DEVICE_LUID_VALID": CL_FALSE,
        "CL_DEVICE_LUID": bytes(CL_LUID_SIZE),
        "CL_DEVICE_NODE_MASK": 0,
        # none, in the form (vYYYY-MM-DD-XX, a date) that the conformance suite asks for
        "CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED": "v0000-01-01-00",
    }


strings = []


def addresses(texts):
    """Pointers to strings that live as long as the device: for ever."""
    held = [text.encode() for text in texts]
    strings.extend(held)
    return b"".join((<size_t><const char *>(<bytes>text)).to_bytes(8, "little") for text in held)


def of_intermediate_languages(target):
    """There are none where the translator is missing: programs are not made from it then. All that answer this take
    what clpy.compiler.il reads, but those whose target takes none (`takes_il`)."""
    if not target.takes_il:
        return {"CL_DEVICE_IL_VERSION": "", "CL_DEVICE_ILS_WITH_VERSION": [],
                "CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS": b"", "CL_DEVICE_SPIRV_EXTENSIONS": b"",
                "CL_DEVICE_SPIRV_CAPABILITIES": ()}
    numbers = spirv_environment.versions
    return {
        "CL_DEVICE_IL_VERSION": lambda: " ".join(f"SPIR-V_{a}.{b}" for a, b in numbers()),
        "CL_DEVICE_ILS_WITH_VERSION": lambda: [("SPIR-V", (a, b, 0)) for a, b in numbers()],
        "CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS": lambda: addresses(spirv_environment.instruction_sets()),
        "CL_DEVICE_SPIRV_EXTENSIONS": lambda: addresses(spirv_environment.extensions(target)),
        "CL_DEVICE_SPIRV_CAPABILITIES": lambda: spirv_environment.capabilities(target),
    }


def of_state():
    return {
        "CL_DEVICE_ADDRESS_BITS": 64,
        "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS": 3,
        "CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE": 128,
        "CL_DEVICE_PRINTF_BUFFER_SIZE": MIB,
        "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT": CL_TRUE,
        "CL_DEVICE_ERROR_CORRECTION_SUPPORT": CL_FALSE,
        "CL_DEVICE_PROFILING_TIMER_RESOLUTION": 1,
        "CL_DEVICE_ENDIAN_LITTLE": CL_TRUE,
        "CL_DEVICE_AVAILABLE": CL_TRUE,
        "CL_DEVICE_COMPILER_AVAILABLE": CL_TRUE,
        "CL_DEVICE_LINKER_AVAILABLE": CL_TRUE,
        "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES": QUEUE_PROPERTIES,
        "CL_DEVICE_PREFERRED_INTEROP_USER_SYNC": CL_TRUE,
        "CL_DEVICE_TERMINATE_CAPABILITY_KHR": CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR,
        # its number in the headers of OpenCL 1.2, which clinfo asks for too
        "0x200F": CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR,
    }


def of_variables(has):
    variables = 16 * MIB if has("__opencl_c_program_scope_global_variables") else 0
    return {
        "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE": variables,
        "CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE": variables,
        "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT": has("__opencl_c_generic_address_space"),
        "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT": has("__opencl_c_work_group_collective_functions"),
    }


def of_command_buffers(has):
    children = CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR if has("__opencl_c_device_enqueue") else 0
    return {
        "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR": CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | children
        | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR,
        "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR": 0,
        "CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR": QUEUE_PROPERTIES,
        "CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR": 1,
        "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR": CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
        | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
    }


def of_semaphores(level):
    """Of the platform (`level` is PLATFORM) as of every device (DEVICE): they are the host's."""
    handles = [CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR]
    return {f"CL_{level}_SEMAPHORE_TYPES_KHR": [CL_SEMAPHORE_TYPE_BINARY_KHR],
            f"CL_{level}_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR": handles,
            f"CL_{level}_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR": handles}


class Now:
    """An answer that changes: `ask()` each time."""

    def __init__(self, ask):
        self.ask = ask


class Answers:
    """Device.info, and the platform's: `make` gives the answers when the first query comes, `more` others
    when one comes that is not among them. They stay as they are then."""

    def __init__(self, make, level="DEVICE", more=dict):
        self.left = [make, more]
        self.level = level
        self.by_number = {}
        self.known = {}

    def answer(self, param):
        """The bytes for a query; None for one that these are not answers to."""
        while self.left and param not in self.by_number:
            self.take(self.left.pop(0)())
        if param not in self.by_number:
            return None
        if param not in self.known:
            value, size = self.by_number[param]
            if isinstance(value, Now):
                return encode(value.ask(), size)
            self.known[param] = encode(value() if callable(value) else value, size)
        return self.known[param]

    def take(self, answers):
        from clpy.spec import query_types
        types = getattr(query_types, self.level)
        self.by_number.update({types[name][0]: (value, types[name][2]) for name, value in answers.items()})


def answers_of(device, own):
    """Device.info of a device (Described): what all share, what `own(device)` gives, what vendors' extensions add."""
    return Answers(lambda: {**shared_answers(device), **own(device)}, more=lambda: extensions.answers(device))
