# SPDX-License-Identifier: Apache-2.0
"""Random OpenCL C kernels whose result is defined: the same seed gives the same kernel, launch and data.

    case = make(seed)       case.source(), case.launch, arguments(seed)

A kernel is a sequence of phases. Each begins with a barrier where the kernel has local memory; inside a phase a local
array is either read by all, written by each work-item in a place of its own, written by one work-item, or changed by
atomic operations of one kind. Barriers stand at the top level and in uniform loops and branches only. Other work-items
are seen through local memory and order-independent atomics, so any order of execution gives the same bits.
"""
import random

import numpy as np

from .random_case import HEAD, MAX_GROUP, MAX_ITEMS, SLOTS, Block, Case, Launch, Statement
from .random_expressions import Expressions
from .random_statements import ATOMICS, Statements, Where
from .random_tree import COUNTS, FLOATS, HEX, SCALARS, split, unsigned


class Generator(Expressions, Statements):
    def __init__(self, seed):
        super().__init__(random.Random(seed))
        self.seed = seed
        self.targets = []       # (type, text) that a statement may assign
        self.declarations = []
        self.functions = []
        self.with_pointers = []  # (name, type behind the pointer) of functions that change what they get a pointer to
        self.fixed = []          # (element type, name, size) of arrays whose indices are known after unrolling
        self.structs = []        # names of arrays of four structs
        self.prints = self.r.random() < 0.05
        self.locals = []        # (element type, name)
        self.atomics = []       # (operation, array, first place, places or 0 for the group's size) in this phase
        self.single = []        # (element type, local array, the one work-item that writes it in this phase)
        self.counter = 0

    def name(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def declare(self, *parts):
        self.declarations.append(Statement(*parts))

    # --- a kernel

    def case(self):
        r = self.r
        launch = self.launch()
        self.ids(launch)
        for type_ in ("uint", "int", "ulong", "uchar"):
            self.scope.add(type_, {"uint": "un0", "int": "un1", "ulong": "un2", "uchar": "un3"}[type_], uniform=True)
        for _ in range(r.choice((0, 0, 0, 1, 1, 2))):
            self.function()
        self.variables()
        n_locals = r.choice((0, 0, 1, 1, 2))
        for _ in range(n_locals):
            type_, name = r.choice(("uint", "int", "uchar", "ulong", "short", "uint4")), self.name("l")
            self.declare(f"local {type_} {name}[{MAX_GROUP}]; {name}[lid] = ({type_})(lid * {r.randrange(1, 9)});")
            self.locals.append((type_, name))
        body = Block()
        n = 1 if not n_locals else r.randrange(2, 4)
        for k in range(n):
            body.statements.append(self.phase(3 if n == 1 else 2, last=k == n - 1))
        body.statements += self.results()
        head = HEAD
        if launch.even and r.random() < 0.3:
            known = ", ".join(map(str, (*launch.group, 1, 1)[:3]))
            head = f"__attribute__((reqd_work_group_size({known}))) {HEAD}"
        if r.random() < 0.5:
            head = head.replace("*", "*restrict ")
        return Case(self.seed, launch, head, self.functions, self.declarations, body)

    def launch(self):
        r = self.r
        dims = r.choice((1, 1, 1, 2, 2, 3))
        group = r.choice({1: [(1,), (3,), (7,), (16,), (17,), (24,), (31,), (32,), (33,), (50,), (64,)],
                          2: [(16, 2), (5, 3), (8, 8), (19, 3), (1, 9), (33, 1)],
                          3: [(4, 2, 3), (9, 2, 2), (16, 2, 2), (3, 3, 3), (1, 2, 5)]}[dims])
        size = [g * r.choice((1, 1, 2, 3)) for g in group]
        while np.prod(size) > MAX_ITEMS:
            size[size.index(max(size))] //= 2
        if r.random() < 0.5:
            size[r.randrange(dims)] += r.randrange(0, group[0])
        while np.prod(size) > MAX_ITEMS:
            size[size.index(max(size))] -= 1
        group = tuple(min(g, n) for g, n in zip(group, size, strict=True))
        offset = tuple(r.choice((0, 0, 0, 5, 1000)) for _ in range(dims))
        if r.random() < 0.15:
            offset = (2**31 - r.randrange(0, 80), *offset[1:])
        elif r.random() < 0.05:
            offset = (2**32 - r.randrange(0, 80), *offset[1:])
        return Launch(tuple(size), group, offset)

    def ids(self, launch):
        """gx, gy, gz without the offset, their linear number i, lid and lsz linear in the group."""
        self.declare("const size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);")
        kind = self.r.choice(("uint", "int", "ulong", "long", "size_t"))
        self.declare(f"const {kind} gx = x - get_global_offset(0), gy = y - get_global_offset(1), "
                     "gz = z - get_global_offset(2);")
        self.declare(f"const {kind} i = (gz * get_global_size(1) + gy) * get_global_size(0) + gx;")
        kind = self.r.choice(("uint", "uint", "size_t"))
        self.declare(f"const {kind} lid = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * "
                     "get_local_size(0) + get_local_id(0);")
        self.declare(f"const {kind} lsz = get_local_size(0) * get_local_size(1) * get_local_size(2);")
        for text in ("get_local_id(0)", "get_local_id(1)", "x", "y", "i", "lid", "gx"):
            self.scope.add("ulong", f"(ulong){text}")
        for text in ("i", "lid", "gx"):
            self.scope.add("int", f"(int){text}")
            self.scope.add("uint", f"(uint){text}")
        for text in ("get_group_id(0)", "get_local_size(0)", "get_global_size(1)", "get_num_groups(0)", "lsz"):
            self.scope.add("ulong", f"(ulong){text}", uniform=True)

    def variables(self):
        r = self.r
        for _ in range(r.randrange(1, 5)):
            type_ = r.choice([*SCALARS, "int", "uint", *FLOATS])
            self.variable(type_)
        for _ in range(r.choice((0, 1, 1, 2))):
            self.variable(f"{r.choice([*SCALARS, 'int', 'uint', 'float'])}{r.choice(COUNTS)}")
        large = r.random() < 0.1    # too much for the stack together
        for _ in range(r.choice((2, 3)) if large else r.choice((0, 0, 1, 2))):
            self.array(large)
        if r.random() < 0.25:
            self.struct()
        for _ in range(r.choice((0, 0, 1, 2))):
            name = self.name("b")
            self.declare(f"bool {name} = ", self.condition(1), ";")
            self.scope.bools.append(name)

    def variable(self, type_):
        name = self.name("v")
        self.declare(f"{type_} {name} = ", self.make(type_, 1), ";")
        self.scope.add(type_, name)
        self.targets.append((type_, name))

    def array(self, large=False):
        """A private array; of a large one a part is used, anywhere in it."""
        r = self.r
        type_, size, name = r.choice(list(SCALARS)), r.choice((2, 4, 8, 16)), self.name("p")
        n = self.name("n")
        whole = f"{type_} {name}[{size}]; "
        if large:
            elements = r.choice((9000, 16384, 20000)) * 8 // SCALARS[type_][0]
            whole = f"{type_} {name}_[{elements}], *{name} = {name}_ + {r.randrange(elements - size)}; "
        self.declare(f"{whole}for (int {n} = 0; {n} < {size}; ++{n}) {name}[{n}] = ({type_})({n} * ",
                     self.make("uint", 1), " + ", self.make("uint", 1), ");")
        if r.random() < 0.4:
            self.fixed.append((type_, name, size))
            for at in r.sample(range(size), 2):
                self.scope.add(type_, f"{name}[{at}]")
                self.targets.append((type_, f"{name}[{at}]"))
        else:
            self.scope.arrays.append((type_, name, size))

    def struct(self):
        r, name, var = self.r, self.name("S"), self.name("t")
        fields = [(r.choice([*SCALARS, "int4", "uchar3", "float"]), f"f{n}") for n in range(r.randrange(2, 6))]
        inner = " ".join(f"{t} {f};" for t, f in fields)
        self.functions.append(Statement(f"typedef struct {{ {inner} short m[4]; }} {name};"))
        at = f"{var}[{r.choice(('0', '1', 'lid & 3'))}]" if r.random() < 0.5 else var
        size = "[4]" if at != var else ""
        n = self.name("n")
        parts = [f"{name} {var}{size}; "]
        if size:
            parts.append(f"for (int {n} = 0; {n} < 4; ++{n}) {{ ")
        each = f"{var}[{n}]" if size else var
        for type_, f in fields:
            parts += [f"{each}.{f} = ", self.make(type_, 1), "; "]
        parts.append(" ".join(f"{each}.m[{k}] = {k};" for k in range(4)) + (" }" if size else ""))
        self.declare(*parts)
        for type_, f in fields:
            self.scope.add(type_, f"{at}.{f}")
            self.targets.append((type_, f"{at}.{f}"))
        self.scope.arrays.append(("short", f"{at}.m", 4))
        if size:
            self.structs.append(var)

    def function(self):
        """A function with loops and early returns; it sees its arguments only."""
        r = self.r
        result, name = r.choice(list(SCALARS)), self.name("h")
        params = [r.choice([*SCALARS, "int", "uint", "short4"]) for _ in range(r.randrange(1, 4))]
        changed = r.choice(("int", "uint", "ulong", "short")) if r.random() < 0.3 else ""
        if changed:
            result, params = changed, ["uint"]
        outer = self.scope, self.targets, self.locals
        self.scope, self.targets, self.locals = type(self.scope)(), [], []
        self.scope.functions = list(outer[0].functions)
        names = [self.name("x") for _ in params]
        for type_, param in zip(params, names, strict=True):
            self.scope.add(type_, param)
            self.targets.append((type_, param))
        if changed:
            self.scope.add(changed, "(*place)")
            self.targets += [(changed, "*place")] * 3
        self.pure = True
        where = Where(result=result)
        block = Block([*self.statements(r.randrange(1, 4), 1, where), Statement("return ", self.make(result, 2), ";")])
        self.pure = False
        self.scope, self.targets, self.locals = outer
        inside = ", ".join(f"{t} {n}" for t, n in zip(params, names, strict=True))
        attribute = r.choice(("", "", "__attribute__((noinline)) ", "inline static "))
        pointer = f"{changed} *place, " if changed else ""
        self.functions.append(Statement(f"{attribute}{result} {name}({pointer}{inside}) ", block, fixed=True))
        if changed:
            self.with_pointers.append((name, changed))
        else:
            self.scope.functions.append((result, name, params))

    # --- phases

    def phase(self, depth, last=False):
        """A part between barriers; or a uniform loop or branch of such parts."""
        r = self.r
        if depth > 1 and r.random() < 0.3 and not last:
            return self.uniform_flow(depth)
        outer, targets = self.scope, list(self.targets)
        self.scope = outer.copy()
        self.atomics = [(op, "acc", 8 * n, 8) for n, op in enumerate(ATOMICS)]
        self.single = []
        for type_, name in self.locals:
            self.local_mode(type_, name)
        where = Where(may_return=last and r.random() < 0.5)
        block = Block(self.statements(r.randrange(2, 5) // (1 if not self.locals else 2) + 1, depth, where))
        self.scope, self.targets = outer, targets
        if not self.locals:
            return Statement(block, fixed=False)
        return Statement("barrier(CLK_LOCAL_MEM_FENCE); ", block, fixed=True)

    def uniform_flow(self, depth):
        """Phases in a branch or loop that all work-items of a group take alike."""
        r, n = self.r, self.r.randrange(1, 3)
        if r.random() < 0.5:
            return Statement("if (", self.condition(2, uniform=True), ") ",
                             Block([self.phase(depth - 1) for _ in range(n)]))
        k = self.name("k")
        bound = self.make("uint", 1, uniform=True)
        self.scope.add("uint", k, uniform=True)
        inner = [self.phase(depth - 1) for _ in range(n)]
        if r.random() < 0.3:
            inner.insert(r.randrange(n + 1), Statement("if (", self.condition(1, uniform=True), ") break;"))
        self.forget("uint", k)
        return Statement(f"for (uint {k} = 0; {k} < (", bound, f" & 3); ++{k}) ", Block(inner))

    def local_mode(self, type_, name):
        """What this phase does with a local array."""
        mode = self.r.randrange(4)
        if mode == 0:
            own = f"{name}[{self.r.choice(('lid', 'lid', 'lsz - 1 - lid', '(lid + un0) % lsz'))}]"
            self.scope.add(type_, own)
            self.targets += [(type_, own)] * 3
        elif mode == 1 and type_ in ("uint", "int"):
            self.atomics += [(self.r.choice(ATOMICS), name, 0, 0)] * 4
        elif mode == 2:
            self.single.append((type_, name, self.r.choice(("0", "lsz - 1", "lsz / 2"))))
        elif split(type_)[1] == 1:
            self.scope.local_reads.append((type_, name))

    def forget(self, type_, text):
        for table in (self.scope.varying, self.scope.uniform):
            if text in table.get(type_, ()):
                table[type_].remove(text)
                if not table[type_]:
                    del table[type_]

    # --- what the kernel leaves

    def results(self):
        out = []
        for n, (type_, text) in enumerate([t for t in self.targets if not t[1].startswith("l")][:SLOTS]):
            base, count = split(type_)
            if count == 1:
                out.append(Statement(f"o[{n} * {MAX_ITEMS} + i] ^= (ulong){text};"))
            else:
                out.append(Statement(folded(base, count, text, f"o[{n} * {MAX_ITEMS} + i]")))
        out += [Statement(f"own[i] += {name} ? {n + 3} : 1;") for n, name in enumerate(self.scope.bools)]
        for _, name, size in self.scope.arrays + self.fixed:
            k = self.name("n")
            out.append(Statement(f"for (int {k} = 0; {k} < {size}; ++{k}) p[i * {SLOTS} + {k} % {SLOTS}] += "
                                 f"(ulong){name}[{k}];"))
        return out


def folded(base, count, text, place):
    """Adds a vector to a place, half upon half: little code, and elements cannot change places unseen."""
    if base in FLOATS:
        return f"{place} += {' + '.join(f'(ulong){text}.s{HEX[c]} * {3 ** c % 97}' for c in range(count))};"
    base = unsigned(base)
    out = f"{{ {base}{count} all{count} = as_{base}{count}({text}); "
    while count > 3:
        count //= 2
        out += f"{base}{count} all{count} = all{2 * count}.lo * ({base}{count})3 + all{2 * count}.hi; "
    last = "all2.x * 3ul + all2.y" if count == 2 else "all3.x * 9ul + all3.y * 3ul + all3.z"
    return f"{out}{place} += {last}; }}"


def make(seed):
    """The case of a seed."""
    return Generator(seed).case()

