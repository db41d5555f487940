# SPDX-License-Identifier: Apache-2.0
"""What the model of a chip answers to clGetDeviceInfo: the chip's own numbers, from its file. Cold."""
from clpy.device.answers import RUNTIME_EXTENSIONS, Answers, Described, shared_rows, uuid
from clpy.spec.consts cimport (
    CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
    CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_IL_VERSION,
    CL_DEVICE_ILS_WITH_VERSION, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES, CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR,
    CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR, CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR,
    CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR, CL_DEVICE_LOCAL_MEM_TYPE, CL_DEVICE_MAX_CLOCK_FREQUENCY,
    CL_DEVICE_MAX_CONSTANT_ARGS, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, CL_DEVICE_MAX_PARAMETER_SIZE, CL_DEVICE_NAME,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
    CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_SPIRV_CAPABILITIES,
    CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS, CL_DEVICE_SPIRV_EXTENSIONS, CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU,
    CL_DEVICE_UUID, CL_DEVICE_VENDOR, CL_DEVICE_VENDOR_ID, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, CL_FP_DENORM,
    CL_FP_FMA, CL_FP_INF_NAN, CL_FP_ROUND_TO_INF, CL_FP_ROUND_TO_NEAREST, CL_FP_ROUND_TO_ZERO, CL_LOCAL,
    CL_READ_WRITE_CACHE)

ROUNDINGS = CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF
CLOCKS = (CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
          | CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR)
# Extensions of the runtime that mean sharing memory with what is not clpy: a chip that is not there shares none.
NOT_OF_A_MODEL = {"cl_ext_buffer_device_address", "cl_khr_unified_svm", "cl_khr_external_memory",
                  "cl_khr_external_memory_opaque_fd", "cl_khr_initialize_memory"}


class Model(Described):
    """A chip and the target of its code."""

    def __init__(self, chip, target):
        super().__init__(target)
        self.chip = chip

    def name(self):
        """As the driver called the chip, and that it is a model: programs show this to people, few compare it."""
        return f"{self.chip.identity.device_name} (model)"

    def extensions(self):
        return self.target.extensions + tuple(name for name in RUNTIME_EXTENSIONS if name not in NOT_OF_A_MODEL)

    def single(self):
        denormals = 0 if self.target.flushes_denormals else CL_FP_DENORM
        return ROUNDINGS | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT | denormals

    def double(self):
        return ROUNDINGS | CL_FP_FMA | CL_FP_DENORM if "cl_khr_fp64" in self.target.extensions else 0

    def half(self):
        return ROUNDINGS | CL_FP_FMA | CL_FP_DENORM if "cl_khr_fp16" in self.target.extensions else 0


def rows(model):
    """(query, type, value or function)."""
    chip = model.chip
    return (
        *shared_rows(model), *width_rows(model), *absent_rows(),
        (CL_DEVICE_TYPE, "ulong", CL_DEVICE_TYPE_GPU),
        (CL_DEVICE_NAME, "text", model.name),
        (CL_DEVICE_VENDOR, "text", chip.identity.vendor),
        (CL_DEVICE_VENDOR_ID, "uint", chip.identity.vendor_id),
        (CL_DEVICE_UUID, "bytes", lambda: uuid("model", chip.name)),
        (CL_DEVICE_MAX_CLOCK_FREQUENCY, "uint", chip.clock.core_mhz),
        (CL_DEVICE_MAX_PARAMETER_SIZE, "size", 1024),
        (CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, "ulong", chip.opencl.constant_buffer_bytes),
        (CL_DEVICE_MAX_CONSTANT_ARGS, "uint", 8),
        (CL_DEVICE_SINGLE_FP_CONFIG, "ulong", model.single),
        (CL_DEVICE_DOUBLE_FP_CONFIG, "ulong", model.double),
        (CL_DEVICE_HALF_FP_CONFIG, "ulong", model.half),
        (CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, "uint", CL_READ_WRITE_CACHE),
        (CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, "uint", chip.caches.line_bytes),
        (CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, "ulong", chip.caches.l1_bytes),    # as AMD's driver: one compute unit's
        (CL_DEVICE_LOCAL_MEM_TYPE, "uint", CL_LOCAL),
        (CL_DEVICE_HOST_UNIFIED_MEMORY, "uint", chip.memory.shared),
        (CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, "ulong",
         CLOCKS if "cl_khr_kernel_clock" in model.target.extensions else 0),
    )


def width_rows(model):
    """A lane is 32 bits wide, whatever it works on; AMD's driver prefers 4 bytes of the small types."""
    half = 1 if "cl_khr_fp16" in model.target.extensions else 0
    return (
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, "uint", 4),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, "uint", 2),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, "uint", 1),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, "uint", 1),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, "uint", 1),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, "uint", 1),
        (CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, "uint", half),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, "uint", 4),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, "uint", 2),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, "uint", 1),
        (CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, "uint", half),
        (CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, "size", model.chip.compute.wave_size),
    )


def absent_rows():
    """What the models do not have yet: intermediate languages, integer dot products."""
    return (
        (CL_DEVICE_IL_VERSION, "text", ""),
        (CL_DEVICE_ILS_WITH_VERSION, "versions", ()),
        (CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS, "bytes", b""),
        (CL_DEVICE_SPIRV_EXTENSIONS, "bytes", b""),
        (CL_DEVICE_SPIRV_CAPABILITIES, "bytes", b""),
        (CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES, "ulong", 0),
    )


def answers(chip, target):
    """Device.info of a chip's model."""
    return Answers(lambda: rows(Model(chip, target)))
