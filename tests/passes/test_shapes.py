# SPDX-License-Identifier: Apache-2.0
"""The analysis of shapes against work-items that run: random functions are interpreted, one work-item after the other,
and what is said to be uniform or strided is looked at in all of them.

A moment of a function is a block and how often each loop around it has gone round. In the same moment uniform values
are equal, and strided ones a step apart. Where work-items run one after the other (parting.Apart), that goes for the
last value of whatever is computed before, in a loop or not; where lanes go together (parting.InStep), for what the
loops around both leave in sight.
"""
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import reducible

from clpy.compiler.analysis.graph import Cfg, dominators, laid_out, natural_loops
from clpy.compiler.analysis.parting import Apart, InStep
from clpy.compiler.analysis.shapes import VARYING, Shapes
from clpy.llvm.ir import get_function
from clpy.llvm.module import Module

LANES, STEPS, BITS = 5, 150, 64
BINARY = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "xor": lambda a, b: a ^ b,
          "and": lambda a, b: a & b, "or": lambda a, b: a | b, "shl": lambda a, b: a << (b % BITS)}


@dataclass
class Block:
    """phi: one value per way in; value: an operation; the branch is taken where a value is below another one."""
    phi: dict
    operation: tuple
    test: tuple
    succs: list


def back_once(succs):
    """Without the second edge back to a header and more: normal form has one for each loop."""
    extra = {(latch, loop.header) for loop in natural_loops(succs, dominators(succs)) for latch in loop.latches[1:]}
    return [[s for s in targets if (b, s) not in extra] for b, targets in enumerate(succs)]


@st.composite
def functions(draw, in_step):
    """Blocks of a random graph. Values are named ("phi" or "value", block), ("lid",), ("n",) or ("const", number)."""
    succs = [[1], *[[s + 1 for s in targets] for targets in draw(reducible())]]     # nothing leads back to the entry
    if in_step:
        succs = back_once(succs)
    idom = dominators(succs)
    loops = natural_loops(succs, idom)

    def around(block):
        return {loop.header for loop in loops if block in loop.blocks}

    def operands(at, own):
        """What dominates a block; where lanes go together, only what no loop ends between."""
        chain, block = [at] if own else [], at
        while idom[block] != block:
            block = idom[block]
            chain.append(block)
        seen = [b for b in chain if not in_step or around(b) <= around(at)]
        return [("lid",), ("const", 0), ("n",), ("const", 3), *[(kind, b) for b in seen for kind in ("phi", "value")]]

    preds = {b: [p for p in range(len(succs)) if b in succs[p]] for b in range(len(succs))}
    blocks = []
    for b, targets in enumerate(succs):
        phi = {p: draw(st.sampled_from([v for v in operands(p, True) if not in_step or v[0] not in ("phi", "value")
                                        or around(v[1]) <= around(p)])) for p in preds[b]}
        mine = [*operands(b, False), ("phi", b)]
        operation = draw(st.one_of(st.just(("add", ("phi", b), ("const", 1))), st.tuples(
            st.sampled_from(sorted(BINARY)), st.sampled_from(mine), st.sampled_from(mine))))
        test = (draw(st.sampled_from([("value", b), *mine])), draw(st.sampled_from(mine)))
        blocks.append(Block(phi, operation, test, targets))
    return blocks, loops


def name(value):
    return {"lid": "%lid.0", "n": "%n"}.get(value[0]) or (str(value[1]) if value[0] == "const" else
                                                          f"%{value[0]}.{value[1]}")


def assembly(blocks):
    lines = ["define void @f(i64 %lid.0, i64 %n) {"]
    for n, block in enumerate(blocks):
        lines.append(f"b{n}:")
        ways = ", ".join(f"[ {name(v)}, %b{p} ]" for p, v in block.phi.items())
        lines.append(f"  %phi.{n} = phi i64 {ways}" if ways else f"  %phi.{n} = add i64 %n, 0")
        how, a, b = block.operation
        lines.append(f"  %value.{n} = {how} i64 {name(a)}, {name(b)}")
        if len(block.succs) == 2:
            lines.append(f"  %test.{n} = icmp ult i64 {name(block.test[0])}, {name(block.test[1])}")
            lines.append(f"  br i1 %test.{n}, label %b{block.succs[0]}, label %b{block.succs[1]}")
        elif len(block.succs) > 2:
            lines.append(f"  switch i64 {name(block.test[0])}, label %b{block.succs[-1]} [" +
                         " ".join(f"i64 {i}, label %b{s}" for i, s in enumerate(block.succs[:-1])) + " ]")
        else:
            lines.append(f"  br label %b{block.succs[0]}" if block.succs else "  ret void")
    return "\n".join([*lines, "}"])


def run(blocks, loops, lane, n=7):
    """{moment: {value: number}} of one work-item; a value in it is the last one there was."""
    seen, last, turns, before, at = {}, {}, {}, None, 0

    def get(value):
        return {"lid": lane, "n": n}[value[0]] if len(value) == 1 else value[1] if value[0] == "const" else last[value]

    for _ in range(STEPS):
        block = blocks[at]
        for loop in loops:
            if loop.header == at:
                turns[at] = turns[at] + 1 if before in loop.blocks and before is not None else 0
        phi = get(block.phi[before]) if block.phi and before is not None else n
        last["phi", at] = phi
        how, a, b = block.operation
        shift = get(b) if how != "shl" else get(b) % BITS
        last["value", at] = BINARY[how](get(a), shift) % (1 << BITS)
        seen[at, tuple(turns[lp.header] for lp in loops if at in lp.blocks)] = dict(last)
        if not block.succs:
            break
        tested = get(block.test[0]) if len(block.succs) > 1 else 0
        if len(block.succs) == 2:
            way = 0 if tested < get(block.test[1]) else 1
        else:
            way = tested if tested < len(block.succs) - 1 else -1
        before, at = at, block.succs[way]
    return seen


def shapes_of(blocks, in_step):
    module = Module.from_text(assembly(blocks))
    assert module.verify() == ""
    f = get_function(module, "f")
    cfg = laid_out(f) if in_step else Cfg(f)
    shapes = Shapes(cfg, {f.params[0]: 1}, InStep if in_step else Apart)
    found = {i.name: shapes[i] for i in f.instructions if i.name}
    return {(kind, n): found[f"{kind}.{n}"] for n in range(len(blocks)) for kind in ("phi", "value")}


def check(blocks, loops, in_step):
    shapes = shapes_of(blocks, in_step)
    around = [{loop.header for loop in loops if b in loop.blocks} for b in range(len(blocks))]
    runs = [run(blocks, loops, lane) for lane in range(LANES)]
    for one, seen in enumerate(runs):
        for other in range(one + 1, LANES):
            for moment in seen.keys() & runs[other].keys():
                for value, k in shapes.items():
                    a, b = seen[moment].get(value), runs[other][moment].get(value)
                    if k == VARYING or a is None or b is None or not is_seen(value, moment[0], around, blocks, in_step):
                        continue
                    assert (b - a - k * (other - one)) % (1 << BITS) == 0, (value, k, moment, a, b, assembly(blocks))


def is_seen(value, block, around, blocks, in_step):
    """The value is computed on each way to the block, and, where lanes go together, not in a loop that ended since."""
    idom = dominators([b.succs for b in blocks])
    above = block
    while above != value[1]:
        if idom[above] == above:
            return False
        above = idom[above]
    return not in_step or around[above] <= around[block]


@settings(deadline=None, max_examples=120)
@given(functions(True))
def test_lanes_that_go_together(made):
    check(*made, True)


@settings(deadline=None, max_examples=120)
@given(functions(False))
def test_work_items_one_after_the_other(made):
    check(*made, False)
