# SPDX-License-Identifier: Apache-2.0
"""The sizes that sub-groups may have on a processor."""
from clpy.compiler.lowering import sub_group_sizes


def answers(device):
    """By the name of the query; `device` is a clpy.device.cpu.info.Machine."""
    return {"CL_DEVICE_SUB_GROUP_SIZES_INTEL": lambda: sub_group_sizes(8 * device.vector_bytes())}
