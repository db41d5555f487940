# SPDX-License-Identifier: Apache-2.0
"""Code of a kernel for launches that its first code is not made for.

That is made for what nearly all launches are like: arguments have memory of their own (distinct.pyx), groups are whole
vectors of work-items, ids stay far from what 31 bits hold, and images are of the formats of the first launch. A launch
that is not like that gets other code, which is made when the first one comes: that launch waits for the compiler.
"""
from clpy.abi cimport clpy_launch
from clpy.cl cimport cl_int
from clpy.core.distinct cimport has_distinct_memory
from clpy.core.formats cimport has_formats
from clpy.core.kernel cimport Kernel
from clpy.core.needed cimport ANY_GROUPS, GENERAL, needed_code
from clpy.core.program cimport Code, KernelCode

cdef enum:
    MOST_ID = 0x7FFE0000         # 2^31, but for more than clpy.compiler.analysis.transfer.NEAR and a group

cdef bint has_whole_groups(const KernelCode *kernel, const clpy_launch *shape) noexcept nogil:
    cdef size_t i, step
    for i in range(3):
        step = kernel.whole[i]
        if step > 1 and (shape.local_size[i] % step or shape.global_size[i] % step
                         or shape.global_size[i] > MOST_ID
                         or shape.global_offset[i] > MOST_ID - shape.global_size[i]):
            return False
    return True


cdef KernelCode *version_for(KernelCode *kernel, Code **code, const Kernel *k, const clpy_launch *shape,
                             cl_int *err) noexcept nogil:
    if kernel.wants_distinct and not has_distinct_memory(kernel, k):
        return needed_code(kernel, GENERAL, NULL, code, err)
    if ((kernel.wants_whole and not has_whole_groups(kernel, shape))
            or (kernel.wants_formats and not has_formats(kernel, k))):
        return needed_code(kernel, ANY_GROUPS, NULL, code, err)
    return kernel
