# SPDX-License-Identifier: Apache-2.0
"""Structures by value, in arrays and behind pointers; unions, whose bytes are written as one type and read as another;
private arrays that functions get a pointer to, and pass on. A part of LanguageGenerator."""
from .random_case import BYTES, Statement
from .random_tree import SCALARS, split

FIELDS = (*SCALARS, "int", "uint", "uint2", "char3", "ushort4", "ulong2", "float")
ROWS = 4            # places of an array of structures
UNION_BYTES = 16
VIEWS = ("uchar", "ushort", "uint", "ulong", "char", "short", "int", "uint2", "uchar4", "ushort2", "ulong2", "uint4")
WHOLE = ("uint4", "ulong2", "ushort8")
WALKERS = "".join(f"typedef struct {{ {t} a; uchar b[16]; }} with_{t};\n" for t in WHOLE) + """\
void poke(uint *p, uint at, uint v) { p[at & 7] ^= v; if (v & 1) p[(at + v) & 7] += at; }
uint walk(uint *p, uint n, uint x) { uint s = x; for (uint k = 0; k < (n & 7); ++k) { poke(p, k + x, s); \
if ((s = s * 5 + p[k]) % 11 == 3) break; } return s; }
uint both(uint *p, uint *q, uint n) { for (uint k = 0; k < (n & 3); ++k) { if (p[k] > q[k]) { poke(q, p[k], k); \
continue; } uint *w = p; p = q; q = w; } return p[n & 7] * 3 + q[(n >> 3) & 7]; }"""


class Records:
    """Needs r, scope, make, index, condition, declare, name and functions of a Generator."""

    def records(self):
        """Declares what the statements of this page work on."""
        self.kinds = [self.record() for _ in range(self.r.choice((1, 1, 2)))]
        self.functions.append(Statement(WALKERS, fixed=True))
        self.walked = [self.name("w") for _ in range(2)]
        for name in self.walked:
            n = self.name("n")
            self.declare(f"uint {name}[8]; for (int {n} = 0; {n} < 8; ++{n}) {name}[{n}] = {n} * ",
                         self.make("uint", 1), ";")

    def record(self):
        """(type, fields, array): a structure, functions that make, fold and change one, and an array of them."""
        r, type_, array, n = self.r, self.name("R"), self.name("t"), self.name("n")
        fields = [(r.choice(FIELDS), f"f{k}") for k in range(r.randrange(2, 6))]
        inner = " ".join(f"{t} {f};" for t, f in fields)
        packed = r.choice(("", "", "__attribute__((packed)) "))
        inside = f"struct {packed}{{ ushort m[3]; {r.choice(('uchar', 'uint', 'ulong'))} z; }} in;"
        set_, fold = [], []
        for k, (t, f) in enumerate(fields):
            set_.append(f"r.{f} = ({t}){'(' if split(t)[1] > 1 else ''}{self.from_word(t, f'x * {2 * k + 1}u')}"
                        f"{')' if split(t)[1] > 1 else ''};")
            count = split(t)[1]
            fold += [f"s = s * 31u + (uint)r.{f}{f'.s{c}' if count > 1 else ''};" for c in range(count)]
        self.functions.append(Statement(
            f"typedef struct {{ {inner} {inside} }} {type_};\n"
            f"{type_} make_{type_}(uint x) {{ {type_} r; {' '.join(set_)} "
            "for (uint k = 0; k < 3; ++k) r.in.m[k] = x >> k; r.in.z = x & 63; return r; }\n"
            f"uint fold_{type_}({type_} r) {{ uint s = r.in.z; {' '.join(fold)} "
            "return s + r.in.m[0] * 3u + r.in.m[1] * 5u + r.in.m[2]; }\n"
            f"void change_{type_}({type_} *r, uint x) {{ if (x % 3 == 0) {{ *r = make_{type_}(x); return; }} "
            f"r->in.m[x % 3] += x; r->in.z ^= fold_{type_}(*r) & 15; }}", fixed=True))
        self.declare(f"{type_} {array}[{ROWS}]; for (int {n} = 0; {n} < {ROWS}; ++{n}) "
                     f"{array}[{n}] = make_{type_}({n} + ", self.make("uint", 1), ");")
        return type_, fields, array

    def from_word(self, type_, text):
        """A value of any type, from a uint: of a float a small whole number."""
        return f"(({text}) & 127)" if split(type_)[0] == "float" else f"({text})"

    def of_records(self):
        r = self.r
        return r.choice((self.copy_record, self.copy_record, self.change_record, self.fold_record, self.union,
                         self.union, self.walk_private, self.record_in_memory, self.chosen_record))()

    def place(self):
        type_, fields, array = self.r.choice(self.kinds)
        return type_, fields, array, self.index(ROWS, 1)

    def copy_record(self):
        type_, _, array, at = self.place()
        if self.r.random() < 0.5:
            return Statement(f"{array}[", at, f"] = {array}[", self.index(ROWS, 1), "];")
        return Statement(f"{array}[", at, f"] = make_{type_}(", self.make("uint", 2), ");")

    def change_record(self):
        type_, fields, array, at = self.place()
        if self.r.random() < 0.5:
            return Statement(f"change_{type_}(&{array}[", at, "], ", self.make("uint", 2), ");")
        t, f = self.r.choice(fields)
        return Statement(f"{array}[", at, f"].{f} = ", self.make(t, 2), ";")

    def fold_record(self):
        type_, _, array, at = self.place()
        return Statement(f"own[i] += fold_{type_}({array}[", at, "]);")

    def chosen_record(self):
        """A structure by value out of a condition, and a pointer to one."""
        type_, _, array, at = self.place()
        x, y = self.name("x"), self.name("y")
        return Statement(f"{{ {type_} {x} = ", self.condition(1), f" ? {array}[", at, f"] : make_{type_}(",
                         self.make("uint", 1), f"); {type_} *{y} = ", self.condition(1),
                         f" ? &{x} : &{array}[", self.index(ROWS, 1), f"]; change_{type_}({y}, ",
                         self.make("uint", 1), f"); own[i] += fold_{type_}({x}) + {y}->in.m[1]; }}")

    def record_in_memory(self):
        """To bytes of the work-item's own in global memory and back; all that is copied has been set."""
        r, y = self.r, self.name("y")
        view = r.choice(WHOLE)
        memory = f"*(global with_{view} *)(q + i * {BYTES})"
        return Statement(f"{{ with_{view} {y}; {y}.a = ", self.make(view, 1),
                         f"; for (int k = 0; k < 16; ++k) {y}.b[k] = k * ", self.make("uchar", 1),
                         f"; {memory} = {y}; {y} = {memory}; own[i] += {y}.b[", self.index(16, 1), "]; }")

    def union(self):
        r, name = self.r, self.name("u")
        views = r.sample(VIEWS, 3)
        sizes = [UNION_BYTES // (SCALARS[split(t)[0]][0] // 8 * split(t)[1]) for t in views]
        inner = " ".join(f"{t} m{k}[{n}];" for k, (t, n) in enumerate(zip(views, sizes, strict=True)))
        parts = [f"{{ union {{ ulong2 whole; {inner} }} {name}; {name}.whole = ", self.make("ulong2", 1), "; "]
        for _ in range(r.randrange(1, 4)):
            k = r.randrange(3)
            guard = ["if (", self.condition(1), ") "] if r.random() < 0.4 else []
            parts += [*guard, f"{name}.m{k}[", self.index(sizes[k], 1), "] = ", self.make(views[k], 1), "; "]
        k = r.randrange(3)
        last = f".s{r.randrange(split(views[k])[1])}" if split(views[k])[1] > 1 else ""
        return Statement(*parts, f"own[i] += (uint){name}.m{k}[", self.index(sizes[k], 1),
                         f"]{last} + (uint){name}.whole.y * 7u + (uint){name}.whole.x; }}")

    def walk_private(self):
        r, (first, second) = self.r, self.r.sample(self.walked, 2)
        way = r.randrange(3)
        if way == 0:
            return Statement(f"own[i] += walk({first}, ", self.make("uint", 1), ", ", self.make("uint", 1), ");")
        if way == 1:
            return Statement(f"own[i] += both({first}, {second}, ", self.make("uint", 1), ");")
        return Statement("own[i] ^= walk(", self.condition(1), f" ? {first} : {second}, ", self.make("uint", 1), ", ",
                         self.make("uint", 1), ");")

    def record_results(self):
        """What the records and arrays hold in the end."""
        out = [Statement(f"for (int k = 0; k < {ROWS}; ++k) own[i] = own[i] * 3u + fold_{type_}({array}[k]);")
               for type_, _, array in self.kinds]
        return out + [Statement(f"for (int k = 0; k < 8; ++k) own[i] = own[i] * 5u + {name}[k];")
                      for name in self.walked]
