# SPDX-License-Identifier: Apache-2.0
"""include/clpy_abi.h for Python: its version, its numbers, the byte offsets of the fields that generated code reads."""
from clpy.abi cimport (CLPY_ABI_VERSION, CLPY_ARG_CONSTANT, CLPY_ARG_GLOBAL, CLPY_ARG_IMAGE, CLPY_ARG_LOCAL,
                       CLPY_ARG_PIPE, CLPY_ARG_QUEUE, CLPY_ARG_SAMPLER, CLPY_ARG_VALUE, CLPY_LAUNCH_STREAMS,
                       clpy_group_mem, clpy_image, clpy_launch, clpy_observer)

cdef clpy_launch launch
cdef clpy_group_mem mem
cdef clpy_image image
cdef clpy_observer observer

ABI_VERSION = CLPY_ABI_VERSION
KERNEL_PREFIX = "__clpy_kernel."     # of the symbol of a kernel's machine code
LAUNCH_BYTES = sizeof(clpy_launch)
LAUNCH_STREAMS = CLPY_LAUNCH_STREAMS
ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL = CLPY_ARG_VALUE, CLPY_ARG_GLOBAL, CLPY_ARG_CONSTANT, CLPY_ARG_LOCAL
ARG_IMAGE, ARG_SAMPLER, ARG_PIPE, ARG_QUEUE = CLPY_ARG_IMAGE, CLPY_ARG_SAMPLER, CLPY_ARG_PIPE, CLPY_ARG_QUEUE

LAUNCH = {
    "flags": <char *>&launch.flags - <char *>&launch,
    "work_dim": <char *>&launch.work_dim - <char *>&launch,
    "global_offset": <char *>&launch.global_offset - <char *>&launch,
    "global_size": <char *>&launch.global_size - <char *>&launch,
    "local_size": <char *>&launch.local_size - <char *>&launch,
    "num_groups": <char *>&launch.num_groups - <char *>&launch,
    "observer": <char *>&launch.observer - <char *>&launch,
}
OBSERVER = {
    "wave": <char *>&observer.wave - <char *>&observer,
    "block": <char *>&observer.block - <char *>&observer,
    "branch": <char *>&observer.branch - <char *>&observer,
    "memory": <char *>&observer.memory - <char *>&observer,
    "barrier": <char *>&observer.barrier - <char *>&observer,
}
GROUP_MEM = {
    "local": <char *>&mem.local - <char *>&mem,
    "context": <char *>&mem.context - <char *>&mem,
}
IMAGE_BYTES = sizeof(clpy_image)
IMAGE = {
    "data": <char *>&image.data - <char *>&image,
    "row_pitch": <char *>&image.row_pitch - <char *>&image,
    "slice_pitch": <char *>&image.slice_pitch - <char *>&image,
    "width": <char *>&image.width - <char *>&image,
    "height": <char *>&image.height - <char *>&image,
    "depth": <char *>&image.depth - <char *>&image,
    "array_size": <char *>&image.array_size - <char *>&image,
    "channel_order": <char *>&image.channel_order - <char *>&image,
    "channel_type": <char *>&image.channel_type - <char *>&image,
    "pixel_bytes": <char *>&image.pixel_bytes - <char *>&image,
    "num_mip_levels": <char *>&image.num_mip_levels - <char *>&image,
    "num_samples": <char *>&image.num_samples - <char *>&image,
    "is_large": <char *>&image.is_large - <char *>&image,
}
