# SPDX-License-Identifier: Apache-2.0
"""What VLIW chips (Evergreen and Northern Islands) have of their own: one SIMD in a compute unit, clauses, two paths.

- A bundle holds the SIMD for issue.bundle cycles, and its wavefront's next one begins issue.bundle_alone after it: an
  even and an odd wavefront take turns, one alone leaves half of the SIMD's time. A wavefront is even or odd from its
  start to its end, and those that are share their turns as those of a GCN chip's SIMD share that.
- What addresses memory or local memory takes a turn, too. While local memory repeats an access, for conflicts of banks,
  no wavefront has its turn.
- Between two clauses a wavefront waits for issue.clause cycles, in which others go on.
- Loads of memory that a kernel may write are kept in no cache. KIND_CACHED_LOAD is of what it only reads: constants,
  and buffers that are const and restrict.
- FastPath takes loads as lines, and caches.fast_elements stores of work-items a cycle and channel. A kernel with an
  atomic operation or a store of less than 32 bits, executed or not, does all on CompletePath: loads that go past the
  caches, stores and atomic operations, caches.complete_elements a cycle and channel. Which work-items are off is not
  known here: all are taken to be on.
"""
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.model cimport FINE, Model, Step, Vliw, service_of
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.waves cimport (
    KIND_ATOMIC, KIND_ATOMIC_RETURN, KIND_LOAD, KIND_STORE, UNIT_VMEM)

cdef enum:
    LINE_BYTES = 64
    ELEMENT = 16                 # bytes of one at most
    WORD = 4


cdef inline bint is_operation(const Step *step) noexcept nogil:
    return step.kind == KIND_ATOMIC or step.kind == KIND_ATOMIC_RETURN


cdef inline bint is_on_complete_path(const Steps *steps) noexcept nogil:
    """A single operation that needs it is enough."""
    cdef int64_t i
    for i in range(steps.n_steps):
        if steps.steps[i].unit == UNIT_VMEM and (is_operation(steps.steps + i) or (
                steps.steps[i].kind == KIND_STORE and steps.steps[i].bytes < WORD)):
            return True
    return False


cdef inline int64_t elements(const Step *step, uint32_t lines, int64_t lanes) noexcept nogil:
    """That an instruction wants of each of so many lines."""
    cdef int64_t of_line = LINE_BYTES // max(min(<int64_t> step.bytes, <int64_t> ELEMENT), 1)
    return max(min(of_line, (lanes + lines - 1) // <int64_t> max(lines, 1)), 1)


cdef inline int64_t element_fine(const Vliw *vliw, const Step *step, bint is_complete) noexcept nogil:
    """1/FINE of a cycle that a channel is busy with one of them; 0: it takes lines."""
    if step.kind == KIND_LOAD:
        return vliw.complete_fine if is_complete else 0
    if step.kind == KIND_STORE or is_operation(step):
        return vliw.complete_fine if is_complete else vliw.fast_fine
    return 0


cdef inline void takes_path(Model *model, const Step *step, uint32_t lines) noexcept nogil:
    """A channel of the L2 is busy for as long with each line that the next instruction asks for."""
    cdef int64_t fine = element_fine(&model.vliw, step, model.vliw.is_complete)
    cdef int64_t n = elements(step, lines, model.lanes)
    model.vliw.goes_past = step.kind == KIND_LOAD
    model.least_operations = 1
    model.l2_cycles = max(model.vliw.line_cycles, (n * fine + FINE - 1) // FINE)
    model.l2_line = service_of(model, model.l2_cycles)
    if is_operation(step):       # one by one; other units' as many as there are places for
        model.least_operations = n
        model.l2_cycles = max(model.vliw.line_cycles, (fine + FINE - 1) // FINE)
