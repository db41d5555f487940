# SPDX-License-Identifier: Apache-2.0
"""SPIR-V that every version of the translator reads: newer or rarer instructions in terms of older ones.

    OpCopyLogical             member by member                        (1.4)
    OpPtrEqual, OpPtrNotEqual, OpPtrDiff   arithmetic on addresses    (1.4)
    OpCopyMemory              a load and a store                      (1.4: operands of each)
    OpCopyMemorySized         operands of both accesses as one        (1.4)
    OpDecorateString ...      dropped: they mean nothing to a program (1.4)
    OpImageRead ...           without Nontemporal, a hint             (1.6)
    OpImageQuerySizeLod       of level 0, and what the level makes of it
    OpReadClockKHR ...        a call of the function of OpenCL C (spirv_imports.py)
    OpMemoryNamedBarrier ...  local memory, and calls (spirv_named_barriers.py)
    OpControlBarrier of the device            a call (spirv_device_barriers.py)
    OpCreatePipeFromPipeStorage               of a variable (spirv_pipe_storage.py)
    OpSubgroup2DBlockLoadINTEL ...            calls (spirv_regions.py)
    OpControlBarrierWaitINTEL a barrier, and there is no arrival
    OpExpectKHR, OpAssumeTrueKHR              hints that are not taken
    OpVariable of a function  its first value is stored each time, and no variable of all work-items
    OpBitcast of pointers to and from others  conversions through an integer (1.5: vectors)
    OpVectorShuffle of vectors of two sizes   element by element
    OpCompositeConstruct      element by element
    OpCompositeExtract, OpCompositeInsert     of an element of a vector within: in two steps
    OpConstantNull of a number                a constant 0
    OpIAddCarry ...           arithmetic of one word (spirv_wide_results.py)

What the module says otherwise is not touched.
"""
from array import array

from clpy.compiler import spirv_imports, spirv_repairs, spirv_wide_results
from clpy.compiler.spirv import (
    HEADER_WORDS,
    OP_EXECUTION_MODE_ID,
    OP_FUNCTION,
    OP_TYPE_BOOL,
    OP_TYPE_FLOAT,
    OP_TYPE_INT,
    SUBGROUPS_PER_WORKGROUP_ID,
    Module,
)
from clpy.compiler.spirv_imports import Imports
from clpy.compiler.spirv_named_barriers import OP_TYPE_NAMED_BARRIER, NamedBarriers

OP_TYPE_VECTOR, OP_TYPE_ARRAY, OP_TYPE_STRUCT, OP_TYPE_POINTER = 23, 28, 30, 32
OP_CONSTANT_FALSE, OP_CONSTANT, OP_CONSTANT_NULL = 42, 43, 46
OP_VARIABLE, OP_LOAD, OP_STORE, OP_COPY_MEMORY, OP_COPY_MEMORY_SIZED = 59, 61, 62, 63, 64
FUNCTION_STORAGE = 7
BESIDE_VARIABLES = (OP_VARIABLE, 8, 317)        # where a function begins: also OpLine and OpNoLine
OP_DECORATE, OP_COMPOSITE_CONSTRUCT, OP_COMPOSITE_EXTRACT, OP_COMPOSITE_INSERT = 71, 80, 81, 82
OP_VECTOR_SHUFFLE, OP_UNDEF = 79, 1
OP_U_CONVERT, OP_CONVERT_PTR_TO_U, OP_CONVERT_U_TO_PTR, OP_BITCAST = 113, 117, 120, 124
OP_I_SUB, OP_S_DIV, OP_ENQUEUE_KERNEL = 130, 135, 292
OP_I_EQUAL, OP_I_NOT_EQUAL = 170, 171
OP_COPY_LOGICAL, OP_PTR_EQUAL, OP_PTR_NOT_EQUAL, OP_PTR_DIFF = 400, 401, 402, 403
OP_EXTENSION, OP_CAPABILITY, OP_TYPE_VOID, OP_TYPE_FUNCTION = 10, 17, 19, 33
IMAGE_MASK_AT = {88: 4, 95: 4, 98: 4, 99: 3}      # OpImageSampleExplicitLod, Fetch, Read, Write -> where operands begin
IMAGE_NONTEMPORAL = 0x4000
OP_TYPE_IMAGE, OP_IMAGE_QUERY_SIZE_LOD, OP_I_ADD, OP_SHIFT_RIGHT_LOGICAL = 25, 103, 128, 194
OP_CONTROL_BARRIER, OP_BARRIER_ARRIVE, OP_BARRIER_WAIT = 224, 6142, 6143
SPLIT_CAPABILITY, SPLIT_EXTENSION = 6141, b"SPV_INTEL_split_barrier"
OP_PREFETCH, PREFETCH_CAPABILITY, PREFETCH_EXTENSION = 6221, 6220, b"SPV_INTEL_subgroup_buffer_prefetch"
# Additions of halves are one extension more; the translator has the instruction, which is the same.
HALF_ADD_CAPABILITY, FLOAT_ADD_CAPABILITY = 6095, 6033
HALF_ADD_EXTENSION, FLOAT_ADD_EXTENSION = b"SPV_EXT_shader_atomic_float16_add", b"SPV_EXT_shader_atomic_float_add"
OP_ASSUME_TRUE, OP_EXPECT, OP_DECORATE_STRING, OP_MEMBER_DECORATE_STRING = 5630, 5631, 5632, 5633
CPACKED = 10
NONE = 0xFFFFFFFF           # an element of a shuffle that has no value
ALIGNED = 2                 # in a mask of memory operands: followed by the alignment
MOST_MEMBERS = 1 << 16      # of an array that is copied

# Opcodes of which the second operand is not a result of the type that the first one is. (Others like that only name
# what has been defined before them, so the first to name an id tells its type.)
NO_RESULT = frozenset((3, 7, 4, 5, 6, 8, 10, 11, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
                       33, 34, 35, 36, 37, 38, 39, 56, 62, 63, 64, 71, 72, 73, 74, 75, 76, 99, 247, 248, 249, 250, 251,
                       252, 253, 254, 255, 256, 257, 317, 322, 330, 331, 332, 5632, 5633))


class Legalizer:
    def __init__(self, module):
        self.words = module.words
        self.module = module
        self.next_id = module.words[3]
        self.out = array("I", module.words[:HEADER_WORDS])
        self.types = {}         # id of a type -> (opcode, operands)
        self.type_of = {}       # id of a value -> id of its type
        self.values = {}        # id of a constant -> its first word
        self.packed = set()     # structures without padding
        self.sizes = {}         # bytes -> id of the constant
        self.numbers = {}       # (integer type, number) -> id of the constant
        self.wide = 0           # a 64-bit integer type
        self.void = 0           # the type
        self.debug_info = 0     # the set of its instructions
        self.first_values = []  # (variable of a function, its first value) that are to be stored
        self.read()
        self.imports = Imports(self)
        self.barriers = NamedBarriers(self)

    def read(self):
        words = self.words
        for i, opcode, count in self.module.instructions():
            if opcode in (OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT, OP_TYPE_VECTOR, OP_TYPE_ARRAY, OP_TYPE_STRUCT,
                          OP_TYPE_POINTER, OP_TYPE_IMAGE):
                self.types[words[i + 1]] = opcode, words[i + 2:i + count]
                if opcode == OP_TYPE_INT and count > 2 and words[i + 2] == 64:
                    self.wide = words[i + 1]
            elif opcode == OP_TYPE_VOID and count == 2:
                self.void = words[i + 1]
            elif opcode == OP_CONSTANT and count > 3:
                self.values[words[i + 2]] = words[i + 3]
            elif opcode == OP_DECORATE and count > 2 and words[i + 2] == CPACKED:
                self.packed.add(words[i + 1])
            if opcode not in NO_RESULT and count > 2:
                self.type_of.setdefault(words[i + 2], words[i + 1])

    def new_id(self):
        self.next_id += 1
        return self.next_id - 1

    def emit(self, opcode, *operands):
        self.out.append(len(operands) + 1 << 16 | opcode)
        self.out.extend(operands)

    def run(self):
        words, first_function, first_type = self.words, True, True
        for i, opcode, count in self.module.instructions():
            if first_type and OP_TYPE_VOID <= opcode <= OP_TYPE_FUNCTION:
                first_type = False
                self.imports.name()
                self.barriers.add_types()
            if opcode == OP_FUNCTION and first_function:
                first_function = False
                self.add_types()
                self.add_numbers()
                self.barriers.add_memory()
                self.imports.declare()
            if self.first_values and opcode not in BESIDE_VARIABLES:
                self.store_first_values()
            rule = RULES.get(opcode)
            if rule is None or not rule(self, *words[i + 1:i + count]):
                self.out.extend(words[i:i + count])
        self.out[1], self.out[3] = min(self.words[1], READ_BY_ALL), self.next_id
        return Module(self.out, self.module.version)

    def add_types(self):
        """What the rules need and the module may not have: a 64-bit integer type, sizes of what pointers point to."""
        needed = [(i, opcode) for i, opcode, _ in self.module.instructions() if opcode in ADDRESS_RULES]
        if not needed:
            return
        if not self.wide:
            self.wide = self.new_id()
            self.emit(OP_TYPE_INT, self.wide, 64, 0)
        for i, opcode in needed:
            if opcode == OP_PTR_DIFF:
                size = self.size_and_align(self.pointee(self.words[i + 3]))[0]
                if size not in self.sizes:
                    self.sizes[size] = self.new_id()
                    self.emit(OP_CONSTANT, self.wide, self.sizes[size], size & 0xFFFFFFFF, size >> 32)

    def add_numbers(self):
        """What the sizes of levels are computed with."""
        for i, opcode, _ in self.module.instructions():
            if opcode == OP_IMAGE_QUERY_SIZE_LOD and self.values.get(self.words[i + 4]) != 0:
                element, _ = self.element_and_count(self.words[i + 1])
                self.add_number(self.type_of[self.words[i + 4]], 0)
                self.add_number(element, 1)
                self.add_number(element, self.top(element))
        spirv_wide_results.add_numbers(self)

    def add_number(self, type_id, value):
        if (type_id, value) not in self.numbers:
            self.numbers[type_id, value] = self.new_id()
            self.emit(OP_CONSTANT, type_id, self.numbers[type_id, value], value, *[0] * (self.top(type_id) // 32))

    def element_and_count(self, type_id):
        """Of a vector; a number is one of one element."""
        kind, operands = self.types[type_id]
        return operands if kind == OP_TYPE_VECTOR else (type_id, 1)

    def top(self, type_id):
        """The number of the highest bit of an integer type."""
        return self.types[type_id][1][0] - 1

    def pointee(self, value):
        """Type that a pointer points to."""
        return self.types[self.type_of[value]][1][1]

    def size_and_align(self, type_id):
        """Bytes, as OpenCL C lays types out."""
        kind, operands = self.types[type_id]
        if kind in (OP_TYPE_INT, OP_TYPE_FLOAT):
            return (operands[0] // 8,) * 2
        if kind == OP_TYPE_VECTOR:
            return (self.size_and_align(operands[0])[0] * (4 if operands[1] == 3 else operands[1]),) * 2
        if kind == OP_TYPE_ARRAY:
            size, align = self.size_and_align(operands[0])
            return size * self.values[operands[1]], align
        if kind == OP_TYPE_POINTER:
            return 8, 8
        if kind == OP_TYPE_BOOL:
            return 1, 1
        size, most = 0, 1
        for member in operands:
            member_size, align = (self.size_and_align(member)[0], 1) if type_id in self.packed else \
                self.size_and_align(member)
            size, most = -(-size // align) * align + member_size, max(most, align)
        return -(-size // most) * most, most

    # ---- rules: True where the instruction is replaced

    def drop(self, *_):
        return True

    def capability(self, number):
        if number == HALF_ADD_CAPABILITY:
            self.emit(OP_CAPABILITY, FLOAT_ADD_CAPABILITY)
        return number in (HALF_ADD_CAPABILITY, SPLIT_CAPABILITY, PREFETCH_CAPABILITY, *spirv_imports.CAPABILITIES)

    def extension(self, *name):
        text = spirv_repairs.text_in(name)
        if text == HALF_ADD_EXTENSION:
            self.emit(OP_EXTENSION, *array("I", FLOAT_ADD_EXTENSION + bytes(4 - len(FLOAT_ADD_EXTENSION) % 4)))
        return text in (HALF_ADD_EXTENSION, SPLIT_EXTENSION, PREFETCH_EXTENSION, *spirv_imports.EXTENSIONS)

    def image_access(self, opcode, *operands):
        at = IMAGE_MASK_AT[opcode]
        mask = operands[at] if len(operands) > at else 0
        if not mask & IMAGE_NONTEMPORAL:
            return False
        mask &= ~IMAGE_NONTEMPORAL
        self.emit(opcode, *operands[:at], *([mask, *operands[at + 1:]] if mask else []))
        return True

    def image_size(self, type_id, result, image, level):
        """"max(1, size >> level)" along each dimension, without a comparison; an array keeps its layers."""
        if self.values.get(level) == 0:
            return False
        (element, count), level_type = self.element_and_count(type_id), self.type_of[level]
        whole = self.new_id()
        self.emit(OP_IMAGE_QUERY_SIZE_LOD, type_id, whole, image, self.numbers[level_type, 0])
        sizes = list(self.elements(whole, element, count)) if count > 1 else [whole]
        shift = level if level_type == element else self.new_id()
        if shift != level:
            self.emit(OP_U_CONVERT, element, shift, level)
        arrayed = self.types[self.type_of[image]][1][3]
        for index in range(count - arrayed):
            shifted, less, is_zero = self.new_id(), self.new_id(), self.new_id()
            self.emit(OP_SHIFT_RIGHT_LOGICAL, element, shifted, sizes[index], shift)
            self.emit(OP_I_SUB, element, less, shifted, self.numbers[element, 1])
            self.emit(OP_SHIFT_RIGHT_LOGICAL, element, is_zero, less, self.numbers[element, self.top(element)])
            sizes[index] = result if count == 1 else self.new_id()
            self.emit(OP_I_ADD, element, sizes[index], shifted, is_zero)
        if count > 1:
            self.construct(type_id, result, sizes)
        return True

    def expect(self, type_id, result, value, _):
        self.emit(OP_BITCAST, type_id, result, value)
        return True

    def constant_null(self, type_id, result):
        kind, operands = self.types.get(type_id, (0, ()))
        if kind == OP_TYPE_BOOL:
            self.emit(OP_CONSTANT_FALSE, type_id, result)
        elif kind in (OP_TYPE_INT, OP_TYPE_FLOAT):
            self.emit(OP_CONSTANT, type_id, result, *[0] * -(-operands[0] // 32))
        else:
            return False
        return True

    def copy_logical(self, type_id, result, value):
        self.copy_members(type_id, self.type_of.get(value), value, result)
        return True

    def copy_members(self, to, source, value, result):
        """Emit `value` of type `source` as `result` of the type `to`, which has the same members."""
        kind, operands = self.types.get(to, (0, ()))
        of_source = self.types.get(source, (0, ()))[1]
        if kind == OP_TYPE_STRUCT:
            pairs = list(zip(operands, of_source, strict=True))
        elif kind == OP_TYPE_ARRAY:
            pairs = [(operands[0], of_source[0])] * min(self.values[operands[1]], MOST_MEMBERS)
        else:
            raise ValueError(f"OpCopyLogical to a type, {to}, that is no aggregate")
        members = []
        for index, (member_to, member) in enumerate(pairs):
            part = self.new_id()
            self.emit(OP_COMPOSITE_EXTRACT, member, part, value, index)
            if member_to != member:
                copied = self.new_id()
                self.copy_members(member_to, member, part, copied)
                part = copied
            members.append(part)
        self.construct(to, result, members)

    def addresses(self, *values):
        found = []
        for value in values:
            found.append(self.new_id())
            self.emit(OP_CONVERT_PTR_TO_U, self.wide, found[-1], value)
        return found

    def pointer_equal(self, type_id, result, left, right):
        self.emit(OP_I_EQUAL, type_id, result, *self.addresses(left, right))
        return True

    def pointer_not_equal(self, type_id, result, left, right):
        self.emit(OP_I_NOT_EQUAL, type_id, result, *self.addresses(left, right))
        return True

    def pointer_difference(self, type_id, result, left, right):
        """In elements, as the language has it."""
        size = self.size_and_align(self.pointee(left))[0]
        difference, quotient = self.new_id(), result if type_id == self.wide else self.new_id()
        self.emit(OP_I_SUB, self.wide, difference, *self.addresses(left, right))
        self.emit(OP_S_DIV, self.wide, quotient, difference, self.sizes[size])
        if quotient != result:
            self.emit(OP_U_CONVERT, type_id, result, quotient)
        return True

    def bitcast(self, type_id, result, value):
        source = self.type_of[value]
        to_pointer, from_pointer = (self.types.get(each, (0,))[0] == OP_TYPE_POINTER for each in (type_id, source))
        if to_pointer == from_pointer:
            return False
        if from_pointer:
            number = result if type_id == self.wide else self.new_id()
            self.emit(OP_CONVERT_PTR_TO_U, self.wide, number, value)
            if number != result:
                self.emit(OP_BITCAST, type_id, result, number)
            return True
        number = value if source == self.wide else self.new_id()
        if number != value:
            self.emit(OP_BITCAST, self.wide, number, value)
        self.emit(OP_CONVERT_U_TO_PTR, type_id, result, number)
        return True

    def vector_shuffle(self, type_id, result, first, second, *which):
        if self.type_of[first] == self.type_of[second]:
            return False
        element, size = self.types[self.type_of[first]][1]
        parts = []
        for index in which:
            parts.append(self.new_id())
            if index == NONE:
                self.emit(OP_UNDEF, element, parts[-1])
            elif index < size:
                self.emit(OP_COMPOSITE_EXTRACT, element, parts[-1], first, index)
            else:
                self.emit(OP_COMPOSITE_EXTRACT, element, parts[-1], second, index - size)
        self.construct(type_id, result, parts)
        return True

    def composite_construct(self, type_id, result, *values):
        """"for vectors, each operand may also be a vector": its elements are meant."""
        parts = []
        for value in values:
            kind, operands = self.types.get(self.type_of.get(value), (0, ()))
            if kind == OP_TYPE_VECTOR and self.types[type_id][0] == OP_TYPE_VECTOR:
                parts += self.elements(value, *operands)
            else:
                parts.append(value)
        self.construct(type_id, result, parts)
        return True

    def vector_within(self, composite, indices):
        """Type of the vector whose element the last of several indices names; 0 where it is none."""
        type_id = self.type_of[composite] if len(indices) > 1 else 0
        for index in indices[:-1]:
            kind, operands = self.types[type_id]
            type_id = operands[index] if kind == OP_TYPE_STRUCT else operands[0]
        return type_id if self.types.get(type_id, (0,))[0] == OP_TYPE_VECTOR else 0

    def composite_extract(self, type_id, result, composite, *indices):
        vector_type = self.vector_within(composite, indices)
        if not vector_type:
            return False
        vector = self.new_id()
        self.emit(OP_COMPOSITE_EXTRACT, vector_type, vector, composite, *indices[:-1])
        self.emit(OP_COMPOSITE_EXTRACT, type_id, result, vector, indices[-1])
        return True

    def composite_insert(self, type_id, result, value, composite, *indices):
        vector_type = self.vector_within(composite, indices)
        if not vector_type:
            return False
        before, after = self.new_id(), self.new_id()
        self.emit(OP_COMPOSITE_EXTRACT, vector_type, before, composite, *indices[:-1])
        self.emit(OP_COMPOSITE_INSERT, vector_type, after, value, before, indices[-1])
        self.emit(OP_COMPOSITE_INSERT, type_id, result, after, composite, *indices[:-1])
        return True

    def elements(self, vector, element, count):
        for index in range(count):
            part = self.new_id()
            self.emit(OP_COMPOSITE_EXTRACT, element, part, vector, index)
            yield part

    def construct(self, type_id, result, parts):
        last = len(parts) - 1
        value = self.new_id()
        self.emit(OP_UNDEF, type_id, value)
        for index, part in enumerate(parts):
            following = result if index == last else self.new_id()
            self.emit(OP_COMPOSITE_INSERT, type_id, following, part, value, index)
            value = following

    def variable(self, type_id, result, storage, *first_value):
        if storage != FUNCTION_STORAGE or not first_value:
            return False
        self.emit(OP_VARIABLE, type_id, result, storage)
        self.first_values.append((result, first_value[0]))
        return True

    def store_first_values(self):
        for variable, value in self.first_values:
            self.emit(OP_STORE, variable, value)
        self.first_values = []

    def enqueue_kernel(self, type_id, result, *operands):
        """The translator drops the size of what is captured, and all sizes of local memory but the first."""
        self.imports.keep_local_sizes(OP_ENQUEUE_KERNEL, type_id, *operands)
        self.emit(OP_ENQUEUE_KERNEL, type_id, result, *operands[:10], operands[8], *operands[10:])
        return True

    def copy_memory(self, target, source, *operands):
        to_access, from_access = split_access(operands)
        value = self.new_id()
        self.emit(OP_LOAD, self.pointee(source), value, source, *from_access)
        self.emit(OP_STORE, target, value, *to_access)
        return True

    def copy_memory_sized(self, target, source, size, *operands):
        to_access, from_access = split_access(operands)
        self.emit(OP_COPY_MEMORY_SIZED, target, source, size, *merge_access(to_access, from_access))
        return True


def split_access(operands):
    """Memory operands of a copy as those of the store and of the load; where one is given it is for both."""
    first = 2 if operands and operands[0] & ALIGNED else 1
    return operands[:first], operands[first:] or operands[:first]


def merge_access(first, second):
    """One list of memory operands that is right for both accesses."""
    if not first:
        return ()
    mask = (first[0] | second[0]) & ~ALIGNED
    if first[0] & second[0] & ALIGNED:
        return mask | ALIGNED, min(first[1], second[1])
    return (mask,)


RULES = {
    OP_ENQUEUE_KERNEL: Legalizer.enqueue_kernel,
    OP_COPY_LOGICAL: Legalizer.copy_logical,
    OP_PTR_EQUAL: Legalizer.pointer_equal,
    OP_PTR_NOT_EQUAL: Legalizer.pointer_not_equal,
    OP_PTR_DIFF: Legalizer.pointer_difference,
    OP_COMPOSITE_CONSTRUCT: Legalizer.composite_construct,
    OP_COMPOSITE_EXTRACT: Legalizer.composite_extract,
    OP_COMPOSITE_INSERT: Legalizer.composite_insert,
    OP_BITCAST: Legalizer.bitcast,
    OP_VECTOR_SHUFFLE: Legalizer.vector_shuffle,
    OP_VARIABLE: Legalizer.variable,
    OP_COPY_MEMORY: Legalizer.copy_memory,
    OP_COPY_MEMORY_SIZED: Legalizer.copy_memory_sized,
    OP_CAPABILITY: Legalizer.capability,
    OP_EXTENSION: Legalizer.extension,
    OP_PREFETCH: Legalizer.drop,
    OP_EXECUTION_MODE_ID: lambda self, kernel, mode, *_: mode == SUBGROUPS_PER_WORKGROUP_ID,
    OP_BARRIER_ARRIVE: Legalizer.drop,      # the wait for all is a barrier
    OP_BARRIER_WAIT: lambda self, *operands: self.emit(OP_CONTROL_BARRIER, *operands) or True,
    OP_ASSUME_TRUE: Legalizer.drop,
    OP_EXPECT: Legalizer.expect,
    OP_DECORATE_STRING: Legalizer.drop,
    OP_MEMBER_DECORATE_STRING: Legalizer.drop,
    OP_CONSTANT_NULL: Legalizer.constant_null,
    OP_IMAGE_QUERY_SIZE_LOD: Legalizer.image_size,
    OP_TYPE_INT: lambda self, *operands: self.barriers.is_added(*operands),
    OP_TYPE_NAMED_BARRIER: lambda self, *operands: self.barriers.is_added(*operands),
    **{opcode: lambda self, *operands, opcode=opcode: self.imports.call(opcode, self.void, self.new_id(), *operands)
       for opcode in spirv_imports.WITHOUT_RESULT},
}
RULES |= {opcode: lambda self, *operands, opcode=opcode: self.image_access(opcode, *operands)
          for opcode in IMAGE_MASK_AT}
RULES |= {opcode: lambda self, *operands, opcode=opcode: self.imports.call(opcode, *operands)
          for opcode in spirv_imports.FUNCTIONS if opcode not in RULES} | spirv_repairs.RULES | spirv_wide_results.RULES
ADDRESS_RULES = (OP_PTR_EQUAL, OP_PTR_NOT_EQUAL, OP_PTR_DIFF, OP_BITCAST)
READ_BY_ALL = 0x00010400    # the newest version that every translator reads


def legalize(module):
    """Module in which the translator knows every instruction; ValueError where the module makes no sense."""
    try:
        return Legalizer(spirv_imports.prepare(module)).run()
    except (IndexError, KeyError, OverflowError, RecursionError, TypeError) as why:
        raise ValueError(f"not a valid SPIR-V module ({type(why).__name__}: {why})") from None
