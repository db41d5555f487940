# SPDX-License-Identifier: Apache-2.0
"""Vectors of three, bits seen as one type after the other, shifts by more than the width, products and quotients of any
64 bits. A part of LanguageGenerator."""
from .random_case import BYTES, Statement
from .random_tree import FLOATS, HEX, SCALARS, split, unsigned

SAME_BITS = {32: ("uchar4", "char4", "ushort2", "short2", "uint", "int", "uchar3", "char3"),
             64: ("uchar8", "char8", "ushort4", "short4", "uint2", "int2", "ulong", "long", "ushort3", "short3"),
             128: ("uchar16", "ushort8", "uint4", "int4", "ulong2", "long2", "uint3", "int3")}


class Odd:
    """Needs r, make, index, condition and name of a Generator."""

    def odd(self):
        return self.r.choice((self.threes, self.threes, self.chain, self.chain, self.far_shift, self.wide_arithmetic,
                              self.wide_arithmetic, self.stored_threes, self.half_threes, self.parts_of_vectors,
                              self.saturated))()

    def threes(self):
        r, base = self.r, self.any_integer()
        t, u, x, y = f"{base}3", f"{unsigned(base)}3", self.name("x"), self.name("y")
        changes = r.sample((f"{x}.yz = {y}.xy;", f"{x} = {y}.zxy;", f"{x}.s2 = {y}.s0;", f"{x} = max({x}, {y});",
                            f"{y} = {x} < {y} ? {x} : {y};", f"{y} = rotate({x}, {y});", f"{x} = add_sat({x}, {y});",
                            f"{y} = select({x}, {y}, {x} == {y}.yzx);", f"{x} = as_{t}(as_{u}({x}) * as_{u}({y}));",
                            f"{y}.zx = {x}.yy;", f"{x} = ({t})({y}.xy, {x}.z);", f"{y} = clamp({x}, ({t})3, ({t})90);",
                            f"{y} = as_{t}(convert_{u}({x}.zyx));", f"{x} = ~{y};",
                            f"{x} = {x} == as_{t}(abs_diff({x}, {y})) ? {x} : {y};"), r.randrange(1, 5))
        return Statement(f"{{ {t} {x} = ", self.make(t, 1), f", {y} = ", self.make(t, 1), f"; {' '.join(changes)} "
                         f"own[i] += (uint){x}.x + (uint){x}.y * 3u + (uint){x}.z * 5u + (uint){y}.s0 * 7u + "
                         f"(uint){y}.s1 * 11u + (uint){y}.s2 * 13u; }}")

    def chain(self):
        """The last element of a vector of three is nothing, so it is not looked at after that."""
        r = self.r
        types = [t for t in SAME_BITS[r.choice(list(SAME_BITS))]]
        full = [t for t in types if split(t)[1] != 3]
        first = r.choice(full)
        parts, ends = ["", self.make(first, 1), ""], ""
        before = ""
        for t in r.choices(full, k=r.randrange(1, 4)):
            before, ends = f"as_{t}({before}", f"{ends})"
            last = t
        if r.random() < 0.4:
            last = r.choice([t for t in types if split(t)[1] == 3])
            before, ends = f"as_{last}({before}", f"{ends})"
        count = split(last)[1]
        # three of four elements are three quarters of the bytes, in order
        suffix = f".s{HEX[r.randrange(count)]}" if count > 1 else ""
        parts = [f"own[i] += (uint){before}", self.make(first, 1), f"{ends}{suffix};"]
        return Statement(*parts)

    def far_shift(self):
        """Of the count only the bits below the width matter."""
        r, base = self.r, self.r.choice(("uint", "ulong", "int", "long"))
        if r.random() < 0.5:
            count = r.choice((2, 3, 4, 8))
            base = self.any_integer()
            t, u = f"{base}{count}", f"{unsigned(base)}{count}"
            x = self.name("x")
            return Statement(f"{{ {t} {x} = as_{t}(as_{u}(", self.make(t, 1), ") << as_", f"{u}(", self.make(t, 1),
                             ")) >> ", self.make(t, 1), f"; own[i] += (uint){x}.s0 * 3u + (uint){x}.s1; }}")
        return Statement(f"own[i] += (uint)((({unsigned(base)})", self.make(base, 1), " << ", self.make("int", 1),
                         f") ^ ({unsigned(base)})(", self.make(base, 1), " >> ", self.make("ulong", 1), "));")

    def wide_arithmetic(self):
        r, x, y = self.r, self.name("x"), self.name("y")
        signed = r.random() < 0.5
        t = "long" if signed else "ulong"
        what = r.choice((f"mul_hi({x}, {y})", f"{x} / (({y} & 0xffffffffffL) | 1)", f"{x} % (({y} & 0xfffff) + 1)",
                         f"(({x} * 0x9e3779b97f4a7c15ul) >> 17)", f"abs_diff({x}, {y})", f"add_sat({x}, {y})",
                         f"sub_sat({x}, {y})", f"hadd({x}, {y})", f"rhadd({x}, {y})", f"rotate({x}, {y})",
                         f"(clz({x}) + ctz({y} | 8) + popcount({x} ^ {y}))", f"mad_hi({x}, {y}, ({t})3)",
                         f"min({x}, {y})", f"max({x}, {y})", f"convert_uint_sat({x} - ({y} & 0xff))"
                         if not signed else f"convert_int_sat({x})", f"bitselect({x}, {y}, ({t})0x00ff00ff00ff00ffL)",
                         f"as_uint(convert_float_rtz({x}))", f"as_ulong(convert_double_rtp({x} | {y}))"))
        return Statement(f"{{ {t} {x} = ", self.make(t, 1), f", {y} = ", self.make(t, 1),
                         f"; ulong r_ = (ulong){what}; own[i] += (uint)r_ + (uint)(r_ >> 32) * 3u; }}")

    def stored_threes(self):
        """vstore3 and vload3 anywhere in bytes of its own."""
        base = self.any_integer()
        size = SCALARS[base][0] // 8
        at, places = self.name("x"), BYTES // (3 * size)
        return Statement(f"{{ uint {at} = (", self.make("uint", 1), f") % {places}; global {base} *w_ = "
                         f"(global {base} *)(q + i * {BYTES}); vstore3(", self.make(f"{base}3", 1),
                         f", {at}, w_); {base}3 v_ = vload3(({at} + 1) % {places}, w_); "
                         f"own[i] += (uint)v_.x + (uint)v_.y * 3u + (uint)v_.z * 5u; }}")

    def half_threes(self):
        r = self.r
        a, how = r.choice(("", "a")), r.choice(("", "_rte", "_rtz", "_rtp", "_rtn"))
        count = r.choice((3, 3, 2, 4, 8))
        places = BYTES // 2 // (4 if a and count == 3 else count)
        at = self.name("x")
        return Statement(f"{{ uint {at} = (", self.make("uint", 1), f") % {places}; global half *w_ = (global half *)"
                         f"(q + i * {BYTES}); vstore{a}_half{count}{how}(", self.make(f"float{count}", 1),
                         f" * 0.3f, {at}, w_); own[i] += half_bits(vload{a}_half{count}({at}, w_)"
                         f".s{r.randrange(count)}); }}")

    def parts_of_vectors(self):
        """Elements written one by one, by number or by name, in vectors that a loop carries along."""
        r, base, count = self.r, self.any_integer(), self.r.choice((2, 3, 4, 8, 16))
        t, x, k = f"{base}{count}", self.name("x"), self.name("k")
        one, two = r.randrange(count), r.randrange(count)
        return Statement(f"{{ {t} {x} = ", self.make(t, 1), f"; for (uint {k} = 0; {k} < (", self.make("uint", 1),
                         f" & 7); ++{k}) {{ if (", self.condition(1), f") {x}.s{HEX[one]} = ", self.make(base, 1),
                         f"; else {x} = {x}.s{''.join(r.choice(HEX[:count]) for _ in range(count))}; "
                         f"{x}.s{HEX[two]} ^= ({base}){k}; }} own[i] += (uint){x}.s{HEX[one]} * 3u + "
                         f"(uint){x}.s{HEX[r.randrange(count)]}; }}")

    def saturated(self):
        r = self.r
        source, target = r.choice(list(FLOATS)), self.any_integer()
        count = r.choice((1, 2, 3, 4, 8, 16))
        c = str(count) if count > 1 else ""
        how = r.choice(("_sat", "_sat_rte", "_sat_rtz", "_sat_rtp", "_sat_rtn"))
        special = r.choice(("0.0f / 0.0f", "1.0f / 0.0f", "-1.0f / 0.0f", "3.0e9f", "-0.5f", "9.3e18f",
                            "-9.3e18f", "1.9e19f"))
        x = self.name("x")
        parts = [f"{{ {source}{c} {x} = ", self.make(f"{source}{c}", 1), f" * ({source}{c})",
                 r.choice(("0.5f", "-0.5f", "-1.0e7f", "1.0e17f")), "; if (", self.condition(1),
                 f") {x}{f'.s{HEX[r.randrange(count)]}' if c else ''} = {special}; "]
        return Statement(*parts, f"own[i] += (uint)convert_{target}{c}{how}({x})"
                         f"{f'.s{HEX[r.randrange(count)]}' if c else ''}; }}")
