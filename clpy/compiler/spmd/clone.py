# SPDX-License-Identifier: Apache-2.0
"""Copies of blocks, within a function or into another one."""
from clpy.llvm.ir import Builder


def copy_blocks(module, blocks, target, values):
    """Clone `blocks` at the end of the function `target`; `values` maps what is something else in the copy, and gets
    what the copy defines. Edges to other blocks stay. Returns each block's copy."""
    b = Builder(module)
    copies = {block: target.append_block(block.name) for block in blocks}
    phis, made = [], []
    for block in blocks:
        b.at_end(copies[block])
        for inst in block.instructions:
            if inst.opcode == "phi":
                new = b.phi(inst.type, inst.name)
                phis.append((inst, new))
            else:
                new = b.insert(inst.clone())
                new.name_like(inst)
                made.append(new)
            values[inst] = new
    for new in made:
        new.exchange_operands(values)
        if new.opcode in ("br", "switch"):
            for n, s in enumerate(new.successors):
                new.set_successor(n, copies.get(s, s))
    for inst, new in phis:
        for v, block in inst.incoming:
            new.add_incoming(values.get(v, v), copies.get(block, block))
    return copies
