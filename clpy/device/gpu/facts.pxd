# SPDX-License-Identifier: Apache-2.0
"""How long what is known of a kernel stays."""
from libc.stdint cimport int32_t
from clpy.device.gpu.execution cimport Facts

cdef Facts *facts_hold(const Facts *facts) noexcept nogil
# By any thread. Those that nobody holds any more are taken by whoever has the GIL, to forget the rest of them.
cdef void facts_drop(Facts *facts) noexcept nogil
cdef Facts *facts_dropped() noexcept nogil
# By what has the code, when that goes.
cdef void facts_go(Facts *facts) noexcept nogil
# How many have gone so far.
cdef int32_t facts_gone() noexcept nogil
