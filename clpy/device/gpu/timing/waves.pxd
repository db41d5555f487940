# SPDX-License-Identifier: Apache-2.0
"""include/clpy_wave.h: what a translated kernel tells of its wavefronts."""
from libc.stdint cimport uint32_t, uint64_t

cdef extern from "clpy_wave.h" nogil:
    enum:
        CLPY_WAVE_HEADER
        CLPY_WAVE_HEADER_WORDS
    const uint64_t CLPY_LINE_SCRATCH

    enum clpy_unit:
        CLPY_UNIT_VALU
        CLPY_UNIT_SALU
        CLPY_UNIT_BRANCH
        CLPY_UNIT_SMEM
        CLPY_UNIT_VMEM
        CLPY_UNIT_LDS
        CLPY_UNIT_EXPORT
        CLPY_UNIT_MESSAGE
        CLPY_UNIT_WAIT
        CLPY_UNIT_BARRIER
        CLPY_UNIT_END
        CLPY_UNIT_COUNT

    enum clpy_memory_kind:
        CLPY_MEMORY_NONE
        CLPY_MEMORY_LOAD
        CLPY_MEMORY_STORE
        CLPY_MEMORY_ATOMIC
        CLPY_MEMORY_ATOMIC_RETURN
        CLPY_MEMORY_IMAGE_LOAD
        CLPY_MEMORY_IMAGE_STORE
        CLPY_MEMORY_IMAGE_SAMPLE

    enum:
        CLPY_WAIT_ANY

    ctypedef struct clpy_wave_sink:
        uint64_t *counts
        uint64_t *lanes
        uint32_t *at
        uint32_t *end
        void (*more)(clpy_wave_sink *self, uint32_t words)
