# SPDX-License-Identifier: Apache-2.0
"""Random statements: assignments, control flow of all kinds, stores and atomics whose order does not matter."""
from dataclasses import dataclass

from .random_case import BYTES, MAX_ITEMS, SLOTS, Block, Statement
from .random_tree import INPUTS, SCALARS, Expr, split

ATOMICS = ("add", "or", "max", "and", "min", "xor")


@dataclass(frozen=True)
class Where:
    """What a statement may do: leave a loop or a switch by these words, return, return a value of a type."""
    loop: tuple = ()
    may_return: bool = False
    result: str = ""

    def inside_loop(self):
        return Where(("break", "continue"), self.may_return, self.result)

    def inside_switch(self):
        return Where(self.loop or ("break",), self.may_return, self.result)


class Statements:
    """What a statement may do depends on where it stands (Where). A part of Generator."""

    def statements(self, n, depth, where):
        return [self.statement(depth, where) for _ in range(n)]

    def statement(self, depth, where):
        r = self.r
        ways = [self.assign] * 6
        if not self.pure:
            ways += [self.output, self.output, self.atomic, self.store_half, self.walk_in, self.walk_out, self.nest]
            ways += [self.write_alone] * (2 * len(self.single))
        if self.scope.arrays:
            ways += [self.set_element] * 2
        if self.scope.bools:
            ways.append(self.set_bool)
        ways.append(self.change_one_of)
        if self.structs and not self.pure:
            ways.append(self.copy_struct)
        if self.fixed and not self.pure:
            ways += [self.walk_array] * 2
        if self.with_pointers:
            ways.append(self.call_with_pointer)
        if self.prints and not where.loop and not self.pure:
            ways.append(self.print)
        if where.loop:
            ways += [self.leave] * 2
        if where.may_return or where.result:
            ways.append(self.early_return)
        if depth > 0:
            ways += [self.branch] * 4 + [self.count_loop] * 2 + [self.while_loop, self.do_loop, self.switch,
                                                                self.jump_forward, self.jump_back]
        return r.choice(ways)(depth, where)

    def block(self, depth, where, most=3):
        return Block(self.statements(self.r.choice((1, 1, 2)[:most]), depth - 1, where))

    def assign(self, depth, where):
        r = self.r
        type_, text = r.choice(self.targets)
        base, count = split(type_)
        if count > 1 and r.random() < 0.5:
            if count > 2 and r.random() < 0.4:
                return Statement(f"{text}.{r.choice(('xz', 'zy', 'yx'))} = ", self.make(f"{base}2", 2), ";")
            if count != 3 and not text.startswith("l") and r.random() < 0.4:
                return Statement(f"(({base} *)&{text})[", self.index(count, 1), "] = ", self.make(base, 2), ";")
            return Statement(f"{text}.s{r.randrange(min(count, 10))} = ", self.make(base, 2), ";")
        return Statement(f"{text} = ", self.make(type_, 2), ";")

    def set_element(self, depth, where):
        type_, name, size = self.r.choice(self.scope.arrays)
        return Statement(f"{name}[", self.index(size, 2), "] = ", self.make(type_, 2), ";")

    def output(self, depth, where):
        """To a place of this work-item's own: side by side, far apart, narrow, or as a vector."""
        r = self.r
        way = r.randrange(7)
        if way == 6:
            return self.own_atomic(depth)
        if way == 0:
            return Statement(f"o[{r.randrange(SLOTS)} * {MAX_ITEMS} + i] = ", self.make("ulong", 2), ";")
        if way == 1:
            op = r.choice(("=", "=", "+=", "^="))
            return Statement(f"p[i * {SLOTS} + {r.randrange(SLOTS)}] {op} ", self.make("ulong", 2), ";")
        if way == 2:
            base, count = r.choice(list(SCALARS)), r.choice((2, 3, 4))
            slot = SCALARS[base][0] // 8 * 4
            return Statement(f"vstore{count}(", self.make(f"{base}{count}", 2), ", 0, "
                             f"(global {base} *)(q + i * {BYTES} + {slot * r.randrange(BYTES // slot)}));")
        if way == 3:
            base = r.choice(list(SCALARS))
            return Statement(f"((global {base} *)(q + i * {BYTES}))[{r.randrange(8)}] = ", self.make(base, 2), ";")
        if way == 4:
            return Statement(f"own[i] = {r.choice(('', 'own[i] + '))}", self.make("uint", 2), ";")
        type_, text = r.choice(self.targets)
        if type_ not in SCALARS:
            return Statement("atomic_xchg(own + i, ", self.make("uint", 2), ");")
        return Statement(f"{text} = ({type_})atomic_{r.choice(('add', 'or', 'xor'))}(own + i, ",
                         self.make("uint", 1), ");")

    def atomic(self, depth, where):
        """Any work-item changes any place; the order does not matter, as nobody looks."""
        op, name, first, limit = self.r.choice(self.atomics)
        at = self.index(limit, 1) if limit else Expr("uint", "(", self.make("uint", 1), ") % lsz")
        return Statement(f"atomic_{op}({name} + {first} + ", at, ", ", self.make("uint", 2), ");")

    def write_alone(self, depth, where):
        type_, name, writer = self.r.choice(self.single)
        return Statement(f"if (lid == {writer}) {name}[(", self.make("uint", 1), ") % lsz] = ", self.make(type_, 2),
                         ";")

    def branch(self, depth, where):
        parts = ["if (", self.condition(2), ") ", self.block(depth, where)]
        if self.r.random() < 0.5:
            parts += ["else ", self.block(depth, where)]
        return Statement(*parts)

    def counter_in(self, type_, name, make, uniform=False):
        self.scope.add(type_, name, uniform)
        made = make()
        self.forget(type_, name)
        return made

    def count_loop(self, depth, where):
        r, k = self.r, self.name("k")
        uniform = r.random() < 0.4
        bound = Expr("uint", str(r.randrange(1, 9))) if r.random() < 0.3 else \
            Expr("uint", "(", self.make("uint", 1, uniform), f" & {r.choice((3, 7, 15))})")
        kind = r.choice(("uint", "int"))
        inside = where.inside_loop()
        block = self.counter_in(kind, k, lambda: self.block(depth, inside))
        if r.random() < 0.3:
            return Statement(f"for ({kind} {k} = ({kind})", bound, f"; {k} > 0; --{k}) ", block)
        step = r.choice((1, 1, 1, 2, 3))
        return Statement(f"for ({kind} {k} = 0; {k} < ({kind})", bound, f"; {k} += {step}) ", block)

    def while_loop(self, depth, where):
        k = self.name("k")
        block = self.counter_in("int", k, lambda: self.block(depth, where.inside_loop()))
        return Statement(f"{{ int {k} = 0; while ({k}++ < {self.r.randrange(3, 12)} && ", self.condition(2), ") ",
                         block, "}")

    def do_loop(self, depth, where):
        k = self.name("k")
        block = self.counter_in("int", k, lambda: self.block(depth, where.inside_loop()))
        return Statement(f"{{ int {k} = 0; do ", block, f"while (++{k} < {self.r.randrange(2, 9)} && ",
                         self.condition(2), "); }")

    def switch(self, depth, where):
        r = self.r
        parts = ["switch (", self.make("uint", 2), " & 7) { "]
        for value in r.sample(range(8), r.randrange(2, 5)):
            parts += [f"case {value}: ", self.block(depth, where.inside_switch(), 3),
                      "break; " if r.random() < 0.6 else ""]
        if r.random() < 0.7:
            parts += ["default: ", self.block(depth, where.inside_switch(), 3)]
        return Statement(*parts, "}")

    def jump_forward(self, depth, where):
        """A goto over a part, out of a branch."""
        label = self.name("L")
        inner = self.statements(self.r.randrange(1, 3), depth - 1, where)
        return Statement("if (", self.condition(2), f") goto {label}; ", Block(inner), "if (", self.condition(1), ") ",
                         self.block(depth, where), f"{label}:;")

    def jump_back(self, depth, where):
        """A loop made of goto; now and then one that is entered in the middle."""
        k, top, middle = self.name("k"), self.name("L"), self.name("M")
        parts = [f"{{ int {k} = 0; "]
        if self.r.random() < 0.5:
            parts += ["if (", self.condition(1), f") goto {middle}; "]
        parts += [f"{top}:; ", self.block(depth, where), f"{middle}:; ", self.block(depth, where),
                  f"if (++{k} < {self.r.randrange(2, 6)} && ", self.condition(2), f") goto {top}; }}"]
        return Statement(*parts)

    def leave(self, depth, where):
        return Statement("if (", self.condition(2), f") {self.r.choice(where.loop)};")

    def early_return(self, depth, where):
        if where.result:
            return Statement("if (", self.condition(2), ") return ", self.make(where.result, 1), ";")
        return Statement("if (", self.condition(2), ") return;")

    # --- through pointers

    def own_atomic(self, depth):
        """One that nobody else looks at, so its result is known."""
        r, new = self.r, self.make("uint", 1)
        way = r.randrange(4)
        if way == 0:
            return Statement("own[i] += atomic_cmpxchg(own + i, own[i] & ", self.make("uint", 1), ", ", new, ");")
        if way == 1:
            return Statement(f"own[i] ^= atomic_{r.choice(('inc', 'dec'))}(own + i);")
        kind = r.choice(("fetch_add", "fetch_xor", "fetch_max", "exchange"))
        return Statement(f"own[i] += atomic_{kind}_explicit((volatile global atomic_uint *)(own + i), ", new,
                         ", memory_order_relaxed, memory_scope_device);")

    def store_half(self, depth, where):
        r = self.r
        count, how = r.choice((1, 1, 2, 4)), r.choice(("", "_rte", "_rtz", "_rtp", "_rtn"))
        scale = r.choice(("1.0f", "0.3f", "100.0f"))
        type_ = f"float{count}" if count > 1 else "float"
        return Statement(f"vstore_half{count if count > 1 else ''}{how}(", self.make(type_, 2), f" * {scale}, "
                         f"{r.randrange(BYTES // 2 // count)}, (global half *)(q + i * {BYTES}));")

    def walk_in(self, depth, where):
        """A pointer that goes through an input, each work-item from a place of its own."""
        r, (type_, name), w, k = self.r, self.r.choice(list(INPUTS.items())), self.name("w"), self.name("k")
        target, text = r.choice([t for t in self.targets if t[0] in SCALARS] or [("uint", "")])
        if not text:
            return self.assign(depth, where)
        start = r.choice((Expr("uint", "lid"), Expr("uint", "lid * 3"), self.index(256, 1)))
        bound = Expr("uint", "(", self.make("uint", 1, r.random() < 0.5), " & 7)")
        step = r.choice(("1", "1", "2", "(un0 & 3)", "3"))
        op = r.choice("+^")
        return Statement(f"{{ global const {type_} *{w} = {name} + ", start, f"; for (uint {k} = 0; {k} < ", bound,
                         f"; ++{k}, {w} += {step}) {text} = ({target})((ulong){text} {op} (ulong)*{w}); }}")

    def walk_out(self, depth, where):
        w, k = self.name("w"), self.name("k")
        bound = Expr("uint", "(", self.make("uint", 1), f" & {SLOTS - 1})")
        value = self.counter_in("uint", k, lambda: self.make("ulong", 1))
        across = self.r.random() < 0.5
        start, step = ("o + i", MAX_ITEMS) if across else (f"p + i * {SLOTS}", 1)
        return Statement(f"{{ global ulong *{w} = {start}; for (uint {k} = 0; {k} < ", bound,
                         f"; ++{k}, {w} += {step}) *{w} {self.r.choice(('=', '^='))} ", value, "; }")

    def nest(self, depth, where):
        """Two counters over a row of the output and an input: their loops may be exchanged, or must not be."""
        r, j, k = self.r, self.name("j"), self.name("k")
        name = r.choice(list(INPUTS.values()))
        value = r.choice((f"{name}[{k} * {SLOTS} + {j}]", f"{name}[{j} * {SLOTS} + {k}]", f"p[i * {SLOTS} + {k}]",
                          f"{name}[{k} * {SLOTS} + {j}] * ({k} + 1u)"))
        loops = [f"for (int {n} = 0; {n} < {r.choice(('5', '8', '(int)(un0 & 7)', '(int)(i & 7)'))}; ++{n}) "
                 for n in (j, k)]
        return Statement(*loops, f"p[i * {SLOTS} + {r.choice((j, j, k, f'{j} + {k}'))}] "
                         f"{r.choice(('+=', '+=', '^=', '='))} {value};")

    def private_scalars(self):
        """{type: names} of scalar variables."""
        out = {}
        for type_, text in self.targets:
            if text[0] in "vx" and text[1:].isdigit() and type_ in SCALARS:
                out.setdefault(type_, []).append(text)
        return out

    def change_one_of(self, depth, where):
        """Through a pointer to one of two variables, or to one of an array's elements."""
        r, w = self.r, self.name("w")
        pairs = {t: names for t, names in self.private_scalars().items() if len(set(names)) > 1}
        if pairs and r.random() < 0.7:
            type_ = r.choice(list(pairs))
            x, y = r.sample(sorted(set(pairs[type_])), 2)
            return Statement(f"{{ {type_} *{w} = ", self.condition(1), f" ? &{x} : &{y}; *{w} = ",
                             self.make(type_, 1), f" ^ *{w}; }}")
        if not self.scope.arrays:
            return self.assign(depth, where)
        type_, name, size = r.choice(self.scope.arrays)
        return Statement(f"{{ {type_} *{w} = {name} + ", self.index(size, 1), f"; {w}[0] ^= ", self.make(type_, 1),
                         "; if (", self.condition(1), f") *{w} -= ({type_})1 & *{w}; }}")

    def walk_array(self, depth, where):
        """A loop of known length over an array: rounds of a hash, a sorting network, prefix sums."""
        r, (type_, name, size), k = self.r, self.r.choice(self.fixed), self.name("k")
        value = self.counter_in("uint", k, lambda: self.make(type_, 1))
        body = r.choice((f"{name}[{k}] ^= ({type_})", f"{name}[{k}] = {name}[{k} - 1] ^ ({type_})",
                         f"if ({name}[{k}] < {name}[{k} - 1]) {name}[{k}] = ({type_})",
                         f"{name}[{size - 1} - {k}] = {name}[{k}] ^ ({type_})"))
        outer = "" if r.random() < 0.7 else f"for (int r_ = 0; r_ < {r.choice(('2', '(int)(un0 & 3)'))}; ++r_) "
        return Statement(f"{outer}for (uint {k} = 1; {k} < {size}; ++{k}) {body}(", value, ");")

    def copy_struct(self, depth, where):
        """One element over another."""
        name = self.r.choice(self.structs)
        return Statement(f"{name}[", self.index(4, 1), f"] = {name}[", self.index(4, 1), "];")

    def call_with_pointer(self, depth, where):
        r, known = self.r, self.private_scalars()
        possible = [f for f in self.with_pointers if f[1] in known]
        if not possible:
            return self.assign(depth, where)
        name, type_ = r.choice(possible)
        x, y = r.choice(known[type_]), r.choice(known[type_])
        return Statement(f"{{ {type_} {x}_ = {x}; {type_} r_ = {name}(&{x}_, ", self.make("uint", 1),
                         f"); {y} = r_; {x} = {x}_; }}")

    def set_bool(self, depth, where):
        return Statement(f"{self.r.choice(self.scope.bools)} = ", self.condition(2), ";")

    def print(self, depth, where):
        """The order of lines is not compared."""
        form, type_ = self.r.choice((("%d", "int"), ("%u", "uint"), ("%ld", "long"), ("%lx", "ulong"), ("%hhd", "char"),
                                     ("%v4hld", "int4"), ("%v2hhx", "uchar2"), ("%.1f", "float")))
        return Statement("if (", self.condition(1), f') printf("%d {form}\\n", (int)i, ', self.make(type_, 1), ");")
