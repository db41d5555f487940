# SPDX-License-Identifier: Apache-2.0
"""Kernels whose code takes for granted that what it writes is memory of no other argument: whether that holds for a
launch, and the code for launches for which it does not."""
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport Code, KernelCode

# Whether the memory of the arguments is as distinct as the code of `kernel` takes it to be. Memory objects are alive.
cdef bint has_distinct_memory(const KernelCode *kernel, const Kernel *k) noexcept nogil
# Code of the same kernel that takes nothing for granted, made when it is first asked for; `code` becomes what it
# belongs to, which lives as long as the one given. NULL where none can be made.
cdef KernelCode *general_code(KernelCode *kernel, Code **code) noexcept nogil
