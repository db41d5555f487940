# SPDX-License-Identifier: Apache-2.0
"""Registers as values: the parts of the file that belong together get a variable each, of which LLVM makes values.

A kernel's code is written with loads and stores of the file in the thread's memory, and each Node keeps a list of them.
Here follow from that which bytes a block wants from those before it, and which stores a load may see: all that a load
sees at once is one web. A web's variable has the bytes of the file between its first and its last. Where a thread
begins, stops and goes on, what is wanted then is copied between the variables and the file.

Masked writes load what was there before, so that they are part of the web of it. Kernels that find registers through
a0 keep the file: their accesses may be anywhere.
"""
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from math import gcd

MOST_PARTS = 512            # of a variable: each access to some of them goes through all
COPY = 2                        # a copy is so many uses


@dataclass
class Access:
    """`inst`: the load or store of bytes `first` to `end` of the file, `element` bytes each."""
    inst: object
    first: int
    end: int
    element: int
    is_store: bool
    web: int = -1


class Webs:
    """Of the nodes of a function: `after(node)` are those that follow one, `stops` those at which threads go on that
    have stopped before, `often(node)` says how often a node runs, by its loops."""

    def __init__(self, nodes, after, stops, often):
        self.nodes, self.after = nodes, after
        self.cuts = sorted({cut for node in nodes for access in node.accesses for cut in (access.first, access.end)})
        self.wanted = self.wanted_at_begin()
        self.parents, self.spans = [], []       # of webs: who stands for one, and its bytes
        self.begins = {}                        # (node, atom) -> web
        for node in nodes:
            self.join(node)
        self.in_file = self.better_in_file(stops, often)
        self.variables = {}

    # Atoms: bytes between two cuts, which all accesses have whole or not at all

    def atoms(self, access):
        return range(bisect_left(self.cuts, access.first), bisect_left(self.cuts, access.end))

    def bytes_of(self, atom):
        return self.cuts[atom], self.cuts[atom + 1]

    def wanted_at_begin(self):
        """{node: bits of the atoms that it, or one behind it, reads before anyone writes them}"""
        used, written, before = {}, {}, {node: [] for node in self.nodes}
        for node in self.nodes:
            uses = writes = 0
            for access in node.accesses:
                atoms = self.atoms(access)
                bits = (1 << atoms.stop) - (1 << atoms.start)
                if access.is_store:
                    writes |= bits
                else:
                    uses |= bits & ~writes
            used[node], written[node] = uses, writes
            for following in self.after(node):
                before[following].append(node)
        wanted, waiting = dict(used), list(self.nodes)
        while waiting:
            node = waiting.pop()
            for earlier in before[node]:
                bits = wanted[earlier] | wanted[node] & ~written[earlier]
                if bits != wanted[earlier]:
                    wanted[earlier] = bits
                    waiting.append(earlier)
        return {node: list(numbers_of(bits)) for node, bits in wanted.items()}

    # Webs

    def new(self, first, end):
        self.parents.append(len(self.parents))
        self.spans.append((first, end))
        return len(self.parents) - 1

    def find(self, web):
        parents = self.parents
        while parents[web] != web:
            parents[web] = web = parents[parents[web]]
        return web

    def unite(self, one, other):
        one, other = self.find(one), self.find(other)
        if one != other:
            self.parents[other] = one
            (a, b), (c, d) = self.spans[one], self.spans[other]
            self.spans[one] = min(a, c), max(b, d)

    def at_begin(self, node, atom):
        found = self.begins.get((node, atom))
        if found is None:
            found = self.begins[node, atom] = self.new(*self.bytes_of(atom))
        return found

    def join(self, node):
        now = {atom: self.at_begin(node, atom) for atom in self.wanted[node]}
        for access in node.accesses:
            atoms = self.atoms(access)
            if access.is_store:
                access.web = self.new(access.first, access.end)
                now.update(dict.fromkeys(atoms, access.web))
            else:
                access.web = now[atoms.start]
                for atom in atoms[1:]:
                    self.unite(access.web, now[atom])
        for following in self.after(node):
            for atom in self.wanted[following]:
                self.unite(now[atom], self.at_begin(following, atom))

    def better_in_file(self, stops, often):
        """Webs that would be copied more often than they are used."""
        copies, uses = Counter(), Counter()
        for node in stops:
            for web in {web for web, _, _ in self.parts(node)}:
                copies[web] += 2 * often(node)
        for node in self.nodes:
            for access in node.accesses:
                uses[self.find(access.web)] += often(node)
        return {web for web, count in copies.items() if count * COPY >= uses[web]}

    # Code

    def write(self, c):
        """Accesses are to variables."""
        units = {web: unit for web, unit in self.units().items()
                 if self.spans[web][1] - self.spans[web][0] <= MOST_PARTS * unit}
        self.variables = {web: Variable(c, *self.spans[web], unit) for web, unit in units.items()}
        for node in self.nodes:
            for access in node.accesses:
                variable = self.variables.get(self.find(access.web))
                if variable is not None:
                    variable.take(access)

    def units(self):
        """{web that gets a variable: the largest number of bytes that all accesses begin and end with, and have as
        elements}"""
        units = {}
        for node in self.nodes:
            for access in node.accesses:
                web = self.find(access.web)
                if web not in self.in_file:
                    first = self.spans[web][0]
                    units[web] = gcd(units.get(web, 0), access.element, access.first - first, access.end - first)
        for (_, atom), web in self.begins.items():      # what is handed on
            web = self.find(web)
            if web in units:
                first = self.spans[web][0]
                units[web] = gcd(units[web], *(cut - first for cut in self.bytes_of(atom)))
        return units

    def parts(self, node):
        """[(web, first, end)] of what is wanted at a node's begin."""
        found = []
        for atom in self.wanted[node]:
            web, (first, end) = self.find(self.at_begin(node, atom)), self.bytes_of(atom)
            if found and found[-1][0] == web and found[-1][2] == first:
                found[-1] = web, found[-1][1], end
            else:
                found.append((web, first, end))
        return found

    def save(self, c, node):
        """A thread stops, and goes on at a node."""
        for web, first, end in self.parts(node):
            if web in self.variables:
                c.b.store(self.variables[web].read(first, end), c.place(first)).align = 1

    def restore(self, c, node):
        for web, first, end in self.parts(node):
            if web in self.variables:
                self.variables[web].load(c.place(first), first, end)


class Variable:
    """Of a web: bytes `first` to `end`, as a vector of numbers of `unit` bytes."""

    def __init__(self, c, first, end, unit):
        self.c, self.first, self.unit, self.count = c, first, unit, (end - first) // unit
        self.type = self.of(self.count)
        here = c.b.block
        c.b.at_end(c.entry)
        self.variable = c.b.alloca(self.type)
        c.b.at_end(here)

    def of(self, count):
        return self.c.vector(self.c.types.int(8 * self.unit), count)

    def lanes(self, first, end):
        return range((first - self.first) // self.unit, (end - self.first) // self.unit)

    def take(self, access):
        """A load or store of the file becomes one of the variable."""
        c, inst = self.c, access.inst
        c.b.before(inst)
        if access.is_store:
            self.write(inst.operand(0), access.first, access.end)
        else:
            inst.replace_with(c.cast(self.read(access.first, access.end), inst.type))
        inst.erase()

    def read(self, first, end):
        c, lanes = self.c, self.lanes(first, end)
        value = c.b.load(self.type, self.variable)
        return value if len(lanes) == self.count else c.pick(value, lanes)

    def write(self, value, first, end):
        c, lanes = self.c, self.lanes(first, end)
        value = c.cast(value, self.of(len(lanes)))
        if len(lanes) < self.count:
            value = c.b.shuffle(c.b.load(self.type, self.variable), c.resized(value, self.count), c.row(32, [
                self.count + i - lanes.start if i in lanes else i for i in range(self.count)]))
        c.b.store(value, self.variable)

    def load(self, place, first, end):
        value = self.c.b.load(self.of(len(self.lanes(first, end))), place)
        value.align = 1
        self.write(value, first, end)


def numbers_of(bits):
    """Of the bits that are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
