# SPDX-License-Identifier: Apache-2.0
"""What the code of a hardware thread is written with: values of any number of channels, the file of registers, flags,
masks of channels.

The general registers lie in the thread's memory, as one file of bytes: an operand is a load or a store of a part of it
(struct wave of library/wave.h, from `v` on), which webs.py gives variables. Those, flags, accumulators, address
registers and masks are what LLVM makes values of; they go to the thread's memory where it stops.
"""
from clpy.compiler.isa.gcn.flow import UnknownInstruction
from clpy.compiler.isa.gcn.lanes import Maker
from clpy.compiler.isa.gcn.wavefront import WAVE
from clpy.llvm.ir import const_vector

from .decode import FLOATS, GRF, SIZES
from .webs import Access

REGISTERS = 128                     # of a thread
FILE = REGISTERS * GRF              # bytes
MOST_WIDTH = 32
ACCUMULATORS, ADDRESSES = 32, 16
EXEC, FLAGS, ACC, ADDRESS, CONTROL = "exec", ("f0", "f1"), "acc", "a0", "cr0"
ALL = (1 << MOST_WIDTH) - 1


class Code(Maker):
    """`simd`: channels of the thread. `full`: all of them run in the version that is being written; `is_converged`:
    those that began run here."""

    def __init__(self, module, kernel, program):
        super().__init__(module)
        self.kernel, self.program = kernel, program
        self.simd = kernel.simd
        self.variables = {}             # name -> (alloca, type)
        self.function = self.entry = self.wave = self.lines = None
        self.full = self.is_converged = False
        self.exact = {}                 # (first channel, width) -> what a division or root comes to (alu.py)
        self.pc, self.name = 0, ""
        self.rounding = 0               # as cr0 has it (rounding.py)
        self.words = 1                  # from one element of the destination to the next
        self.fixed_values = {}
        self.flushes = False
        self.accesses = []              # to the file, of the block that is being written
        self.is_indirect = False        # registers are found through a0
        self.vgprs = 0

    def unknown(self, more=""):
        return UnknownInstruction(f"{self.name} {more}".strip(), self.kernel.name)

    def comes_from(self, instruction):
        self.pc, self.name = instruction.pc, instruction.name
        dst = instruction.dst
        has_stride = dst is not None and dst.region
        self.words = max(dst.region[0] * SIZES.get(dst.type, 2) // 2, 1) if has_stride else 1
        if self.lines is not None:
            self.lines.at(self.b, instruction.pc)

    # Constants and types

    def element(self, type_):
        """LLVM's type of a Gen type."""
        if type_ in FLOATS:
            return {"f": self.types.float, "df": self.types.double, "hf": self.types.half}[type_]
        return self.types.int(8 * SIZES[type_])

    def vector(self, element, width):
        return self.types.vector(element, width)

    def all(self, element, width, value):
        """A constant in all channels."""
        return const_vector([element.const(value)] * width)

    def splat(self, scalar, width):
        vector = self.vector(scalar.type, width)
        one = self.b.insert_element(vector.poison, scalar, self.number(32, 0))
        return self.b.shuffle(one, vector.poison, self.row(32, [0] * width))

    def pick(self, value, lanes):
        return self.b.shuffle(value, value.type.poison, self.row(32, lanes))

    def resized(self, value, width):
        """The first `width` elements; more than there are say nothing."""
        count = value.type.count
        return value if count == width else self.pick(value, [i if i < count else 0 for i in range(width)])

    def call(self, name, *args, types=None):
        return self.b.call(self.intrinsic(name, *(types or [args[0].type])), list(args))

    # The thread's memory

    def in_wave(self, name, offset=0):
        place = WAVE[name] + offset
        return self.b.gep(self.types.i8, self.wave, [self.number(64, place)]) if place else self.wave

    def fixed(self, name, type_=None):
        """A number of the thread that never changes."""
        if name not in self.fixed_values:
            here = self.b.block
            self.b.at_end(self.entry)
            self.fixed_values[name] = self.b.load(type_ or self.types.i64, self.in_wave(name))
            self.b.at_end(here)
        return self.fixed_values[name]

    def room(self, type_, name):
        """A variable of the function for whoever needs one for a moment."""
        key = "room", name
        if key not in self.fixed_values:
            here = self.b.block
            self.b.at_end(self.entry)
            self.fixed_values[key] = self.b.alloca(type_)
            self.b.at_end(here)
        return self.fixed_values[key]

    def place(self, byte):
        return self.in_wave("v", byte)

    def place_at(self, byte):
        """`byte`: an i64; what is not in the file is somewhere in it."""
        self.is_indirect = True
        inside = self.b.binop("and", byte, self.number(64, FILE - 1))
        return self.b.gep(self.types.i8, self.in_wave("v"), [inside])

    def load_file(self, byte, element, count):
        if byte < 0 or byte + count * element.size > FILE:
            raise self.unknown("of a register that there is not")
        loaded = self.b.load(self.vector(element, count), self.place(byte))
        loaded.align = element.size     # a register begins at 32 bytes, a vector of the host at up to 64
        self.accesses.append(Access(loaded, byte, byte + count * element.size, element.size, False))
        return loaded

    def store_file(self, byte, value):
        if byte < 0 or byte + value.type.count * value.type.element.size > FILE:
            raise self.unknown("of a register that there is not")
        size = value.type.element.size
        stored = self.b.store(value, self.place(byte))
        stored.align = size
        self.accesses.append(Access(stored, byte, byte + value.type.count * size, size, True))

    # Variables

    def variable(self, name):
        if name not in self.variables:
            t = self.types
            type_ = {ACC: t.vector(t.i64, ACCUMULATORS), ADDRESS: t.vector(t.i16, ADDRESSES)}.get(name, t.i32)
            here = self.b.block
            self.b.at_end(self.entry)
            self.variables[name] = self.b.alloca(type_, str(name)), type_
            self.b.at_end(here)
        return self.variables[name]

    def get(self, name):
        place, type_ = self.variable(name)
        return self.b.load(type_, place)

    def set(self, name, value):
        self.b.store(value, self.variable(name)[0])

    # Masks of channels

    def begun(self):
        """Channels that there are."""
        return self.number(32, (1 << self.simd) - 1) if self.full else self.fixed("exec", self.types.i32)

    def running(self):
        return self.begun() if self.is_converged else self.get(EXEC)

    def bits(self, mask, first, width):
        """<width x i1> of an i32 from a bit on."""
        if first:
            mask = self.b.binop("lshr", mask, self.number(32, first))
        narrow = mask if width == 32 else self.b.cast("trunc", mask, self.types.int(width))
        return self.b.cast("bitcast", narrow, self.vector(self.types.i1, width))

    def word(self, bits):
        """i32 of <n x i1>."""
        width = bits.type.count
        narrow = self.b.cast("bitcast", bits, self.types.int(width))
        return narrow if width == 32 else self.b.cast("zext", narrow, self.types.i32)

    def same(self, bits, width):
        """<width x i1> of <1 x i1>, as the host's masks are made of a number."""
        if bits.type.count == width:
            return bits
        one = self.b.extract_element(bits, self.number(32, 0))
        number = self.b.cast("sext", one, self.types.int(width))
        return self.b.cast("bitcast", number, self.vector(self.types.i1, width))

    def flag_bits(self, flag, offset, width):
        register, sub = flag.split(".")
        return self.bits(self.get(register), (16 * int(sub) + offset) % 32, width)

    def predicate(self, instruction):
        """<width x i1>, None where there is none."""
        if instruction.predicate is None:
            return None
        inverted, flag, group = instruction.predicate
        bits = self.flag_bits(flag, instruction.offset, instruction.width)
        if group:
            bits = self.of_groups(bits, group, flag, instruction)
        return self.b.binop("xor", bits, bits.type.all_ones) if inverted else bits

    def of_groups(self, bits, group, flag, instruction):
        """any16h, all8h and such: of so many channels any, or all."""
        width = instruction.width
        size = int("".join(filter(str.isdigit, group)) or width)
        if size < width:
            raise self.unknown(group)
        whole = self.flag_bits(flag, instruction.offset // size * size, min(size, 32))
        word = self.word(whole)
        full = self.number(32, (1 << min(size, 32)) - 1)
        one = (self.b.icmp("eq", word, full) if group.startswith("all")
               else self.b.icmp("ne", word, self.number(32, 0)))
        return self.splat(one, width)

    def mask_of(self, instruction):
        """<width x i1> of the channels that an instruction works on, None for all."""
        predicate = self.predicate(instruction)
        if instruction.nomask or (self.is_converged and self.full):
            return predicate
        mask = self.bits(self.running(), instruction.offset % 32, instruction.width)
        return mask if predicate is None else self.b.binop("and", mask, predicate)

    def set_flags(self, flag, offset, bits, mask):
        """New bits of a flag register, of the channels of a mask."""
        register, sub = flag.split(".")
        first, width = (16 * int(sub) + offset) % 32, bits.type.count
        old, new = self.get(register), self.word(bits)
        which = (self.number(32, (1 << width) - 1) if mask is None else self.word(mask))
        if first:
            new, which = (self.b.binop("shl", each, self.number(32, first)) for each in (new, which))
        kept = self.b.binop("and", old, self.b.binop("xor", which, self.number(32, ALL)))
        self.set(register, self.b.binop("or", kept, self.b.binop("and", new, which)))
