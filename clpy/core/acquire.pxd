# SPDX-License-Identifier: Apache-2.0
"""The commands that hand external memory over to OpenCL and back."""
from clpy.cl cimport cl_int, cl_uint
from clpy.core.command cimport Queue, Wait
from clpy.core.memory cimport Mem

# The objects have external memory; all is checked.
cdef cl_int external_enqueue(Queue *q, bint acquires, cl_uint n, Mem *const *mems, const Wait *wait) noexcept nogil
