# SPDX-License-Identifier: Apache-2.0
"""Shapes: how each value of a function for one work-item depends on the work-item.

A shape is a number, the stride from one lane to the next (0: uniform; integers count in units, pointers in bytes), or
VARYING. Lanes are work-items that follow each other in one dimension. Three things make a value differ between lanes:
its operands (data; transfer.py has the rules), a phi where lanes meet that came different ways (control), and leaving a
loop in different iterations (time). The last two are the business of a rule in parting.py, of which there are two: for
lanes that go through the function together, and for work-items that go through it one after the other.
Method: Karrenberg and Hack, CGO 2011, section 4; Moll and Hack, PLDI 2018, section 2.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.allocas import element_step
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.memory import CONSTANT, PRIVATE, base_of
from clpy.compiler.analysis.parting import InStep
from clpy.compiler.analysis.transfer import UNKNOWN, VARYING, shape_of
from clpy.compiler.analysis.usual import usual_step


class Shapes:
    """Shapes of the values of the function of `cfg`. `seeds`: parameter -> shape, where it is not uniform.

    `parting`: the rule, a class of parting.py; None: no branch of the function parts lanes.
    `stable(load)`: whether nothing writes the loaded memory while others may read it.
    `private`: alloca -> element size, of arrays whose elements lie lane by lane (spmd/arrays.py).
    """

    def __init__(self, cfg, seeds, parting=None, stable=lambda load: True, private=()):
        self.cfg, self.stable = cfg, stable
        self.of = dict(seeds)
        self.private = dict(private)
        self.inside = set(self.private)   # these arrays and the addresses in them
        self.tainted = set()              # phis that vary because of the ways that lead to them
        self.parting = parting(self) if parting is not None else None
        self.solve()

    def __getitem__(self, value):
        """Shape of a value; constants, globals and parameters that were not named are uniform."""
        return self.of.get(value, 0)

    def uniform(self, value):
        return self.of.get(value, 0) == 0

    @property
    def divergent(self):
        """Numbers of the blocks whose branch parts the lanes."""
        return self.parting.divergent

    @property
    def divergent_loops(self):
        """Headers of the loops that lanes leave in different iterations."""
        return self.parting.divergent_loops

    def solve(self):
        """From unknown over uniform and strided to varying, until nothing changes. Each shape rises twice at most."""
        insts = [i for block in self.cfg.blocks for i in block.instructions]
        self.of.update(dict.fromkeys(insts, UNKNOWN))
        for inst in insts:
            self.update(inst)
        self.settle([i for i in insts if i.opcode == "phi" or self.of[i] == UNKNOWN])
        while self.parting is not None and (new := self.parting.spread()):
            self.settle(new)

    def settle(self, insts):
        """Look at these instructions, and at the users of each whose shape rises."""
        pending = list(reversed(list(insts)))
        waiting = set(pending)
        while pending:
            inst = pending.pop()
            waiting.discard(inst)
            if self.update(inst):
                following = [u for u in inst.users if u not in waiting and u in self.of]
                waiting.update(following)
                pending += following

    def update(self, inst):
        """Whether the shape of an instruction rose."""
        old = self.of[inst]
        if old == VARYING:
            return False
        new = shape_of(self, inst)
        if new in (UNKNOWN, old):
            return False
        self.of[inst] = new if old == UNKNOWN else VARYING    # what had another shape before has none
        return True

    def taint(self, blocks):
        """The phis of these blocks vary; returns those that did not before."""
        new = {phi for b in blocks for phi in self.cfg.blocks[b].phis} - self.tainted
        self.tainted |= new
        return new

    def join_all(self, values):
        return 0 if all(self.uniform(v) for v in values) else VARYING

    # --- likely shapes, which are worth a look at run time

    def usually_neighbours(self, pointer, size):
        """A varying address whose lanes mostly lie side by side, `size` bytes apart: its index is clamped or so."""
        root = self.root(pointer)
        if self[pointer] != VARYING or root.opcode != "getelementptr" or root.gep_source_type.size != size:
            return False
        *others, index = root.operands
        return len(others) == 1 and self.uniform(others[0]) and usual_step(self, index) == 1

    def root(self, pointer):
        """The address that `pointer` is a uniform distance from."""
        while pointer.opcode == "getelementptr" and not self.uniform(pointer.operand(0)) and \
                all(self.uniform(v) for v in pointer.operands[1:]):
            pointer = pointer.operand(0)
        return pointer


def lane_ids(lane):
    """Local ids, as parameters of a function for one lane, that differ between lanes, with their shapes."""
    along = lane.attribute_text(fr.LANE) or "0"
    shapes = dict.fromkeys(fr.LOCAL_IDS, VARYING) if along == fr.WAVE else {f"lid.{along}": 1}
    return {p: shapes[p.name] for p in lane.params if p.name in shapes}


def lane_shapes(lane, active, cfg=None):
    """Shapes of a linearized function for one lane; `active`: shape of its parameter of that name; `cfg`: its control
    flow, where it is laid out already."""
    active_param = next(p for p in lane.params if p.name == "active")
    private = {a: element_step(a) for a in lane.instructions_of("alloca")}
    return Shapes(cfg or laid_out(lane), lane_ids(lane) | {active_param: active},
                  private={a: step for a, step in private.items() if step})


def parted_shapes(lane):
    """Shapes of a function for one lane whose branches may part the lanes, which go through it together."""
    return Shapes(laid_out(lane), lane_ids(lane), InStep)


def shapes_along_rows(lane, shapes):
    """The same of lanes along dimension 1, whatever `shapes` are along."""
    return Shapes(shapes.cfg, {p: 1 for p in lane.params if p.name == "lid.1"}, InStep)


def parts_alike(lane, shapes):
    """Whether the same branches of a function for one lane part the lanes, `shapes` being of lanes along a dimension,
    where all local ids differ between lanes."""
    seeds = {p: VARYING for p in lane.params if p.name in fr.LOCAL_IDS}
    others = Shapes(shapes.cfg, seeds, InStep)
    return others.divergent == shapes.divergent and others.divergent_loops == shapes.divergent_loops


def is_read_only(load):
    """The memory a load reads is not written during the launch, whatever the kernel does."""
    pointer = load.operand(0)
    if pointer.type.address_space == CONSTANT or load.metadata("invariant.load") is not None:
        return True
    return pointer.type.address_space == PRIVATE and base_of(pointer).is_argument
