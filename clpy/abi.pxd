# SPDX-License-Identifier: Apache-2.0
"""Mirror of include/clpy_abi.h, field for field."""
from libc.stdint cimport int32_t, uint32_t, uint64_t

cdef extern from "clpy_abi.h" nogil:
    enum:
        CLPY_ABI_VERSION
        CLPY_LAUNCH_STREAMS
        CLPY_LAUNCH_ZERO_LOCAL
        CLPY_LAUNCH_CONCURRENT
        CLPY_ARG_VALUE
        CLPY_ARG_GLOBAL
        CLPY_ARG_CONSTANT
        CLPY_ARG_LOCAL
        CLPY_ARG_IMAGE
        CLPY_ARG_SAMPLER
        CLPY_ARG_PIPE
        CLPY_ARG_QUEUE
        CLPY_SAMPLER_NORMALIZED
        CLPY_SAMPLER_NONE
        CLPY_SAMPLER_CLAMP_TO_EDGE
        CLPY_SAMPLER_CLAMP
        CLPY_SAMPLER_REPEAT
        CLPY_SAMPLER_MIRRORED_REPEAT
        CLPY_SAMPLER_NEAREST
        CLPY_SAMPLER_LINEAR
        CLPY_SAMPLER_MIP_LINEAR
        CLPY_SAMPLER_LOD_MIN_SHIFT
        CLPY_SAMPLER_LOD_MAX_SHIFT
        CLPY_SAMPLER_LOD_UNITS
        CLPY_SAMPLER_LOD_LIMIT

    ctypedef struct clpy_object:
        void *dispatch
        void *disp_data
        uint32_t kind
        uint32_t index
        int32_t app_refs
        int32_t run_refs
        int32_t named

    ctypedef struct clpy_image:          # clpy_image.h says where each pixel is
        unsigned char *data
        size_t row_pitch
        size_t slice_pitch
        uint32_t width
        uint32_t height
        uint32_t depth
        uint32_t array_size
        uint32_t channel_order
        uint32_t channel_type
        uint32_t pixel_bytes
        uint32_t num_mip_levels
        uint32_t num_samples
        uint32_t is_large

    ctypedef struct clpy_observer:
        void (*wave)(clpy_observer *self, uint64_t group_x, uint64_t group_y, uint64_t group_z, uint64_t first,
                     uint64_t mask) noexcept nogil
        void (*block)(clpy_observer *self, uint32_t site, uint64_t mask) noexcept nogil
        void (*branch)(clpy_observer *self, uint32_t site, uint64_t mask, uint64_t taken) noexcept nogil
        void (*memory)(clpy_observer *self, uint32_t site, uint64_t mask, const uint64_t *addresses) noexcept nogil
        void (*barrier)(clpy_observer *self, uint32_t site, uint64_t mask) noexcept nogil

    ctypedef struct clpy_launch:
        uint32_t work_dim
        uint32_t flags
        size_t global_offset[3]
        size_t global_size[3]
        size_t local_size[3]
        size_t num_groups[3]
        clpy_observer *observer

    ctypedef struct clpy_group_mem:
        unsigned char *local
        unsigned char *context

    ctypedef void clpy_kernel_fn(const clpy_launch *launch, const unsigned char *args,
                                 const clpy_group_mem *mem,
                                 size_t gx_first, size_t gx_end, size_t gy, size_t gz) noexcept nogil
