# SPDX-License-Identifier: Apache-2.0
"""What a processor says of motion estimation by kernels: it has no engine for that, so nothing is in the way of it."""


def answers(device):
    """By the name of the query; `device` is a clpy.device.cpu.info.Machine."""
    return {"CL_DEVICE_AVC_ME_VERSION_INTEL": lambda: 1,    # CL_AVC_ME_VERSION_1_INTEL
            "CL_DEVICE_AVC_ME_SUPPORTS_TEXTURE_SAMPLER_USE_INTEL": lambda: True,
            "CL_DEVICE_AVC_ME_SUPPORTS_PREEMPTION_INTEL": lambda: True}
