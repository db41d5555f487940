# SPDX-License-Identifier: Apache-2.0
"""Calling the machine code of a kernel without a queue."""
import ctypes

from clpy.device.host.each_group import CALL_KERNEL

CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_size_t] * 4)(CALL_KERNEL)


def kernel_function(address, unit):
    """A clpy_kernel_fn of the function there, of which a call runs that (metadata.KernelInfo.unit)."""
    return lambda launch, args, mem, *groups: CALL(address | unit, launch, args, mem, *groups)
