# SPDX-License-Identifier: Apache-2.0
"""How long what is known of a kernel stays: its code, records of launches and kept samples hold it."""
from libc.stdint cimport int32_t
from clpy.atomics cimport atomic_add_i32, atomic_load_i32, atomic_store_i32
from clpy.device.gpu.execution cimport Facts
from clpy.stack cimport stack_push, stack_take

cdef void *dropped = NULL        # stack of Facts; atomic
cdef int32_t gone = 0            # atomic


cdef Facts *facts_hold(const Facts *facts) noexcept nogil:
    atomic_add_i32(&(<Facts *>facts).users, 1)
    return <Facts *>facts


cdef void facts_drop(Facts *facts) noexcept nogil:
    if atomic_add_i32(&facts.users, -1) == 1:
        stack_push(&dropped, facts)


cdef Facts *facts_dropped() noexcept nogil:
    return <Facts *>stack_take(&dropped)


cdef void facts_go(Facts *facts) noexcept nogil:
    atomic_store_i32(&facts.is_gone, 1)
    atomic_add_i32(&gone, 1)
    facts_drop(facts)


cdef int32_t facts_gone() noexcept nogil:
    return atomic_load_i32(&gone)
