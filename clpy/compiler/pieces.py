# SPDX-License-Identifier: Apache-2.0
"""A program's bitcode in pieces of a few kernels each: to find one kernel in it takes as long as the program is large.

A piece is made when a second kernel of it is wanted, and kept as long as there is room: what it holds besides kernels,
functions that they share, is in other pieces, too.
"""
import _thread
from collections import OrderedDict

MANY = 128              # kernels: fewer are found as soon in all of the program
SIZES = (1024, 32)      # kernels in a piece, and in a piece of one that large
MOST_BYTES = 8 << 20    # of the pieces of a program
# Half of what a short kernel takes is for the module that it is in, so that some are made in one.
TOGETHER = 8            # kernels that lie side by side in the program, of which ...
SHORT = 150             # ... those of so many instructions are made together, before anything is done to them, ...
MOST_TOGETHER = 800     # ... as long as these are no more; with the functions that each calls


class Pieces:
    """The bitcode `ir` of the kernels `names`, which are in its order."""

    def __init__(self, ir, names):
        self.ir = ir
        self.names = list(names)
        self.places = {name: i for i, name in enumerate(self.names)}
        self.kept, self.bytes = OrderedDict(), 0      # (kernels in a piece, number) -> its bitcode
        self.wanted = set()                           # pieces that a kernel was wanted of
        self.runs = {}                                # number of TOGETHER kernels -> those that are made together
        self.fresh = {}                               # names of such -> a module with them that nobody has had yet
        self.lock = _thread.allocate_lock()

    def module_of(self, name, *neighbours):
        """A module with the kernel and what it reaches; also with some that are in the same small piece."""
        from clpy.llvm import kernels
        return self.fresh.pop((name, *neighbours), None) or \
            kernels.extract(self.around(self.places.get(name)), name, *neighbours)

    def together(self, name):
        """Names of the short kernels that are made with this one, itself among them, where all are wanted."""
        number = self.places[name] // TOGETHER
        if number not in self.runs:
            self.runs[number] = self.short_ones(self.names[number * TOGETHER:(number + 1) * TOGETHER])
        run = self.runs[number]
        return run if name in run else (name,)

    def short_ones(self, names):
        """Those of the kernels that are made together: the first ones, as far as they are not too much."""
        from clpy.compiler.analysis.calls import call_graph
        module = self.module_of(*names)
        graph = call_graph(module)
        sizes = {kernel.name: sum(f.n_instructions for f in reached(graph, kernel)) for kernel in graph}
        found, room = [], MOST_TOGETHER
        for name in names:
            if sizes[name] <= min(SHORT, room):
                found.append(name)
                room -= sizes[name]
        if found == names:
            self.fresh = {tuple(found): module}
        return tuple(found)

    def around(self, place):
        """Bitcode with the kernel at that place in the program, and not many others."""
        around, n = self.ir, len(self.names)
        if place is None or n < MANY:
            return around
        for size in SIZES:
            if n > 2 * size:
                found = self.piece(around, size, place // size)
                if found is None:
                    break
                around, n = found, size
        return around

    def piece(self, around, size, number):
        """Bitcode of piece `number` of those with `size` kernels, which are in `around`; None where it is not worth it
        yet."""
        from clpy.llvm import kernels
        key = size, number
        with self.lock:
            found = self.kept.get(key)
            if found is not None:
                self.kept.move_to_end(key)
                return found
            if key not in self.wanted:
                self.wanted.add(key)
                return None
        found = kernels.extract(around, *self.names[number * size:(number + 1) * size]).to_bitcode()
        with self.lock:
            self.keep(key, found)
        return found

    def keep(self, key, found):
        self.bytes += len(found) - len(self.kept.pop(key, b""))
        self.kept[key] = found
        while self.bytes > MOST_BYTES:
            self.bytes -= len(self.kept.popitem(last=False)[1])


def reached(graph, function):
    """The function and all that it calls, in the end."""
    found, pending = {function}, [function]
    while pending:
        for callee in graph[pending.pop()] - found:
            found.add(callee)
            pending.append(callee)
    return found
