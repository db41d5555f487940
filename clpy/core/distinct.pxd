# SPDX-License-Identifier: Apache-2.0
"""Kernels whose code takes for granted that what it writes is memory of no other argument: whether that holds for a
launch."""
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport KernelCode

# Whether the memory of the arguments is as distinct as the code of `kernel` takes it to be. Memory objects are alive.
cdef bint has_distinct_memory(const KernelCode *kernel, const Kernel *k) noexcept nogil
