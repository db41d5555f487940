# SPDX-License-Identifier: Apache-2.0
"""The list of root devices. The option DEVICES names them: a folder here, and perhaps which of its devices behind a
colon. The folder's module `device` has a function add(which), "" where nothing is said, which adds one or more of them
or raises ValueError. They live as long as the process, through forks too.
"""
import os

from clpy.cl cimport cl_svm_capabilities_khr, cl_uint
from clpy.spec.consts cimport (CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT, CL_DEVICE_QUEUE_SUPPORTED,
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
                               CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR, CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR,
                               CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR, CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR,
                               CL_SVM_CAPABILITY_DEVICE_OWNED_KHR, CL_SVM_CAPABILITY_DEVICE_READ_KHR,
                               CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR, CL_SVM_CAPABILITY_DEVICE_WRITE_KHR,
                               CL_SVM_CAPABILITY_HOST_MAP_KHR, CL_SVM_CAPABILITY_HOST_OWNED_KHR,
                               CL_SVM_CAPABILITY_HOST_READ_KHR, CL_SVM_CAPABILITY_HOST_WRITE_KHR,
                               CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR, CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR,
                               CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR)

from clpy import config
from clpy.device.chosen import FALLBACK, VARIABLE, chosen, listed, path
from clpy.trace import report

cdef enum:
    MOST_DEVICES = 64

GPUS = "gpu"         # the folder of all that are some

cdef Device *devices[MOST_DEVICES]
cdef cl_uint n_devices = 0
cdef make_device_fn make_device = NULL
cdef bint is_apart = False       # the device that is added now is not to be in the list,
cdef Device *apart = NULL        # it goes here


cdef Device *device_new() except NULL:
    cdef Device *dev = make_device() if n_devices < MOST_DEVICES else NULL
    if dev == NULL:
        raise MemoryError("no room for another device")
    return dev


cdef void device_add(Device *dev) noexcept:
    global n_devices, apart
    if is_apart:
        apart = dev
        return
    devices[n_devices] = dev
    n_devices += 1


cdef void set_queue_limits(Device *dev) noexcept nogil:
    dev.queues.capabilities = CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT
    dev.queues.properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE
    dev.queues.preferred_size = 16 << 10
    dev.queues.max_size = 256 << 10
    dev.queues.most = 4
    dev.queues.events = 1024


cdef void set_svm_types(cl_svm_capabilities_khr *types, bint of_system) noexcept nogil:
    """All memory is the host's. A type has what its use may need and no more, so that a program that minds what it may
    do here minds it elsewhere too."""
    cdef cl_svm_capabilities_khr common = (
        CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR | CL_SVM_CAPABILITY_DEVICE_READ_KHR
        | CL_SVM_CAPABILITY_DEVICE_WRITE_KHR | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR
        | CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR)
    cdef cl_svm_capabilities_khr both = (
        common | CL_SVM_CAPABILITY_HOST_READ_KHR | CL_SVM_CAPABILITY_HOST_WRITE_KHR | CL_SVM_CAPABILITY_HOST_MAP_KHR
        | CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR | CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR)
    cdef cl_svm_capabilities_khr of_all = (
        CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR)
    types[SVM_TYPE_COARSE] = common | of_all | CL_SVM_CAPABILITY_HOST_MAP_KHR
    types[SVM_TYPE_FINE] = both | of_all
    types[SVM_TYPE_DEVICE] = common | CL_SVM_CAPABILITY_DEVICE_OWNED_KHR
    types[SVM_TYPE_HOST] = both | of_all | CL_SVM_CAPABILITY_HOST_OWNED_KHR
    types[SVM_TYPE_SHARED] = both
    types[SVM_TYPE_SYSTEM] = both | of_all | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR if of_system else 0


cdef void set_pipe_limits(Device *dev) noexcept nogil:
    dev.pipes.args = 16
    dev.pipes.reservations = 1
    dev.pipes.packet_size = 1024


cdef Device **device_list(cl_uint *count) noexcept nogil:
    count[0] = n_devices
    return devices


cdef int load_devices(make_device_fn make) except -1:
    global make_device
    if n_devices:
        return 0
    make_device = make
    names, place = wanted()
    for name in without_hidden(names):
        load(name, place)
    if not n_devices:
        load(FALLBACK, place)
    return 0


def wanted():
    try:
        return chosen()
    except ValueError as wrong:
        names = listed(config.get("DEVICES"))
        report(f"{path()} {wrong}; the devices are {', '.join(names)}")
        return names, ""


def without_hidden(names):
    """The names but those of GPUs whose numbers are not in GPU_DEVICE_ORDINAL. Numbers of GPUs that are not there are
    no mistake: the variable may be set for the whole system."""
    shown = [word.strip() for word in config.get("GPU_ORDINAL").split(",") if word.strip()]
    for word in shown:
        if not word.removeprefix("-").isdecimal():
            report(f"GPU_DEVICE_ORDINAL: {word} is ignored: it takes numbers of GPUs, from 0 on")
    gpus = [name for name in names if name.partition(":")[0] == GPUS]
    hidden = [name for i, name in enumerate(gpus) if shown and str(i) not in shown]
    return [name for name in names if name not in hidden]


def unlisted(add, which):
    """Address of the device that `add`, of a folder's module, makes, which the list does not get."""
    global is_apart
    is_apart = True
    try:
        add(which)
    finally:
        is_apart = False
    return <size_t>apart


def load(name, place):
    """The devices of that name; where there are none, a line says so and the others stay. Of the default's nobody asked
    for a GPU: that it cannot be there is worth a line only to who wants to know, or has own chips; other errors are
    worth one always."""
    folder, _, which = name.partition(":")
    try:
        __import__(f"clpy.device.{folder}.device", fromlist=["add"]).add(which)
    except (ImportError, ValueError) as error:
        if name == FALLBACK:
            raise
        known = sorted(entry.name for entry in os.scandir(os.path.dirname(__file__)) if entry.is_dir()
                       and any(file.startswith("device.") for file in os.listdir(entry.path)))
        why = error if folder in known else "there is no such device, only " + ", ".join(known)
        if place or config.get("GPU_CHIPS") or config.get("DEBUG") >= 1:
            report(f"{place or VARIABLE}: {name} is ignored: {why}")
    except Exception as error:
        if name == FALLBACK:
            raise
        report(f"{place or VARIABLE}: {name} is ignored: {type(error).__name__}: {error}")
