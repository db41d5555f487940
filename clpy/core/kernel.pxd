# SPDX-License-Identifier: Apache-2.0
"""Kernels: the arguments set so far, and their capture at enqueue."""
from libc.stdint cimport uint32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_int, cl_uint
from clpy.core.program cimport Program, KernelCode, Code

ctypedef struct ArgValue:
    bint is_set
    size_t local_size            # bytes asked for a __local argument
    void *object                 # Mem or sampler behind the argument, not held (the application keeps it); NULL for none

ctypedef struct Kernel:
    clpy_object obj
    Program *program             # held
    cl_uint n_builds             # devices of the program that have this kernel
    Code **codes                 # held, parallel to `variants`
    KernelCode **variants        # one per device of the program; NULL where it has no such kernel
    KernelCode *info             # any variant: argument metadata is the same
    unsigned char *block         # the argument block, captured by copy at enqueue
    ArgValue *values
