# SPDX-License-Identifier: Apache-2.0
"""`clpy info`: the devices of this installation, asked for without a loader."""
import struct

from clpy.spec.names import VALUES
from clpy.tools import icd_file
from clpy.tools.probe import ALL, Driver

# What is shown: label, query, how the bytes are read, unit.
ROWS = (
    ("version", "CL_DEVICE_VERSION", "text", ""),
    ("OpenCL C", "CL_DEVICE_OPENCL_C_VERSION", "text", ""),
    ("type", "CL_DEVICE_TYPE", "type", ""),
    ("vendor", "CL_DEVICE_VENDOR", "text", ""),
    ("driver", "CL_DRIVER_VERSION", "text", ""),
    ("compute units", "CL_DEVICE_MAX_COMPUTE_UNITS", "I", ""),
    ("clock", "CL_DEVICE_MAX_CLOCK_FREQUENCY", "I", "MHz"),
    ("global memory", "CL_DEVICE_GLOBAL_MEM_SIZE", "Q", "bytes"),
    ("largest buffer", "CL_DEVICE_MAX_MEM_ALLOC_SIZE", "Q", "bytes"),
    ("local memory", "CL_DEVICE_LOCAL_MEM_SIZE", "Q", "bytes"),
    ("largest work-group", "CL_DEVICE_MAX_WORK_GROUP_SIZE", "Q", ""),
    ("vector width, float", "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT", "I", ""),
    ("extensions", "CL_DEVICE_EXTENSIONS", "words", ""),
)
TYPES = ((1, "default"), (2, "CPU"), (4, "GPU"), (8, "accelerator"), (16, "custom"))


def read(data, how):
    if how == "text":
        return data.rstrip(b"\0").decode(errors="replace")
    if how == "words":
        return data.rstrip(b"\0").decode().split()
    if how == "type":
        bits = struct.unpack("Q", data)[0]
        return [word for bit, word in TYPES if bits & bit]
    return struct.unpack(how, data)[0]


def devices():
    """[{label: value}] of every root device, in the order of the platform."""
    cl = Driver(str(icd_file.library()))
    found = []
    for device in cl.ids("clGetDeviceIDs", cl.platform, ALL):
        row = {"name": cl.text("clGetDeviceInfo", device, VALUES["CL_DEVICE_NAME"])}
        for label, query, how, _ in ROWS:
            row[label] = read(cl.info("clGetDeviceInfo", device, VALUES[query]), how)
        found.append(row)
    return found


def size(n):
    """23.5 GiB."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if n >= 1 << power:
            number = f"{n / (1 << power):.1f}"
            return (number[:-2] if number.endswith(".0") else number) + f" {unit}"
    return f"{n} bytes"


def show(found):
    lines = []
    for i, device in enumerate(found):
        lines.append(f"device {i}: {device['name']}")
        for label, _, _, unit in ROWS:
            value = device[label]
            text = size(value) if unit == "bytes" else " ".join(value) if isinstance(value, list) else f"{value} {unit}"
            lines.append(f"  {label:20} {text.rstrip()}")
    return "\n".join(lines)
