# SPDX-License-Identifier: Apache-2.0
"""What the CPU device answers to clGetDeviceInfo. Cold: runs with the GIL.

What hot paths check as well (compute units, sizes) is in the Device itself and answered by clpy/api/device.pyx, as
are the handles (platform, parent). All else is one table here: query, type, value. A value may be a function of the
machine, asked when it is first wanted.
"""
import os
import struct

from clpy import __version__
from clpy.compiler import spirv_environment
from clpy.device.cpu import language
from clpy.device.host import topology
from clpy.spec.consts cimport (
    CL_DEVICE_ADDRESS_BITS, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
    CL_DEVICE_ATOMIC_ORDER_ACQ_REL, CL_DEVICE_ATOMIC_ORDER_RELAXED, CL_DEVICE_ATOMIC_ORDER_SEQ_CST,
    CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES, CL_DEVICE_ATOMIC_SCOPE_DEVICE, CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP,
    CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM, CL_DEVICE_AVAILABLE, CL_DEVICE_BUILT_IN_KERNELS,
    CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_DOUBLE_FP_CONFIG,
    CL_DEVICE_ENDIAN_LITTLE, CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_DEVICE_EXTENSIONS,
    CL_DEVICE_EXTENSIONS_WITH_VERSION, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
    CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED,
    CL_DEVICE_LINKER_AVAILABLE, CL_DEVICE_LOCAL_MEM_TYPE, CL_DEVICE_LUID, CL_DEVICE_LUID_VALID,
    CL_DEVICE_MAX_CLOCK_FREQUENCY, CL_DEVICE_MAX_CONSTANT_ARGS, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
    CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, CL_DEVICE_MAX_PARAMETER_SIZE, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
    CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, CL_DEVICE_NAME, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
    CL_DEVICE_NODE_MASK, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_DEVICE_NUMERIC_VERSION,
    CL_DEVICE_OPENCL_C_ALL_VERSIONS, CL_DEVICE_OPENCL_C_FEATURES, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR,
    CL_DEVICE_OPENCL_C_VERSION, CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_INTEROP_USER_SYNC,
    CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_DEVICE_PRINTF_BUFFER_SIZE,
    CL_DEVICE_PROFILE, CL_DEVICE_PROFILING_TIMER_RESOLUTION, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
    CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR,
    CL_DEVICE_TERMINATE_CAPABILITY_KHR, CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU, CL_DEVICE_UUID, CL_DEVICE_VENDOR,
    CL_DEVICE_VENDOR_ID, CL_DEVICE_VERSION, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_DRIVER_UUID,
    CL_DRIVER_VERSION, CL_FALSE, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, CL_FP_DENORM, CL_FP_FMA, CL_FP_INF_NAN,
    CL_FP_ROUND_TO_INF, CL_FP_ROUND_TO_NEAREST, CL_FP_ROUND_TO_ZERO, CL_GLOBAL, CL_LUID_SIZE,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, CL_READ_WRITE_CACHE, CL_TRUE)

# What the runtime does, on top of what the compiler of the device knows (Target.extensions).
RUNTIME_EXTENSIONS = (
    "cl_ext_buffer_device_address", "cl_ext_image_from_buffer", "cl_ext_image_requirements_info",
    "cl_ext_immutable_memory_objects", "cl_khr_command_buffer", "cl_khr_command_buffer_multi_device",
    "cl_khr_command_buffer_mutable_dispatch", "cl_khr_create_command_queue", "cl_khr_device_uuid",
    "cl_khr_extended_versioning", "cl_khr_external_memory", "cl_khr_external_memory_opaque_fd",
    "cl_khr_external_semaphore", "cl_khr_external_semaphore_opaque_fd", "cl_khr_external_semaphore_sync_fd",
    "cl_khr_image2d_from_buffer", "cl_khr_initialize_memory", "cl_khr_priority_hints", "cl_khr_semaphore",
    "cl_khr_suggested_local_work_size", "cl_khr_terminate_context", "cl_khr_throttle_hints", "cl_khr_unified_svm")
DMA_BUF_MAKERS = ("/dev/udmabuf", "/dev/dma_heap")      # what makes dma-bufs in memory of the host
REVISIONS = {                    # of extensions that are not 1.0.0
    "cl_ext_buffer_device_address": (1, 0, 2), "cl_ext_image_requirements_info": (0, 5, 0),
    "cl_khr_command_buffer": (0, 9, 8),
    "cl_khr_command_buffer_multi_device": (0, 9, 2), "cl_khr_command_buffer_mutable_dispatch": (0, 9, 5),
    "cl_khr_external_memory": (1, 0, 1), "cl_khr_external_semaphore": (1, 0, 1),
    "cl_khr_external_semaphore_sync_fd": (1, 0, 1),
    "cl_khr_integer_dot_product": (2, 0, 0), "cl_khr_unified_svm": (0, 9, 0)}
TERMINATE_CAPABILITY_1_2 = 0x200F   # its number in the headers of OpenCL 1.2, which clinfo asks for too
C_VERSIONS = ((1, 0, 0), (1, 1, 0), (1, 2, 0), (3, 0, 0))
# The PCI identity of who made the processor.
VENDORS = {"GenuineIntel": 0x8086, "AuthenticAMD": 0x1022, "HygonGenuine": 0x1d94, "CentaurHauls": 0x1106}
MIB = 1 << 20


# ---- types of answers

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


# ---- the machine

def has_dma_bufs():
    """Whether this system makes some in memory of the host. Drivers that make others promise nothing of them."""
    return any(os.path.exists(path) for path in DMA_BUF_MAKERS)


class Machine:
    """Facts behind the answers, each found out when first asked for."""

    def __init__(self, target):
        self.target = target
        self._cpuinfo = None
        self._caches = None

    @property
    def cpuinfo(self):
        """The first processor's block of /proc/cpuinfo, and the highest of the clocks."""
        if self._cpuinfo is None:
            self._cpuinfo = {}
            clock = 0.0
            with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
                for line in lines:
                    name, _, text = line.partition(":")
                    name, text = name.strip(), text.strip()
                    if name == "cpu MHz":
                        clock = max(clock, float(text or 0))
                    self._cpuinfo.setdefault(name, text)
            self._cpuinfo["clock"] = clock
        return self._cpuinfo

    @property
    def caches(self):
        if self._caches is None:
            self._caches = topology.facts()
        return self._caches

    def name(self):
        return " ".join(self.cpuinfo.get("model name", "").split()) or "x86-64 processor"

    def vendor(self):
        return self.cpuinfo.get("vendor_id", "") or "unknown"

    def vendor_id(self):
        return VENDORS.get(self.vendor(), 0)

    def clock(self):
        """MHz: the highest configured, or what it runs at now where that is not told."""
        try:
            with open("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", encoding="ascii") as f:
                return int(f.read()) // 1000
        except (OSError, ValueError):
            return int(self.cpuinfo["clock"])

    def cache_size(self):
        """What a core can use: the outermost level."""
        return self.caches["l3"] or self.caches["l2"] or self.caches["l1d"]

    def vector_bytes(self):
        """Width of the registers kernels are compiled for. Asked of the flags, as asking LLVM means loading it."""
        flags = self.cpuinfo.get("flags", "").split()
        widths = [64] if "avx512vl" in flags else [32] if "avx2" in flags else [16]
        widths.append({"avx2": 32, "sse4.2": 16}.get(self.target.isa, 64))
        return min(widths)

    def summary(self, threads):
        """A line for the log."""
        width = self.vector_bytes()
        isa = {64: "avx512", 32: "avx2"}.get(width, "sse4.2")
        return f"device cpu: {self.name()}, {threads} threads, {isa}, vectors of {8 * width} bits"

    def device_uuid(self):
        """"immutable for a given device across processes, driver APIs, driver versions, and system reboots": of the
        processor in this machine. Its identity is not to be published, so it goes into the digest only."""
        try:
            with open("/etc/machine-id", encoding="ascii") as f:
                machine = f.read().strip()
        except (OSError, ValueError):
            machine = ""
        model = [self.cpuinfo.get(name, "") for name in ("cpu family", "model", "stepping")]
        return uuid("device", machine, self.vendor(), self.name(), *model)

    def lanes(self, size):
        return lambda: self.vector_bytes() // size

    def fp(self):
        """The processor's own arithmetic: all rounding modes are native to it, and conversions can name them."""
        config = (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF)
        return config | (CL_FP_FMA if "fma" in self.cpuinfo.get("flags", "").split() else 0)

    def double(self):
        # CL_FP_FMA is part of the minimum; without the instruction libm computes it exactly.
        return self.fp() | CL_FP_FMA if "cl_khr_fp64" in self.target.extensions else 0

    def extensions(self):
        of_system = ("cl_khr_external_memory_dma_buf",) if has_dma_bufs() else ()
        return self.target.extensions + RUNTIME_EXTENSIONS + of_system + spirv_environment.opencl_extensions()

    def extension_versions(self):
        return [(name, REVISIONS.get(name, (1, 0, 0))) for name in self.extensions()]

    def feature_versions(self):
        return [(name, (3, 0, 0)) for name in self.target.c_features]

    def has(self, feature):
        return CL_TRUE if feature in self.target.c_features else CL_FALSE


# ---- the table

def rows(machine):
    """(query, type, value or function)."""
    has = machine.has
    order = (CL_DEVICE_ATOMIC_ORDER_RELAXED
             | (CL_DEVICE_ATOMIC_ORDER_ACQ_REL if has("__opencl_c_atomic_order_acq_rel") else 0)
             | (CL_DEVICE_ATOMIC_ORDER_SEQ_CST if has("__opencl_c_atomic_order_seq_cst") else 0))
    scope = (CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
             | (CL_DEVICE_ATOMIC_SCOPE_DEVICE if has("__opencl_c_atomic_scope_device") else 0)
             | (CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES if has("__opencl_c_atomic_scope_all_devices") else 0))
    return (
        *identity_rows(machine), *limit_rows(machine), *width_rows(machine), *language.rows(machine.target),
        (CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, "ulong", order | scope),
        (CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, "ulong",
         order | scope | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM),
        (CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, "uint", has("__opencl_c_generic_address_space")),
        (CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, "uint", has("__opencl_c_work_group_collective_functions")),
        (CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, "uint", CL_TRUE),
        (CL_DEVICE_SINGLE_FP_CONFIG, "ulong", lambda: machine.fp() | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
        (CL_DEVICE_DOUBLE_FP_CONFIG, "ulong", machine.double),
        (CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, "uint", CL_READ_WRITE_CACHE),
        (CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, "uint", lambda: machine.caches["line"]),
        (CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, "ulong", machine.cache_size),
        (CL_DEVICE_LOCAL_MEM_TYPE, "uint", CL_GLOBAL),
        (CL_DEVICE_ERROR_CORRECTION_SUPPORT, "uint", CL_FALSE),
        (CL_DEVICE_HOST_UNIFIED_MEMORY, "uint", CL_TRUE),
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
        *absent_rows(),
    )


def identity_rows(machine):
    return (
        (CL_DEVICE_TYPE, "ulong", CL_DEVICE_TYPE_CPU),
        (CL_DEVICE_NAME, "text", machine.name),
        (CL_DEVICE_VENDOR, "text", machine.vendor),
        (CL_DEVICE_VENDOR_ID, "uint", machine.vendor_id),
        (CL_DRIVER_VERSION, "text", __version__),
        (CL_DEVICE_PROFILE, "text", "FULL_PROFILE"),
        (CL_DEVICE_VERSION, "text", f"OpenCL 3.0 clpy {__version__}"),
        (CL_DEVICE_NUMERIC_VERSION, "uint", version(3, 0, 0)),
        # newer than 1.2 "if and only if all optional OpenCL C features are supported by the device"
        (CL_DEVICE_OPENCL_C_VERSION, "text", f"OpenCL C 1.2 clpy {__version__}"),
        (CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, "uint", version(1, 2, 0)),
        (CL_DEVICE_OPENCL_C_ALL_VERSIONS, "versions", [("OpenCL C", number) for number in C_VERSIONS]),
        (CL_DEVICE_OPENCL_C_FEATURES, "versions", machine.feature_versions),
        (CL_DEVICE_EXTENSIONS, "text", lambda: " ".join(machine.extensions())),
        (CL_DEVICE_EXTENSIONS_WITH_VERSION, "versions", machine.extension_versions),
        (CL_DEVICE_UUID, "bytes", machine.device_uuid),
        (CL_DRIVER_UUID, "bytes", lambda: uuid("driver", __version__)),
        # what Windows knows adapters by
        (CL_DEVICE_LUID_VALID, "uint", CL_FALSE),
        (CL_DEVICE_LUID, "bytes", bytes(CL_LUID_SIZE)),
        (CL_DEVICE_NODE_MASK, "uint", 0),
        # none, in the form (vYYYY-MM-DD-XX, a date) that the conformance suite asks for
        (CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "text", "v0000-01-01-00"),
    )


def limit_rows(machine):
    return (
        (CL_DEVICE_ADDRESS_BITS, "uint", 64),
        (CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, "uint", 3),
        (CL_DEVICE_MAX_CLOCK_FREQUENCY, "uint", machine.clock),
        (CL_DEVICE_MAX_PARAMETER_SIZE, "size", 4096),
        (CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, "ulong", 16 * MIB),
        (CL_DEVICE_MAX_CONSTANT_ARGS, "uint", 128),
        (CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, "size",
         16 * MIB if machine.has("__opencl_c_program_scope_global_variables") else 0),
        (CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, "size",
         16 * MIB if machine.has("__opencl_c_program_scope_global_variables") else 0),
        (CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, "uint", 128),
        (CL_DEVICE_PRINTF_BUFFER_SIZE, "size", MIB),
    )


def width_rows(machine):
    """Preferred is 1: kernels are vectorized over work-items, and vectors in the source only get in the way."""
    return (
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, "uint", machine.lanes(1)),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, "uint", machine.lanes(2)),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, "uint", machine.lanes(4)),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, "uint", machine.lanes(8)),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, "uint", machine.lanes(4)),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, "uint", machine.lanes(8)),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, "uint", 0),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, "uint", 0),
        (CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, "size", machine.lanes(4)),
        # natural alignment
        (CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, "uint", 0),
        (CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, "uint", 0),
        (CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, "uint", 0),
    )


def absent_rows():
    """What the device does not have."""
    return (
        (CL_DEVICE_HALF_FP_CONFIG, "ulong", 0),
        (CL_DEVICE_BUILT_IN_KERNELS, "text", ""),
        (CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, "versions", ()),
    )


class Answers:
    """Device.info of the CPU device."""

    def __init__(self, target):
        self.target = target
        self.rows = None
        self.known = {}

    def answer(self, param):
        """The bytes for a query; None for one this table does not have."""
        if param not in self.known:
            if self.rows is None:
                self.rows = {query: (kind, value) for query, kind, value in rows(Machine(self.target))}
            if param not in self.rows:
                return None
            kind, value = self.rows[param]
            self.known[param] = encode(kind, value() if callable(value) else value)
        return self.known[param]
