# SPDX-License-Identifier: Apache-2.0
"""Where a VLIW kernel's registers are in the engine's: four vector registers for each of 128 bits, behind them what
the chip has besides. Constants that the kernel looks at are loaded into scalar registers where it begins, as far as
there is room; what is on the stack of masks is in pairs of scalar registers from the other end on."""
from clpy.compiler.isa.gcn.decode import EXEC, VCC, Operand

# Scalar registers: what the dispatcher sets (library/launch.c), then constants, then masks.
KERNARG, GROUP_IDS = Operand("s", 0, 2), [Operand("s", 2 + i) for i in range(3)]
USER_SGPRS = 2
SPARE_SCALARS = (5, 6, 7)                   # constants for which there was no room
FIRST_CONSTANT, LAST_SCALAR = 8, 101
MASK = Operand("s", 100, 2)                 # of one comparison
SAVED = Operand("s", 98, 2)                 # EXEC, while an operation is under a predicate
FIRST_MASK = 96                             # of the stack, downwards
MOST_MASKS = 24
PREDICATE, EXECUTE = Operand("s", VCC, 2), Operand("s", EXEC, 2)
QUEUE = 8                                   # words that local memory gave and nobody has taken yet
MOST_CONSTANTS = FIRST_MASK - 2 * MOST_MASKS - FIRST_CONSTANT + 2


class Layout:
    """Numbers of the engine's vector registers, of a kernel with `gprs` registers."""

    def __init__(self, gprs):
        self.gprs = gprs
        first = 4 * gprs
        self.address = first                            # AR
        self.previous = range(first + 1, first + 6)     # PV.X to PV.W, PS
        self.queue = range(first + 6, first + 6 + QUEUE)
        self.written = range(first + 14, first + 19)    # what a bundle writes while others of it still read, by unit
        self.spare = range(first + 19, first + 27)      # of one operation
        self.returned = first + 27                      # what an atomic operation gave
        self.count = first + 28

    def channel(self, gpr, channel):
        return Operand("v", 4 * gpr + channel)


def vector(number, width=1):
    return Operand("v", number, width)


def mask_slot(depth):
    """The pair of scalar registers of an entry of the stack."""
    return Operand("s", FIRST_MASK - 2 * depth, 2)
