# SPDX-License-Identifier: Apache-2.0
"""The families of queues of a device that has the extension: one, whose queues can do all that queues can."""
import struct

OUT_OF_ORDER, PROFILING = 1, 2      # CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE
ALL_CAPABILITIES = 0                # CL_QUEUE_DEFAULT_CAPABILITIES_INTEL
QUEUES = 1                          # no two of them would run their commands at other places
NAME = b"threads of the device"
RENDER = b"rcs"                     # of Intel's chips, as their driver calls it


def answers(device):
    """An array of cl_queue_family_properties_intel: properties, capabilities, count, name, and padding."""
    return {"CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL":
            struct.pack("=QQI64s4x", OUT_OF_ORDER | PROFILING, ALL_CAPABILITIES, QUEUES,
                        NAME if "cpu" in device.abilities() else RENDER)}
