# SPDX-License-Identifier: Apache-2.0
"""What of SPIR-V a device can do: the extensions and capabilities that follow from what its OpenCL C has.

One row each: the number and the name of a capability, and the feature or extension of the target it needs ("": none).
"""
from clpy.compiler import translator
from clpy.extensions import ALL as extension_rows
from clpy.spec.extension_table import SPIRV as OF_VENDORS

VERSIONS = tuple((1, minor) for minor in range(7))
INSTRUCTION_SETS = ("OpenCL.std", "OpenCL.DebugInfo.100")
# Extension of SPIR-V -> the extension of OpenCL that brings it.
EXTENSIONS = {
    "SPV_EXT_shader_atomic_float16_add": "cl_ext_float_atomics",
    "SPV_EXT_shader_atomic_float_add": "cl_ext_float_atomics",
    "SPV_EXT_shader_atomic_float_min_max": "cl_ext_float_atomics",
    "SPV_KHR_bit_instructions": "cl_khr_extended_bit_ops",
    "SPV_KHR_expect_assume": "cl_khr_expect_assume",
    "SPV_KHR_integer_dot_product": "cl_khr_integer_dot_product",
    "SPV_KHR_linkonce_odr": "cl_khr_spirv_linkonce_odr",
    "SPV_KHR_no_integer_wrap_decoration": "cl_khr_spirv_no_integer_wrap_decoration",
    "SPV_KHR_shader_clock": "cl_khr_kernel_clock",
    "SPV_KHR_subgroup_rotate": "cl_khr_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions": "cl_khr_work_group_uniform_arithmetic",
    **{name: brings for name, brings, _, _ in OF_VENDORS},
}
# Those of OpenCL that are nothing but SPIR-V, and so need no more than a translator.
OPENCL_EXTENSIONS = tuple(each.name for each in extension_rows.values() if ("spirv",) in each.needs)
CAPABILITIES = (
    (4, "Addresses", ""),
    (5, "Linkage", ""),
    (6, "Kernel", ""),
    (7, "Vector16", ""),
    (8, "Float16Buffer", ""),
    (9, "Float16", "cl_khr_fp16"),
    (10, "Float64", "cl_khr_fp64"),
    (11, "Int64", "__opencl_c_int64"),
    (12, "Int64Atomics", "cl_khr_int64_base_atomics"),
    (13, "ImageBasic", "__opencl_c_images"),
    (14, "ImageReadWrite", "__opencl_c_read_write_images"),
    (15, "ImageMipmap", "cl_khr_mipmap_image_writes"),
    (17, "Pipes", "__opencl_c_pipes"),
    (18, "Groups", "__opencl_c_work_group_collective_functions"),
    (19, "DeviceEnqueue", "__opencl_c_device_enqueue"),
    (20, "LiteralSampler", "__opencl_c_images"),
    (22, "Int16", ""),
    (38, "GenericPointer", "__opencl_c_generic_address_space"),
    (39, "Int8", ""),
    (43, "Sampled1D", "__opencl_c_images"),
    (44, "Image1D", "__opencl_c_images"),
    (46, "SampledBuffer", "__opencl_c_images"),
    (47, "ImageBuffer", "__opencl_c_images"),
    (71, "UniformDecoration", ""),
    (58, "SubgroupDispatch", "__opencl_c_subgroups"),
    (59, "NamedBarrier", "cl_khr_subgroup_named_barrier"),
    (61, "GroupNonUniform", "cl_khr_subgroup_non_uniform_vote"),
    (62, "GroupNonUniformVote", "cl_khr_subgroup_non_uniform_vote"),
    (63, "GroupNonUniformArithmetic", "cl_khr_subgroup_non_uniform_arithmetic"),
    (64, "GroupNonUniformBallot", "cl_khr_subgroup_ballot"),
    (65, "GroupNonUniformShuffle", "cl_khr_subgroup_shuffle"),
    (66, "GroupNonUniformShuffleRelative", "cl_khr_subgroup_shuffle_relative"),
    (67, "GroupNonUniformClustered", "cl_khr_subgroup_clustered_reduce"),
    (5055, "ShaderClockKHR", "cl_khr_kernel_clock"),
    (5612, "AtomicFloat32MinMaxEXT", "__opencl_c_ext_fp32_global_atomic_min_max"),
    (5613, "AtomicFloat64MinMaxEXT", "__opencl_c_ext_fp64_global_atomic_min_max"),
    (5616, "AtomicFloat16MinMaxEXT", "__opencl_c_ext_fp16_global_atomic_min_max"),
    (5629, "ExpectAssumeKHR", ""),
    (6017, "DotProductInput4x8Bit", "__opencl_c_integer_dot_product_input_4x8bit"),
    (6018, "DotProductInput4x8BitPacked", "__opencl_c_integer_dot_product_input_4x8bit_packed"),
    (6019, "DotProduct", "cl_khr_integer_dot_product"),
    (6025, "BitInstructions", "cl_khr_extended_bit_ops"),
    (6033, "AtomicFloat32AddEXT", "__opencl_c_ext_fp32_global_atomic_add"),
    (6034, "AtomicFloat64AddEXT", "__opencl_c_ext_fp64_global_atomic_add"),
    (6095, "AtomicFloat16AddEXT", "__opencl_c_ext_fp16_global_atomic_add"),
    (6026, "GroupNonUniformRotateKHR", "cl_khr_subgroup_rotate"),
    (6400, "GroupUniformArithmeticKHR", "cl_khr_work_group_uniform_arithmetic"),
    *((number, name, brings) for _, brings, capabilities, _ in OF_VENDORS for number, name in capabilities),
)


def versions():
    """(major, minor) of the versions that programs may have: none without a translator."""
    return VERSIONS if translator.path() else ()


def instruction_sets():
    return INSTRUCTION_SETS if translator.path() else ()


def extensions(target):
    has = {*target.extensions, *OPENCL_EXTENSIONS}
    return tuple(name for name, brings in EXTENSIONS.items() if brings in has) if translator.path() else ()


def capabilities(target):
    """Numbers of the capabilities that modules may declare."""
    has = {"", *target.extensions, *target.c_features}
    return tuple(number for number, _, needs in CAPABILITIES if needs in has) if translator.path() else ()
