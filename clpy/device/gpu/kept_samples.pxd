# SPDX-License-Identifier: Apache-2.0
"""Samples of launches, for those of the same queue that are like them."""
from clpy.device.base cimport Launch, Task
from clpy.device.gpu.execution cimport Run
from clpy.device.gpu.timing.simulated cimport Simulated

# Before the launch runs: its number, what it is like, and Run.reused where a sample is there that will do.
cdef void kept_find(Run *run, const Task *task) noexcept nogil
# When all its groups are traced, and wanted to be: whether Run.reused is there now, of a launch that did the same.
cdef bint kept_same_ways(Run *run, const Launch *launch, const Simulated *traced) noexcept nogil
# When its time has been taken from such a sample.
cdef void kept_after_reuse(Run *run) noexcept nogil
# When that was of its own: Run.sampled, which is taken over.
cdef void kept_after_sample(Run *run) noexcept nogil
cdef void kept_drop(void *kept) noexcept nogil          # DeviceOps.drop_kept
