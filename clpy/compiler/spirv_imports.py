# SPDX-License-Identifier: Apache-2.0
"""Instructions of SPIR-V that the translator does not know and that are functions of the library: they become calls of
those, which the module imports by the names that they have in C++.

A function here gives the name of what an instruction is, and the operands that are its arguments. None is what has to
be made for the call: the memory of a named barrier, or the size of work-groups of the block that the last operands are,
as the function takes a block, whose kernel that tells.
"""
from array import array

from clpy.compiler import spirv_device_barriers as meetings
from clpy.compiler import spirv_named_barriers as barriers
from clpy.compiler import spirv_pipe_storage as storage
from clpy.compiler import spirv_regions as regions
from clpy.compiler.device_queues import ITEMS_OF_SUB_GROUPS, LOCAL_SIZES, MOST_SUB_GROUPS

OP_TYPE_FUNCTION, OP_FUNCTION, OP_FUNCTION_PARAMETER, OP_FUNCTION_END, OP_FUNCTION_CALL = 33, 54, 55, 56, 57
OP_TYPE_VECTOR, OP_DECORATE, LINKAGE_ATTRIBUTES, IMPORT = 23, 71, 41, 1
OP_GET_KERNEL_WORK_GROUP_SIZE = 295
BEFORE_LOCAL_SIZES = 10     # operands of OpEnqueueKernel
OF_A_BLOCK = 4          # operands: the function, what it has captured, its size, its alignment
CLOCK_SCOPES = {1: "device", 2: "work_group", 3: "sub_group"}


def clock(of, type_id, scope):
    hilo = "_hilo" if of.types[type_id][0] == OP_TYPE_VECTOR else ""
    return mangled(f"clock_read{hilo}_{CLOCK_SCOPES.get(of.values.get(scope), 'device')}", "v"), ()


def to_bfloat16(of, type_id, value):
    n = width(of, type_id)
    return mangled(f"intel_convert_bfloat16{n}_as_ushort{n}", vector("f", n)), (value,)


def from_bfloat16(of, type_id, value):
    n = width(of, type_id)
    return mangled(f"intel_convert_as_bfloat16{n}_float{n}", vector("t", n)), (value,)


def local_size_for_sub_groups(of, type_id, count, *block):
    return ITEMS_OF_SUB_GROUPS, (count, None)


def most_sub_groups(of, type_id, *block):
    return MOST_SUB_GROUPS, (None,)


def local_sizes(of, type_id, *operands):
    """No function where there are none."""
    sizes = operands[BEFORE_LOCAL_SIZES:]
    return f"{LOCAL_SIZES}{len(sizes)}" if sizes else "", sizes


FUNCTIONS = {292: local_sizes, 325: local_size_for_sub_groups, 326: most_sub_groups,
             barriers.OP_INITIALIZE: barriers.initialize, barriers.OP_MEMORY_NAMED_BARRIER: barriers.wait, 5056: clock,
             6116: to_bfloat16, 6117: from_bfloat16, meetings.MEET: meetings.meet,
             meetings.MAY_MEET: meetings.may_meet,
             **{opcode: storage.create(opcode) for opcode in storage.OF_STORAGE},
             **{opcode: regions.call(opcode) for opcode in regions.KINDS}}
OPERANDS = {292: None, 325: 1 + OF_A_BLOCK, 326: OF_A_BLOCK, barriers.OP_INITIALIZE: 1,
            barriers.OP_MEMORY_NAMED_BARRIER: 3, 5056: 1, 6116: 1, 6117: 1, meetings.MEET: 1, meetings.MAY_MEET: 0,
            **dict.fromkeys(storage.OF_STORAGE, 1),
            **{opcode: regions.operands_of(opcode) for opcode in regions.KINDS}}
WITHOUT_RESULT = (barriers.OP_MEMORY_NAMED_BARRIER, meetings.MEET, *regions.KINDS)
# What modules declare for them, and the translator must not see.
CAPABILITIES = (barriers.CAPABILITY, meetings.CAPABILITY, *regions.CAPABILITIES, 5055, 6115)
EXTENSIONS = (meetings.EXTENSION, regions.EXTENSION, b"SPV_KHR_shader_clock", b"SPV_INTEL_bfloat16_conversion")


def prepare(module):
    """Module in which the operands of such instructions are what functions take."""
    for each in (meetings, storage, regions):
        module = each.replace(module)
    return module


def mangled(name, arguments):
    return f"_Z{len(name)}{name}{arguments}"


def width(of, type_id):
    count = of.element_and_count(type_id)[1]
    return "" if count == 1 else str(count)


def vector(letter, n):
    return f"Dv{n}_{letter}" if n else letter


class Imports:
    """Of a module; `of` is its Legalizer."""

    def __init__(self, of):
        self.of = of
        self.ids = {}       # (name, type of the result, types of the arguments) -> id of the function

    def key(self, opcode, type_id, operands):
        name, arguments = FUNCTIONS[opcode](self.of, type_id, *operands)
        types = (type_id if value is None else self.of.type_of[value] for value in arguments)
        return (name, type_id, tuple(types)), arguments

    def uses(self):
        """(opcode, type of the result, operands) of each instruction that becomes a call."""
        words = self.of.words
        for i, opcode, count in self.of.module.instructions():
            if opcode in WITHOUT_RESULT and OPERANDS[opcode] == count - 1:
                yield opcode, self.of.void, words[i + 1:i + count]
            elif opcode in FUNCTIONS and OPERANDS[opcode] in (None, count - 3):
                yield opcode, words[i + 1], words[i + 3:i + count]

    def name(self):
        """What the module calls, before its types."""
        for use in self.uses():
            key, _ = self.key(*use)
            if key[0] and key not in self.ids:
                self.ids[key] = self.of.new_id()
                name = key[0].encode() + bytes(4 - len(key[0]) % 4)
                self.of.emit(OP_DECORATE, self.ids[key], LINKAGE_ATTRIBUTES, *array("I", name), IMPORT)

    def declare(self):
        """Before the first function of the module."""
        signatures = {}
        for _, type_id, of_arguments in self.ids:
            if (type_id, of_arguments) not in signatures:
                signatures[type_id, of_arguments] = self.of.new_id()
                self.of.emit(OP_TYPE_FUNCTION, signatures[type_id, of_arguments], type_id, *of_arguments)
        for (_, type_id, of_arguments), function in self.ids.items():
            self.of.emit(OP_FUNCTION, type_id, function, 0, signatures[type_id, of_arguments])
            for each in of_arguments:
                self.of.emit(OP_FUNCTION_PARAMETER, each, self.of.new_id())
            self.of.emit(OP_FUNCTION_END)

    def keep_local_sizes(self, opcode, type_id, *operands):
        """Before the instruction: what its call cannot tell (compiler/spirv_blocks.py)."""
        if len(operands) > BEFORE_LOCAL_SIZES:
            self.call(opcode, type_id, self.of.new_id(), *operands)

    def call(self, opcode, type_id, result, *operands):
        key, arguments = self.key(opcode, type_id, operands)
        if opcode == barriers.OP_INITIALIZE:
            arguments = [self.of.barriers.memory[result] if value is None else value for value in arguments]
        elif None in arguments:
            size = self.of.new_id()
            self.of.emit(OP_GET_KERNEL_WORK_GROUP_SIZE, type_id, size, *operands[-OF_A_BLOCK:])
            arguments = [size if value is None else value for value in arguments]
        self.of.emit(OP_FUNCTION_CALL, type_id, result, self.ids[key], *arguments)
        return True
