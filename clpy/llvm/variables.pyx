# SPDX-License-Identifier: Apache-2.0
"""Where a debugger finds the variables of kernels (variables_shim.cpp)."""
from clpy.llvm.module cimport Module
from clpy.llvm.values cimport Value

MARK = "clpy.variable"      # metadata of the allocas that are places of variables

cdef extern from "variables_shim.h" nogil:
    void clpy_leave_spaces(void *) noexcept
    void clpy_keep_variables(void *) noexcept
    void clpy_join_variables(void *) noexcept
    void clpy_move_variable(void *, void *, void *) noexcept


def leave_spaces(Module module):
    """Variables have no address spaces."""
    clpy_leave_spaces(module.module)


def keep_variables(Module module):
    """Variables of the kernels get places in private memory, where the module was compiled for a debugger."""
    clpy_keep_variables(module.module)


def move_variable(Value alloca, Value place, Value before):
    """The variable of `alloca` lies at `place` now; said before the instruction `before`."""
    clpy_move_variable(alloca.ptr, place.ptr, before.ptr)


def join_variables(Value function):
    """All regions of a kernel function have the variables in one place: debuggers know of one in a function."""
    clpy_join_variables(function.ptr)
