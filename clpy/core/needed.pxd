# SPDX-License-Identifier: Apache-2.0
"""Code of kernels that is made when it is first needed."""
from clpy.cl cimport cl_int
from clpy.core.program cimport Code, KernelCode

# What a kernel of `code` that waits for its code is with it; `code` becomes what it is of. NULL with the error where it
# cannot be made. `any_groups`: as kernel_variant has it.
cdef KernelCode *needed_code(KernelCode *kernel, bint any_groups, Code **code, cl_int *err) noexcept nogil
