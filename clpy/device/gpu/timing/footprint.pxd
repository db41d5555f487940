# SPDX-License-Identifier: Apache-2.0
from clpy.device.gpu.timing.simulated cimport Simulated

# Lines that all compute units touch, by those that the followed ones touch, where there are `share` times as many; 0:
# there is no memory to find out.
cdef double footprint(const Simulated *it, double share) noexcept nogil
