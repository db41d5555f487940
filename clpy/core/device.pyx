# SPDX-License-Identifier: Apache-2.0
"""Choosing devices of the platform, and their answers to queries."""
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_device_type, cl_int, cl_uint
from clpy.core.object cimport KIND_DEVICE, kind_register, object_keep_for_ever, object_new
from clpy.core.partition cimport device_destroy
from clpy.device.base cimport Device, device_list, load_devices
from clpy.spec.consts cimport (CL_DEVICE_EXTENSIONS, CL_DEVICE_NOT_FOUND, CL_DEVICE_TYPE_ACCELERATOR,
                               CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CUSTOM, CL_DEVICE_TYPE_DEFAULT,
                               CL_DEVICE_TYPE_GPU, CL_INVALID_DEVICE_TYPE, CL_SUCCESS)


cdef cl_int devices_of_type(cl_device_type type, Device **found, cl_uint *n) noexcept nogil:
    cdef cl_device_type known = (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU
                                 | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM)
    cdef cl_uint i, total = 0
    cdef Device **all_devices
    n[0] = 0
    if type == 0 or (type != CL_DEVICE_TYPE_ALL and type & ~known):
        return CL_INVALID_DEVICE_TYPE
    all_devices = device_list(&total)
    for i in range(total):
        # "CL_DEVICE_TYPE_ALL: All OpenCL devices available, except for custom devices"
        if (all_devices[i].type & type or (i == 0 and type & CL_DEVICE_TYPE_DEFAULT)) and n[0] < MOST_DEVICES \
                and not (type == CL_DEVICE_TYPE_ALL and all_devices[i].type == CL_DEVICE_TYPE_CUSTOM):
            found[n[0]] = all_devices[i]
            n[0] += 1
    return CL_SUCCESS if n[0] else CL_DEVICE_NOT_FOUND


cdef object device_answer(Device *dev, int param):
    return (<object>dev.info).answer(param) if dev.info != NULL else None


cdef bint device_lists(const Device *dev, const char *extension) noexcept nogil:
    with gil:
        listed = device_answer(<Device *>dev, CL_DEVICE_EXTENSIONS) or b""
        return <bytes>extension in listed.rstrip(b"\0").split()


cdef Device *make_root_device() noexcept nogil:
    cdef Device *dev = <Device *>object_new(KIND_DEVICE)
    if dev != NULL:
        object_keep_for_ever(dev)
    return dev


cdef void destroy(clpy_object *obj) noexcept nogil:
    device_destroy(<Device *>obj)


if kind_register(KIND_DEVICE, sizeof(Device), destroy) != CL_SUCCESS:
    raise MemoryError("no address space for devices")
load_devices(make_root_device)
