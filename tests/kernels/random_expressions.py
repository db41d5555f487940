# SPDX-License-Identifier: Apache-2.0
"""Random expressions of OpenCL C with one defined value: no overflow of signed types, shift counts, indices and
divisors in range, floating point on small whole numbers only.

An expression is a tree, so that a failing kernel can be made smaller (reduction.py).
"""
from .random_builtins import Builtins
from .random_tree import COUNTS, FLOATS, HEX, INPUTS, SCALARS, Expr, split, unsigned


class Scope:
    """What an expression may read: texts by type. `uniform` holds those that are equal in the whole group."""

    def __init__(self):
        self.varying, self.uniform = {}, {}
        self.arrays = []     # (element type, name, power of two)
        self.functions = []  # (result type, name, parameter types)
        self.bools = []      # names
        self.local_reads = []  # (element type, name) of local arrays that nobody writes now

    def copy(self):
        new = Scope()
        new.varying = {t: list(v) for t, v in self.varying.items()}
        new.uniform = {t: list(v) for t, v in self.uniform.items()}
        new.arrays, new.functions, new.local_reads = list(self.arrays), list(self.functions), list(self.local_reads)
        new.bools = list(self.bools)
        return new

    def add(self, type_, text, uniform=False):
        for table in (self.varying, self.uniform) if uniform else (self.varying,):
            table.setdefault(type_, []).append(text)

    def texts(self, uniform):
        return self.uniform if uniform else self.varying


class Expressions(Builtins):
    """Makes expressions from the random generator `r`, reading what `scope` has."""

    def __init__(self, r):
        self.r = r
        self.scope = Scope()
        self.pure = False    # inside a function: no memory but its own

    def make(self, type_, depth=2, uniform=False):
        base, count = split(type_)
        if count > 1:
            return self.vector(base, count, depth, uniform)
        return self.floating(base, depth, uniform) if base in FLOATS else self.integer(base, depth, uniform)

    def any_integer(self):
        return self.r.choice(list(SCALARS))

    # --- leaves

    def literal(self, base):
        r = self.r
        if base in FLOATS:
            return Expr(base, f"{r.randrange(0, 64)}.0" + ("f" if base == "float" else ""))
        bits, signed = SCALARS[base]
        value = r.choice((0, 1, 2, 3, 5, 7, 31, r.randrange(0, 128), r.randrange(0, 1 << (bits - 1)),
                          (1 << (bits - 1)) - 1))
        if signed and r.random() < 0.3:
            value = -value
        return Expr(base, f"({base}){value}" + ("" if bits < 64 else "L"))

    def leaf(self, base, uniform):
        """A variable of this type, else of any integer type and converted, else a literal."""
        r, texts = self.r, self.scope.texts(uniform)
        if base in texts and r.random() < 0.7:
            return Expr(base, r.choice(texts[base]))
        others = [t for t in SCALARS if t in texts]
        if others and r.random() < 0.75:
            other = r.choice(others)
            text = r.choice(texts[other])
            if base in FLOATS:
                return Expr(base, f"({base})({text} & 127)")
            return Expr(base, f"({base}){text}")
        return self.literal(base)

    def index(self, limit, depth, uniform=False):
        """An index below the power of two `limit`."""
        r = self.r
        if r.random() < 0.2:
            return Expr("uint", str(r.randrange(limit)))
        return Expr("uint", "(", self.make(r.choice(("uint", "int", "ulong", "uchar")), depth, uniform),
                    f" & {limit - 1})")

    def memory(self, base, depth, uniform):
        """A load from an input buffer, a private array or local memory."""
        r = self.r
        places = [] if self.pure else [(t, f"{name}[", "]", 256) for t, name in INPUTS.items()]
        if not uniform:
            places += [(t, f"{name}[", "]", size) for t, name, size in self.scope.arrays]
            places += [(t, f"{name}[", " % lsz]", 0) for t, name in self.scope.local_reads] * 3
        if not places:
            return self.leaf(base, uniform)
        _, before, after, limit = r.choice(places)
        if limit == 256 and not uniform and r.random() < 0.5:  # neighbours read neighbours
            at = Expr("uint", r.choice((f"lid + {r.randrange(64)}", f"lid * {r.choice((2, 3))} + {r.randrange(60)}",
                                        f"{r.randrange(64, 200)} - lid", "gx & 127", "i & 255", "(i + un0) & 255")))
        elif limit == 0:
            at = Expr("uint", "(", self.make("uint", depth - 1), ")")
        else:
            at = self.index(limit, depth - 1, uniform)
        if base in FLOATS:
            return Expr(base, f"({base})({before}", at, f"{after} & 127)")
        return Expr(base, f"({base}){before}", at, after)

    # --- integers

    def integer(self, base, depth, uniform):
        r = self.r
        if depth <= 0 or r.random() < 0.15:
            return self.leaf(base, uniform)
        ways = [self.arithmetic] * 5 + [self.bitwise, self.shift, self.divide, self.compare, self.choose, self.choose,
                                        self.builtin, self.builtin, self.convert, self.convert, self.memory,
                                        self.memory, self.memory, self.exact_bits, self.rounded, self.seen_as,
                                        self.from_table]
        if not uniform:
            ways += [self.element, self.element, self.reduce, self.call]
        if not uniform and not self.pure:
            ways.append(self.guarded_neighbour)
        return r.choice(ways)(base, depth, uniform)

    def arithmetic(self, base, depth, uniform):
        bits, _ = SCALARS[base]
        wide = "ulong" if bits == 64 else "uint"
        x, y = self.make(base, depth - 1, uniform), self.make(base, depth - 1, uniform)
        return Expr(base, f"({base})(({wide})", x, f" {self.r.choice('++-*')} ({wide})", y, ")")

    def bitwise(self, base, depth, uniform):
        x, y = self.make(base, depth - 1, uniform), self.make(base, depth - 1, uniform)
        if self.r.random() < 0.2:
            return Expr(base, f"({base})~", x)
        return Expr(base, f"({base})(", x, f" {self.r.choice('&|^')} ", y, ")")

    def shift(self, base, depth, uniform):
        bits, _ = SCALARS[base]
        x, y = self.make(base, depth - 1, uniform), self.make(self.r.choice((base, "uint")), depth - 1, uniform)
        if self.r.random() < 0.5:
            return Expr(base, f"({base})(({unsigned(base)})", x, " << (", y, f" & {bits - 1}))")
        return Expr(base, f"({base})(", x, " >> (", y, f" & {bits - 1}))")

    def divide(self, base, depth, uniform):
        x, y = self.make(base, depth - 1, uniform), self.make(base, depth - 1, uniform)
        return Expr(base, f"({base})(", x, f" {self.r.choice('/%')} ((", y, f" & 63) + {self.r.randrange(1, 9)}))")

    def compare(self, base, depth, uniform):
        return Expr(base, f"({base})", self.condition(depth - 1, uniform))

    def choose(self, base, depth, uniform):
        x, y = self.make(base, depth - 1, uniform), self.make(base, depth - 1, uniform)
        return Expr(base, f"({base})(", self.condition(depth - 1, uniform), " ? ", x, " : ", y, ")")

    def builtin(self, base, depth, uniform):
        r, (bits, signed) = self.r, SCALARS[base]
        x, y, z = (self.make(base, depth - 1, uniform) for _ in range(3))
        name = r.choice(("min", "max", "add_sat", "sub_sat", "mul_hi", "rotate", "hadd", "rhadd", "bitselect", "clz",
                         "popcount", "abs_diff", "abs", "clamp", "mad_sat", "upsample", "mul24"))
        if name == "mad_sat" and bits == 64:  # not all implementations get this one right
            name = "bitselect"
        if name in ("bitselect", "mad_sat"):
            return Expr(base, f"{name}(", x, ", ", y, ", ", z, ")")
        if name in ("clz", "popcount"):
            return Expr(base, f"{name}(", x, ")")
        if name == "abs":
            return Expr(base, f"({base})abs(", x, ")")
        if name == "abs_diff":
            return Expr(base, f"({base})abs_diff(", x, ", ", y, ")")
        if name == "clamp":
            return Expr(base, "clamp(", x, f", ({base}){r.randrange(9)}, ({base}){r.randrange(9, 100)})")
        if name == "mul24":
            return Expr(base, f"({base})mul24((int)(", x, " & 0xfff), (int)(", y, " & 0xfff))")
        if name == "upsample":
            half = {16: "char", 32: "short", 64: "int"}.get(bits)
            if half is None:
                return x
            return Expr(base, f"upsample(({half if signed else 'u' + half})", x, f", (u{half})", y, ")")
        return Expr(base, f"{name}(", x, ", ", y, ")")

    def convert(self, base, depth, uniform):
        r = self.r
        source = self.any_integer()
        how = r.choice(("", "_sat"))
        return Expr(base, f"convert_{base}{how}(", self.make(source, depth - 1, uniform), ")")

    def element(self, base, depth, uniform):
        """An element of a vector: fixed, or chosen by the work-item."""
        count = self.r.choice(COUNTS)
        v = self.make(f"{base}{count}", depth - 1)
        if count == 3 or self.r.random() < 0.7:
            return Expr(base, "(", v, f").s{HEX[self.r.randrange(count)]}")
        at = self.index(count, depth - 1)
        return Expr(base, "shuffle(", v, f", ({unsigned(base)}2)(({unsigned(base)})", at, ", 0)).x")

    def reduce(self, base, depth, uniform):
        """any, all, or a sum of elements."""
        count = self.r.choice(COUNTS)
        v = self.make(f"{base}{count}", depth - 1)
        if SCALARS[base][1] and self.r.random() < 0.5:
            return Expr(base, f"({base}){self.r.choice(('any', 'all'))}(", v, f" < ({base}{count})9)")
        fold = {2: "fold2", 4: "fold4"}.get(count)
        if fold is None:
            return Expr(base, "(", v, ").s1")
        return Expr(base, f"({base}){fold}(convert_uint{count}(", v, "))")

    def call(self, base, depth, uniform):
        known = [f for f in self.scope.functions if split(f[0])[0] in SCALARS]
        if not known:
            return self.leaf(base, uniform)
        _, name, params = self.r.choice(known)
        parts = [f"({base}){name}("]
        for n, type_ in enumerate(params):
            parts += [", "] * (n > 0) + ([type_[1:]] if type_[0] == "&" else [self.make(type_, depth - 1)])
        return Expr(base, *parts, ")")

    def guarded_neighbour(self, base, depth, uniform):
        """An index that wraps below zero in lanes that do not use it."""
        names = [name for _, name in self.scope.local_reads] or list("abcs")
        k = self.r.choice(("1", "2", "5", "un3"))
        return Expr(base, f"({base})(lid >= {k} ? {self.r.choice(names)}[lid - {k}] : 0)")

    def condition(self, depth, uniform=False):
        r = self.r
        if self.scope.bools and not uniform and r.random() < 0.2:
            return Expr("int", f"(int){r.choice(self.scope.bools)}")
        if depth > 1 and r.random() < 0.2:
            return Expr("int", "(", self.condition(depth - 1, uniform), r.choice((" && ", " || ")),
                        self.condition(depth - 1, uniform), ")")
        if r.random() < 0.15:
            base = r.choice(list(FLOATS))
        else:
            base = self.any_integer()
        x, y = self.make(base, depth - 1, uniform), self.make(base, depth - 1, uniform)
        if base in SCALARS and r.random() < 0.4:
            return Expr("int", "((", x, f" & {r.choice((1, 2, 3, 7))}) {r.choice(('==', '!='))} {r.randrange(2)})")
        return Expr("int", "(", x, f" {r.choice(('<', '>', '<=', '>=', '==', '!='))} ", y, ")")

    # --- floating point: whole numbers from 0 to 1023

    def floating(self, base, depth, uniform):
        r = self.r
        if depth <= 0 or r.random() < 0.2:
            return self.leaf(base, uniform)
        way = r.randrange(8)
        if way > 4:
            return self.exact_math(base, depth, uniform)
        x, y = self.make(base, depth - 1, uniform), self.make(base, depth - 1, uniform)
        whole = FLOATS[base]
        if way < 3:
            return Expr(base, f"({base})(({whole})(", x, f" {r.choice('+-*')} ", y, ") & 1023)")
        if way == 3:
            return Expr(base, f"({base})(({whole})fma(", x, ", ", y, ", ", self.make(base, depth - 1, uniform),
                        ") & 1023)")
        return Expr(base, "(", self.condition(depth - 1, uniform), " ? ", x, " : ", y, ")")

    # --- vectors

    def vector(self, base, count, depth, uniform):
        r, type_ = self.r, f"{base}{count}"
        known = self.scope.texts(uniform).get(type_)
        if depth <= 0 or r.random() < 0.2:
            if known:
                return Expr(type_, r.choice(known))
            return Expr(type_, f"({type_})(", self.leaf(base, uniform), ")")
        if base in FLOATS:
            ways = [self.build, self.swizzle, self.float_vector, self.float_vector, self.vector_math]
        else:
            ways = [self.build, self.swizzle, self.swizzle, self.elementwise, self.elementwise, self.elementwise,
                    self.elementwise, self.pick, self.pick, self.mix, self.vector_convert, self.vector_builtin,
                    self.vector_load, self.rounded_vector, self.seen_as_vector]
        return r.choice(ways)(base, count, depth, uniform)

    def build(self, base, count, depth, uniform):
        type_ = f"{base}{count}"
        if count > 4 or self.r.random() < 0.3:
            return Expr(type_, f"({type_})(", self.make(base, depth - 1, uniform), ")")
        parts = []
        for n in range(count):
            parts += [", "] * (n > 0) + [self.make(base, depth - 1, uniform)]
        return Expr(type_, f"({type_})(", *parts, ")")

    def swizzle(self, base, count, depth, uniform):
        source = self.r.choice(COUNTS)
        v = self.make(f"{base}{source}", depth - 1, uniform)
        if source == 2 * count and self.r.random() < 0.5:
            return Expr(f"{base}{count}", "(", v, f").{self.r.choice(('lo', 'hi', 'even', 'odd'))}")
        chosen = "".join(self.r.choice(HEX[:source]) for _ in range(count))
        return Expr(f"{base}{count}", "(", v, f").s{chosen}")

    def elementwise(self, base, count, depth, uniform):
        r, type_, u = self.r, f"{base}{count}", f"{unsigned(base)}{count}"
        x, y = self.make(type_, depth - 1, uniform), self.make(type_, depth - 1, uniform)
        op = r.choice("+-*&|^s")
        if op == "s":
            bits = SCALARS[base][0]
            return Expr(type_, "(", x, " >> (", y, f" & ({type_}){bits - 1}))")
        return Expr(type_, f"as_{type_}(as_{u}(", x, f") {op} as_{u}(", y, "))")

    def pick(self, base, count, depth, uniform):
        """By a comparison of vectors, with select or ?:."""
        type_ = f"{base}{count}"
        p, q, x, y = (self.make(type_, depth - 1, uniform) for _ in range(4))
        op = self.r.choice(("<", ">", "==", "!=", "<=", ">="))
        if self.r.random() < 0.5:
            return Expr(type_, "((", p, f" {op} ", q, ") ? ", x, " : ", y, ")")
        return Expr(type_, "select(", x, ", ", y, ", (", p, f" {op} ", q, "))")

    def mix(self, base, count, depth, uniform):
        """shuffle and shuffle2 with masks of the work-item."""
        if count == 3:
            return self.build(base, count, depth, uniform)
        source = self.r.choice((2, 4, 4, 8))
        mask = self.make(f"{unsigned(base)}{count}", depth - 1, uniform)
        x = self.make(f"{base}{source}", depth - 1, uniform)
        if self.r.random() < 0.5:
            return Expr(f"{base}{count}", "shuffle(", x, ", ", mask, ")")
        y = self.make(f"{base}{source}", depth - 1, uniform)
        return Expr(f"{base}{count}", "shuffle2(", x, ", ", y, ", ", mask, ")")

    def vector_convert(self, base, count, depth, uniform):
        source = f"{self.any_integer()}{count}"
        how = self.r.choice(("", "_sat"))
        return Expr(f"{base}{count}", f"convert_{base}{count}{how}(", self.make(source, depth - 1, uniform), ")")

    def vector_builtin(self, base, count, depth, uniform):
        type_ = f"{base}{count}"
        x, y = self.make(type_, depth - 1, uniform), self.make(type_, depth - 1, uniform)
        name = self.r.choice(("min", "max", "add_sat", "sub_sat", "rotate", "mul_hi", "hadd"))
        return Expr(type_, f"{name}(", x, ", ", y, ")")

    def vector_load(self, base, count, depth, uniform):
        """vloadN: next to each other, or anywhere."""
        if self.pure:
            return self.build(base, count, depth, uniform)
        name = self.r.choice(list(INPUTS.values()))
        if not uniform and count <= 4 and self.r.random() < 0.6:
            at = Expr("uint", "lid")
        else:
            at = self.index(256 // 16, depth - 1, uniform)
        return Expr(f"{base}{count}", f"convert_{base}{count}(vload{count}(", at, f", {name}))")

    def float_vector(self, base, count, depth, uniform):
        type_, whole = f"{base}{count}", f"{FLOATS[base]}{count}"
        x, y = self.make(type_, depth - 1, uniform), self.make(type_, depth - 1, uniform)
        op = self.r.choice("+-*")
        return Expr(type_, f"convert_{type_}(convert_{whole}(", x, f" {op} ", y, f") & ({whole})1023)")
