# SPDX-License-Identifier: Apache-2.0
"""Built-in kernels: programs of the source that a vendor's extension brings, compiled by the toolchain of the device
and kept in its cache like any other. What makes them more than that are the functions that the extension names: one
that checks and shapes launches, and some that make the data of arguments.
"""
from libc.string cimport strcmp
from clpy.core.build cimport build_executable
from clpy.core.device cimport device_answer
from clpy.core.program cimport ARG_TAKEN, Code, KernelCode, Program, most_fn, shape_fn, take_fn
from clpy.spec.consts cimport CL_DEVICE_BUILT_IN_KERNELS, CL_INVALID_VALUE

from clpy.errors import CLError


cdef void has_shape(KernelCode *kernel, const char *name, shape_fn shape) noexcept nogil:
    if strcmp(kernel.name, name) == 0:
        kernel.shape = shape


cdef void has_most(KernelCode *kernel, const char *name, most_fn most) noexcept nogil:
    if strcmp(kernel.name, name) == 0:
        kernel.most = most


cdef void has_argument(KernelCode *kernel, const char *name, const char *argument, take_fn take) noexcept nogil:
    cdef size_t i
    if strcmp(kernel.name, name) != 0:
        return
    for i in range(kernel.n_args):
        if strcmp(kernel.args[i].name, argument) == 0:
            kernel.args[i].kind = ARG_TAKEN
            kernel.args[i].take = take


include "of_vendors/built_in.pxi"


cdef list names_on(Program *program, size_t i, list names):
    """Those that a device of the program has."""
    listed = device_answer(program.builds[i].device, CL_DEVICE_BUILT_IN_KERNELS).rstrip(b"\0").decode().split(";")
    return [name for name in names if name in listed]


cdef int built_in_build(Program *program, list names) except -1:
    cdef size_t i, j
    cdef Code *code
    of_devices = [names_on(program, i, names) for i in range(program.n_devices)]
    for name in names:
        if not any([name in found for found in of_devices]):
            raise CLError(CL_INVALID_VALUE, f"no device has a built-in kernel {name!r}")
    from clpy import extensions
    for i in range(program.n_devices):
        if not of_devices[i]:
            continue
        code = build_executable(program, i, extensions.built_in_source(of_devices[i]), of_devices[i])
        for j in range(code.n_kernels):
            of_vendors(&code.kernels[j])
    return 0
