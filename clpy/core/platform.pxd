# SPDX-License-Identifier: Apache-2.0
"""The one platform."""

cdef void *the_platform() noexcept nogil                    # a cl_platform_id
cdef bint is_platform(const void *handle) noexcept nogil    # NULL is: it stands for the platform
# With the GIL. The bytes of an answer; None when the platform has no such query.
cdef object platform_answer(int param)
cdef void adopt_platform(void *platform) noexcept nogil     # libclpy.so has made one before the core was there
