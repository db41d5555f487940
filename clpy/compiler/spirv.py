# SPDX-License-Identifier: Apache-2.0
"""SPIR-V modules as words: whether one is well-formed, its specialization constants, and giving these other values.

A module is an array of 32-bit words: a header of five, then instructions, whose first word has the number of words and
the opcode. https://registry.khronos.org/SPIR-V/
"""
from array import array

from clpy.compiler.spirv_environment import VERSIONS

MAGIC = 0x07230203
HEADER_WORDS = 5
MOST_WORDS = 1 << 26
MOST_IDS = 1 << 22      # the limit of the specification for result ids

OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_CONSTANT, OP_EXECUTION_MODE_ID = 15, 16, 43, 331
SUBGROUPS_PER_WORKGROUP, SUBGROUPS_PER_WORKGROUP_ID = 36, 37
OP_MEMORY_MODEL, OP_CAPABILITY, OP_DECORATE = 14, 17, 71
OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT = 20, 21, 22
OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE, OP_SPEC_CONSTANT = 48, 49, 50
OP_FUNCTION, OP_FUNCTION_END = 54, 56
DECORATION_SPEC_ID = 1
PHYSICAL_64, OPENCL = 2, 2
CAPABILITY_KERNEL = 6


class Module:
    """`words` is all of it, in the machine's byte order."""

    def __init__(self, words, version):
        self.words = words
        self.version = version

    def instructions(self, start=HEADER_WORDS):
        """(index, opcode, number of words) of each."""
        words, i, end = self.words, start, len(self.words)
        while i < end:
            first = words[i]
            yield i, first & 0xFFFF, first >> 16
            i += first >> 16

    def to_bytes(self):
        return self.words.tobytes()


def parse(blob):
    """Module of a blob; ValueError says why it is none that a device of ours could run."""
    if len(blob) % 4 or not HEADER_WORDS * 4 <= len(blob) <= MOST_WORDS * 4:
        raise ValueError(f"{len(blob)} bytes are no SPIR-V module")
    words = array("I", blob)
    if words[0] != MAGIC:
        words.byteswap()        # "the endianness [...] by the magic number"
    if words[0] != MAGIC:
        raise ValueError("not SPIR-V: the magic number is wrong")
    version = (words[1] >> 16 & 0xFF, words[1] >> 8 & 0xFF)
    if version not in VERSIONS:
        raise ValueError(f"SPIR-V {version[0]}.{version[1]} is not supported")
    if not 0 < words[3] <= MOST_IDS:
        raise ValueError(f"a bound of {words[3]} for ids")
    module = Module(words, version)
    check_instructions(module)
    return module


def check_instructions(module):
    """Every instruction is whole, and the module is one for OpenCL with 64-bit addresses."""
    words, i, end = module.words, HEADER_WORDS, len(module.words)
    model, kernel, in_function = None, False, False
    while i < end:
        count, opcode = words[i] >> 16, words[i] & 0xFFFF
        if count == 0 or i + count > end:
            raise ValueError(f"the instruction at word {i} is not whole")
        if opcode == OP_MEMORY_MODEL and count == 3:
            model = (words[i + 1], words[i + 2])
        elif opcode == OP_CAPABILITY and count == 2:
            kernel = kernel or words[i + 1] == CAPABILITY_KERNEL
        elif opcode in (OP_FUNCTION, OP_FUNCTION_END):
            if in_function == (opcode == OP_FUNCTION):
                raise ValueError(f"a function that begins or ends inside another, or outside one, at word {i}")
            in_function = opcode == OP_FUNCTION
        i += count
    if in_function:
        raise ValueError("the last function does not end")
    if model != (PHYSICAL_64, OPENCL) or not kernel:
        raise ValueError("not a module for OpenCL with 64-bit addresses (Kernel, Physical64 OpenCL)")


def is_spirv(blob):
    """Whether a blob looks like a module."""
    return blob[:4] in (MAGIC.to_bytes(4, "little"), MAGIC.to_bytes(4, "big"))


# ---- specialization constants

class Constant:
    """A specialization constant: bytes of its value (1 for a boolean), and where its instructions are."""
    __slots__ = ("places", "size")

    def __init__(self, size):
        self.size = size
        self.places = []


def constants(module):
    """Constants by their SpecId."""
    words = module.words
    ids, sizes, found = {}, {}, {}
    for i, opcode, count in module.instructions():
        if opcode == OP_FUNCTION:
            break
        if opcode == OP_DECORATE and count == 4 and words[i + 2] == DECORATION_SPEC_ID:
            ids[words[i + 1]] = words[i + 3]
        elif opcode == OP_TYPE_BOOL and count == 2:
            sizes[words[i + 1]] = 1
        elif opcode in (OP_TYPE_INT, OP_TYPE_FLOAT) and count >= 3:
            sizes[words[i + 1]] = words[i + 2] // 8
        elif opcode in (OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE, OP_SPEC_CONSTANT) and count >= 3:
            number, size = ids.get(words[i + 2]), sizes.get(words[i + 1])
            if number is not None and size is not None and count == value_words(opcode, size) + 3:
                found.setdefault(number, Constant(size)).places.append(i)
    return found


def value_words(opcode, size):
    return -(-size // 4) if opcode == OP_SPEC_CONSTANT else 0


def specialize(module, values):
    """Module in which specialization constants have other values: {SpecId: bytes}."""
    if not values:
        return module
    words, known = array("I", module.words), constants(module)
    for number, value in values.items():
        for i in known[number].places:
            if words[i] & 0xFFFF == OP_SPEC_CONSTANT:
                sign = is_signed(module, words[i + 1]) and value[-1] & 0x80
                padded = value + (b"\xff" if sign else b"\0") * (-len(value) % 4)    # "sign-extended if [...] signed"
                words[i + 3:i + 3 + len(padded) // 4] = array("I", padded)
            else:
                words[i] = 3 << 16 | (OP_SPEC_CONSTANT_TRUE if any(value) else OP_SPEC_CONSTANT_FALSE)
    return Module(words, module.version)


def is_signed(module, type_id):
    words = module.words
    for i, opcode, count in module.instructions():
        if opcode == OP_TYPE_INT and count == 4 and words[i + 1] == type_id:
            return words[i + 3] == 1
    return False


def sub_group_counts(module):
    """{name of a kernel: the number of sub-groups that it says its work-groups have}."""
    words, names, counts, constants, values = module.words, {}, {}, {}, {}
    for i, opcode, count in module.instructions():
        if opcode == OP_FUNCTION:
            break
        if opcode == OP_ENTRY_POINT and count > 3:
            names[words[i + 2]] = words[i + 3:i + count].tobytes().split(b"\0")[0].decode("utf-8", "replace")
        elif opcode == OP_EXECUTION_MODE and count == 4 and words[i + 2] == SUBGROUPS_PER_WORKGROUP:
            counts[words[i + 1]] = words[i + 3]
        elif opcode == OP_EXECUTION_MODE_ID and count == 4 and words[i + 2] == SUBGROUPS_PER_WORKGROUP_ID:
            constants[words[i + 1]] = words[i + 3]
        elif opcode in (OP_CONSTANT, OP_SPEC_CONSTANT) and count > 3:
            values[words[i + 2]] = words[i + 3]
    counts |= {kernel: values.get(constant, 0) for kernel, constant in constants.items()}
    return {names[kernel]: count for kernel, count in counts.items() if kernel in names}
