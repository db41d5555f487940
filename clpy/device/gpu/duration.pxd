# SPDX-License-Identifier: Apache-2.0
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport Run
from clpy.device.gpu.timing.chip_model cimport ChipModel
from clpy.device.gpu.timing.simulated cimport Simulated

# Nanoseconds that the chip takes for a launch that has run; `share`: the part of the chip that it fills.
cdef double launch_ns(const ChipModel *chip, const Launch *launch, Run *run, double *share) noexcept nogil
# What was traced of a launch, followed to the end, from malloc; NULL where nothing was, or it could not be.
cdef Simulated *follow(const ChipModel *chip, const Launch *launch, Run *run) noexcept nogil
