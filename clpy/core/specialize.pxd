# SPDX-License-Identifier: Apache-2.0
"""Launch specialization: machine code for one work-group size and one format of each image, made in the background for
kernels that run long.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.abi cimport clpy_kernel_fn
from clpy.core.formats cimport MOST_FORMATS
from clpy.core.program cimport Code, KernelCode
from clpy.core.trial cimport Trial
from clpy.device.base cimport Launch, Took

cdef enum:
    SIZE_BITS = 21               # of each dimension in a packed local size

cdef inline size_t size_along(uint64_t packed, uint32_t dimension) noexcept nogil:
    return packed >> (dimension * SIZE_BITS) & ((1 << SIZE_BITS) - 1)

ctypedef struct Shape:           # what code is made for
    uint64_t size                # the local size, packed
    uint32_t formats[MOST_FORMATS]    # of its images (formats.pxd)

ctypedef struct Special:         # belongs to the Code of the kernel it specializes, and lives as long
    Shape shape
    KernelCode *kernel           # `made`, `other`, or `general` while there is none and where it is no faster; atomic
    KernelCode *general          # what it was made from
    KernelCode *made             # in `code`
    Code *code                   # held; NULL: there is none for this shape, and none will be made
    KernelCode *other            # in `other_code`: some regions as vectors that were not, or the other way round
    Code *other_code             # held; NULL: there is none
    bint other_won               # it is the faster one for this shape
    bint in_doubt                # it should be compared with such code
    int32_t in_trial             # it is compared with `kernel`; atomic
    Trial trial
    uint64_t general_ns          # what a group took before, or when looked at again; atomic
    uint64_t best_ns             # what it took at best with this code, 0 when unknown; atomic
    int32_t uses                 # atomic; counts to the comparisons and no further
    Special *next

# The code to launch with: `kernel` itself, or what was made of it for launches of this shape, which takes the same
# arguments and memory; the launch is cut into other groups where there is code for these (cut.pxd). Counts the kernel's
# time, and asks for special code where enough of it went into one shape. A thread that `may_wait` looks into the cache
# of programs for what was made before. `took`: where what this launch takes belongs, if it counts in a trial.
cdef KernelCode *specialized(KernelCode *kernel, Code *code, Launch *launch, bint may_wait,
                             Took **took) noexcept nogil
# What the machine code `fn` belongs to: `code`, which `kernel` is of, or what was made of it for some shape.
cdef const Code *special_code(const KernelCode *kernel, const Code *code, const clpy_kernel_fn *fn) noexcept nogil
