# SPDX-License-Identifier: Apache-2.0
"""Built-in kernels: those that vendors' extensions bring as OpenCL C, for the devices that list these."""
from clpy.core.program cimport Program

# Build the kernels of these names, each for the devices that have it. CLError of a name that no device has.
cdef int built_in_build(Program *program, list names) except -1
