# SPDX-License-Identifier: Apache-2.0
"""The one platform."""

cdef void *the_platform() noexcept nogil                    # a cl_platform_id
cdef bint is_platform(const void *handle) noexcept nogil    # NULL is: it stands for the platform
cdef void adopt_platform(void *platform) noexcept nogil     # libclpy.so has made one before the core was there
