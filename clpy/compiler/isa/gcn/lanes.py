# SPDX-License-Identifier: Apache-2.0
"""Vectors of 16 lanes, four of which are a wavefront, of some chips two: types, constants, and the few operations that
everything uses."""
from clpy.llvm.ir import Builder, Types, const_vector, get_function, intrinsic

LANES, PARTS, WAVE = 16, 4, 64
APART = "_apart"            # behind the names of functions of the library that are called where others are in line
ALL = (1 << WAVE) - 1
OEQ, OGT, OGE, OLT, OLE, ONE, ORD, UNO = 1, 2, 3, 4, 5, 6, 7, 8     # LLVM's numbers of comparisons


class Maker:
    """What makes instructions, in one module, for vectors of any length. `is_brief`: such as are compiled soon."""

    def __init__(self, module, is_brief=False):
        self.module, self.is_brief = module, is_brief
        self.types = Types(module)
        self.b = Builder(module)
        self.constants = {}
        self.library = {}
        self.intrinsics = {}

    def number(self, width, value):
        """An integer constant."""
        key = width, value
        found = self.constants.get(key)
        if found is None:
            found = self.constants[key] = self.types.int(width).const(value & (1 << width) - 1)
        return found

    def row(self, width, values):
        return const_vector([self.number(width, value) for value in values])

    def cast(self, value, type_):
        return value if value.type == type_ else self.b.cast("bitcast", value, type_)

    def intrinsic(self, name, *types):
        """LLVM's intrinsic for these types."""
        key = name, *(str(t) for t in types)
        found = self.intrinsics.get(key)
        if found is None:
            found = self.intrinsics[key] = intrinsic(self.module, name, list(types))
        return found

    def run(self, name, *args):
        """A call of a function of the library. Where code is to be there soon, some are not in line."""
        found = self.library.get(name)
        if found is None:
            apart = get_function(self.module, name + APART) if self.is_brief else None
            found = self.library[name] = apart or get_function(self.module, name)
            if found is None:
                raise LookupError(f"the library has no {name}")
        return self.b.call(found, list(args))


class Lanes(Maker):
    """That for vectors of 16 lanes. `parts`: of a wavefront of `wave_size` lanes; `everyone`: a bit for each lane."""

    def __init__(self, module, is_brief=False, wave_size=WAVE):
        super().__init__(module, is_brief)
        self.wave_size, self.parts, self.everyone = wave_size, wave_size // LANES, (1 << wave_size) - 1
        t = self.types
        self.half = t.vector(t.half, LANES)
        self.i1, self.i8, self.i16, self.i32, self.i64 = (t.vector(t.int(w), LANES) for w in (1, 8, 16, 32, 64))
        self.f32, self.f64 = t.vector(t.float, LANES), t.vector(t.double, LANES)
        self.mask_type = t.vector(t.i1, LANES)
        self.first_of_all = const_vector([t.i32.const(0)] * LANES)

    def all(self, width, value):
        """A vector with this integer in all lanes."""
        key = "v", width, value
        found = self.constants.get(key)
        if found is None:
            found = self.constants[key] = const_vector([self.number(width, value)] * LANES)
        return found

    def splat(self, scalar):
        """A scalar value in all lanes."""
        if scalar.is_const_int:
            return const_vector([scalar] * LANES)
        vector = self.types.vector(scalar.type, LANES)
        one = self.b.insert_element(vector.poison, scalar, self.number(32, 0))
        return self.b.shuffle(one, vector.poison, self.first_of_all)

    def wide(self, low, high):
        """Two vectors of 32-bit halves as one of 64 bits."""
        mask = self.row(32, [i // 2 + (i % 2) * LANES for i in range(2 * LANES)])
        return self.b.cast("bitcast", self.b.shuffle(low, high, mask), self.i64)

    def half_of(self, value, upper):
        """The lower or the upper half of a vector of 64 bits."""
        if self.is_brief:       # LLVM takes longer over a shuffle than over two other instructions
            value = self.cast(value, self.i64)
            return self.b.cast("trunc", self.b.binop("lshr", value, self.all(64, 32)) if upper else value, self.i32)
        words = self.b.cast("bitcast", value, self.types.vector(self.types.i32, 2 * LANES))
        return self.b.shuffle(words, words.type.poison, self.row(32, [2 * i + upper for i in range(LANES)]))

    def call(self, name, *args):
        """A call of LLVM's intrinsic of the type of the first argument."""
        return self.b.call(self.intrinsic(name, args[0].type), list(args))

    def part_number(self, k):
        """i32 of a part."""
        return self.number(32, k) if isinstance(k, int) else self.b.cast("trunc", k, self.types.i32)

    def lane_numbers(self, k):
        """The numbers of a part's lanes in the wavefront."""
        first = self.b.binop("shl", self.part_number(k), self.number(32, 4))
        return self.b.add(self.splat(first), self.row(32, range(LANES)))
