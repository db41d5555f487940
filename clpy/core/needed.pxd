# SPDX-License-Identifier: Apache-2.0
"""Code of kernels that is made when it is first needed."""
from libc.stdint cimport uint32_t
from clpy.cl cimport cl_int
from clpy.core.program cimport Code, KernelCode

cdef enum Way:
    FIRST                        # of a kernel that waits for its code
    FIRST_ANY_GROUPS             # the same, for a launch whose groups may be no whole vectors
    GENERAL                      # besides other code: arguments may have memory in common
    ANY_GROUPS                   # besides other code: groups may be no whole vectors, images of any formats

# What a kernel of `code` is with the code that is made this way; `code` becomes what it belongs to, which lives as long
# as the one given. NULL with the error where it cannot be made.
# `formats`: NULL, or those of the images that are set, which the first code is made for.
cdef KernelCode *needed_code(KernelCode *kernel, Way way, const uint32_t *formats, Code **code,
                             cl_int *err) noexcept nogil
