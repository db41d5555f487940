# SPDX-License-Identifier: Apache-2.0
from clpy.device.gpu.timing.simulated cimport Simulated

# The L2 has what groups before those that are followed have left in it, where there are so many of them; the groups
# are there.
cdef void fill_l2(Simulated *it) noexcept nogil
