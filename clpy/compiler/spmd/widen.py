# SPDX-License-Identifier: Apache-2.0
"""From one lane to W lanes: a linearized function becomes a function of a vector of consecutive work-items.

Uniform values stay scalar, strided ones are kept as the scalar of lane 0, the rest are vectors; a value of a vector
type <n x T> becomes n vectors of W lanes, or stays in rows as it lies in memory (lanes.py). Memory access by the shape
of its address: one scalar, one plain vector, rows, else a gather or scatter (widen_memory.py). What has no vector form
runs lane by lane (widen_calls.py). The new function's parameter `lid.0` is the id of lane 0, and `lanes` the number of
lanes that take part.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.shapes import VARYING, lane_shapes
from clpy.compiler.analysis.strides import Strides
from clpy.compiler.spmd.lanes import Lanes
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.widen_calls import CallForms
from clpy.compiler.spmd.widen_memory import is_written_only
from clpy.llvm.ir import Builder, Function, Inst, Types

BINARY = {"add", "fadd", "sub", "fsub", "mul", "fmul", "udiv", "sdiv", "fdiv", "urem", "srem", "frem", "shl", "lshr",
          "ashr", "and", "or", "xor"}
CASTS = {"trunc", "zext", "sext", "fptoui", "fptosi", "uitofp", "sitofp", "fptrunc", "fpext", "ptrtoint", "inttoptr",
         "bitcast", "addrspacecast"}


class Widener(CallForms):
    def __init__(self, module, source, target, width, libm, full, bits=512, strides=None, walks=None):
        """Fill the empty function `target` with `source` widened; `full`: all lanes take part; `bits` of a register."""
        self.module, self.source, self.target, self.width = module, source, target, width
        self.t = Types(module)
        self.b = Builder(module)
        self.libm = libm              # scalar libm name -> vector function's name at this width, or None
        self.full = full
        self.scalars = {}             # uniform or strided value -> its scalar (of lane 0)
        self.lanes = {}               # varying value -> Lanes
        self.blocks = {}
        self.allocas = {}
        self.shapes = lane_shapes(source, 0 if full else VARYING)
        self.bits = bits
        self.strides = strides or Strides(self.shapes, bits)
        self.walks = walks.of if walks is not None else {}   # load -> loop, of blocks of rows
        self.resets = []              # (loop, what counts in it and begins with 0)
        self.windows = {}             # strides.Group -> address of the first of its elements
        self.spans = {}               # (Group, element type, ...) -> what its first load read for all

    # --- the function

    def run(self):
        names = {p.name: p for p in self.target.params}
        for param in self.source.params:
            if param.name != "active":
                self.scalars[param] = names[param.name]
        cfg = self.shapes.cfg
        for block in cfg.blocks:
            self.blocks[block] = self.target.append_block(block.name)
        self.b.at_end(self.blocks[cfg.blocks[0]])
        self.make_active(names)
        self.launch = names["launch"]
        whole = self.source.attribute_text(fr.EXITS) == "none"   # no other region reads what is written
        self.streams = {names[p.name] for p in self.source.params if self.full and whole and is_written_only(p)}
        phis = []
        for block in cfg.blocks:
            self.here = self.blocks[block]
            self.b.at_end(self.here)
            for inst in block.instructions:
                if inst.opcode == "phi":
                    phis.append((inst, self.make_phi(inst)))
                else:
                    self.widen_located(inst)
            self.blocks[block] = (self.blocks[block], self.here)
        for inst, made in phis:
            self.fill_phi(inst, made)
        self.reset_walks()
        for block in cfg.blocks:
            self.make_end(block)

    def make_active(self, names):
        active = next(p for p in self.source.params if p.name == "active")
        if self.full:
            self.scalars[active] = self.t.i1.const(1)
            return
        ids = self.step(self.t.i32, 1)
        count = self.splat(self.b.cast("trunc", names["lanes"], self.t.i32))
        self.lanes[active] = Lanes([self.b.icmp("ult", ids, count, "active")])

    def make_phi(self, inst):
        if self.shapes[inst] == VARYING:
            made = [self.b.phi(self.vec(e)) for e in self.part_types(inst.type)]
            self.lanes[inst] = Lanes(made)
        else:
            made = [self.b.phi(inst.type)]
            self.scalars[inst] = made[0]
        return made

    def fill_phi(self, inst, made):
        for value, block in inst.incoming:
            end = self.blocks[block][1]
            self.b.at_end(end)  # terminators are made last
            values = self.parts(value) if inst in self.lanes else [self.scalar(value)]
            for phi, v in zip(made, values, strict=True):
                phi.add_incoming(v, end)

    def make_end(self, block):
        end = block.terminator
        self.b.at_end(self.blocks[block][1])
        if end.opcode == "ret":
            self.make_return(end)
        elif end.opcode == "unreachable":
            self.b.unreachable()
        elif end.opcode == "br" and end.n_operands == 1:
            self.b.br(self.blocks[end.successors[0]][0])
        elif end.opcode == "br":
            condition = end.operand(0)
            if not self.shapes.uniform(condition):
                raise Unsupported("a branch is still divergent")
            self.b.cond_br(self.scalar(condition), *[self.blocks[s][0] for s in end.successors])
        else:
            raise Unsupported(f"terminator {end.opcode}")

    def make_return(self, end):
        if end.n_operands == 0:
            self.b.ret()
            return
        value = end.operand(0)
        if self.shapes.uniform(value):
            self.b.ret(self.scalar(value))
            return
        # where a region goes next is the same for all lanes that take part; lane 0 always does
        self.b.ret(self.lane(value, 0))

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
        special = getattr(self, f"do_{op}", None)
        if special is not None:
            special(inst)
        elif self.shapes[inst] != VARYING:
            self.copy_scalar(inst)
        elif op in BINARY or op in CASTS or op in ("icmp", "fcmp", "fneg", "freeze"):
            self.elementwise(inst)
        else:
            raise Unsupported(f"{op} of varying values")

    def copy_scalar(self, inst):
        """Uniform or strided: the same instruction on lane 0."""
        new = inst.clone()
        for n, v in enumerate(inst.operands):
            if not v.is_block and not v.is_metadata and not isinstance(v, Function):
                new.set_operand(n, self.scalar(v))
        self.b.insert(new)
        if self.shapes[inst] not in (0, VARYING):
            drop_flags(new)
        if not inst.is_void:
            self.scalars[inst] = new

    def do_zext(self, inst):
        if self.shapes[inst] in (0, VARYING):
            self.copy_scalar(inst) if self.shapes[inst] == 0 else self.elementwise(inst)
        else:
            self.scalars[inst] = self.extended(inst.operand(0), inst.opcode, inst.type)

    do_sext = do_zext

    def do_ashr(self, inst):
        if self.shapes[inst] == 0:
            self.copy_scalar(inst)
        elif self.shapes[inst] == VARYING:
            self.elementwise(inst)
        else:  # the sign extension of an id's lower half
            shifted, amount = inst.operands
            wide = self.b.binop("shl", self.scalar(shifted.operand(0)), shifted.operand(1))
            self.scalars[inst] = self.b.binop("ashr", wide, amount)

    def extended(self, value, how, type_):
        """Lane 0's value of an extension as the other lanes see it: lane 0 itself may not take part and wrap, so
        arithmetic that does not wrap in the lanes that do is done wide."""
        op = value.opcode
        if self.shapes[value] != 0 and op in ("add", "or", "sub", "mul", "shl"):
            operands = [self.extended(v, how, type_) for v in value.operands]
            return self.b.binop("add" if op == "or" else op, *operands)
        return self.b.cast(how, self.scalar(value), type_)

    def do_or(self, inst):
        if self.shapes[inst] == VARYING:
            self.elementwise(inst)
        elif self.shapes[inst] == 0:
            self.copy_scalar(inst)
        else:  # disjoint in the lanes that take part, lane 0 may be none of them
            self.scalars[inst] = self.b.add(*[self.scalar(v) for v in inst.operands])

    def elementwise(self, inst):
        """The same operation on vectors of lanes; flags that make poison go, for lanes that do not take part."""
        op, count = inst.opcode, self.elements(inst.operand(0).type)
        if op == "bitcast" and count != self.elements(inst.type):
            self.bitcast(inst)
            return
        if inst.type.is_vector:
            rows = self.rows_of_all(inst.operands)
            if rows is not None:
                made = self.operate(inst, rows, self.t.vector(inst.type.element, count * self.width))
                self.lanes[inst] = Lanes(rows=made)
                return
        columns = [self.parts(v) for v in inst.operands]
        self.lanes[inst] = Lanes([self.operate(inst, [c[n] for c in columns], self.vec(inst.type.scalar))
                                  for n in range(count)])

    def rows_of_all(self, values):
        """Rows of all operands if those that differ between lanes are kept so, else None."""
        if any(v in self.lanes and self.lanes[v].rows is None for v in values):
            return None
        return [self.rows_of(v) for v in values]

    def operate(self, inst, args, type_):
        """One elementwise operation on vectors."""
        op = inst.opcode
        if op in BINARY:
            new = self.b.binop(op, *args)
        elif op in CASTS:
            new = self.b.cast(op, args[0], type_)
        elif op == "icmp":
            new = self.b.icmp(inst.predicate, *args)
        elif op == "fcmp":
            new = self.b.fcmp(inst.float_predicate, *args)
        elif op == "fneg":
            new = self.b.fneg(args[0])
        else:
            new = self.b.freeze(args[0])
        if isinstance(new, Inst):
            new.fast_math = inst.fast_math
        return new

    def bitcast(self, inst):
        """Between vector types of the same size: lane by lane in registers, LLVM makes shuffles of it."""
        source = inst.operand(0)
        wide = self.rows_of(source) if source.type.is_vector else None
        if wide is None:
            wide = self.interleave(self.parts(source), source.type)
        n_out = self.elements(inst.type)
        total = self.b.cast("bitcast", wide, self.t.vector(inst.type.scalar, n_out * self.width))
        self.lanes[inst] = Lanes(rows=total) if n_out > 1 else Lanes([total])

    def do_select(self, inst):
        if self.shapes[inst] != VARYING:
            self.copy_scalar(inst)
            return
        cond, yes, no = inst.operands
        if inst.type.is_vector and (cond.type.is_vector or self.shapes.uniform(cond)):
            rows = self.rows_of_all([yes, no, *([cond] if cond.type.is_vector else [])])
            if rows is not None:
                made = self.b.select(rows[2] if cond.type.is_vector else self.scalar(cond), rows[0], rows[1])
                self.keep_fast_math([made], inst)
                self.lanes[inst] = Lanes(rows=made)
                return
        a, b = self.parts(yes), self.parts(no)
        if self.shapes.uniform(cond) and not cond.type.is_vector:
            c = [self.scalar(cond)] * len(a)
        else:
            c = self.parts(cond)
            c = c * len(a) if len(c) == 1 else c
        made = [self.b.select(k, x, y) for k, x, y in zip(c, a, b, strict=True)]
        self.keep_fast_math(made, inst)
        self.lanes[inst] = Lanes(made)

    def keep_fast_math(self, made, inst):
        for new in made:
            if isinstance(new, Inst):
                new.fast_math = inst.fast_math

    def do_extractelement(self, inst):
        vector, index = inst.operands
        if self.shapes[inst] != VARYING:
            self.copy_scalar(inst)
        elif index.is_const_int:
            self.lanes[inst] = Lanes([self.parts(vector)[index.zext]])
        else:
            parts, at = self.parts(vector), self.part(index)
            out = parts[0]
            for n in range(1, len(parts)):
                out = self.b.select(self.b.icmp("eq", at, self.splat(index.type.const(n))), parts[n], out)
            self.lanes[inst] = Lanes([out])

    def do_insertelement(self, inst):
        vector, element, index = inst.operands
        if self.shapes[inst] != VARYING:
            self.copy_scalar(inst)
            return
        parts, new = list(self.parts(vector)), self.part(element)
        if index.is_const_int:
            parts[index.zext] = new
        else:
            at = self.part(index)
            parts = [self.b.select(self.b.icmp("eq", at, self.splat(index.type.const(n))), new, p)
                     for n, p in enumerate(parts)]
        self.lanes[inst] = Lanes(parts)

    def do_extractvalue(self, inst):
        aggregate = inst.operand(0)
        if self.shapes[inst] != VARYING:
            self.copy_scalar(inst)
            return
        if aggregate not in self.lanes or len(inst.indices) != 1:
            raise Unsupported("a nested aggregate that differs between lanes")
        self.lanes[inst] = Lanes([self.lanes[aggregate].parts[inst.indices[0]]])

    def do_shufflevector(self, inst):
        if self.shapes[inst] != VARYING:
            self.copy_scalar(inst)
            return
        pool = self.parts(inst.operand(0)) + self.parts(inst.operand(1))
        poison = self.vec(inst.type.element).poison
        self.lanes[inst] = Lanes([pool[i] if i >= 0 else poison for i in inst.shuffle_mask])


def drop_flags(inst):
    """A scalar that stands for lane 0 is computed even when lane 0 does not take part."""
    if inst.opcode in ("add", "sub", "mul", "shl"):
        inst.set_wrap(False, False)
    elif inst.opcode == "getelementptr":
        inst.set_gep_flags(0)
