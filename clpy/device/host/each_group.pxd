# SPDX-License-Identifier: Apache-2.0
"""Machine code of kernels that is for one work-group, or one row of it, at a time (compiler/passes/kernel_abi.py).

Such a function is no clpy_kernel_fn, and the lowest bits of its address say which it is: GROUP and ROW of
clpy/compiler/metadata.py.
"""
from libc.stdint cimport uintptr_t
from clpy.abi cimport clpy_group_mem, clpy_kernel_fn, clpy_launch

cdef enum:
    UNITS = 3                    # those bits

# What a clpy_kernel_fn does, by whichever function it is.
cdef void call_kernel(clpy_kernel_fn *code, const clpy_launch *shape, const unsigned char *args,
                      const clpy_group_mem *mem, size_t first, size_t end, size_t y, size_t z) noexcept nogil

cdef inline uintptr_t start_of(clpy_kernel_fn *code) noexcept nogil:
    return <uintptr_t>code & ~<uintptr_t>UNITS
