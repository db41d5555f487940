# SPDX-License-Identifier: Apache-2.0
"""Chips that CLPY_DEVICES does not name, as devices that nothing can be run on."""
from cpython.ref cimport Py_INCREF
from clpy.cl cimport cl_device_type, cl_int, cl_uint, cl_ulong, context_notify_fn
from clpy.core.device cimport MOST_DEVICES
from clpy.core.interpreter cimport python_runs
from clpy.device.base cimport Device, DeviceOps, device_list
from clpy.spec.consts cimport (CL_DEVICE_AVAILABLE, CL_DEVICE_TYPE_GPU, CL_FALSE, CL_INVALID_PROPERTY,
                               CL_OUT_OF_HOST_MEMORY, CL_SUCCESS, CL_TRUE)

from clpy.device.base import unlisted
from clpy.device.gpu import chip as chips
from clpy.device.gpu.toolchain import GcnToolchain
from clpy.trace import report, report_fault

cdef Device *others[MOST_DEVICES]
cdef cl_uint n_others = 0
cdef bint are_made = False
cdef DeviceOps ops               # a model's, without what commands are given to


class NoCode:
    """What is loaded of a program for a device that runs none."""

    def address(self, name):
        return 0


class OfflineToolchain(GcnToolchain):
    """Makes the chip's code and its binaries; to translate them for this machine would be for nothing."""

    makes_kernels = False       # nobody launches them

    def load(self, product, target):
        return NoCode()


class OfflineAnswers:
    """The model's, but that it is not available."""

    def __init__(self, answers):
        self.answers = answers

    def answer(self, param):
        return CL_FALSE.to_bytes(4, "little") if param == CL_DEVICE_AVAILABLE else self.answers.answer(param)


cdef cl_int takes(cl_ulong name, cl_ulong value, context_notify_fn notify) noexcept nogil:
    return CL_SUCCESS if value == CL_TRUE or value == CL_FALSE else CL_INVALID_PROPERTY


cdef cl_int add_devices(cl_ulong value, cl_device_type type, Device **found, cl_uint *n) noexcept nogil:
    cdef cl_uint i
    if value != CL_TRUE or not type & CL_DEVICE_TYPE_GPU:
        return CL_SUCCESS
    if not are_made and (not python_runs() or not make_others()):
        return CL_OUT_OF_HOST_MEMORY
    for i in range(n_others):
        if n[0] < MOST_DEVICES:
            found[n[0]] = others[i]
            n[0] += 1
    return CL_SUCCESS


cdef bint make_others() noexcept with gil:
    """Whether they are there now."""
    global are_made
    try:
        if not are_made:
            make_each()
        are_made = True
    except Exception as error:
        report_fault("devices that are offline", error)
    return are_made


cdef int make_each() except -1:
    global n_others
    from clpy.device.gpu.device import add
    here = listed_chips()
    for name in chips.for_any_program():
        if name not in here and n_others < MOST_DEVICES:
            try:
                others[n_others] = take_offline(unlisted(add, name))
                n_others += 1
            except ValueError as why:
                report(f"{name} is no offline device: {why}")
    return 0


cdef set listed_chips():
    cdef cl_uint i, n = 0
    cdef Device **devices = device_list(&n)
    made = [<object>devices[i].toolchain for i in range(n) if devices[i].toolchain != NULL]
    return {toolchain.chip.name for toolchain in made if isinstance(toolchain, GcnToolchain)}


cdef Device *take_offline(size_t address):
    global ops
    cdef Device *dev = <Device *>address
    toolchain = <object>dev.toolchain
    toolchain = OfflineToolchain(toolchain.chip, toolchain.plain)
    answers = OfflineAnswers(<object>dev.info)
    Py_INCREF(toolchain)
    Py_INCREF(answers)
    ops = dev.ops[0]
    ops.submit = NULL
    ops.make_facts = NULL
    ops.free_facts = NULL
    dev.ops = &ops
    dev.toolchain = <void *>toolchain
    dev.info = <void *>answers
    return dev
