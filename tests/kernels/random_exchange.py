# SPDX-License-Identifier: Apache-2.0
"""Work-items that hand each other values through local memory, in loops, branches, switches and jumps that all of a
group take alike; atomics whose results are used, and loops around compare and exchange. A part of LanguageGenerator."""
from .random_case import MAX_GROUP, Statement
from .random_tree import split

TYPES = ("uint", "uchar", "ushort", "ulong", "uint3", "uchar4", "ulong2", "uint2")
ADDED = 48        # places of acc that only work-items with tickets use
BARRIERS = ("barrier(CLK_LOCAL_MEM_FENCE);", "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);",
            "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")


class Exchange:
    """Needs r, scope, make, condition, declare and name of a Generator."""

    def exchanged(self):
        """Declares local arrays: one of values, one of rows, one of structures."""
        kind = self.r.choice(TYPES)
        self.handed = kind, self.name("e")
        self.declare(f"local {kind} {self.handed[1]}[{MAX_GROUP}];")
        self.rows = self.name("e")
        self.declare(f"local ushort {self.rows}[4][{MAX_GROUP + 1}];")
        self.boxes = self.name("e")
        self.declare(f"local struct {{ uint a; uchar b[3]; ulong c; }} {self.boxes}[{MAX_GROUP}];")

    def barrier(self):
        return self.r.choice(BARRIERS)

    def step(self, depth=1):
        """A list of parts: write, barrier, read of what others wrote, barrier."""
        way = self.r.randrange(3)
        return (self.values, self.in_rows, self.in_boxes)[way](depth)

    def other(self):
        return self.r.choice(("lsz - 1 - lid", "(lid + 1) % lsz", "(lid + un0) % lsz",
                              "(lid ^ 1) < lsz ? lid ^ 1 : lid", "lid / 2", "lid", "(uint)(lid * 7 + un2) % lsz"))

    def values(self, depth):
        (kind, name), count = self.handed, split(self.handed[0])[1]
        at = self.r.choice(("lid", "lid", "lsz - 1 - lid", "(lid + un0) % lsz"))
        return [f"{name}[{at}] = ", self.make(kind, depth), f"; {self.barrier()} own[i] = own[i] * 3u + "
                f"(uint){name}[{self.other()}]{f'.s{self.r.randrange(count)}' if count > 1 else ''}; {self.barrier()} "]

    def in_rows(self, depth):
        row = self.r.randrange(4)
        return [f"for (int k = 0; k < 4; ++k) {self.rows}[k][lid] = (ushort)(k * 17 + ", self.make("uint", depth),
                f"); {self.barrier()} own[i] += {self.rows}[{row}][{self.other()}] + {self.rows}[",
                self.index(4, depth),
                f"][{self.other()}]; {self.barrier()} "]

    def in_boxes(self, depth):
        b = self.boxes
        return [f"{b}[lid].a = ", self.make("uint", depth), f"; {b}[lid].b[0] = {b}[lid].b[2] = lid; {b}[lid].b[1] = ",
                self.make("uchar", depth), f"; {b}[lid].c = ", self.make("ulong", depth),
                f"; {self.barrier()} own[i] ^= {b}[{self.other()}].a * 3u + {b}[{self.other()}].b[", self.index(2, 1),
                f"] + (uint)({b}[{self.other()}].c >> 7); {self.barrier()} "]

    def exchange(self):
        """Steps in flow that is the same for the group."""
        r = self.r
        return r.choice((self.plain, self.counted, self.counted, self.branched, self.halved, self.switched, self.jumped,
                         self.left))()

    def plain(self):
        return Statement(*self.step(2), fixed=True)

    def counted(self):
        """A loop, with work that is different for each work-item around the barriers."""
        k, bound = self.name("k"), self.make("uint", 1, uniform=True)
        self.scope.add("uint", k, uniform=True)
        parts = [*self.step(), *self.own_loop()]
        if self.r.random() < 0.5:
            parts = [*parts, "if (", self.condition(1, uniform=True), ") ", self.r.choice(("break; ", "continue; ")),
                     *self.step()]
        self.forget("uint", k)
        return Statement(f"for (uint {k} = 0; {k} < (", bound, f" & 3); ++{k}) {{ ", *parts, "}", fixed=True)

    def own_loop(self):
        """A loop that each work-item leaves when it likes."""
        k = self.name("k")
        return [f"for (uint {k} = 0; {k} < (", self.make("uint", 1), f" & 3); ++{k}) {{ own[i] += {k}; if (",
                self.condition(1), ") break; } "] if self.r.random() < 0.6 else []

    def branched(self):
        return Statement("if (", self.condition(1, uniform=True), ") { ", *self.own_loop(), *self.step(), "} else { ",
                         *(self.step() if self.r.random() < 0.5 else self.own_loop()), "}", fixed=True)

    def halved(self):
        """A reduction by halves: fewer and fewer work-items write."""
        d, (kind, name) = self.name("d"), self.handed
        value = self.make(kind, 2)
        last = ".s0" if split(kind)[1] > 1 else ""
        return Statement(f"{name}[lid] = ", value, f"; {self.barrier()} for (uint {d} = 1; {d} < lsz; {d} *= 2) {{ "
                         f"if (lid % (2 * {d}) == 0 && lid + {d} < lsz) {name}[lid] += {name}[lid + {d}]; "
                         f"{self.barrier()} }} own[i] += (uint){name}[0]{last}; {self.barrier()}", fixed=True)

    def switched(self):
        parts = ["switch (", self.make("uint", 1, uniform=True), " & 3) { "]
        for n in range(3):
            parts += [f"case {n}: {{ ", *self.own_loop(), *self.step(), "} ", self.r.choice(("break; ", ""))]
        return Statement(*parts, "default: own[i] += 5; }", fixed=True)

    def jumped(self):
        top, k = self.name("L"), self.name("k")
        return Statement(f"{{ uint {k} = 0; {top}:; ", *self.step(), f"if (++{k} < 3 && ",
                         self.condition(1, uniform=True), f") goto {top}; }}", fixed=True)

    def left(self):
        """A loop that some work-items go round more often than others, right before one with barriers."""
        k = self.name("k")
        return Statement(f"for (uint {k} = lid; {k} < (un0 & 31); {k} += 3) own[i] += {k}; ", *self.step(), fixed=True)

    # --- atomics

    def contended(self):
        r, x = self.r, self.name("x")
        place = f"acc + {ADDED + r.randrange(4)}"
        way = r.randrange(5)
        if way == 0:    # tickets are a permutation, so their sum is known
            n = r.randrange(3)
            return Statement(f"atomic_add(acc + {ADDED + 8 + n}, atomic_inc(acc + {ADDED + 4 + n}));")
        if way == 1:
            old = self.name("x")
            return Statement(f"{{ uint {x} = ", self.make("uint", 1), f", {old}; do {{ {old} = *(volatile global "
                             f"uint *)({place}); }} while (atomic_cmpxchg({place}, {old}, {old} + {x}) != {old}); }}")
        if way == 2:
            return Statement(f"{{ uint {x} = atomic_load_explicit((volatile global atomic_uint *)({place}), "
                             "memory_order_relaxed, memory_scope_device); while (!atomic_compare_exchange_weak_"
                             f"explicit((volatile global atomic_uint *)({place}), &{x}, {x} + (", self.make("uint", 1),
                             "), memory_order_relaxed, memory_order_relaxed, memory_scope_device)); }")
        if way == 3:
            return Statement(f"own[i] ^= (uint)atomic_fetch_{r.choice(('add', 'xor', 'or', 'min'))}_explicit((volatile "
                             f"global atomic_ulong *)(p + i * 16 + {r.randrange(16)}), ", self.make("ulong", 1),
                             ", memory_order_relaxed, memory_scope_device);")
        return Statement(f"own[i] ^= (uint)atomic_fetch_{r.choice(('add', 'xor', 'or', 'max'))}_explicit((volatile "
                         "global atomic_int *)(own + i), ", self.make("int", 1),
                         ", memory_order_acq_rel, memory_scope_work_group);")
