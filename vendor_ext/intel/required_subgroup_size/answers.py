# SPDX-License-Identifier: Apache-2.0
"""The sizes that sub-groups may have on a device."""
from clpy.compiler.gen.target import SUB_GROUP_SIZES
from clpy.compiler.lowering import sub_group_sizes


def answers(device):
    """By the name of the query; `device` is a clpy.device.cpu.info.Machine, or a clpy.device.gpu.info.Model."""
    if "cpu" not in device.abilities():
        return {"CL_DEVICE_SUB_GROUP_SIZES_INTEL": SUB_GROUP_SIZES}
    return {"CL_DEVICE_SUB_GROUP_SIZES_INTEL": lambda: sub_group_sizes(8 * device.vector_bytes())}
