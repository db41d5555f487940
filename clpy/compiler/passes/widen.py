# SPDX-License-Identifier: Apache-2.0
"""From one lane to W lanes: a linearized function becomes a function of a vector of consecutive work-items.

Uniform values stay scalar, strided ones are kept as the scalar of lane 0, the rest are vectors; a value of a vector
type <n x T> becomes n vectors of W lanes. Memory access by the shape of its address: one scalar, one plain vector, a
group of neighbours with shuffles (arrays of vectors), else a gather or scatter. What has no vector form runs lane by
lane. The new function's parameter `lid.0` is the id of lane 0, and `lanes` the number of lanes that take part.
"""
from clpy.compiler.passes import frame as fr
from clpy.compiler.passes.arrays import byte_offset
from clpy.compiler.passes.builtin_table import MATH, find
from clpy.compiler.passes.linearize import Unsupported
from clpy.compiler.passes.memory import base_of
from clpy.compiler.passes.divergence import VARYING, intrinsic_base, lane_shapes
from clpy.llvm.ir import Builder, Function, Inst, Types, const_vector, declare, intrinsic, md_node

BINARY = {"add", "fadd", "sub", "fsub", "mul", "fmul", "udiv", "sdiv", "fdiv", "urem", "srem", "frem", "shl", "lshr",
          "ashr", "and", "or", "xor"}
CASTS = {"trunc", "zext", "sext", "fptoui", "fptosi", "uitofp", "sitofp", "fptrunc", "fpext", "ptrtoint", "inttoptr",
         "bitcast", "addrspacecast"}
CACHE_LINE = 64
SCALAR_ARGS = {"ctlz": (1,), "cttz": (1,), "abs": (1,), "powi": (1,), "is.fpclass": (1,)}  # stay scalar when widened
OVERLOADS = {"powi": 2, "ldexp": 2, "fptosi.sat": 2, "fptoui.sat": 2}   # second overloaded type: of argument 1 / the source


class Lanes:
    """A widened value: `parts` vectors of W lanes, one per element of the source's vector type (one for a scalar).

    A value of a vector type may be kept as it lies in memory instead, `rows`: one vector with the elements of lane 0, then
    those of lane 1, and so on. Elementwise work needs no shuffles then.
    """

    __slots__ = ("parts", "rows")

    def __init__(self, parts=None, rows=None):
        self.parts = parts
        self.rows = rows


class Widener:
    def __init__(self, module, source, target, width, libm, full):
        """Fill the empty function `target` with `source` widened; `full`: all lanes take part."""
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

    # --- forms of a value

    def elements(self, type_):
        return type_.count if type_.is_vector else 1

    def part_types(self, type_):
        """Element types of the vectors that make a value: one per element of a vector, per field of a structure."""
        if type_.is_struct:
            return type_.fields
        if type_.is_array or type_.scalar.is_struct:
            raise Unsupported("an aggregate that differs between lanes")
        return [type_.scalar] * self.elements(type_)

    def vec(self, type_):
        return self.t.vector(type_, self.width)

    def scalar(self, value):
        """The value itself when uniform, lane 0's when strided."""
        if value in self.scalars:
            return self.scalars[value]
        if value.is_constant:
            return value
        raise Unsupported(f"no scalar for {value} {self.shapes[value]} {value in self.lanes}")

    def step(self, type_, stride):
        return const_vector([type_.const(i * stride) for i in range(self.width)])

    def splat(self, value):
        """One vector with `value` in every lane."""
        if value.is_constant:
            return const_vector([value] * self.width) if not value.is_undef else self.vec(value.type).poison
        one = self.b.insert_element(self.vec(value.type).poison, value, self.t.i64.const(0))
        zero = self.vec(self.t.i32).null
        return self.b.shuffle(one, self.vec(value.type).poison, zero)

    def parts(self, value):
        """The vectors of a value, made from the scalar where it is uniform or strided."""
        if value in self.lanes:
            lanes = self.lanes[value]
            if lanes.parts is None:
                self.split_rows(value, lanes)
            return lanes.parts
        type_, k = value.type, self.shapes[value]
        scalar = self.scalar(value)
        if type_.is_vector:
            if scalar.is_constant:
                return [self.splat(scalar.const_element(i)) for i in range(type_.count)]
            return [self.splat(self.b.extract_element(scalar, self.t.i64.const(i))) for i in range(type_.count)]
        if k == 0:
            return [self.splat(scalar)]
        if type_.is_pointer:
            return [self.b.gep(self.t.i8, scalar, [self.step(self.t.i64, k)], flags=0)]
        return [self.b.add(self.splat(scalar), self.step(type_, k))]

    def part(self, value):
        return self.parts(value)[0]

    def split_rows(self, value, lanes):
        """Make the parts of a value kept in rows, next to where the rows were made: its users may be anywhere."""
        at = self.b.block
        if isinstance(lanes.rows, Inst):
            following = lanes.rows.next
            if following is not None:
                self.b.before(following)
            else:
                self.b.at_end(lanes.rows.block)
        n = self.elements(value.type)
        lanes.parts = self.deinterleave(lanes.rows, n, n)
        self.b.at_end(at)

    def rows_of(self, value):
        """The rows of a vector-typed value where they are there or cost nothing, else None."""
        if value in self.lanes:
            return self.lanes[value].rows
        scalar = self.scalar(value)
        n = value.type.count
        order = const_vector([self.t.i32.const(i % n) for i in range(n * self.width)])
        if scalar.is_constant:
            return const_vector([scalar.const_element(i % n) for i in range(n * self.width)])
        return self.b.shuffle(scalar, scalar, order)

    def lane(self, value, i):
        """Lane i (a number) of a value, as the source would see it."""
        k = self.shapes[value]
        if value not in self.lanes:
            scalar = self.scalar(value)
            if k in (0, VARYING) or i == 0:
                return scalar
            if value.type.is_pointer:
                return self.b.gep(self.t.i8, scalar, [self.t.i64.const(k * i)], flags=0)
            return self.b.add(scalar, value.type.const(k * i))
        parts, index = self.parts(value), self.t.i64.const(i)
        if not value.type.is_vector:
            return self.b.extract_element(parts[0], index)
        out = value.type.poison
        for n, p in enumerate(parts):
            out = self.b.insert_element(out, self.b.extract_element(p, index), self.t.i64.const(n))
        return out

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
                    self.widen(inst)
            self.blocks[block] = (self.blocks[block], self.here)
        for inst, made in phis:
            self.fill_phi(inst, made)
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
            wide = self.b.binop("shl", self.scalar(shifted.operand(0)), amount)
            self.scalars[inst] = self.b.binop("ashr", wide, amount)

    def extended(self, value, how, type_):
        """Lane 0's value of an extension as the other lanes see it: lane 0 itself may not take part and wrap, so
        arithmetic that does not wrap in the lanes that do is done wide."""
        op = getattr(value, "opcode", "")
        if self.shapes[value] != 0 and op in ("add", "sub", "mul", "shl"):
            return self.b.binop(op, *[self.extended(v, how, type_) for v in value.operands])
        return self.b.cast(how, self.scalar(value), type_)

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
        a, b = self.parts(yes), self.parts(no)
        if self.shapes.uniform(cond) and not cond.type.is_vector:
            c = [self.scalar(cond)] * len(a)
        else:
            c = self.parts(cond)
            c = c * len(a) if len(c) == 1 else c
        made = [self.b.select(k, x, y) for k, x, y in zip(c, a, b, strict=True)]
        for new in made:
            if isinstance(new, Inst):
                new.fast_math = inst.fast_math
        self.lanes[inst] = Lanes(made)

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

    def element_address(self, inst):
        """In an array whose elements lie lane by lane an index counts for all lanes' elements."""
        b, base, width = self.b, inst.operand(0), self.t.i64.const(self.width)
        offset = byte_offset(b, self.t, inst, lambda v: self.scalar(v) if self.shapes.uniform(v) else self.part(v))
        if offset.type.is_vector:
            width = const_vector([width] * self.width)
        offset = b.mul(offset, width)
        if self.shapes[inst] != VARYING:
            self.scalars[inst] = b.gep(self.t.i8, self.scalar(base), [offset], flags=0)
        else:
            self.lanes[inst] = Lanes([b.gep(self.t.i8, self.part(base), [offset], flags=0)])

    def do_getelementptr(self, inst):
        if inst.operand(0) in self.shapes.inside:
            self.element_address(inst)
            return
        if self.shapes[inst] != VARYING:
            self.copy_scalar(inst)
            return
        if inst.type.is_vector:
            raise Unsupported("a vector of pointers in the source")
        base, indices = inst.operand(0), inst.operands[1:]
        pointer = self.scalar(base) if self.shapes.uniform(base) else self.part(base)
        index = []
        for v in indices:
            index.append(self.scalar(v) if self.shapes.uniform(v) else self.part(v))
        made = self.b.gep(inst.gep_source_type, pointer, index, flags=0)
        self.lanes[inst] = Lanes([made])

    # --- memory

    def do_alloca(self, inst):
        """Each lane's copy follows the other's; the pointer of lane i is W-strided in the copies."""
        type_ = inst.allocated_type
        entry = self.blocks[self.shapes.cfg.blocks[0]]
        entry = entry[0] if isinstance(entry, tuple) else entry
        block = self.t.array(type_, self.width)
        made = self.b.alloca(block)
        if inst in self.shapes.private:
            made.align = 64
            self.scalars[inst] = made
            return
        made.align = max(inst.align, min(64, type_.align * self.width))
        ids = self.step(self.t.i64, 1)
        self.lanes[inst] = Lanes([self.b.gep(type_, made, [ids])])
        self.allocas[inst] = made

    def do_load(self, inst):
        pointer = inst.operand(0)
        if self.shapes.uniform(pointer):
            self.copy_scalar(inst)
            return
        self.lanes[inst] = self.load_lanes(inst.type, pointer, None, inst.align)

    def load_lanes(self, type_, pointer, mask, align):
        """A value loaded by all lanes in mask; vectors that lie side by side stay in rows."""
        n, pitch = self.elements(type_), self.pitch(type_, pointer)
        if n > 1 and pitch == n:
            return Lanes(rows=self.load_wide(type_.element, n, pointer, mask, align))
        return Lanes(self.load(type_, pointer, mask, align))

    def do_store(self, inst):
        value, pointer = inst.operands
        if self.shapes.uniform(pointer) and self.shapes.uniform(value):
            self.copy_scalar(inst)
            return
        self.store(value, pointer, None, inst.align)

    def mask_of(self, value):
        """None when all lanes are known to be in the mask."""
        if value.is_const_int and value.zext or self.full and value.name == "active":
            return None
        if value in self.scalars and self.scalars[value].is_const_int and self.scalars[value].zext:
            return None
        return self.part(value)

    def widen_mask(self, mask, n):
        """Each lane's bit n times in a row."""
        if mask is None or n == 1:
            return mask
        return self.b.shuffle(mask, mask, const_vector([self.t.i32.const(i // n) for i in range(self.width * n)]))

    def interleave(self, parts, type_):
        """n vectors of W lanes to one with each lane's n elements in a row."""
        n = len(parts)
        if n == 1:
            return parts[0]
        wide = self.concat(parts)
        order = [self.t.i32.const((i % n) * self.width + i // n) for i in range(n * self.width)]
        return self.b.shuffle(wide, wide, const_vector(order))

    def concat(self, parts):
        """Vectors one after the other in one; a power of two at a time."""
        parts = list(parts)
        while len(parts) & (len(parts) - 1):
            parts.append(parts[0].type.poison)
        while len(parts) > 1:
            size = parts[0].type.count
            order = const_vector([self.t.i32.const(i) for i in range(2 * size)])
            parts = [self.b.shuffle(parts[i], parts[i + 1], order) for i in range(0, len(parts), 2)]
        return parts[0]

    def deinterleave(self, wide, n, pitch):
        if pitch == 1:
            return [wide]
        return [self.b.shuffle(wide, wide, const_vector(
            [self.t.i32.const(lane * pitch + i) for lane in range(self.width)])) for i in range(n)]

    def pitch(self, type_, pointer):
        """Elements from one lane's value to the next where lanes lie side by side in memory, else None."""
        k, e = self.shapes[pointer], type_.scalar
        if k == VARYING or k <= 0 or k % e.size:
            return None
        n = self.elements(type_)
        pitch = k // e.size
        return pitch if pitch == type_.size // e.size and pitch >= n else None

    def load(self, type_, pointer, mask, align):
        e, n, pitch = type_.scalar, self.elements(type_), self.pitch(type_, pointer)
        if type_.is_struct or type_.is_array:
            raise Unsupported("a load of an aggregate")
        if pitch is not None:
            return self.deinterleave(self.load_wide(e, pitch, pointer, mask, align), n, pitch)
        if self.shapes[pointer] == -e.size and n == 1:
            return [self.load_reversed(e, pointer, mask, align)]
        at = self.part(pointer)
        made = []
        for i in range(n):
            where = at if i == 0 else self.b.gep(e, at, [self.t.i64.const(i)], flags=0)
            made.append(self.gather(e, where, mask, min(align, e.align)))
        return made

    def load_wide(self, e, pitch, pointer, mask, align):
        wide, at = self.t.vector(e, pitch * self.width), self.scalar(pointer)
        mask = self.widen_mask(mask, pitch)
        made = self.b.load(wide, at) if mask is None else self.masked_load(wide, at, mask)
        set_align(made, mask, align)
        return made

    def load_reversed(self, e, pointer, mask, align):
        back = const_vector([self.t.i32.const(self.width - 1 - i) for i in range(self.width)])
        at = self.b.gep(e, self.scalar(pointer), [self.t.i64.const(1 - self.width)], flags=0)
        wide = self.vec(e)
        if mask is not None:
            mask = self.b.shuffle(mask, mask, back)
        made = self.b.load(wide, at) if mask is None else self.masked_load(wide, at, mask)
        set_align(made, mask, min(align, e.size))
        return self.b.shuffle(made, made, back)

    def masked_load(self, wide, at, mask):
        f = intrinsic(self.module, "llvm.masked.load", [wide, at.type])
        return self.b.call(f, [at, mask, wide.poison])

    def all_lanes(self):
        return self.vec(self.t.i1).all_ones

    def gather(self, e, pointers, mask, align):
        wide = self.vec(e)
        f = intrinsic(self.module, "llvm.masked.gather", [wide, pointers.type])
        made = self.b.call(f, [pointers, mask if mask is not None else self.all_lanes(), wide.poison])
        made.add_call_attribute("align", max(align, 1), 1)
        return made

    def store(self, value, pointer, mask, align):
        type_ = value.type
        e, n, pitch = type_.scalar, self.elements(type_), self.pitch(type_, pointer)
        if self.shapes.uniform(pointer):
            self.store_last(value, pointer, mask, align)
            return
        rows = self.rows_of(value) if type_.is_vector and pitch == n else None
        parts = self.parts(value) if rows is None else None
        if pitch == n:
            wide = rows if rows is not None else self.interleave(parts, type_)
            self.plain_store(wide, self.scalar(pointer), self.widen_mask(mask, n), align)
            return
        at = self.part(pointer)
        for i, p in enumerate(parts):
            where = at if i == 0 else self.b.gep(e, at, [self.t.i64.const(i)], flags=0)
            f = intrinsic(self.module, "llvm.masked.scatter", [self.vec(e), where.type])
            call = self.b.call(f, [p, where, mask if mask is not None else self.all_lanes()])
            call.add_call_attribute("align", max(min(align, e.align), 1), 2)

    def plain_store(self, wide, at, mask, align):
        if mask is None and wide.type.size % CACHE_LINE == 0 and base_of(at) in self.streams:
            self.streaming_store(wide, at, align)
            return
        if mask is None:
            self.b.store(wide, at).align = max(align, 1)
            return
        f = intrinsic(self.module, "llvm.masked.store", [wide.type, at.type])
        self.b.call(f, [wide, at, mask]).add_call_attribute("align", max(align, 1), 2)

    def streaming_store(self, wide, at, align):
        """Past the caches where the launch says that its buffers do not fit them, and the place is aligned."""
        b, t = self.b, self.t
        offset = b.binop("and", b.cast("ptrtoint", at, t.i64), t.i64.const(CACHE_LINE - 1))
        past = b.binop("and", self.stream_flag(), b.icmp("eq", offset, t.i64.const(0)))
        stream, usual, after = self.new_block(), self.new_block(), self.new_block()
        b.cond_br(past, stream, usual)
        b.at_end(stream)
        made = b.store(wide, at)
        made.align = CACHE_LINE
        made.set_metadata("nontemporal", md_node(self.module, [t.i32.const(1)]))
        b.br(after)
        b.at_end(usual)
        b.store(wide, at).align = max(align, 1)
        b.br(after)
        self.go(after)

    def stream_flag(self):
        b, t = self.b, self.t
        flags = b.load(t.i32, b.gep(t.i8, self.launch, [t.i64.const(fr.LAUNCH_FLAGS)]))
        flags.set_metadata("invariant.load", md_node(self.module, []))
        return b.icmp("ne", b.binop("and", flags, t.i32.const(fr.STREAMS)), t.i32.const(0))

    def store_last(self, value, pointer, mask, align):
        """All lanes write to one place: the last one that takes part wins."""
        if mask is None:
            self.store_lane(value, self.width - 1, pointer, align)
            return
        for i in range(self.width):
            self.if_lane(mask, i, lambda i=i: self.store_lane(value, i, pointer, align))

    def store_lane(self, value, i, pointer, align):
        self.b.store(self.lane(value, i), self.scalar(pointer)).align = max(align, 1)

    def do_atomicrmw(self, inst):
        raise Unsupported("an atomic operation without a mask")

    do_cmpxchg = do_atomicrmw

    # --- calls

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

    def masked_load_call(self, inst):
        pointer, mask, align = inst.args
        mask = self.mask_of(mask)
        if self.shapes.uniform(pointer):
            self.lanes[inst] = Lanes(self.load_uniform(inst.type, pointer, mask, align.zext))
        else:
            self.lanes[inst] = self.load_lanes(inst.type, pointer, mask, align.zext)

    def load_uniform(self, type_, pointer, mask, align):
        """One place for all lanes; nothing is read when no lane takes part."""
        if mask is None:
            made = self.b.load(type_, self.scalar(pointer))
            made.align = max(align, 1)
        else:
            wanted = self.reduce_or(mask)
            before, do, after = self.here, self.new_block(), self.new_block()
            self.b.cond_br(wanted, do, after)
            self.b.at_end(do)
            value = self.b.load(type_, self.scalar(pointer))
            value.align = max(align, 1)
            self.b.br(after)
            self.go(after)
            made = self.b.phi(type_)
            made.add_incoming(value, do)
            made.add_incoming(type_.poison, before)
        if type_.is_vector:
            return [self.splat(self.b.extract_element(made, self.t.i64.const(i))) for i in range(type_.count)]
        return [self.splat(made)]

    def new_block(self):
        return self.target.append_block("lane")

    def go(self, block):
        self.here = block
        self.b.at_end(block)

    def reduce_or(self, mask):
        """Whether a bit is set: a compare of the mask as one integer."""
        bits = self.b.cast("bitcast", mask, self.t.int(self.width))
        return self.b.icmp("ne", bits, bits.type.const(0))

    def any_lane(self, inst):
        value = inst.args[0]
        if value in self.lanes:
            self.scalars[inst] = self.reduce_or(self.lanes[value].parts[0])
        else:
            self.scalars[inst] = self.scalar(value)

    def if_lane(self, mask, i, make):
        """Run make() for lane i if it is in mask; values it makes do not leave."""
        do, after = self.new_block(), self.new_block()
        self.b.cond_br(self.b.extract_element(mask, self.t.i64.const(i)), do, after)
        self.go(do)
        result, end = make(), self.here
        self.b.br(after)
        before = None
        self.go(after)
        return result, end, before

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


def is_written_only(param):
    """A pointer to global memory that the function stores through and does nothing else with."""
    if not param.type.is_pointer or param.type.address_space != 1:
        return False
    pending, stores = [param], 0
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            if user.opcode == "getelementptr":
                pending.append(user)
            elif user.opcode == "call" and user.callee.name.startswith("clpy.mstore") and user.args[1] == pointer:
                stores += 1
            else:
                return False
    return stores > 0


def set_align(made, mask, align):
    if mask is None:
        made.align = max(align, 1)
    else:
        made.add_call_attribute("align", max(align, 1), 1)


def drop_flags(inst):
    """A scalar that stands for lane 0 is computed even when lane 0 does not take part."""
    if inst.opcode in ("add", "sub", "mul", "shl"):
        inst.set_wrap(False, False)
    elif inst.opcode == "getelementptr":
        inst.set_gep_flags(0)

