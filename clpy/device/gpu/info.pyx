# SPDX-License-Identifier: Apache-2.0
"""What the model of a chip answers to clGetDeviceInfo: the chip's own numbers, from its file. Cold."""
from clpy.compiler import spirv_environment
from clpy.device import language
from clpy.device.answers import Described, answers_of, of_intermediate_languages, uuid
from clpy.spec.consts cimport (
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, CL_FP_DENORM, CL_FP_FMA, CL_FP_INF_NAN, CL_FP_ROUND_TO_INF,
    CL_FP_ROUND_TO_NEAREST, CL_FP_ROUND_TO_ZERO, CL_LOCAL, CL_NONE, CL_READ_WRITE_CACHE)

ROUNDINGS = CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF


class Model(Described):
    """A chip, the target of its code, and what tells the time of its clock."""
    count = 0

    def __init__(self, chip, target, now_ns):
        super().__init__(target)
        self.chip = chip
        self.now_ns = now_ns
        Model.count += 1
        self.bus = Model.count      # that it would be on; no two are on the same

    def name(self):
        """As the driver called the chip, and that it is a model: programs show this to people, few compare it."""
        return f"{self.chip.identity.device_name} (model)"

    def abilities(self):
        """A chip that is not there shares no memory with what is not clpy."""
        if self.chip.is_vliw:
            return ("amd_vliw", "launch_counters")
        return ("intel_gpu" if self.chip.is_gen else "amd_gpu", "images", "launch_counters",
                *(("spirv",) if spirv_environment.versions() else ()))

    def single(self):
        denormals = 0 if self.target.flushes_denormals else CL_FP_DENORM
        return ROUNDINGS | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT | denormals

    def double(self):
        return ROUNDINGS | CL_FP_FMA | CL_FP_DENORM if "cl_khr_fp64" in self.target.extensions else 0

    def half(self):
        return ROUNDINGS | CL_FP_FMA | CL_FP_DENORM if "cl_khr_fp16" in self.target.extensions else 0


def own_answers(model):
    """By the name of the query."""
    chip = model.chip
    return {
        **of_widths(model), **of_caches(chip),
        "CL_DEVICE_ADDRESS_BITS": 64 if model.target.shares_addresses else 32,
        **of_intermediate_languages(model.target), **language.answers(model.target),
        "CL_DEVICE_NAME": model.name,
        "CL_DEVICE_VENDOR": chip.identity.vendor,
        "CL_DEVICE_VENDOR_ID": chip.identity.vendor_id,
        "CL_DEVICE_UUID": lambda: uuid("model", chip.name),
        "CL_DEVICE_MAX_CLOCK_FREQUENCY": chip.clock.core_mhz,
        "CL_DEVICE_MAX_PARAMETER_SIZE": 1024,
        "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE": chip.opencl.constant_buffer_bytes,
        "CL_DEVICE_MAX_CONSTANT_ARGS": 8,
        "CL_DEVICE_SINGLE_FP_CONFIG": model.single,
        "CL_DEVICE_DOUBLE_FP_CONFIG": model.double,
        "CL_DEVICE_HALF_FP_CONFIG": model.half,
        "CL_DEVICE_LOCAL_MEM_TYPE": CL_LOCAL,
        "CL_DEVICE_HOST_UNIFIED_MEMORY": chip.memory.shared,
    }


def of_caches(chip):
    """As AMD's driver: one compute unit's. VLIW chips keep nothing of buffers that a kernel may write. Intel's driver
    tells of the L3."""
    if chip.is_vliw:
        return {"CL_DEVICE_GLOBAL_MEM_CACHE_TYPE": CL_NONE, "CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE": 0,
                "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE": 0}
    return {"CL_DEVICE_GLOBAL_MEM_CACHE_TYPE": CL_READ_WRITE_CACHE,
            "CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE": chip.caches.line_bytes,
            "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE": chip.caches.l2_bytes if chip.is_gen else chip.caches.l1_bytes}


TYPES = ("CHAR", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "HALF")
# A lane is 32 bits wide, whatever it works on; AMD's driver prefers 4 bytes of the small types. VLIW chips do four
# operations at once, and there it says 16 bytes.
NATIVE, PREFERRED, VLIW = (4, 2, 1, 1, 1, 1), (4, 1, 1, 1, 1, 1), (16, 8, 4, 2, 4, 0)
GEN, GEN_HALF = (16, 8, 4, 1, 1, 1), 8          # as Intel's driver has them
GEN_MULTIPLE = 32                               # likewise: of the widest threads


def of_widths(model):
    half = 1 if "cl_khr_fp16" in model.target.extensions else 0
    native, preferred = (VLIW, VLIW) if model.chip.is_vliw else (NATIVE, PREFERRED)
    if model.chip.is_gen:
        native, preferred, half = GEN, GEN, half * GEN_HALF
    return {
        **{f"CL_DEVICE_NATIVE_VECTOR_WIDTH_{name}": width for name, width in zip(TYPES, (*native, half), strict=True)},
        **{f"CL_DEVICE_PREFERRED_VECTOR_WIDTH_{name}": width
           for name, width in zip(TYPES, (*preferred, half), strict=True)},
        "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE":
            GEN_MULTIPLE if model.chip.is_gen else model.chip.compute.wave_size,
    }


def answers(chip, target, now_ns):
    """Device.info of a chip's model."""
    return answers_of(Model(chip, target, now_ns), own_answers)
