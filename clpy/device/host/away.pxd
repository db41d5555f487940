# SPDX-License-Identifier: Apache-2.0
"""The main thread of a Python program, while it runs groups of a kernel that was short until now: where it does not
come back, an interrupt makes it leave the kernel."""

# By that thread (clpy.signals), around each run of groups. Cheap.
cdef void away_begins() noexcept nogil
cdef void away_ends() noexcept nogil
# By that thread: did an interrupt make it leave what it ran since the last call?
cdef bint away_interrupted() noexcept nogil
