# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from clpy.device.gpu.timing.model cimport Jump, Step

ctypedef struct Steps:           # of a Program, while that is there
    const Step *steps
    const Jump *jumps            # from each step
    const int32_t *first         # step of each block, and behind the last
    const uint32_t *memory       # of each block: its first entry in `extra`, and behind the last
    const uint8_t *extra         # for each memory step, block by block: words behind its lines in a trace
    int32_t n_blocks, n_steps
    int64_t n_code               # lines of the kernel's code; 0: nobody knows them

cdef class Program:
    cdef Steps view
    cdef Step *steps
    cdef Jump *jumps
    cdef int32_t *first
    cdef uint32_t *memory
    cdef uint8_t *extra
    cdef readonly int32_t n_blocks, n_steps
    cdef readonly list lines     # source line of each step
    cdef readonly list mixes     # of each step: what its instructions are, by class
    cdef readonly list blocks    # as they were given
    cdef int64_t n_code
    cdef check(self)
    cdef place(self)
    cdef fill(self)
    cdef put(self, int32_t at, int number, step)

# Cycles of each block for a wavefront that is alone, from malloc; `wait`: of one for vector memory; `taken`: of a
# branch. NULL: there is no memory.
cdef float *program_alone(Program program, int64_t wait, int64_t taken)
