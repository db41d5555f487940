# SPDX-License-Identifier: Apache-2.0
from clpy.device.gpu.timing.device_memory cimport DeviceMemory
from clpy.device.gpu.timing.program cimport Program
from clpy.device.gpu.timing.simulated cimport Simulated

cdef class Simulation:
    cdef Simulated it
    cdef Program program
    cdef DeviceMemory memory
    cdef readonly object chip, occupancy, resources
    cdef readonly tuple groups
    cdef readonly object round       # groups that fill the device
