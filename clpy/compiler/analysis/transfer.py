# SPDX-License-Identifier: Apache-2.0
"""How the shapes of an instruction's operands make its own (shapes.py): a rule for each opcode that has one of its own;
of all others the result is uniform where all operands are."""
from clpy.compiler.analysis.access import low_half
from clpy.compiler.analysis.builtin_table import ID0, JOIN, LANE, PICK, UNIFORM, WAVE, row_of
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import LOCAL
from clpy.llvm.ir import Function

VARYING = "varying"
UNKNOWN = "unknown"   # not looked at yet
ID_PARTS = {f"{part}.{d}" for part in ("lid", "gbase") for d in range(3)}
PRODUCTS = [{f"group.{d}", f"lsize.{d}"} for d in range(3)]
NEAR = 1 << 16        # vectors do not come so close to ids that are a multiple of 2^31
# What computes a value from its operands and does nothing else.
OPCODES = """fneg add fadd sub fsub mul fmul udiv sdiv fdiv urem srem frem shl lshr ashr and or xor getelementptr
    trunc zext sext fptoui fptosi uitofp sitofp fptrunc fpext ptrtoint ptrtoaddr inttoptr bitcast addrspacecast icmp
    fcmp select extractelement insertelement shufflevector extractvalue insertvalue freeze"""
PURE = frozenset(OPCODES.split())
EQUALITY = ("eq", "ne")
NOTHING = ("br", "switch", "ret", "store", "fence", "unreachable")    # no value


def shape_of(s, inst):
    """From the shapes `s` of the operands; UNKNOWN as long as one of them is."""
    op = inst.opcode
    if op == "phi":
        return _phi(s, inst)
    shapes = inst.operands_in(s.of, 0)
    if UNKNOWN in shapes:
        return UNKNOWN
    rule = RULES.get(op)
    if rule is not None:
        return rule(s, inst)
    return 0 if op in NOTHING else VARYING if any(shapes) else 0


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
    return k if no_wrap(s, source, signed=inst.opcode == "sext" or inst.is_nneg) else VARYING


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
    if op == "call":         # an id within the sub-group counts from 0
        row = row_of(value.callee.name)
        return row is not None and row.shape == LANE
    if op == "phi":  # lane 0 is the smallest for a positive stride, so it wraps last
        return isinstance(s[value], int) and s[value] > 0 and all(
            counts_on(s, value, v, signed, depth) for v, _ in value.incoming if v.opcode)
    return False


def counts_on(s, phi, value, signed, depth):
    """What comes into a phi does not wrap if the phi does not."""
    if value.opcode == "add" and phi in value.operands:
        return value.nsw if signed else value.nuw
    return (signed and (value.opcode != "add" or value.nsw)) or no_wrap(s, value, signed, depth + 1)


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
    return value.opcode == "add" and s[value] == 1 and all(map(is_id_part, value.operands))


def is_id_part(value):
    """A local id, or what is added to it: the first global id of the group, or group times size, which is the same
    where there is no offset."""
    if value.is_argument:
        return value.name in ID_PARTS
    return value.opcode == "mul" and {v.name for v in value.operands if v.is_argument} in PRODUCTS


def _icmp(s, inst):
    """Two numbers that go up alike: their difference is the same in all lanes, and the comparison too where neither
    wraps. `for (k = x - r; k <= x + r; k++)` is a loop that all lanes leave together."""
    a, b = inst.operands
    if s[a] == 0 or s[a] == VARYING or s[a] != s[b] or not a.type.is_int:
        return s.join_all(inst.operands)
    if inst.predicate in EQUALITY:
        return 0
    signed = inst.predicate.startswith("s")
    # Lane 0 may not take part and wrap: widen_elements compares wider numbers. That a counter begins so close to the
    # smallest number that it wraps in lane 0 alone is not looked at, as for its extension.
    narrow = a.type.width <= 32
    return 0 if narrow and all(no_wrap(s, v, signed) and (signed or v.opcode != "phi") for v in (a, b)) else VARYING


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
    pointer = inst.operand(0)
    may_change = inst.is_atomic or (inst.is_volatile and not (is_apart(s) and pointer.type.address_space == LOCAL))
    return 0 if s.uniform(pointer) and not may_change and s.stable(inst) else VARYING


def is_apart(s):
    """Work-items run one after the other, on one thread: nobody else writes local memory."""
    return s.parting is not None and not s.parting.in_step


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
    row = row_of(name)
    if row is not None:
        if row.shape == UNIFORM:
            return 0
        if row.shape == JOIN:
            return s.join_all(inst.args)
        if row.shape in (WAVE, LANE, PICK):
            return _together(s, inst, row.shape)
        if row.shape == ID0 and inst.args and inst.args[0].is_const_int:
            return 1 if inst.args[0].zext == 0 else 0
    if s.parting is not None and s.parting.trusts_attributes and is_pure(callee):
        return s.join_all(inst.args)
    return 0 if inst.is_void else VARYING


def _together(s, inst, shape):
    """Of a sub-group, which the lanes are where they go through the function together."""
    if is_apart(s):
        return VARYING
    if shape == LANE:
        return 1
    return 0 if shape == WAVE or s.uniform(inst.args[1]) else VARYING


def is_pure(callee):
    return isinstance(callee, Function) and callee.attribute_value("memory") == 0 and \
        not callee.has_attribute("convergent")


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


RULES = {
    "add": _add, "sub": _add, "mul": _mul, "shl": _shl, "or": _or, "and": _and, "ashr": _ashr,
    "icmp": _icmp,
    "zext": _ext, "sext": _ext,
    "trunc": _trunc, "getelementptr": _gep, "select": _select, "load": _load, "alloca": _alloca, "call": _call,
    "atomicrmw": _atomic, "cmpxchg": _atomic, "freeze": _freeze, "bitcast": _cast, "ptrtoint": _cast,
    "inttoptr": _cast, "addrspacecast": _cast,
}
