# SPDX-License-Identifier: Apache-2.0
"""Which code of a kernel a launch gets, by what the code takes for granted."""
from clpy.abi cimport clpy_launch
from clpy.cl cimport cl_int
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport Code, KernelCode

# The kernel's code for the arguments and the shape of a launch: `kernel`, or other code of it, made when it is first
# asked for; `code` becomes what it belongs to, which lives as long as the one given. NULL with the error where
# none can be made. Memory objects are alive, and local sizes are chosen.
cdef KernelCode *version_for(KernelCode *kernel, Code **code, const Kernel *k, const clpy_launch *shape,
                             cl_int *err) noexcept nogil
