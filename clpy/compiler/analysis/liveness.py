# SPDX-License-Identifier: Apache-2.0
"""Which values are live where. Sets of values are bits of a Python integer."""
from clpy.llvm.ir import Inst


class Liveness:
    """Which instructions' values are live at the start of each block.

    `live_in[b]` has bit i set when the value of `values[i]` may be used later on a path from the start of block b.
    """

    def __init__(self, cfg):
        self.cfg = cfg
        self.values, self.index, self.home = [], {}, {}
        contents = [block.instructions for block in cfg.blocks]
        for number, instructions in enumerate(contents):
            for inst in instructions:
                if not inst.is_void:
                    self.index[inst] = len(self.values)
                    self.home[inst] = number
                    self.values.append(inst)
        self.solve(*self.local_sets(contents))

    def local_sets(self, contents):
        """(used before defined, defined, used by phis of successors) per block."""
        cfg, index, home = self.cfg, self.index, self.home
        use, define, edge = ([0] * len(contents) for _ in range(3))
        for number, instructions in enumerate(contents):
            for inst in instructions:
                if inst.opcode == "phi":
                    for value, block in inst.incoming:
                        if isinstance(value, Inst):
                            edge[cfg.number[block]] |= 1 << index[value]
                else:
                    for op in inst.operands:
                        if isinstance(op, Inst) and home[op] != number:
                            use[number] |= 1 << index[op]
                if inst in index:
                    define[number] |= 1 << index[inst]
        return use, define, edge

    def solve(self, use, define, edge):
        cfg = self.cfg
        self.live_in = [0] * len(use)
        pending = set(range(len(use)))
        while pending:
            number = pending.pop()
            out = edge[number]
            for s in cfg.succs[number]:
                out |= self.live_in[s]
            value = use[number] | (out & ~define[number])
            if value != self.live_in[number]:
                self.live_in[number] = value
                pending.update(cfg.preds[number])

    def at(self, block):
        """The live values at the start of a block, in the order of the function."""
        bits, out = self.live_in[block], []
        while bits:
            low = bits & -bits
            out.append(self.values[low.bit_length() - 1])
            bits ^= low
        return out
