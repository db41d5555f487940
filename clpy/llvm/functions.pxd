# SPDX-License-Identifier: Apache-2.0
"""Global variables and functions."""
cimport cython
from clpy.llvm.values cimport Value


@cython.no_gc
cdef class Global(Value):
    pass


@cython.no_gc
cdef class Function(Global):
    pass
