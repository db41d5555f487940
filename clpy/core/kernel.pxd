# SPDX-License-Identifier: Apache-2.0
"""Kernels: the arguments set so far. Their capture at enqueue is in ndrange."""
from libc.stdint cimport uint64_t, uintptr_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_int, cl_kernel, cl_uint
from clpy.core.program cimport Code, KernelArg, KernelCode, Program
from clpy.device.base cimport Device

ctypedef struct ArgValue:
    bint is_set
    size_t local_size            # bytes asked for a __local argument
    void *object                 # Mem or sampler behind the argument, not held; NULL for none
    const void *address          # of a pointer argument without a Mem: NULL, or shared virtual memory
    uintptr_t svm_first          # the allocation that it lies in, as long as svm_changes() says the same
    size_t svm_size              # 0: not known
    uint64_t svm_changes

ctypedef struct Kernel:
    clpy_object obj
    Program *program             # held
    cl_uint n_builds             # devices of the program, with or without this kernel
    Code **codes                 # held, parallel to `variants`
    KernelCode **variants        # one per device of the program; NULL where it has no such kernel
    KernelCode *info             # any variant, with or without code: argument metadata is the same
    unsigned char *block         # the argument block, captured by copy at enqueue
    ArgValue *values
    bint concurrent              # all groups of its launches run at the same time, and may wait for each other

cdef Kernel *kernel_new(Program *program, const char *name, cl_int *err) noexcept nogil
# One kernel object per kernel that all builds define alike; `kernels` may be NULL, `count` is always written.
cdef cl_int kernel_new_all(Program *program, cl_uint room, cl_kernel *kernels, cl_uint *count) noexcept nogil
cdef Kernel *kernel_clone(Kernel *source, cl_int *err) noexcept nogil
cdef cl_int kernel_set_arg(Kernel *k, cl_uint index, size_t size, const void *value) noexcept nogil
cdef cl_int kernel_set_pointer(Kernel *k, cl_uint index, const void *address) noexcept nogil
# The machine code for a device (for a sub-device: of the nearest ancestor that has some), which may be made now. NULL
# with the error where there is none: CL_INVALID_PROGRAM_EXECUTABLE where the program was not built for the device.
# `any_groups`: it is for a launch whose groups may be no whole vectors (versions.pyx).
cdef KernelCode *kernel_variant(const Kernel *k, const Device *dev, bint any_groups, Code **code,
                                cl_int *err) noexcept nogil
cdef size_t kernel_max_group_size(const KernelCode *code, const Device *dev) noexcept nogil
# __local memory of a group: static variables, then each pointer argument at its alignment.
cdef size_t local_arg_offset(size_t total, const KernelArg *arg) noexcept nogil    # after `total` bytes used so far
cdef size_t local_arg_end(size_t offset, const ArgValue *value) noexcept nogil
cdef size_t kernel_local_bytes(const Kernel *k, const KernelCode *code) noexcept nogil
