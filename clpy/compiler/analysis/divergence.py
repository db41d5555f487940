# SPDX-License-Identifier: Apache-2.0
"""Shapes: how a value changes from lane to lane of a vector of work-items. An analysis; changes nothing.

A shape is a number, the stride between neighbouring lanes (0: uniform; integers count in units, pointers in bytes), or
VARYING. Lanes are consecutive work-items in dimension 0. Three things make a value differ between lanes: its operands
(data), a join behind a branch on which lanes part ways (control), and leaving a loop in different iterations
(temporal). Method: Karrenberg and Hack, CGO 2011, section 4; Moll and Hack, PLDI 2018, section 2.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.access import low_half
from clpy.compiler.analysis.allocas import element_step
from clpy.compiler.analysis.builtin_table import ID0, JOIN, UNIFORM, find
from clpy.compiler.analysis.flow import Cfg
from clpy.compiler.analysis.intrinsics import intrinsic_base

VARYING = "varying"
UNKNOWN = "unknown"   # not looked at yet
NEAR = 1 << 16        # vectors do not come so close to ids that are a multiple of 2^31


class Shapes:
    """Shapes of the values of one function. `lane_params` maps parameters that are not uniform to their shape.

    `private`: alloca -> element size, of arrays whose elements lie lane by lane (arrays.py).
    """

    def __init__(self, function, lane_params, cfg=None, structured=False, private=()):
        self.function = function
        self.cfg = cfg or Cfg(function)
        self.structured = structured   # all branches are uniform: joins and exits cost nothing
        self.of = dict(lane_params)
        self.private = dict(private)
        self.inside = set(self.private)   # these arrays and the addresses in them
        self.divergent = set()         # numbers of blocks whose branch parts the lanes
        self.divergent_loops = set()   # headers of loops that lanes leave in different iterations
        self.tainted = set()           # phis that a divergent branch or loop makes varying
        self.solve()

    def __getitem__(self, value):
        """Shape of a value; constants, globals and parameters that were not named are uniform."""
        return self.of.get(value, 0)

    def uniform(self, value):
        return self.of.get(value, 0) == 0

    def solve(self):
        """From unknown over uniform and strided to varying, until nothing changes."""
        insts = [i for b in self.cfg.blocks for i in b.instructions]
        self.of.update((i, UNKNOWN) for i in insts)
        changed = True
        while changed:
            changed = False
            for inst in insts:
                old = self.of[inst]
                if old == VARYING:
                    continue
                new = self.transfer(inst)
                if new in (UNKNOWN, old):
                    continue
                # what had a shape before and has another one now has none
                self.of[inst] = new if old == UNKNOWN else VARYING
                changed = True
            if not self.structured and self.spread_divergence():
                changed = True

    # --- control and temporal divergence

    def spread_divergence(self):
        """Mark branches on varying conditions and taint what their joins and loop exits make varying."""
        cfg, changed = self.cfg, False
        for b, block in enumerate(cfg.blocks):
            end = block.terminator
            if b in self.divergent or end.opcode not in ("br", "switch") or end.n_operands < 2:
                continue
            if not self.uniform(end.operand(0)):
                self.divergent.add(b)
                changed = True
                self.taint_joins(b)
        for loop in cfg.loops:
            if loop.header in self.divergent_loops:
                continue
            if any(self.exit_parts_lanes(loop, b) for b, _ in loop.exits):
                self.divergent_loops.add(loop.header)
                changed = True
                for _, out in loop.exits:
                    self.tainted.update(cfg.blocks[out].phis)
                    # lanes arrive at a branch behind the exits at different times: what they join is varying too
                if len({out for _, out in loop.exits}) > 1:
                    for b, _ in loop.exits:
                        self.taint_joins(b)
        return changed

    def exit_parts_lanes(self, loop, b):
        """Whether an exit in block b lets lanes go at different times: by its own branch, or as few reach b."""
        if b in self.divergent:
            return True
        return any(d in loop.blocks and not self.cfg.together(d, b) and self.reaches(d, b, loop)
                   for d in self.divergent)

    def reaches(self, d, b, loop):
        """There is a way from d to b inside one iteration of the loop."""
        seen, work = set(), [d]
        while work:
            x = work.pop()
            if x == b:
                return True
            following = {s for s in self.cfg.succs[x] if s in loop.blocks and s != loop.header} - seen
            seen |= following
            work.extend(following)
        return False

    def influence(self, d):
        """Blocks reached from d before its lanes are together again, and where they are; not around a loop of d."""
        cfg = self.cfg
        stop = cfg.ipdom[d]
        seen, work = set(), list(cfg.succs[d])
        while work:
            b = work.pop()
            if b in seen:
                continue
            seen.add(b)
            if b == stop:
                continue
            work.extend(s for s in cfg.succs[b] if not (s <= b and cfg.loop_of[d] is not None and d in cfg.loop_of[b]
                                                        and s in cfg.loop_of[d].blocks))
        return seen

    def taint_joins(self, d):
        """Phis where lanes that parted at d may meet again."""
        cfg = self.cfg
        for b in self.influence(d):
            loop = cfg.loop_of[b]
            if loop is None or loop.header != b:  # the phis of a header join iterations, not lanes
                self.tainted.update(cfg.blocks[b].phis)

    # --- likely shapes, which are worth a look at run time

    def usually_neighbours(self, pointer, size):
        """A varying address whose lanes mostly lie side by side, `size` bytes apart: its index is clamped or so."""
        root = self.root(pointer)
        if self[pointer] != VARYING or root.opcode != "getelementptr" \
                or root.gep_source_type.size != size:
            return False
        *others, index = root.operands
        return len(others) == 1 and self.uniform(others[0]) and self.usually_counts(index)

    def root(self, pointer):
        """The address that `pointer` is a uniform distance from."""
        while pointer.opcode == "getelementptr" and not self.uniform(pointer.operand(0)) and \
                all(self.uniform(v) for v in pointer.operands[1:]):
            pointer = pointer.operand(0)
        return pointer

    def usually_counts(self, value, depth=0):
        if self[value] != VARYING or depth > 6:
            return self[value] == 1
        op = value.opcode
        if op in ("sext", "zext", "trunc"):
            return self.usually_counts(value.operand(0), depth + 1)
        if op in ("add", "sub", "and", "urem", "srem"):
            a, b = value.operands
            return (self.uniform(b) and self.usually_counts(a, depth + 1)) or \
                (op == "add" and self.uniform(a) and self.usually_counts(b, depth + 1))
        if op == "select":
            return any(self.usually_counts(v, depth + 1) for v in value.operands[1:])
        if op == "call" and intrinsic_base(value.callee.name) in ("smin", "smax", "umin", "umax"):
            return any(self.usually_counts(v, depth + 1) for v in value.args)
        return False

    # --- data

    def transfer(self, inst):
        op = inst.opcode
        rule = TRANSFER.get(op)
        if op != "phi" and any(self.of.get(v) == UNKNOWN for v in inst.operands):
            return UNKNOWN
        if rule is not None:
            return rule(self, inst)
        if op in ("br", "switch", "ret", "store", "fence", "unreachable"):
            return 0
        return self.join_all(inst.operands)

    def join_all(self, values):
        return 0 if all(self.uniform(v) for v in values) else VARYING


def lane_ids(lane):
    """Local ids, as parameters of a function for one lane, that differ between lanes, with their shapes."""
    along = lane.attribute_text(fr.LANE) or "0"
    shapes = dict.fromkeys(fr.LOCAL_IDS, VARYING) if along == fr.WAVE else {f"lid.{along}": 1}
    return {p: shapes[p.name] for p in lane.params if p.name in shapes}


def lane_shapes(lane, active):
    """Shapes of a linearized function for one lane; `active`: shape of its parameter of that name."""
    active_param = next(p for p in lane.params if p.name == "active")
    private = {a: element_step(a) for a in lane.instructions_of("alloca")}
    return Shapes(lane, lane_ids(lane) | {active_param: active}, structured=True,
                  private={a: step for a, step in private.items() if step})


def _strided(type_):
    return (type_.is_int and type_.width >= 8) or type_.is_pointer


def _phi(s, inst):
    values = {v for v, _ in inst.incoming if not v.is_undef and v != inst}
    if inst in s.tainted:
        one = next(iter(values)) if len(values) == 1 else None
        return 0 if one is not None and (one.is_constant or one.is_argument) and s.uniform(one) else VARYING
    shapes = {s[v] for v in values} - {UNKNOWN}
    if len(shapes) > 1:
        return VARYING
    if shapes:
        return shapes.pop()
    return 0 if any(v.is_undef for v, _ in inst.incoming) else UNKNOWN


def _add(s, inst):
    a, b = s[inst.operand(0)], s[inst.operand(1)]
    if VARYING in (a, b):
        return VARYING
    k = a - b if inst.opcode == "sub" else a + b
    return k if k == 0 or _strided(inst.type) else VARYING


def _mul(s, inst):
    x, y = inst.operand(0), inst.operand(1)
    a, b = s[x], s[y]
    if a == b == 0:
        return 0
    if y.is_const_int and a != VARYING and _strided(inst.type):
        return a * y.sext
    if x.is_const_int and b != VARYING and _strided(inst.type):
        return b * x.sext
    return VARYING


def _shl(s, inst):
    a, y = s[inst.operand(0)], inst.operand(1)
    if a == 0 and s.uniform(y):
        return 0
    if a != VARYING and y.is_const_int and y.zext < 31 and _strided(inst.type):
        return a << y.zext
    return VARYING


def _or(s, inst):
    return _add(s, inst) if inst.is_disjoint else s.join_all(inst.operands)


def _ext(s, inst):
    """A widened stride is a stride only when the narrow value cannot wrap between the lanes that take part."""
    source = inst.operand(0)
    k = s[source]
    if k in (0, VARYING):
        return k
    return k if no_wrap(s, source, signed=inst.opcode == "sext") else VARYING


def no_wrap(s, value, signed, depth=0):
    """Whether the extension of a strided integer is the same arithmetic done wide (widen.Widener.extended does it so).

    A truncated id wraps only where a vector straddles a multiple of 2^31: the loop over vectors does not let one come
    within NEAR of it, so the truncation of an id counts as exact, and so does its sum with a constant up to NEAR.
    """
    if s[value] == 0:
        return True
    op = value.opcode
    if depth > 8:
        return False
    if op == "trunc":
        return value.type.width >= 32 and is_id(s, value.operand(0))
    if op == "add" and is_near_id(s, value, signed):
        return True
    if op in ("add", "sub", "mul", "shl"):
        return (value.nsw if signed else value.nuw) and all(
            no_wrap(s, v, signed, depth + 1) for v in value.operands)
    if op == "or":
        return value.is_disjoint and all(no_wrap(s, v, signed, depth + 1) for v in value.operands)
    if op in ("zext", "sext"):
        return op == "zext" or signed
    if op == "phi":  # lane 0 is the smallest for a positive stride, so it wraps last
        return signed and isinstance(s[value], int) and s[value] > 0 and all(
            v.opcode != "add" or v.nsw for v, _ in value.incoming if v.opcode)
    return False


def is_near_id(s, value, signed):
    """The truncation of an id, and a constant. Below zero is no wrap for a signed number; it is one otherwise."""
    narrow, constant = value.operands
    if not constant.is_const_int or narrow.opcode != "trunc" or value.type.width != 32:
        return False
    return (-NEAR if signed else 0) <= constant.sext <= NEAR and is_id(s, narrow.operand(0))


def is_id(s, value):
    """A local or global id of dimension 0: stride 1 and made of id parts only."""
    if value.is_argument:
        return s[value] == 1
    return value.opcode == "add" and s[value] == 1 and all(v.is_argument for v in value.operands)


def _and(s, inst):
    """Clearing the upper half of an id, as a truncation and a zero extension become one; of a multiple of it too."""
    value, mask = inst.operands
    k, scale = s[value], 0
    if k in (0, VARYING) or not mask.is_const_int:
        return s.join_all(inst.operands)
    if value.opcode == "shl" and value.operand(1).is_const_int:
        scale, value = value.operand(1).zext, value.operand(0)
    return k if scale < 32 and mask.zext == 0xFFFFFFFF << scale and is_id(s, value) else VARYING


def _ashr(s, inst):
    found = low_half(inst)
    if found is not None and s[found[0]] not in (0, VARYING) and is_id(s, found[0]):
        return s[found[0]] << found[1]
    return s.join_all(inst.operands)


def _trunc(s, inst):
    k = s[inst.operand(0)]
    return k if k in (0, VARYING) or _strided(inst.type) else VARYING


def _gep(s, inst):
    base = s[inst.operand(0)]
    if inst.operand(0) in s.inside:
        s.inside.add(inst)
        return base if all(s.uniform(v) for v in inst.operands[1:]) else VARYING
    if VARYING in [s[v] for v in inst.operands]:
        return VARYING
    if inst.type.is_vector:
        return s.join_all(inst.operands)
    total = base
    for value, scale in gep_scales(inst):
        k = s[value]
        if k:
            if scale is None:
                return VARYING
            if value.type.width < 64:
                return VARYING
            total += k * scale
    return total


def gep_scales(inst):
    """(index value, bytes per unit or None) of a getelementptr; structure fields have constant indices."""
    type_, out = inst.gep_source_type, []
    for n, index in enumerate(inst.operands[1:]):
        if n == 0:
            out.append((index, type_.size))
        elif type_.is_struct:
            out.append((index, None))
            type_ = type_.fields[index.zext]
        else:
            type_ = type_.element
            out.append((index, type_.size))
    return out


def _select(s, inst):
    cond, a, b = inst.operands
    if s.uniform(cond):
        return s[a] if s[a] == s[b] else VARYING
    return 0 if a == b and s.uniform(a) else VARYING


def _load(s, inst):
    return 0 if s.uniform(inst.operand(0)) and not inst.is_atomic and not inst.is_volatile else VARYING


def _alloca(s, inst):
    return s.private.get(inst, VARYING)


def _call(s, inst):
    callee = inst.callee
    name = callee.name
    if intrinsic_base(name):
        return s.join_all(inst.args)
    if name.startswith("clpy.any"):
        return 0
    if name.startswith("clpy.mload"):
        return VARYING
    row = find(name)
    if row is not None:
        if row.shape == UNIFORM:
            return 0
        if row.shape == JOIN:
            return s.join_all(inst.args)
        if row.shape == ID0 and inst.args and inst.args[0].is_const_int:
            return 1 if inst.args[0].zext == 0 else 0
    return 0 if inst.is_void else VARYING


def _atomic(s, inst):
    return VARYING


def _freeze(s, inst):
    return s[inst.operand(0)]


def _cast(s, inst):
    k = s[inst.operand(0)]
    if inst.operand(0) in s.inside:
        s.inside.add(inst)
    source, target = inst.operand(0).type, inst.type
    if k in (0, VARYING):
        return k
    return k if _strided(source) and _strided(target) and source.size == target.size else VARYING


TRANSFER = {
    "phi": _phi, "add": _add, "sub": _add, "mul": _mul, "shl": _shl, "or": _or, "and": _and, "ashr": _ashr,
    "zext": _ext, "sext": _ext,
    "trunc": _trunc, "getelementptr": _gep, "select": _select, "load": _load, "alloca": _alloca, "call": _call,
    "atomicrmw": _atomic, "cmpxchg": _atomic, "freeze": _freeze, "bitcast": _cast, "ptrtoint": _cast,
    "inttoptr": _cast, "addrspacecast": _cast,
}
