# SPDX-License-Identifier: Apache-2.0
"""What a device answers to clGetDeviceInfo about functions of extensions of OpenCL C, by what its target has."""
from clpy.spec.consts cimport (
    CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT, CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT,
    CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT,
    CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED,
    CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR, CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR,
    CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR, CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT,
    CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT, CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT)


# Each takes a few bytes of local memory; a kernel has as many as it makes.
cdef int NAMED_BARRIERS = 256
cdef dict CLOCKS = {
    "device": CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR, "work_group": CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR,
    "sub_group": CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR}
cdef dict DOT_PRODUCTS = {
    "": CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT, "_packed": CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED}
cdef dict FLOAT_ATOMICS = {
    "global_atomic_load_store": CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT,
    "global_atomic_add": CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT,
    "global_atomic_min_max": CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT,
    "local_atomic_load_store": CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT,
    "local_atomic_add": CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT,
    "local_atomic_min_max": CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT}
# Loads and stores of these need no feature: OpenCL C 2.0 has them.
cdef object LOAD_STORE = CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT


def bits(target, prefix, names):
    """The bits of the features that the device has."""
    return sum(bit for name, bit in names.items() if prefix + name in target.c_features)


def answers(target):
    """By the name of the query, as in info.own_answers."""
    return {
        "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR": bits(target, "__opencl_c_kernel_clock_scope_", CLOCKS),
        "CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR": NAMED_BARRIERS,
        "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES":
            bits(target, "__opencl_c_integer_dot_product_input_4x8bit", DOT_PRODUCTS),
        # what -cl-std=CLC++ is: 1.0
        "CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT": 1 << 22 if "cl_ext_cxx_for_opencl" in target.extensions else 0,
        "CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT":
            bits(target, "__opencl_c_ext_fp32_", FLOAT_ATOMICS) | LOAD_STORE,
        "CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT":
            bits(target, "__opencl_c_ext_fp64_", FLOAT_ATOMICS) | LOAD_STORE,
        "CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT": bits(target, "__opencl_c_ext_fp16_", FLOAT_ATOMICS),
        # no combination has an instruction of its own here
        "CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT": bytes(24),
        "CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED": bytes(24),
    }
