# SPDX-License-Identifier: Apache-2.0
"""include/clpy_wave.h: what a translated kernel tells of its wavefronts. And numbers for the words of its program."""
from libc.stdint cimport uint32_t, uint64_t

cdef extern from "clpy_wave.h" nogil:
    const uint32_t CLPY_WAVE_BEGINS
    enum:
        CLPY_WAVE_HEADER
    const uint32_t CLPY_WAVE_RUN
    const uint32_t CLPY_WAVE_LINES
    const uint64_t CLPY_WAVE_PRIVATE
    const uint64_t CLPY_WAVE_ARGUMENTS

    ctypedef struct clpy_wave_sink:
        uint64_t *counts
        uint64_t *lanes
        uint32_t *at
        uint32_t *end
        void (*more)(clpy_wave_sink *self, uint32_t words)
        void *printf_buffer
        uint64_t most_instructions
        const void **host_calls
        const void *quiet
        uint64_t is_silent
        uint64_t most_waves
        const uint64_t *sizes

cdef enum:                       # units, in the order of program.UNITS
    UNIT_VALU
    UNIT_SALU
    UNIT_BRANCH                  # `cycles` if not taken; a wavefront that goes on elsewhere than behind it took it
    UNIT_SMEM
    UNIT_VMEM
    UNIT_LDS
    UNIT_EXPORT
    UNIT_MESSAGE                 # s_sendmsg, s_nop, s_sleep: of the wavefront alone
    UNIT_WAIT                    # s_waitcnt
    UNIT_BARRIER
    UNIT_END
    UNIT_COUNT

cdef enum:                       # kinds, in the order of program.KINDS
    KIND_NONE
    KIND_LOAD
    KIND_STORE
    KIND_ATOMIC
    KIND_ATOMIC_RETURN
    KIND_IMAGE_LOAD
    KIND_IMAGE_STORE
    KIND_IMAGE_SAMPLE
    KIND_IMAGE_ATOMIC
    KIND_CACHED_LOAD             # of VLIW chips, whose other loads go past the caches
    KIND_COUNT

cdef enum:
    WAIT_ANY = 255               # of vm, lgkm and exp: any number may be outstanding


cdef inline uint32_t lines_of(uint32_t word) noexcept nogil:
    """How many lines a step touches, by the first of its words."""
    return word & CLPY_WAVE_LINES


cdef inline uint32_t told_of(uint32_t word) noexcept nogil:
    """How many of them stand behind it."""
    return 1 if word & CLPY_WAVE_RUN else word & CLPY_WAVE_LINES


cdef inline uint32_t nth_line(const uint32_t *words, uint32_t i) noexcept nogil:
    """Of a prepared trace."""
    return words[1] + i if words[0] & CLPY_WAVE_RUN else words[1 + i]
