# SPDX-License-Identifier: Apache-2.0
"""The list of root devices. The option DEVICES names them; each name is a folder here whose module `device` adds one or
more when it is imported. They live as long as the process, through forks too.
"""
import importlib
import os

from clpy.cl cimport cl_uint

from clpy import config
from clpy.trace import report

cdef enum:
    MOST_DEVICES = 64

FALLBACK = "cpu"     # every machine has it

cdef Device *devices[MOST_DEVICES]
cdef cl_uint n_devices = 0
cdef make_device_fn make_device = NULL


cdef Device *device_new() except NULL:
    cdef Device *dev = make_device() if n_devices < MOST_DEVICES else NULL
    if dev == NULL:
        raise MemoryError("no room for another device")
    return dev


cdef void device_add(Device *dev) noexcept:
    global n_devices
    devices[n_devices] = dev
    n_devices += 1


cdef Device **device_list(cl_uint *count) noexcept nogil:
    count[0] = n_devices
    return devices


cdef int load_devices(make_device_fn make) except -1:
    global make_device
    if n_devices:
        return 0
    make_device = make
    for name in config.get("DEVICES").split(","):
        if name.strip():
            load(name.strip())
    if not n_devices:
        importlib.import_module(f"clpy.device.{FALLBACK}.device")
    return 0


def load(name):
    """The devices of that name; where there are none, a line says so and the others stay."""
    try:
        importlib.import_module(f"clpy.device.{name}.device")
    except ImportError as error:
        if name == FALLBACK:
            raise
        known = sorted(entry.name for entry in os.scandir(os.path.dirname(__file__)) if entry.is_dir()
                       and any(file.startswith("device.") for file in os.listdir(entry.path)))
        why = error if name in known else "there is no such device, only " + ", ".join(known)
        report(f"CLPY_DEVICES: {name} is ignored: {why}")
