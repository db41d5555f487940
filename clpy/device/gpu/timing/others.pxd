# SPDX-License-Identifier: Apache-2.0
from clpy.device.gpu.timing.simulated cimport Simulated

# Fills Model.asked. False: there is no memory. others_close goes with it in any case.
cdef bint find_others(Simulated *it) noexcept nogil
cdef void others_close(Simulated *it) noexcept nogil
