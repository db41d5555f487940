# SPDX-License-Identifier: Apache-2.0
"""Named barriers of SPIR-V, which the translator does not know: pointers to local memory, and calls of functions of the
library (builtins/named_barrier.cl). Each OpNamedBarrierInitialize has memory of its own.
"""
from clpy.compiler.spirv import OP_TYPE_INT

OP_TYPE_NAMED_BARRIER, OP_INITIALIZE, OP_MEMORY_NAMED_BARRIER = 327, 328, 329
OP_TYPE_STRUCT, OP_TYPE_POINTER, OP_VARIABLE, WORKGROUP = 30, 32, 59, 4
CAPABILITY = 59
INIT, WAIT = "__clpy_named_barrier_init", "__clpy_named_barrier_wait"
WORDS = 3           # of a barrier


def initialize(of, type_id, count):
    """None is the memory."""
    if type_id != of.barriers.type or of.type_of[count] != of.barriers.word:
        raise ValueError("OpNamedBarrierInitialize makes a named barrier of a 32-bit number of sub-groups")
    return INIT, (None, count)


def wait(of, type_id, barrier, *scope_and_semantics):
    """For all memory, and all work-items of the device, whatever less is asked for."""
    if of.type_of[barrier] != of.barriers.type:
        raise ValueError("OpMemoryNamedBarrier waits at a named barrier")
    return WAIT, (barrier,)


class NamedBarriers:
    """Of a module; `of` is its Legalizer."""

    def __init__(self, of):
        self.of, self.type, self.word = of, 0, 0
        self.memory = {}        # result of an OpNamedBarrierInitialize -> its variable
        for i, opcode, count in of.module.instructions():
            if opcode == OP_TYPE_NAMED_BARRIER and count == 2:
                self.type = of.words[i + 1]
            elif opcode == OP_INITIALIZE and count == 4:
                self.memory[of.words[i + 2]] = of.new_id()
        if self.type:
            self.word = next((each for each, (kind, operands) in of.types.items()
                              if kind == OP_TYPE_INT and operands[0] == 32), 0) or of.new_id()

    def add_types(self):
        """Before all others: the integer is one that the module has, or a new one."""
        if self.type:
            struct = self.of.new_id()
            self.of.emit(OP_TYPE_INT, self.word, *self.of.types.get(self.word, (0, (32, 0)))[1])
            self.of.emit(OP_TYPE_STRUCT, struct, *[self.word] * WORDS)
            self.of.emit(OP_TYPE_POINTER, self.type, WORKGROUP, struct)

    def add_memory(self):
        for variable in self.memory.values():
            self.of.emit(OP_VARIABLE, self.type, variable, WORKGROUP)

    def is_added(self, type_id, *_):
        """Whether the type stands already before all others."""
        return type_id in (self.type, self.word)
