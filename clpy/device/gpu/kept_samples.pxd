# SPDX-License-Identifier: Apache-2.0
"""Samples of launches, for those of the same queue that are like them."""
from clpy.device.base cimport Task
from clpy.device.gpu.execution cimport Run

# Before the launch runs: its number, what it is like, and Run.reused where a sample is there that will do.
cdef void kept_find(Run *run, const Task *task) noexcept nogil
# When its time has been taken from such a sample.
cdef void kept_after_reuse(Run *run) noexcept nogil
# When that was of its own: Run.sampled, which is taken over.
cdef void kept_after_sample(Run *run) noexcept nogil
cdef void kept_drop(void *kept) noexcept nogil          # DeviceOps.drop_kept
