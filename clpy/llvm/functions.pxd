# SPDX-License-Identifier: Apache-2.0
"""Global variables and functions."""
from clpy.llvm.values cimport Value

cdef class Global(Value):
    pass

cdef class Function(Global):
    pass
