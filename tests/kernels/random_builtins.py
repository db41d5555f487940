# SPDX-License-Identifier: Apache-2.0
"""Random calls of builtins whose result on the given arguments is one value everywhere: math on small whole numbers,
roundings, half, bits of vectors seen as other types, a table in constant memory. A part of Expressions.

`HEAD_TEXT` stands before every kernel.
"""
from .random_tree import COUNTS, FLOATS, HEX, SCALARS, Expr

TABLE = 16
HEAD_TEXT = """constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 0xffffffff, 5, 3, 5, 8, 0x80000000, 7, 9};
uint fold2(uint2 v) { return v.x * 3 + v.y; }
uint fold4(uint4 v) { return fold2(v.xy) * 5 + fold2(v.zw); }
uint half_bits(float x) { return isnan(x) ? 1 : as_uint(x); }
int exponent(float x) { int e; float m = frexp(x, &e); return e * 64 + (int)(m * 64.0f); }
float parts(float x) { float w; float f = modf(x * 0.25f, &w); return w + f * 4.0f; }
"""
# Where the result lies far enough from the middle of two whole numbers for all arguments from 0 to 1024.
INEXACT = ("fabs(rint(sin({}) * 11.0f))", "fabs(rint(cos({}) * 30.0f))", "rint(log2({} + 1.0f) * 30.0f)",
           "rint(atan({}) * 20.0f)", "rint(cbrt({}) * 9.0f)", "rint(exp2(fmod({}, 9.0f)))", "rint(sqrt({}) * 7.0f)")
EXACT_1 = ("fabs({})", "floor({} * 0.25f)", "ceil({} * 0.5f)", "trunc({} * 0.125f)", "rint({} * 0.75f)",
           "round({} * 0.25f)", "floor(ldexp({}, -2))", "floor({} * 0.5f) + sign({})", "parts({})",
           "(float)exponent({} + 1.0f)", "(float)ilogb({} + 1.0f)", "logb({} + 1.0f)")
EXACT_2 = ("fdim({}, {})", "fmod({}, {} + 1.0f)", "fmin({}, {})", "fmax({}, {})", "min({}, {})", "max({}, {})",
           "fabs({} - {})", "step({}, {})", "fabs(copysign({}, -{} - 1.0f))", "maxmag({}, {})", "minmag({}, {})",
           "(float)(isgreater({}, {}) + 2)", "(float)(islessequal({}, {}) + isnotequal({}, {}) * 2)")
ROUNDINGS = ("_sat", "_sat_rte", "_sat_rtz", "_sat_rtp", "_sat_rtn")


class Builtins:
    """Needs r, scope, make, index, literal and pure of Expressions."""

    def fill(self, text, depth, uniform):
        """`text` with a float in each pair of braces."""
        first, *others = text.split("{}")
        parts = [first]
        for piece in others:
            parts += [self.make("float", depth, uniform), piece]
        return Expr("float", "(", *parts, ")")

    def exact_math(self, base, depth, uniform):
        """A whole number from 0 to 1023, floating."""
        x = self.fill(self.r.choice(self.r.choice((EXACT_1, EXACT_2, INEXACT))), depth - 1, uniform)
        return x if base == "float" else Expr(base, f"({base})", x)

    def vector_math(self, base, count, depth, uniform):
        """The same for vectors: the functions of two arguments that take any."""
        type_, name = f"{base}{count}", self.r.choice(("fmin", "fmax", "fdim", "fmod", "floor", "fabs", "sqrt"))
        x = self.make(type_, depth - 1, uniform)
        if name == "sqrt":
            return Expr(type_, "rint(sqrt(", x, f") * ({type_})7)")
        if name in ("floor", "fabs"):
            return Expr(type_, f"{name}(", x, f" * ({type_}){'0.5' if name == 'floor' else '1'})")
        one = f" + ({type_})1" if name == "fmod" else ""
        return Expr(type_, f"{name}(", x, ", ", self.make(type_, depth - 1, uniform), one, ")")

    def exact_bits(self, base, depth, uniform):
        """Bits of a floating value, as a whole number."""
        r = self.r
        way = r.randrange(5)
        if way == 0:
            return Expr(base, f"({base})as_uint(", self.make("float", depth - 1, uniform), ")")
        if way == 1 and "double" in FLOATS:
            return Expr(base, f"({base})as_ulong(", self.make("double", depth - 1, uniform), ")")
        if way == 2:
            source, how = r.choice(("int", "uint", "long", "ulong", "short")), r.choice(("", "_rte", "_rtz", "_rtp",
                                                                                           "_rtn"))
            return Expr(base, f"({base})as_uint(convert_float{how}(", self.make(source, depth - 1, uniform), "))")
        if way == 3 and not self.pure:
            return self.half(base, depth, uniform)
        return Expr(base, f"({base})exponent(", self.make("float", depth - 1, uniform), ")")

    def half(self, base, depth, uniform):
        at = self.index(256, depth - 1, uniform) if uniform or self.r.random() < 0.5 else Expr("uint", "(uint)lid")
        count = self.r.choice((1, 1, 2, 3, 4, 8))
        if count == 1:
            return Expr(base, f"({base})half_bits(vload_half(", at, ", (global const half *)s))")
        return Expr(base, f"({base})half_bits(vload_half{count}(", at,
                    f", (global const half *)s).s{HEX[self.r.randrange(count)]})")

    def rounded(self, base, depth, uniform):
        """A conversion of what is no whole number or lies far out."""
        r, source = self.r, self.r.choice(list(FLOATS))
        scale = r.choice(("0.25", "0.5", "0.75", "100.0", "1.0e8", "1.0e18"))
        return Expr(base, f"convert_{base}{r.choice(ROUNDINGS)}((", self.make(source, depth - 1, uniform),
                    f" - 300.0f) * {scale}{'f' if source == 'float' else ''})")

    def rounded_vector(self, base, count, depth, uniform):
        r, source = self.r, self.r.choice(list(FLOATS))
        return Expr(f"{base}{count}", f"convert_{base}{count}{r.choice(ROUNDINGS)}((",
                    self.make(f"{source}{count}", depth - 1, uniform),
                    f" - ({source}{count})300) * ({source}{count}){r.choice(('0.25', '0.5', '0.75', '1.0e8'))})")

    def seen_as(self, base, depth, uniform):
        """An element of a value whose bits are seen as a vector of another type, or the other way round."""
        r, (bits, _) = self.r, SCALARS[base]
        wider = [t for t in SCALARS if SCALARS[t][0] > bits]
        if wider and r.random() < 0.6:
            source = r.choice(wider)
            count = SCALARS[source][0] // bits
            return Expr(base, f"as_{base}{count}(", self.make(source, depth - 1, uniform),
                        f").s{HEX[r.randrange(count)]}")
        narrower = [t for t in SCALARS if SCALARS[t][0] < bits]
        if not narrower:
            return self.make(base, depth - 1, uniform)
        source = r.choice(narrower)
        return Expr(base, f"as_{base}(", self.make(f"{source}{bits // SCALARS[source][0]}", depth - 1, uniform), ")")

    def seen_as_vector(self, base, count, depth, uniform):
        """A vector's bits as those of one with twice or half as many elements."""
        bits = SCALARS[base][0]
        others = [(t, bits * count // SCALARS[t][0]) for t in SCALARS if SCALARS[t][0] != bits]
        others = [(t, n) for t, n in others if n in COUNTS and n != 3 and count != 3]
        if not others:
            return self.make(f"{base}{count}", depth - 1, uniform)
        source, n = self.r.choice(others)
        return Expr(f"{base}{count}", f"as_{base}{count}(", self.make(f"{source}{n}", depth - 1, uniform), ")")

    def from_table(self, base, depth, uniform):
        return Expr(base, f"({base})table[", self.index(TABLE, depth - 1, uniform), "]")
