# SPDX-License-Identifier: Apache-2.0
"""What Intel's Gen chips have of their own: EUs of two FPUs, and one port of a subslice for all of its memory.

- A compute unit is a subslice, a SIMD an EU, a wavefront a thread of one, of 8, 16 or 32 work-items.
- Arithmetic takes the FPU that is free first; UNIT_SALU is what only the second one can do: mathematical functions.
- No code says where a thread waits for a result of its own: Step.gap is that time, in which other threads go on. Where
  it wants what a message brings there is a step that waits.
- Loads come from the L3, which is the model's L2; there is no L1. Local memory is behind the same data port.
- Only what comes back counts among the outstanding. A memory fence waits for the rest, as for exports of GCN chips.
- A jump keeps its own thread's front end busy, and no other's.
"""
from libc.stdint cimport int64_t
from clpy.device.gpu.timing.model cimport ComputeUnit, Model, Step, Wave
from clpy.device.gpu.timing.waves cimport (
    KIND_ATOMIC, KIND_IMAGE_ATOMIC, KIND_IMAGE_STORE, KIND_STORE, UNIT_SALU)


cdef inline int64_t *issue_port(const Model *model, ComputeUnit *unit, const Wave *wave,
                                const Step *step) noexcept nogil:
    """When what does arithmetic is free."""
    cdef int64_t *port = unit.issue_free[step.unit] + wave.simd
    cdef int64_t *other = unit.issue_free[UNIT_SALU] + wave.simd
    return other if model.is_gen and other[0] < port[0] else port


cdef inline int64_t *local_port(const Model *model, ComputeUnit *unit) noexcept nogil:
    return &unit.vmem_free if model.is_gen else &unit.lds_free


cdef inline bint comes_back(const Step *step) noexcept nogil:
    return not (step.kind == KIND_STORE or step.kind == KIND_ATOMIC or step.kind == KIND_IMAGE_STORE
                or step.kind == KIND_IMAGE_ATOMIC)
