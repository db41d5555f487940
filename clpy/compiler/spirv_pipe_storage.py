# SPDX-License-Identifier: Apache-2.0
"""Pipes that are variables of the program (PipeStorage), of which the translator makes no valid module: a variable
whose first value is an OpConstantPipeStorage becomes the memory of such a pipe (clpy_pipe.h), empty, and where it is
made a pipe its address is one (spirv_pipes.py).

    OpVariable with OpConstantPipeStorage   a structure: a header of words, and zeros
    OpLoad of it                            goes
    OpCreatePipeFromPipeStorage             a call (spirv_imports.py), by an opcode of our own

What has a name for the host (HostAccessINTEL) is exported by a symbol of for_host.py. For a variable that is no pipe
another one stands, as it may have a symbol of its own.
"""
from array import array

from clpy.compiler.for_host import symbol_of
from clpy.compiler.spirv import HEADER_WORDS, OP_CAPABILITY, OP_DECORATE, OP_FUNCTION, OP_TYPE_INT, Module
from clpy.compiler.spirv_device_barriers import OP_LOAD, OP_NAME, OP_VARIABLE

STORAGE_CAPABILITY, HOST_CAPABILITY = 60, 6187
EXTENSION = b"SPV_INTEL_global_variable_host_access"
CREATE_READER, CREATE_WRITER = 0xFFF2, 0xFFF3       # no instructions of SPIR-V have these
OF_STORAGE = {CREATE_READER: "__clpy_pipe_of_storage_ro", CREATE_WRITER: "__clpy_pipe_of_storage_wo"}

OP_EXTENSION, OP_TYPE_VOID, OP_TYPE_ARRAY, OP_TYPE_STRUCT, OP_TYPE_POINTER, OP_TYPE_PIPE = 10, 19, 28, 30, 32, 38
OP_CONSTANT, OP_CONSTANT_COMPOSITE, OP_CONSTANT_NULL, OP_BITCAST = 43, 44, 46, 124
OP_TYPE_PIPE_STORAGE, OP_CONSTANT_PIPE_STORAGE, OP_CREATE_PIPE = 322, 323, 324
ALIGNMENT, LINKAGE_ATTRIBUTES, EXPORT, HOST_ACCESS = 44, 41, 0, 6188
CROSS_WORKGROUP, WRITE_ONLY = 5, 1
HEAD_WORDS, PACKET_SIZE_AT, MAX_PACKETS_AT = 32, 2, 3      # of clpy_pipe
PIPE_ALIGN = 128
MOST_BYTES = 1 << 26


def create(opcode):
    """What spirv_imports.py calls."""
    return lambda of, type_id, address: (OF_STORAGE[opcode], (address,))


def memory_words(packet_size, max_packets):
    """Words behind the header."""
    numbers = -(-8 * max_packets // PIPE_ALIGN) * PIPE_ALIGN
    size = numbers + packet_size * max_packets
    if not packet_size or size > MOST_BYTES:
        raise ValueError(f"a pipe of {max_packets} packets of {packet_size} bytes that is a variable of the program")
    return -(-size // 4)


class Rewriter:
    def __init__(self, module):
        self.module, self.words = module, module.words
        self.next_id = module.words[3]
        self.out = array("I", module.words[:HEADER_WORDS])
        self.types = {}             # what is made of types and constants -> id
        self.readers = {}           # id of a type of pipes -> are they read?
        self.storage_types = set()  # and of pointers to it
        self.sizes = {}             # id of a storage constant -> (bytes of a packet, packets)
        self.pipes = {}             # id of a variable -> the same
        self.loads = {}             # id of what is loaded of one -> the variable
        self.hosts = {}             # id of a variable -> (what the host may do, its name)
        self.others = {}            # of those that are no pipes: -> id of what stands for it
        self.own_word = 0
        self.read()

    def read(self):
        words = self.words
        for i, opcode, count in self.module.instructions():
            operands = words[i + 1:i + count]
            if opcode == OP_TYPE_INT and tuple(operands[1:]) == (32, 0):
                self.own_word = operands[0]
            elif opcode == OP_TYPE_PIPE_STORAGE or (opcode == OP_TYPE_POINTER and operands[2] in self.storage_types):
                self.storage_types.add(operands[0])
            elif opcode == OP_TYPE_PIPE:
                self.readers[operands[0]] = operands[1] != WRITE_ONLY
            elif opcode == OP_CONSTANT_PIPE_STORAGE:
                self.sizes[operands[1]] = operands[2], max(1, operands[4])
            elif opcode == OP_VARIABLE and count == 5 and operands[3] in self.sizes:
                self.pipes[operands[1]] = self.sizes[operands[3]]
            elif opcode == OP_LOAD and count > 3 and operands[2] in self.pipes:
                self.loads[operands[1]] = operands[2]
            elif opcode == OP_DECORATE and count > 4 and operands[1] == HOST_ACCESS:
                self.hosts[operands[0]] = operands[2], operands[3:].tobytes().split(b"\0")[0]

    def new_id(self):
        self.next_id += 1
        return self.next_id - 1

    def emit(self, opcode, *operands):
        self.out.extend((len(operands) + 1 << 16 | opcode, *operands))

    # ---- types and constants, each once

    def made(self, key, opcode, *operands, first=()):
        """The id of a type or a constant of ours; `first` stands before the id."""
        if key not in self.types:
            self.types[key] = self.new_id()
            self.emit(opcode, *first, self.types[key], *operands)
        return self.types[key]

    def word(self):
        """The module's own where it has one, which then comes earlier: there must not be two."""
        if ("int",) not in self.types:
            self.types["int",] = self.own_word or self.new_id()
            self.emit(OP_TYPE_INT, self.types["int",], 32, 0)
        return self.types["int",]

    def number(self, value):
        word = self.word()
        return self.made(("constant", value), OP_CONSTANT, value, first=(word,))

    def words_type(self, n):
        word, length = self.word(), self.number(n)
        return self.made(("array", n), OP_TYPE_ARRAY, word, length)

    def pointer_to_word(self):
        word = self.word()
        return self.made(("pointer",), OP_TYPE_POINTER, CROSS_WORKGROUP, word)

    def variable(self, result, packet_size, max_packets):
        n = memory_words(packet_size, max_packets)
        head, rest = self.words_type(HEAD_WORDS), self.words_type(n)
        both = self.made(("struct", n), OP_TYPE_STRUCT, head, rest)
        pointer = self.made(("pointer", n), OP_TYPE_POINTER, CROSS_WORKGROUP, both)
        values = [0] * HEAD_WORDS
        values[PACKET_SIZE_AT], values[MAX_PACKETS_AT] = packet_size, max_packets
        first = self.made(("head", packet_size, max_packets), OP_CONSTANT_COMPOSITE,
                          *[self.number(value) for value in values], first=(head,))
        zeros = self.made(("zeros", n), OP_CONSTANT_NULL, first=(rest,))
        value = self.made(("value", packet_size, max_packets), OP_CONSTANT_COMPOSITE, first, zeros, first=(both,))
        self.pointer_to_word()
        self.emit(OP_VARIABLE, pointer, result, CROSS_WORKGROUP, value)

    # ---- the module

    def decorate(self):
        """Before the first decoration: what is exported, and how pipes are aligned."""
        for variable in self.pipes:
            self.emit(OP_DECORATE, variable, ALIGNMENT, PIPE_ALIGN)
        for variable, (access, name) in self.hosts.items():
            if variable not in self.pipes:
                self.others[variable] = self.new_id()
            text = symbol_of(name, access if variable in self.pipes else None).encode()
            self.emit(OP_DECORATE, self.others.get(variable, variable), LINKAGE_ATTRIBUTES,
                      *array("I", text + bytes(4 - len(text) % 4)), EXPORT)

    def stand_for_others(self):
        """Before the first function."""
        for variable in self.others.values():
            pointer, zero = self.pointer_to_word(), self.number(0)
            self.emit(OP_VARIABLE, pointer, variable, CROSS_WORKGROUP, zero)

    def create(self, type_id, result, storage):
        variable = self.loads.get(storage, storage)
        if variable not in self.pipes:
            raise ValueError("a pipe is made of what is no variable of the program")
        address = self.new_id()
        self.emit(OP_BITCAST, self.types["pointer",], address, variable)
        self.emit(CREATE_READER if self.readers[type_id] else CREATE_WRITER, type_id, result, address)

    def is_dropped(self, opcode, operands):
        if opcode == OP_CAPABILITY:
            return operands[0] in (STORAGE_CAPABILITY, HOST_CAPABILITY)
        if opcode == OP_EXTENSION:
            return operands.tobytes().rstrip(b"\0") == EXTENSION
        if opcode == OP_DECORATE:
            return operands[1] == HOST_ACCESS or (operands[0] in self.pipes and operands[1] == ALIGNMENT)
        if opcode in (OP_TYPE_PIPE_STORAGE, OP_CONSTANT_PIPE_STORAGE):
            return True
        return (opcode == OP_TYPE_POINTER and operands[0] in self.storage_types) or (
            opcode == OP_LOAD and operands[1] in self.loads) or (
            opcode == OP_NAME and (operands[0] in self.storage_types or operands[0] in self.sizes
                                   or operands[0] in self.loads))

    def copy(self, i, opcode, count):
        operands = self.words[i + 1:i + count]
        if self.is_dropped(opcode, operands):
            return
        if opcode == OP_VARIABLE and operands[1] in self.pipes:
            self.variable(operands[1], *self.pipes[operands[1]])
        elif opcode == OP_CREATE_PIPE and count == 4:
            self.create(*operands)
        elif opcode == OP_TYPE_INT and operands[0] == self.own_word:
            self.word()              # which may be there already
        else:
            self.out.extend(self.words[i:i + count])

    def run(self):
        first_type, first_function = True, True
        for i, opcode, count in self.module.instructions():
            if first_type and (OP_TYPE_VOID <= opcode <= OP_TYPE_PIPE or opcode == OP_TYPE_PIPE_STORAGE):
                first_type = False
                self.decorate()
            if first_function and opcode == OP_FUNCTION:
                first_function = False
                self.stand_for_others()
            self.copy(i, opcode, count)
        self.out[3] = self.next_id
        return Module(self.out, self.module.version)


def replace(module):
    """Module without pipe storage; the one given where it declares none and no variables for the host."""
    words = module.words
    if not any(opcode == OP_CAPABILITY and words[i + 1] in (STORAGE_CAPABILITY, HOST_CAPABILITY)
               for i, opcode, _ in module.instructions()):
        return module
    return Rewriter(module).run()
