# SPDX-License-Identifier: Apache-2.0
"""Code that was made for groups of one size, used for launches in groups of another, where the kernel does not see its
groups."""
from libc.stdint cimport uint64_t
from clpy.abi cimport clpy_launch
from clpy.core.program cimport Code, KernelCode
from clpy.core.specialize cimport Shape, Special

# What is in use for another size and would do for the launch; NULL: nothing does yet. `is_coming`: something will.
cdef Special *for_other_groups(const KernelCode *kernel, const Code *code, const Shape *shape,
                               const clpy_launch *range_, bint *is_coming) noexcept nogil
# The range into groups of that size, packed as in a Shape.
cdef void cut(clpy_launch *range_, uint64_t size) noexcept nogil
