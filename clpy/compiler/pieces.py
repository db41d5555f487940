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


class Pieces:
    """The bitcode `ir` of the kernels `names`, which are in its order."""

    def __init__(self, ir, names):
        self.ir = ir
        self.names = list(names)
        self.places = {name: i for i, name in enumerate(self.names)}
        self.kept, self.bytes = OrderedDict(), 0      # (kernels in a piece, number) -> its bitcode
        self.wanted = set()                           # pieces that a kernel was wanted of
        self.lock = _thread.allocate_lock()

    def module_of(self, name):
        """A module with the kernel and what it reaches."""
        from clpy.llvm import kernels
        return kernels.extract(self.around(self.places.get(name)), name)

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
