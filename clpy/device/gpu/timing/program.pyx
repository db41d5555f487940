# SPDX-License-Identifier: Apache-2.0
"""The static program of a kernel, as the translator of machine code hands it over: blocks of steps.

A step is anything with the attributes unit, kind, count, cycles, bytes, vm, lgkm, exp, line and mix; unit and kind are
words of the lists here, in small or large letters, or None or "" for no kind; cycles are of each of its instructions,
and so is `gap`, which not all have.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from clpy.device.gpu.timing.model cimport MOST_JUMP, SLICE, Jump, Step
from clpy.device.gpu.timing.waves cimport (
    KIND_ATOMIC, KIND_ATOMIC_RETURN, KIND_IMAGE_ATOMIC, UNIT_BARRIER, UNIT_BRANCH, UNIT_END, UNIT_LDS, UNIT_MESSAGE,
    UNIT_SALU, UNIT_SMEM, UNIT_VALU, UNIT_VMEM, UNIT_WAIT)

cdef tuple MEMORY = (UNIT_SMEM, UNIT_VMEM, UNIT_LDS)
cdef tuple ATOMICS = (KIND_ATOMIC, KIND_ATOMIC_RETURN, KIND_IMAGE_ATOMIC)
cdef tuple CLOSING = (UNIT_BARRIER, UNIT_END)

cdef enum:
    CODE_LINE = 64               # bytes of the instruction cache

UNITS = ("valu", "salu", "branch", "smem", "vmem", "lds", "export", "message", "wait", "barrier", "end")
KINDS = ("", "load", "store", "atomic", "atomic_return", "image_load", "image_store", "image_sample", "image_atomic",
         "cached_load")
UNIT_NUMBERS = {name: number for number, name in enumerate(UNITS)}
KIND_NUMBERS = {name: number for number, name in enumerate(KINDS)}


cdef float *program_alone(Program program, int64_t wait, int64_t taken):
    cdef float *cycles = <float *> calloc(program.n_blocks, sizeof(float))
    cdef int64_t at
    if cycles != NULL:
        for at in range(program.n_steps):
            cycles[program.steps[at].block] += program.steps[at].cycles + program.steps[at].gap
            if program.steps[at].unit == UNIT_BRANCH and program.steps[at].last:
                cycles[program.steps[at].block] += max(taken - <int64_t> program.steps[at].cycles, 0)
            if program.steps[at].unit == UNIT_WAIT and program.steps[at].vm == 0:
                cycles[program.steps[at].block] += wait
    return cycles


cdef void find_jumps(const Step *steps, Jump *jumps, int32_t n_steps) noexcept nogil:
    """A wavefront that nobody comes before does them in one."""
    cdef int32_t first, at, unit
    cdef Jump *jump
    for first in range(n_steps):
        jump = jumps + first
        for at in range(first, min(first + <int32_t> MOST_JUMP, n_steps)):
            unit = steps[at].unit
            if unit > UNIT_SALU or steps[at].last or (unit == UNIT_VALU and steps[at].cycles > SLICE):
                break
            jump.n += 1
            jump.cycles += steps[at].cycles + steps[at].gap
            jump.since[0] += steps[at].cycles + steps[at].gap
            jump.since[1] += steps[at].cycles + steps[at].gap
            jump.has[unit] = 1
            jump.since[unit] = steps[at].gap
        if jump.n < 2:
            memset(jump, 0, sizeof(Jump))


cdef class Program:
    """The steps of all blocks in one array."""

    def __init__(self, blocks):
        self.blocks = [list(block) for block in blocks]
        self.n_blocks = len(self.blocks)
        if not self.n_blocks:
            raise ValueError("a program without blocks")
        self.check()
        # A block without steps has one that takes no time, so that a wavefront is always at a step.
        self.n_steps = sum(max(len(block), 1) for block in self.blocks)
        self.lines, self.mixes = [], []
        self.steps = <Step *> calloc(self.n_steps, sizeof(Step))
        self.jumps = <Jump *> calloc(self.n_steps, sizeof(Jump))
        self.first = <int32_t *> calloc(self.n_blocks + 1, sizeof(int32_t))
        self.memory = <uint32_t *> calloc(self.n_blocks + 1, sizeof(uint32_t))
        self.extra = <uint8_t *> calloc(self.n_steps, 1)
        if (self.steps == NULL or self.jumps == NULL or self.first == NULL or self.memory == NULL
                or self.extra == NULL):
            raise MemoryError("no memory for the program of a kernel")
        self.fill()
        self.place()
        find_jumps(self.steps, self.jumps, self.n_steps)
        self.view = Steps(self.steps, self.jumps, self.first, self.memory, self.extra, self.n_blocks, self.n_steps,
                          self.n_code)

    def __dealloc__(self):
        free(self.steps)
        free(self.jumps)
        free(self.first)
        free(self.memory)
        free(self.extra)

    cdef check(self):
        for number, block in enumerate(self.blocks):
            for place, step in enumerate(block):
                unit = UNIT_NUMBERS.get(str(step.unit).lower())
                if unit is None:
                    raise ValueError(f"block {number}, step {place}: there is no unit {step.unit}")
                if (step.kind or "").lower() not in KIND_NUMBERS:
                    raise ValueError(f"block {number}, step {place}: there is no kind {step.kind}")
                if unit in CLOSING and place != len(block) - 1:
                    raise ValueError(f"block {number}, step {place}: a barrier or an end is the last of its block")
                if unit in MEMORY and step.count != 1:
                    raise ValueError(f"block {number}, step {place}: memory instructions are steps of their own")

    cdef fill(self):
        cdef int32_t at = 0
        cdef uint32_t n_memory = 0
        for number, block in enumerate(self.blocks):
            self.first[number] = at
            self.memory[number] = n_memory
            for step in block:
                self.put(at, number, step)
                if self.steps[at].unit in MEMORY:
                    self.extra[n_memory] = self.steps[at].kind in ATOMICS
                    n_memory += 1
                at += 1
            if not block:
                self.steps[at].unit = UNIT_MESSAGE
                self.steps[at].block = number
                self.lines.append(0)
                self.mixes.append({})
                at += 1
            self.steps[at - 1].last = 1
        self.first[self.n_blocks] = at
        self.memory[self.n_blocks] = n_memory

    cdef place(self):
        """The lines of code of each step, from the kernel's first on. What the step before has is not asked twice."""
        cdef int32_t at
        cdef int64_t start, behind, done
        placed = [step for block in self.blocks for step in block if getattr(step, "size", 0)]
        if not placed:
            return
        low = min(step.at for step in placed) // CODE_LINE
        self.n_code = max(step.at + step.size - 1 for step in placed) // CODE_LINE - low + 1
        for number, block in enumerate(self.blocks):
            at, done = self.first[number], -1
            for step in block:
                start = max(step.at // CODE_LINE - low, done)
                behind = (step.at + step.size - 1) // CODE_LINE - low + 1 if step.size else start
                self.steps[at].code, self.steps[at].n_code = start, max(behind - start, 0)
                done = max(done, behind)
                at += 1

    cdef put(self, int32_t at, int number, step):
        cdef Step *into = self.steps + at
        into.unit = UNIT_NUMBERS[str(step.unit).lower()]
        into.kind = KIND_NUMBERS[(step.kind or "").lower()]
        into.vm = min(step.vm, 255)
        into.lgkm = min(step.lgkm, 255)
        into.exp = min(step.exp, 255)
        into.count = step.count
        into.cycles = step.cycles * step.count
        into.gap = getattr(step, "gap", 0) * step.count
        into.bytes = step.bytes
        into.block = number
        self.lines.append(step.line)
        self.mixes.append(step.mix or {})

    def first_step(self, int block):
        """Number of a block's first step."""
        if not 0 <= block <= self.n_blocks:
            raise IndexError(block)
        return self.first[block]
