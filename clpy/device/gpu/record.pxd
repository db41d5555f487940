# SPDX-License-Identifier: Apache-2.0
"""What a launch on a model came to, kept as long as somebody may ask for it (Task.told)."""
from libc.stdint cimport int64_t, uint64_t
from clpy.device.base cimport Launch
from clpy.device.gpu.execution cimport Facts, Run
from clpy.device.gpu.timing.model cimport Stats
from clpy.device.gpu.timing.sampled cimport Sampled

ctypedef struct Record:
    Facts *facts                 # held
    int64_t global_size[3]
    int64_t local_size[3]
    int64_t lds_bytes
    int64_t traced               # groups of it that were followed
    int64_t queue                # Task.queue
    int64_t launch               # its number in that; 0: it has none
    int64_t sampled              # that of the launch whose sample the times are from; 0: it has none, or there is none
    double ns, cycles, uncertainty
    bint is_followed             # else there are counts, and a time by formula
    int64_t dirty_lines          # that were left in the L2
    Stats stats
    # in the same piece of memory
    uint64_t *counts             # by block, of all wavefronts
    uint64_t *lanes
    uint64_t *visits             # by block, of those that were followed
    int64_t *stalls              # by step, as Model's
    int64_t *uses

# `it`: NULL where nothing was followed. NULL: there is no memory.
cdef Record *record_new(const Sampled *it, const Launch *launch, const Run *run, double ns, double cycles,
                        double uncertainty) noexcept nogil
cdef void record_free(void *record) noexcept nogil
# With the GIL: the line of CLPY_GPU_PROFILE, and the same as JSON text.
cdef object record_line(void *record)
cdef object record_text(void *record)
