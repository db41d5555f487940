# SPDX-License-Identifier: Apache-2.0
"""Functions that LLVM 22's loop vectorizer would miscompile: `optimize` keeps them from it.

Divisions. One under a condition whose operands do not change in the loop and whose result is part of an address: the
vectorizer takes the result from the first lane, which may not have divided.

Indices of two widths. Where an index may wrap (a 32-bit one in a 64-bit address, or `table[i & 15]`, which counts as
one of 4 bits), a check before the loop shall see whether it does. LLVM leaves a check out when another one implies it,
and compares the two without a look at their widths: that 32 bits do not wrap is taken for a proof that 4 do not
(llvm/llvm-project issue 191382).

Loads under a condition, before a store under one, that are chosen from later: see passes/masked_loads.py. There the
loads are calls already; of a loop that is still scalar the vectorizer makes them.

Members of structures. Accesses to places a few elements apart become one, of all of them; in a loop that is declared
parallel the vectorizer does not look at what lies between them in one turn. `merges_wrongly` is for such loops alone.
"""
from clpy.compiler.analysis.access import Address, is_store, pointer_of
from clpy.compiler.analysis.distinct import may_alias
from clpy.compiler.analysis.graph import Cfg, postorder, reachable
from clpy.compiler.analysis.memory import base_of, is_private
from clpy.llvm.ir import Inst

# What LLVM's scalar evolution follows on the way from the variable of a loop to an address.
ARITHMETIC = {"add", "sub", "mul", "shl", "or", "and", "urem", "udiv", "lshr", "ashr", "trunc", "zext", "sext", "phi",
              "getelementptr", "select", "icmp"}


def miscompiles(function):
    cfg = Cfg(function)
    loops = loops_of(cfg)
    return (divides_conditionally(function, cfg, loops) or len(index_widths(function, cfg, loops)) > 1
            or loads_past_stores(function, cfg, loops))


def merges_wrongly(function):
    """As the body of a loop that is declared parallel: some of what is written may be read or written again in the same
    turn at a place that looks like another, and there are, or unrolling may make, accesses that become one."""
    cfg, accesses = Cfg(function), {}
    for inst in function.instructions_of("load", "store"):
        if not is_private(pointer_of(inst)):
            accesses.setdefault((base_of(pointer_of(inst)), is_store(inst)), []).append(inst)
    if not cfg.loops and not any(map(several_members, accesses.values())):
        return False
    pairs = [(stores, later, again) for (_, writes), stores in accesses.items() if writes
             for (_, again), later in accesses.items()
             if may_alias(function, pointer_of(stores[0]), pointer_of(later[0]))]
    return any(lie_apart(stores + later) if again else comes_after(cfg, later, stores)
               for stores, later, again in pairs)


def lie_apart(accesses):
    """By more than a constant."""
    return len({Address(pointer_of(inst)).key for inst in accesses}) > 1


def several_members(accesses):
    """Whether some of them lie a constant apart."""
    addresses = [Address(pointer_of(inst)) for inst in accesses]
    return len({(address.key, address.constant) for address in addresses}) > len({a.key for a in addresses})


def comes_after(cfg, later, first):
    """Whether one of `later` runs behind one of `first`."""
    for block in {inst.block for inst in first}:
        number, insts = cfg.number[block], block.instructions
        behind = set().union(*(reachable(cfg.succs, [s]) for s in cfg.succs[number]))
        start = min(insts.index(inst) for inst in first if inst.block == block)
        if any(cfg.number[inst.block] in behind or (inst.block == block and insts.index(inst) > start)
               for inst in later):
            return True
    return False


def loops_of(cfg):
    """(head, latch, numbers of the blocks) of each edge that goes back."""
    rank = {node: i for i, node in enumerate(postorder(cfg.succs, 0))}
    backward = [(n, h) for n in rank for h in cfg.succs[n] if rank[h] >= rank[n]]
    return [(head, latch, reachable(cfg.preds, [latch], stop=(head,)) | {head, latch}) for latch, head in backward]


def divides_conditionally(function, cfg, loops):
    """Some division is in a loop that can go round without it."""
    divisions = {cfg.number[inst.block] for inst in function.instructions_of("udiv", "sdiv", "urem", "srem")
                 if not inst.operand(1).is_constant}
    return bool(divisions) and any(left_out(cfg, loop, divisions) for loop in loops)


def loads_past_stores(function, cfg, loops):
    """Some block that a loop can go round without loads what a phi chooses, and stores later on."""
    chosen = {cfg.number[load.block] for load in function.instructions_of("load")
              if any(user.opcode in ("phi", "select") for user in load.users)}
    stores = {cfg.number[store.block] for store in function.instructions_of("store")}
    return bool(chosen and stores) and any(left_out(cfg, loop, chosen) and left_out(cfg, loop, stores)
                                           for loop in loops)


def left_out(cfg, loop, blocks):
    """Whether the loop can go round without some of these blocks that are in it."""
    head, latch, body = loop
    return any(latch in reachable(cfg.succs, [head], stop=(number,)) for number in blocks & body - {head, latch})


def index_widths(function, cfg, loops):
    """The widths in bits of what is extended on the way to an address, or to a test that ends a loop."""
    pending = [inst.operand(0 if inst.opcode == "load" else 1) for inst in function.instructions_of("load", "store")]
    for _head, _latch, body in loops:
        pending += [cfg.blocks[n].terminator.operand(0) for n in body if set(cfg.succs[n]) - body]
    way = set()
    while pending:
        value = pending.pop()
        if value not in way and isinstance(value, Inst) and value.opcode in ARITHMETIC:
            way.add(value)
            pending += value.operands
    return {extended_bits(value) for value in from_phis(way)} - {0}


def extended_bits(inst):
    """How many bits `inst` extends, by a cast or by a mask in place of one; 0: it extends nothing."""
    if not inst.type.is_int:
        return 0
    if inst.opcode in ("zext", "sext"):
        return inst.operand(0).type.width
    if inst.opcode not in ("and", "urem", "ashr") or not inst.operand(1).is_const_int:
        return 0
    number = inst.operand(1).zext
    if inst.opcode == "and":
        return number.bit_count()
    return number.bit_length() - 1 if inst.opcode == "urem" else inst.type.width - number


def from_phis(values):
    """Those that arithmetic leads to from a phi, so that they may go up in steps as the loop goes round."""
    pending, found = [value for value in values if value.opcode == "phi"], set()
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            pending += [user for user in value.users if user in values]
    return found
