# SPDX-License-Identifier: Apache-2.0
"""Calls of a vector of work-items: masks, side effects lane by lane, math in its vector forms. A part of widening."""
from clpy.compiler.analysis.access import local_atomics
from clpy.compiler.analysis.builtin_table import MATH, row_of
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import odd_bits, wider_bits
from clpy.compiler.analysis.own_vectors import SCALAR_ARGS
from clpy.compiler.analysis.transfer import VARYING
from clpy.compiler.spmd.full_loops import ANY_OUTSIDE
from clpy.compiler.spmd.lanes import Lanes, Part
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.linearize import LOAD, STORE
from clpy.compiler.spmd.loop_id import loop_id
from clpy.compiler.spmd.widen_volatile import Volatile
from clpy.llvm.ir import const_vector, declare, intrinsic

# How two elements of a source vector become one: an instruction, or an intrinsic.
REDUCTIONS = {"add": "add", "mul": "mul", "and": "and", "or": "or", "xor": "xor", "fadd": "fadd", "fmul": "fmul",
              "smax": "llvm.smax", "smin": "llvm.smin", "umax": "llvm.umax", "umin": "llvm.umin", "fmax": "llvm.maxnum",
              "fmin": "llvm.minnum"}
OVERLOADS = ("powi", "ldexp", "fptosi.sat", "fptoui.sat")   # a second type is part of the intrinsic's name


class Calls(Part):
    """Calls, and what becomes of the pseudo-functions of the linearized form."""

    def __init__(self, forms, memory, libm, tests):
        super().__init__(forms)
        self.memory, self.libm, self.tests, self.volatile = memory, libm, tests, Volatile(forms)

    def call(self, inst):
        name = inst.callee.name
        if name.startswith((LOAD[True], STORE[True])):
            self.volatile.access(inst)
        elif name.startswith("clpy.mload"):
            self.memory.masked_load_call(inst)
        elif name.startswith("clpy.mstore"):
            value, pointer, mask, align = inst.args
            self.memory.store(inst, value, pointer, self.forms.mask_of(mask), align.zext)
        elif name == "clpy.any":
            self.forms.scalars[inst] = self.tests.any_lane(inst.args[0])
        elif name == ANY_OUTSIDE:
            self.forms.scalars[inst] = self.tests.any_outside(inst.args[0])
        elif name.startswith("clpy.guarded"):
            self.guarded(inst)
        elif name.startswith(("llvm.lifetime", "llvm.assume", "llvm.dbg", "llvm.experimental.noalias")):
            return
        elif self.shapes[inst] != VARYING and not inst.is_void:
            self.forms.copy_scalar(inst)
        elif intrinsic_base(name):
            self.intrinsic_call(inst, intrinsic_base(name))
        else:
            self.library_call(inst, name)

    def guarded(self, inst):
        """A side effect lane by lane, in the order of the lanes."""
        *args, mask_value = inst.args
        mask = self.forms.mask_of(mask_value)
        # Many plain operations on few places, each an instruction of its own: the processor learns too late which of
        # them meet, and starts again every time. It sees one instruction of a loop.
        if inst.callee.has_attribute("cold") or local_atomics(inst.callee):
            self.rare_call(inst, args, mask)
            return
        results = None if inst.is_void else [self.forms.vec(e).poison for e in self.forms.part_types(inst.type)]
        for i in range(self.width):
            start = self.forms.here
            if mask is None:
                value = self.b.call(inst.callee, [*[self.forms.lane(a, i) for a in args], self.t.i1.const(1)])
                results = self.put(results, value, i, inst.type)
                continue
            do, after = self.forms.new_block(), self.forms.new_block()
            self.b.cond_br(self.b.extract_element(mask, self.t.i64.const(i)), do, after)
            self.forms.go(do)
            value = self.b.call(inst.callee, [*[self.forms.lane(a, i) for a in args], self.t.i1.const(1)])
            new = self.put(results, value, i, inst.type)
            self.b.br(after)
            self.forms.go(after)
            if results is not None:
                results = [self.merge(n, do, o, start) for n, o in zip(new, results, strict=True)]
        if results is not None:
            self.forms.lanes[inst] = Lanes(results)

    def rare_call(self, inst, args, mask):
        """A side effect lane by lane, as a loop over the lanes in mask: short code."""
        given = {a: [self.stacked(p) for p in self.forms.parts(a)] for a in args if not self.shapes.uniform(a)}
        bits = self.forms.as_bits(mask if mask is not None else self.forms.all_lanes())

        def arguments(lane):
            return [self.from_stack(a, given[a], lane) if a in given else self.forms.scalar(a) for a in args]
        self.for_lanes(inst, bits, lambda lane: [*arguments(lane), self.t.i1.const(1)])

    def for_lanes(self, inst, bits, arguments):
        """Call the callee of `inst` for each set bit, the lowest first."""
        b, type_ = self.b, bits.type
        start, loop, after = self.forms.here, self.forms.new_block(), self.forms.new_block()
        zero = type_.const(0)
        b.cond_br(b.icmp("ne", bits, zero), loop, after)
        self.forms.go(loop)
        left = b.phi(type_)
        left.add_incoming(bits, start)
        before = [] if inst.is_void else [b.phi(self.forms.vec(e)) for e in self.forms.part_types(inst.type)]
        lane = b.call(intrinsic(self.module, "llvm.cttz", [type_]), [left, self.t.i1.const(1)])
        lane = lane if self.width == 64 else b.cast("zext" if self.width < 64 else "trunc", lane, self.t.i64)
        lane = b.freeze(lane)       # as in store_last
        value = b.call(inst.callee, arguments(lane))
        made = self.put_at(before, value, lane, inst.type)
        rest = b.binop("and", left, b.sub(left, type_.const(1)))
        left.add_incoming(rest, loop)
        b.cond_br(b.icmp("ne", rest, zero), loop, after).set_metadata("llvm.loop", loop_id(self.module))
        results = []
        for old, new in zip(before, made, strict=True):
            old.add_incoming(new.type.poison, start)
            old.add_incoming(new, loop)
        self.forms.go(after)
        for new in made:
            merged = b.phi(new.type)
            merged.add_incoming(new.type.poison, start)
            merged.add_incoming(new, loop)
            results.append(merged)
        if results:
            self.forms.lanes[inst] = Lanes(results)

    def put_at(self, vectors, value, lane, type_):
        """`vectors` with the parts of `value` in a lane that is known at run time."""
        return [self.b.insert_element(v, self.field(value, type_, n), lane) for n, v in enumerate(vectors)]

    def stacked(self, vector):
        """In memory, for `from_stack`. A vector of bits would lie packed there: each gets a byte."""
        bits = odd_bits(vector.type)
        if bits:
            vector = self.b.cast("zext", vector, self.forms.vec(self.t.int(wider_bits(bits))))
        array = self.forms.stack_array(vector.type.element)
        self.b.store(vector, array)
        return array

    def from_stack(self, value, arrays, lane):
        """What `lane`, which is known at run time only, has of a value kept in arrays, one for each element."""
        types = self.forms.part_types(value.type)
        loads = [self.element_at(e, array, lane) for e, array in zip(types, arrays, strict=True)]
        return self.forms.vector_of(value.type, loads) if value.type.is_vector else loads[0]

    def element_at(self, element, array, lane):
        b, bits = self.b, odd_bits(element)
        if not bits:
            return b.load(element, b.gep(element, array, [lane]))
        stored = self.t.int(wider_bits(bits))
        return b.cast("trunc", b.load(stored, b.gep(stored, array, [lane])), element)

    def field(self, value, type_, n):
        if type_.is_struct:
            return self.b.extract_value(value, n)
        return self.b.extract_element(value, self.t.i64.const(n)) if type_.is_vector else value

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
        if base.startswith("vector.reduce."):
            self.reduction(inst, REDUCTIONS[base.rsplit(".", 1)[1]])
            return
        keep = SCALAR_ARGS.get(base, ())
        if base.endswith("with.overflow"):
            raise Unsupported(f"llvm.{base}")
        n = self.forms.elements(inst.type)
        if inst in self.forms.in_rows:
            args = [self.forms.scalar(a) if i in keep else self.forms.rows(a) for i, a in enumerate(inst.args)]
            self.forms.lanes[inst] = Lanes(rows=self.call_wide(inst, base, args, n * self.width))
            return
        columns = [[self.forms.scalar(a)] * n if i in keep else self.forms.parts(a) for i, a in enumerate(inst.args)]
        made = [self.call_wide(inst, base, [c[i] for c in columns], self.width) for i in range(n)]
        self.forms.lanes[inst] = Lanes(made)

    def reduction(self, inst, how):
        """The elements of each lane's vector to one, in their order; sums and products of floats have a start."""
        *start, vector = inst.args
        made, *rest = [*(self.forms.part(v) for v in start), *self.forms.parts(vector)]
        for part in rest:
            if how.startswith("llvm."):
                made = self.b.call(intrinsic(self.module, how, [made.type]), [made, part])
            else:
                made = self.b.binop(how, made, part)
            self.forms.keep_fast_math([made], inst)
        self.forms.lanes[inst] = Lanes([made])

    def call_wide(self, inst, base, args, count):
        types = [self.t.vector(inst.type.scalar, count)]
        if base == "is.fpclass":
            types = [args[0].type]
        elif base in OVERLOADS:
            types.append(args[1].type if base in ("powi", "ldexp") else args[0].type)
        new = self.b.call(intrinsic(self.module, f"llvm.{base}", types), args)
        new.fast_math = inst.fast_math
        return new

    def library_call(self, inst, name):
        """A pure function: its vector variant where there is one, else lane by lane."""
        row = row_of(name)
        if row is None or inst.is_void or inst.type.is_vector or any(a.type.is_vector for a in inst.args):
            raise Unsupported(f"call of {name}")
        vector = self.libm(inst.callee, self.width) if row.kind == MATH else None
        if vector is not None:
            self.vector_call(inst, *vector)
        else:
            self.lane_by_lane(inst)

    def lane_by_lane(self, inst):
        results = [self.forms.vec(inst.type).poison]
        for i in range(self.width):
            call = self.b.call(inst.callee, [self.forms.lane(a, i) for a in inst.args])
            results = self.put(results, call, i, inst.type)
        self.forms.lanes[inst] = Lanes(results)

    def vector_call(self, inst, vector, lanes):
        """`vector` takes `lanes` at a time; narrower than the width: several calls."""
        args = [self.forms.part(a) for a in inst.args]
        piece = self.t.vector(inst.type, lanes)
        f = declare(self.module, vector, self.t.function(piece, [piece] * len(args)))
        made = []
        for start in range(0, self.width, lanes):
            cut = args
            if lanes != self.width:
                order = const_vector([self.t.i32.const(start + i) for i in range(lanes)])
                cut = [self.b.shuffle(a, a, order) for a in args]
            made.append(self.b.call(f, cut))
        self.forms.lanes[inst] = Lanes([self.forms.concat(made)])
