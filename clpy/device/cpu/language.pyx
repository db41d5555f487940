# SPDX-License-Identifier: Apache-2.0
"""What the CPU device answers to clGetDeviceInfo about intermediate languages and about functions of extensions of
OpenCL C: a part of clpy.device.cpu.info."""
from clpy.device.answers import of_intermediate_languages
from clpy.spec.consts cimport (
    CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT, CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED,
    CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR, CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR,
    CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR)


cdef dict CLOCKS = {
    "device": CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR, "work_group": CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR,
    "sub_group": CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR}
cdef dict DOT_PRODUCTS = {
    "": CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT, "_packed": CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED}


def bits(target, prefix, names):
    """The bits of the features that the device has."""
    return sum(bit for name, bit in names.items() if prefix + name in target.c_features)


def answers(target):
    """By the name of the query, as in info.own_answers."""
    return {
        **of_intermediate_languages(target),
        "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR": bits(target, "__opencl_c_kernel_clock_scope_", CLOCKS),
        "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES":
            bits(target, "__opencl_c_integer_dot_product_input_4x8bit", DOT_PRODUCTS),
        # no combination has an instruction of its own here
        "CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT": bytes(24),
        "CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED": bytes(24),
    }
