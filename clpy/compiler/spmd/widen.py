# SPDX-License-Identifier: Apache-2.0
"""From one lane to W lanes: a linearized function becomes a function of a vector of consecutive work-items.

Uniform values stay scalar, strided ones are kept as the scalar of lane 0, the rest are vectors; a value of a vector
type <n x T> becomes n vectors of W lanes, or stays in rows as it lies in memory. The new function's parameter `lid.0`
is the id of lane 0, and `lanes` the number of lanes that take part. What is made so far is in one state, Forms
(lanes.py), around which each part has its job:

    Elements (widen_elements.py)   operations on the elements of vectors
    Memory   (widen_memory.py)     addresses and loads and stores, by the shape of the address
    Ahead    (widen_ahead.py)      what later vectors read, asked for early
    Stores   (widen_stores.py)     whole vectors to memory, past the caches where that pays
    Strided  (widen_strides.py)    accesses a few elements apart: wide vectors and shuffles
    Walking  (widen_walks.py)      lanes that each walk along a row: blocks of rows, transposed
    Calls    (widen_calls.py)      masks, vector forms of functions, and what runs lane by lane
    Tests    (widen_tests.py)      whether any lane and whether all of them meet a condition

Widener takes the function apart, gives each instruction to the part whose job it is, and makes phis and branches.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.shapes import VARYING
from clpy.compiler.analysis.strides import Strides
from clpy.compiler.spmd.lanes import Forms, Lanes
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.widen_ahead import Ahead, takes_long
from clpy.compiler.spmd.widen_calls import Calls
from clpy.compiler.spmd.widen_elements import Elements
from clpy.compiler.spmd.widen_memory import Memory
from clpy.compiler.spmd.widen_stores import Stores, is_written_only
from clpy.compiler.spmd.widen_strides import Strided
from clpy.compiler.spmd.widen_tests import Tests
from clpy.compiler.spmd.widen_walks import Walking
from clpy.llvm.ir import intrinsic


class Widener:
    """Fills the empty function `target` with `source` widened. `libm(function, width)`: a vector form and its lanes, or
    None; `full`: all lanes take part; `bits` of a register; `strides`, `walks`, `shapes`: what is known of the source's
    loads and stores, and of its values in such a form, where it is known already; `soon`: as Forms has it."""

    def __init__(self, module, source, target, width, libm, full, bits=512, strides=None, walks=None, shapes=None,
                 soon=False):
        self.forms = forms = Forms(module, source, target, width, full, bits, shapes, soon)
        self.b, self.t, self.shapes = forms.b, forms.t, forms.shapes
        self.names = {p.name: p for p in target.params}
        long = forms.full and takes_long(self.shapes.cfg, self.shapes)
        stores = Stores(forms, self.names["launch"], set() if long else self.written_once())
        strided = Strided(forms, stores, strides or Strides(forms.shapes, bits))
        self.walking = Walking(forms, walks)
        self.memory = Memory(forms, stores, strided, self.walking, Ahead(forms, long))
        self.elements = Elements(forms)
        self.calls = self.make_calls(libm)
        self.rules = {**self.elements.rules(), **self.memory.rules(), "call": self.calls.call}

    def make_calls(self, libm):
        return Calls(self.forms, self.memory, libm, Tests(self.forms, self.elements.extended))

    def written_once(self):
        """Parameters through which all lanes write, and nobody reads, in this region or another."""
        source = self.forms.source
        whole = self.forms.full and source.attribute_text(fr.EXITS) == "none"
        return {self.names[p.name] for p in source.params if whole and is_written_only(p)}

    # --- the function

    def run(self):
        forms, cfg = self.forms, self.shapes.cfg
        for param in forms.source.params:
            if param.name != "active":
                forms.scalars[param] = self.names[param.name]
        for block in cfg.blocks:
            forms.starts[block] = forms.target.append_block(block.name)
        self.b.at_end(forms.starts[cfg.blocks[0]])
        self.make_active()
        phis = []
        for block in cfg.blocks:
            forms.go(forms.starts[block])
            for inst in block.instructions:
                if inst.opcode == "phi":
                    phis.append((inst, self.make_phi(inst)))
                else:
                    self.widen_located(inst)
            forms.ends[block] = forms.here
        for inst, made in phis:
            self.fill_phi(inst, made)
        self.walking.reset_walks()
        for block in cfg.blocks:
            self.make_end(block)

    def make_active(self):
        forms = self.forms
        self.active = active = next(p for p in forms.source.params if p.name == "active")
        if forms.full:
            forms.scalars[active] = self.t.i1.const(1)
            return
        ids = forms.step(self.t.i32, 1)
        count = forms.splat(self.b.cast("trunc", self.names["lanes"], self.t.i32))
        forms.lanes[active] = Lanes([self.b.icmp("ult", ids, count, "active")])

    def make_phi(self, inst):
        if inst in self.forms.in_rows:
            made = [self.b.phi(self.t.vector(inst.type.element, inst.type.count * self.forms.width))]
            self.forms.lanes[inst] = Lanes(rows=made[0])
        elif self.shapes[inst] == VARYING:
            made = [self.b.phi(self.forms.vec(e)) for e in self.forms.part_types(inst.type)]
            self.forms.lanes[inst] = Lanes(made)
        else:
            made = [self.b.phi(inst.type)]
            self.forms.scalars[inst] = made[0]
        return made

    def fill_phi(self, inst, made):
        for value, block in inst.incoming:
            end = self.forms.ends[block]
            self.b.at_end(end)  # terminators are made last
            if inst in self.forms.in_rows:
                values = [self.forms.rows(value)]
            else:
                values = self.forms.parts(value) if inst in self.forms.lanes else [self.forms.scalar(value)]
            for phi, v in zip(made, values, strict=True):
                phi.add_incoming(v, end)

    def make_end(self, block):
        end = block.terminator
        self.b.at_end(self.forms.ends[block])
        if end.opcode == "ret":
            self.make_return(end)
        elif end.opcode == "unreachable":
            self.b.unreachable()
        elif end.opcode == "br" and end.n_operands == 1:
            self.b.br(self.forms.starts[end.successors[0]])
        elif end.opcode == "br":
            condition = end.operand(0)
            if not self.shapes.uniform(condition):
                raise Unsupported("a branch is still divergent")
            made = self.b.cond_br(self.forms.scalar(condition), *[self.forms.starts[s] for s in end.successors])
            self.walking.end(block, made)
        else:
            raise Unsupported(f"terminator {end.opcode}")

    def make_return(self, end):
        if end.n_operands == 0:
            self.b.ret()
            return
        value = end.operand(0)
        if self.shapes.uniform(value):
            self.b.ret(self.forms.scalar(value))
            return
        if self.forms.source.attribute_text(fr.EXITS) == "varying":
            self.b.ret(self.least(value))
            return
        # where a region goes next is the same for all lanes that take part; lane 0 always does
        self.b.ret(self.forms.lane(value, 0))

    def least(self, value):
        """The smallest of the lanes that take part."""
        forms, answers = self.forms, self.forms.part(value)
        if not forms.full:
            answers = self.b.select(forms.part(self.active), answers, answers.type.all_ones)
        return self.b.call(intrinsic(forms.module, "llvm.vector.reduce.umin", [answers.type]), [answers])

    # --- instructions

    def widen_located(self, inst):
        self.b.comes_from(inst)
        try:
            self.widen(inst)
        except Unsupported as why:
            raise why.at(inst) from None

    def widen(self, inst):
        op = inst.opcode
        if op in ("br", "ret", "switch", "unreachable"):
            return
        rule = self.rules.get(op)
        if rule is not None:
            rule(inst)
        elif self.shapes[inst] != VARYING:
            self.forms.copy_scalar(inst)
        else:
            self.elements.elementwise(inst)
