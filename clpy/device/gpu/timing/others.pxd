# SPDX-License-Identifier: Apache-2.0
from clpy.device.gpu.timing.simulated cimport Simulated

# Fills Model.asked. False: there is no memory.
cdef bint find_others(Simulated *it) noexcept nogil
