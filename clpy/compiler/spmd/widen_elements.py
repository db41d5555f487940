# SPDX-License-Identifier: Apache-2.0
"""Operations on the elements of vectors of lanes. A part of widening (widen.py)."""
from clpy.compiler.analysis.own_vectors import BINARY, CASTS, PLAIN
from clpy.compiler.analysis.shapes import VARYING
from clpy.compiler.analysis.transfer import EQUALITY
from clpy.compiler.spmd.lanes import Lanes, Part
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.widen_division import DIVISIONS, Division, is_by_number
from clpy.llvm.ir import Inst


class Elements(Part):
    def __init__(self, forms):
        super().__init__(forms)
        self.division = Division(forms)

    def rules(self):
        return {"zext": self.extend, "sext": self.extend, "ashr": self.ashr, "or": self.or_, "icmp": self.icmp,
                "select": self.select,
                "extractelement": self.extractelement, "insertelement": self.insertelement,
                "extractvalue": self.extractvalue, "shufflevector": self.shufflevector}

    def extend(self, inst):
        if self.shapes[inst] in (0, VARYING):
            self.forms.copy_scalar(inst) if self.shapes[inst] == 0 else self.elementwise(inst)
        else:
            how = "sext" if inst.opcode == "sext" or inst.is_nneg else "zext"
            self.forms.scalars[inst] = self.extended(inst.operand(0), how, inst.type)

    def ashr(self, inst):
        if self.shapes[inst] == 0:
            self.forms.copy_scalar(inst)
        elif self.shapes[inst] == VARYING:
            self.elementwise(inst)
        else:  # the sign extension of an id's lower half
            shifted, amount = inst.operands
            wide = self.b.binop("shl", self.forms.scalar(shifted.operand(0)), shifted.operand(1))
            self.forms.scalars[inst] = self.b.binop("ashr", wide, amount)

    def extended(self, value, how, type_):
        """Lane 0's value of an extension as the other lanes see it: lane 0 itself may not take part and wrap, so
        arithmetic that does not wrap in the lanes that do is done wide."""
        op = value.opcode
        if self.shapes[value] != 0 and op in ("add", "or", "sub", "mul", "shl"):
            operands = [self.extended(v, how, type_) for v in value.operands]
            return self.b.binop("add" if op == "or" else op, *operands)
        return self.b.cast(how, self.forms.scalar(value), type_)

    def or_(self, inst):
        if self.shapes[inst] == VARYING:
            self.elementwise(inst)
        elif self.shapes[inst] == 0:
            self.forms.copy_scalar(inst)
        else:  # disjoint in the lanes that take part, lane 0 may be none of them
            self.forms.scalars[inst] = self.b.add(*[self.forms.scalar(v) for v in inst.operands])

    def icmp(self, inst):
        """Where both sides go up alike, lane 0 compares for all; it may not take part and wrap, so it does it wide."""
        a, b = inst.operands
        if self.shapes[inst] == VARYING:
            self.elementwise(inst)
        elif self.shapes[a] == 0 or inst.predicate in EQUALITY or self.forms.full:
            self.forms.copy_scalar(inst)
        else:
            how = "sext" if inst.predicate.startswith("s") else "zext"
            wide = [self.extended(v, how, self.t.int(2 * a.type.width)) for v in (a, b)]
            self.forms.scalars[inst] = self.b.icmp(inst.predicate, *wide)

    def elementwise(self, inst):
        """The same operation on vectors of lanes; flags that make poison go, for lanes that do not take part."""
        op = inst.opcode
        if op not in PLAIN:
            raise Unsupported(f"{op} of varying values")
        count = self.forms.elements(inst.operand(0).type)
        if op == "bitcast" and count != self.forms.elements(inst.type):
            self.bitcast(inst)
            return
        if inst in self.forms.in_rows:
            rows = [self.forms.rows(v) for v in inst.operands]
            made = self.operate(inst, rows, self.t.vector(inst.type.element, count * self.width))
            self.forms.lanes[inst] = Lanes(rows=made)
            return
        columns = [self.forms.parts(v) for v in inst.operands]
        self.forms.lanes[inst] = Lanes([self.operate(inst, [c[n] for c in columns], self.forms.vec(inst.type.scalar))
                                  for n in range(count)])

    def operate(self, inst, args, type_):
        """One elementwise operation on vectors."""
        op = inst.opcode
        if op in DIVISIONS and not is_by_number(inst):
            return self.division.divide(inst, *args)
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
        wide = self.forms.rows(source) if source.type.is_vector else self.forms.part(source)
        n_out = self.forms.elements(inst.type)
        total = self.b.cast("bitcast", wide, self.t.vector(inst.type.scalar, n_out * self.width))
        self.forms.lanes[inst] = Lanes(rows=total) if n_out > 1 else Lanes([total])

    def select(self, inst):
        if self.shapes[inst] != VARYING:
            self.forms.copy_scalar(inst)
            return
        cond, yes, no = inst.operands
        if inst in self.forms.in_rows:
            made = self.b.select(self.condition_of_rows(cond, inst.type.count), self.forms.rows(yes),
                                 self.forms.rows(no))
            self.forms.keep_fast_math([made], inst)
            self.forms.lanes[inst] = Lanes(rows=made)
            return
        a, b = self.forms.parts(yes), self.forms.parts(no)
        if self.shapes.uniform(cond) and not cond.type.is_vector:
            c = [self.forms.scalar(cond)] * len(a)
        else:
            c = self.forms.parts(cond)
            c = c * len(a) if len(c) == 1 else c
        made = [self.b.select(k, x, y) for k, x, y in zip(c, a, b, strict=True)]
        self.forms.keep_fast_math(made, inst)
        self.forms.lanes[inst] = Lanes(made)

    def condition_of_rows(self, condition, count):
        if condition.type.is_vector:
            return self.forms.rows(condition)
        if self.shapes.uniform(condition):
            return self.forms.scalar(condition)
        return self.forms.widen_mask(self.forms.part(condition), count)

    def extractelement(self, inst):
        vector, index = inst.operands
        if self.shapes[inst] != VARYING and index.is_const_int and vector in self.forms.scalars:
            self.forms.scalars[inst] = self.forms.element(self.forms.scalar(vector), index.zext)
        elif self.shapes[inst] != VARYING:
            self.forms.copy_scalar(inst)
        elif index.is_const_int:
            self.forms.lanes[inst] = Lanes([self.forms.parts(vector)[index.zext]])
        else:
            parts, at = self.forms.parts(vector), self.forms.part(index)
            out = parts[0]
            for n in range(1, len(parts)):
                out = self.b.select(self.b.icmp("eq", at, self.forms.splat(index.type.const(n))), parts[n], out)
            self.forms.lanes[inst] = Lanes([out])

    def insertelement(self, inst):
        vector, element, index = inst.operands
        if self.shapes[inst] != VARYING:
            self.forms.copy_scalar(inst)
            return
        parts, new = list(self.forms.parts(vector)), self.forms.part(element)
        if index.is_const_int:
            parts[index.zext] = new
        else:
            at = self.forms.part(index)
            parts = [self.b.select(self.b.icmp("eq", at, self.forms.splat(index.type.const(n))), new, p)
                     for n, p in enumerate(parts)]
        self.forms.lanes[inst] = Lanes(parts)

    def extractvalue(self, inst):
        aggregate = inst.operand(0)
        if self.shapes[inst] != VARYING:
            self.forms.copy_scalar(inst)
            return
        if aggregate not in self.forms.lanes or len(inst.indices) != 1:
            raise Unsupported("a nested aggregate that differs between lanes")
        self.forms.lanes[inst] = Lanes([self.forms.lanes[aggregate].parts[inst.indices[0]]])

    def shufflevector(self, inst):
        if self.shapes[inst] != VARYING:
            self.forms.copy_scalar(inst)
            return
        pool = self.forms.parts(inst.operand(0)) + self.forms.parts(inst.operand(1))
        poison = self.forms.vec(inst.type.element).poison
        self.forms.lanes[inst] = Lanes([pool[i] if i >= 0 else poison for i in inst.shuffle_mask])
