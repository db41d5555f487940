# SPDX-License-Identifier: Apache-2.0
"""Calls of a vector of work-items: masks, side effects lane by lane, math in its vector forms. Part of widen.py."""
from clpy.compiler.passes.builtin_table import MATH, find
from clpy.compiler.passes.divergence import VARYING, intrinsic_base
from clpy.compiler.passes.lanes import Lanes
from clpy.compiler.passes.layout import Unsupported
from clpy.compiler.passes.widen_memory import MemoryForms
from clpy.llvm.ir import const_vector, declare, intrinsic

SCALAR_ARGS = {"ctlz": (1,), "cttz": (1,), "abs": (1,), "powi": (1,), "is.fpclass": (1,)}  # stay scalar when widened
OVERLOADS = ("powi", "ldexp", "fptosi.sat", "fptoui.sat")   # a second type is part of the intrinsic's name


class CallForms(MemoryForms):
    """Calls, and what becomes of the pseudo-functions of the linearized form."""

    def do_call(self, inst):
        name = inst.callee.name
        if name.startswith("clpy.mload"):
            self.masked_load_call(inst)
        elif name.startswith("clpy.mstore"):
            value, pointer, mask, align = inst.args
            self.store(value, pointer, self.mask_of(mask), align.zext)
        elif name == "clpy.any":
            self.any_lane(inst)
        elif name.startswith("clpy.guarded"):
            self.guarded(inst)
        elif name.startswith(("llvm.lifetime", "llvm.assume", "llvm.dbg", "llvm.experimental.noalias")):
            return
        elif self.shapes[inst] != VARYING and not inst.is_void:
            self.copy_scalar(inst)
        elif intrinsic_base(name):
            self.intrinsic_call(inst, intrinsic_base(name))
        else:
            self.library_call(inst, name)

    def any_lane(self, inst):
        value = inst.args[0]
        if value in self.lanes:
            self.scalars[inst] = self.reduce_or(self.lanes[value].parts[0])
        else:
            self.scalars[inst] = self.scalar(value)

    def guarded(self, inst):
        """A side effect lane by lane, in the order of the lanes."""
        *args, mask_value = inst.args
        mask = self.mask_of(mask_value)
        results = None if inst.is_void else [self.vec(e).poison for e in self.part_types(inst.type)]
        for i in range(self.width):
            start = self.here
            if mask is None:
                value = self.b.call(inst.callee, [*[self.lane(a, i) for a in args], self.t.i1.const(1)])
                results = self.put(results, value, i, inst.type)
                continue
            do, after = self.new_block(), self.new_block()
            self.b.cond_br(self.b.extract_element(mask, self.t.i64.const(i)), do, after)
            self.go(do)
            value = self.b.call(inst.callee, [*[self.lane(a, i) for a in args], self.t.i1.const(1)])
            new = self.put(results, value, i, inst.type)
            self.b.br(after)
            self.go(after)
            if results is not None:
                results = [self.merge(n, do, o, start) for n, o in zip(new, results, strict=True)]
        if results is not None:
            self.lanes[inst] = Lanes(results)

    def merge(self, new, do, old, start):
        phi = self.b.phi(new.type)
        phi.add_incoming(new, do)
        phi.add_incoming(old, start)
        return phi

    def put(self, results, value, i, type_):
        if results is None:
            return None
        index = self.t.i64.const(i)
        if type_.is_struct:
            return [self.b.insert_element(r, self.b.extract_value(value, n), index) for n, r in enumerate(results)]
        if not type_.is_vector:
            return [self.b.insert_element(results[0], value, index)]
        return [self.b.insert_element(r, self.b.extract_element(value, self.t.i64.const(n)), index)
                for n, r in enumerate(results)]

    def intrinsic_call(self, inst, base):
        """LLVM's own function on vectors of lanes; vector arguments element by element."""
        keep = SCALAR_ARGS.get(base, ())
        if base.endswith("with.overflow"):
            raise Unsupported(f"llvm.{base}")
        columns = [[self.scalar(a)] * self.elements(inst.type) if n in keep else self.parts(a)
                   for n, a in enumerate(inst.args)]
        made = []
        for i in range(self.elements(inst.type)):
            args = [c[i] for c in columns]
            types = [self.vec(inst.type.scalar)]
            if base == "is.fpclass":
                types = [args[0].type]
            elif base in OVERLOADS:
                types.append(args[1].type if base in ("powi", "ldexp") else args[0].type)
            new = self.b.call(intrinsic(self.module, f"llvm.{base}", types), args)
            new.fast_math = inst.fast_math
            made.append(new)
        self.lanes[inst] = Lanes(made)

    def library_call(self, inst, name):
        """A pure function: its vector variant where there is one, else lane by lane."""
        row = find(name)
        if row is None or inst.is_void or inst.type.is_vector or any(a.type.is_vector for a in inst.args):
            raise Unsupported(f"call of {name}")
        vector = self.libm(name, self.width) if row.kind == MATH else None
        if vector is not None:
            self.vector_call(inst, *vector)
            return
        results = [self.vec(inst.type).poison]
        for i in range(self.width):
            call = self.b.call(inst.callee, [self.lane(a, i) for a in inst.args])
            results = self.put(results, call, i, inst.type)
        self.lanes[inst] = Lanes(results)

    def vector_call(self, inst, vector, lanes):
        """`vector` takes `lanes` at a time; narrower than the width: several calls."""
        args = [self.part(a) for a in inst.args]
        piece = self.t.vector(inst.type, lanes)
        f = declare(self.module, vector, self.t.function(piece, [piece] * len(args)))
        made = []
        for start in range(0, self.width, lanes):
            cut = args
            if lanes != self.width:
                order = const_vector([self.t.i32.const(start + i) for i in range(lanes)])
                cut = [self.b.shuffle(a, a, order) for a in args]
            made.append(self.b.call(f, cut))
        self.lanes[inst] = Lanes([self.concat(made)])
