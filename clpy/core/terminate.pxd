# SPDX-License-Identifier: Apache-2.0
"""Ending all that a context has to do."""
from clpy.cl cimport cl_int
from clpy.core.context cimport Context

# CL_CONTEXT_TERMINATED_KHR: it is already. The context can be terminated.
cdef cl_int context_terminate(Context *ctx) noexcept nogil
# What waits for its semaphores fails.
cdef void release_semaphores(Context *ctx) noexcept nogil
# Does it belong to a terminated context, or is it one? Any pointer may be asked about; quick where no context ever was
# terminated.
cdef bint is_of_terminated(const void *handle) noexcept nogil
