# SPDX-License-Identifier: Apache-2.0
"""Mirror of include/clpy_abi.h, field for field."""
from libc.stdint cimport int32_t, uint32_t

cdef extern from "clpy_abi.h" nogil:
    enum:
        CLPY_ABI_VERSION
        CLPY_LAUNCH_STREAMS
        CLPY_ARG_VALUE
        CLPY_ARG_GLOBAL
        CLPY_ARG_CONSTANT
        CLPY_ARG_LOCAL
        CLPY_ARG_IMAGE
        CLPY_ARG_SAMPLER
        CLPY_ARG_PIPE
        CLPY_ARG_QUEUE

    ctypedef struct clpy_object:
        void *dispatch
        void *disp_data
        uint32_t kind
        int32_t app_refs
        int32_t run_refs
        uint32_t index

    ctypedef struct clpy_launch:
        uint32_t work_dim
        uint32_t flags
        size_t global_offset[3]
        size_t global_size[3]
        size_t local_size[3]
        size_t num_groups[3]

    ctypedef struct clpy_group_mem:
        unsigned char *local
        unsigned char *context

    ctypedef void clpy_kernel_fn(const clpy_launch *launch, const unsigned char *args,
                                 const clpy_group_mem *mem,
                                 size_t gx_first, size_t gx_end, size_t gy, size_t gz) noexcept nogil
