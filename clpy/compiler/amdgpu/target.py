# SPDX-License-Identifier: Apache-2.0
"""The target of chips of AMD's GCN family: processors, and what OpenCL C may assume of each."""
from clpy import extensions
from clpy.compiler.amdgpu import installed
from clpy.compiler.target import COMMON_EXTENSIONS, FACTS, FLOAT_ATOMICS, IMAGE_FEATURES, SUB_GROUP_EXTENSIONS, Target

TRIPLE = "amdgcn-amd-amdhsa"
# Processor -> generation; 8 brought 16-bit arithmetic, 7 pointers to any memory, 9 denormal numbers at full speed.
PROCESSORS = {"gfx600": 6, "gfx601": 6, "gfx700": 7, "gfx701": 7, "gfx704": 7, "gfx801": 8, "gfx802": 8, "gfx803": 8,
              "gfx900": 9, "gfx906": 9}
GENERIC_POINTERS, HALF, FAST_DENORMALS = 7, 8, 9

EXTENSIONS = (
    *COMMON_EXTENSIONS,
    "cl_ext_float_atomics",
    "cl_khr_async_work_group_copy_fence",
    "cl_khr_extended_async_copies",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_work_group_uniform_arithmetic",
    *SUB_GROUP_EXTENSIONS,
    *extensions.of_language("amd_gpu"),
)
FEATURES = (
    "__opencl_c_int64",
    "__opencl_c_fp64",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    *IMAGE_FEATURES,
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_kernel_clock_scope_sub_group",
    *extensions.features_of_language("amd_gpu"),
)
OF_GENERIC_POINTERS = ("__opencl_c_generic_address_space", "__opencl_c_pipes", "__opencl_c_device_enqueue")


class ChipTarget(Target):
    """`processor` as LLVM names it; `name` is the device's, `driver_name` what AMD's driver calls the chip (Tahiti)."""
    FACTS = FACTS | {"triple": TRIPLE, "processor": ""}
    features = ""
    shares_addresses = True         # with the host

    def __init__(self, processor, name="", driver_name=""):
        if processor not in PROCESSORS:
            raise ValueError(f"unknown processor {processor}; there are {', '.join(PROCESSORS)}")
        generation = PROCESSORS[processor]
        self.generation = generation
        super().__init__(
            name=name or processor, processor=processor, macros=("__GPU__", f"__{driver_name or processor}__"),
            extensions=(*EXTENSIONS, *(["cl_khr_fp16"] if generation >= HALF else []),
                        *(["cl_ext_cxx_for_opencl"] if generation >= GENERIC_POINTERS else [])),
            c_features=(*FEATURES, *(OF_GENERIC_POINTERS if generation >= GENERIC_POINTERS else []),
                        *(name for name in FLOAT_ATOMICS if generation >= HALF or "fp16" not in name)))
        self.has_floor = generation >= GENERIC_POINTERS      # of doubles
        self.flushes_denormals = generation < FAST_DENORMALS

    @property
    def cpu(self):
        return self.processor

    @property
    def has_generic_pointers(self):
        return "__opencl_c_generic_address_space" in self.c_features

    def initializing(self, initialize):
        """Code is the same whatever a context wants cleared."""
        return self

    def key(self):
        return repr((super().key(), installed.stamp()))
