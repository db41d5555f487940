# SPDX-License-Identifier: Apache-2.0
"""The target of Intel's Gen chips: processors, and what OpenCL C may assume of them."""
from clpy import extensions
from clpy.compiler.gen import installed
from clpy.compiler.target import FACTS, FLOAT_ATOMICS, IMAGE_EXTENSIONS, IMAGE_FEATURES, SUB_GROUP_EXTENSIONS, Target

TRIPLE = "spirv64v1.3-unknown-unknown"       # newer instructions, that compare pointers for one, IGC does not know
# Processor -> what ocloc calls a chip with it.
PROCESSORS = {"gen8": "bdw", "gen9": "skl"}
SUB_GROUP_SIZES = (8, 16, 32)
EXTENSIONS = (
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_byte_addressable_store",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_ext_cxx_for_opencl",
    "cl_ext_float_atomics",
    "cl_khr_async_work_group_copy_fence",
    "cl_khr_extended_async_copies",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_work_group_uniform_arithmetic",
    # Intel's compiler has no writes to levels.
    *(name for name in IMAGE_EXTENSIONS if name != "cl_khr_mipmap_image_writes"),
    *SUB_GROUP_EXTENSIONS,
    *extensions.of_language("intel_gpu"),
)
FEATURES = (
    *IMAGE_FEATURES,
    *FLOAT_ATOMICS,
    "__opencl_c_int64",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_pipes",
    "__opencl_c_device_enqueue",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
)

# Of chips before Gen8, for which code of that stands in: neither half nor double, and no later language.
OLDER_VERSION = 120
OLDER_EXTENSIONS = (
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_byte_addressable_store",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
)
OLDER_FEATURES = ("__opencl_c_images", "__opencl_c_3d_image_writes")


class GenTarget(Target):
    """`processor` is gen8 or gen9; `name` is the device's, `driver_name` what Intel's driver calls the chip.
    `is_older`: the chip itself is of the generation before the processor's."""
    FACTS = FACTS | {"triple": TRIPLE, "processor": ""}
    cpu = features = ""
    has_generic_pointers = True
    shares_addresses = True         # with the host
    flushes_denormals = False

    def __init__(self, processor, name="", driver_name="", is_older=False):
        if processor not in PROCESSORS:
            raise ValueError(f"unknown processor {processor}; there are {', '.join(PROCESSORS)}")
        self.device = PROCESSORS[processor]
        self.takes_il = not is_older
        self.driver_name = driver_name
        version = OLDER_VERSION if is_older else 0
        super().__init__(name=name or processor, processor=processor, version=version, c_version=version,
                         extensions=OLDER_EXTENSIONS if is_older else EXTENSIONS,
                         c_features=OLDER_FEATURES if is_older else FEATURES, macros=("__GPU__",))

    def initializing(self, initialize):
        """Code is the same whatever a context wants cleared."""
        return self

    def key(self):
        return repr((super().key(), installed.stamp()))
