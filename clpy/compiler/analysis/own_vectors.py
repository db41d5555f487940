# SPDX-License-Identifier: Apache-2.0
"""Which values of vector types of the source lanes keep in rows, as they lie in memory, and which apart, as a vector of
lanes for each element. An analysis.

Memory is read and written in rows; single elements are parts. Elementwise work is the same in both, so values that are
computed from each other so, phis included, have one form: that for which less is turned from one into the other.
`float4 d = p[k] - mine` in a loop that takes elements of d takes `mine` apart once, before the loop; a sum of vectors
that are loaded, scaled and stored stays in rows.
"""
from clpy.compiler.analysis.access import accessed_type, is_access, is_store, pointer_of
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.transfer import VARYING

BINARY = {"add", "fadd", "sub", "fsub", "mul", "fmul", "udiv", "sdiv", "fdiv", "urem", "srem", "frem", "shl", "lshr",
          "ashr", "and", "or", "xor"}
CASTS = {"trunc", "zext", "sext", "fptoui", "fptosi", "uitofp", "sitofp", "fptrunc", "fpext", "ptrtoint", "inttoptr",
         "bitcast", "addrspacecast"}
PLAIN = BINARY | CASTS | {"icmp", "fcmp", "fneg", "freeze"}
SCALAR_ARGS = {"ctlz": (1,), "cttz": (1,), "abs": (1,), "powi": (1,), "is.fpclass": (1,)}  # stay scalar when widened
ROWS, PARTS, EITHER = "rows", "parts", "either"
TURN = 8           # how often a loop's turn runs compared with what is around it
SPREAD = 0.5       # an element that all lanes have, beside one that is taken out of rows: reading memory spreads it
BY_LANE = 2        # a condition of each lane, for all elements of rows
MOST = 256         # elements of rows in one vector: what LLVM takes
WHOLE = (8, 16)    # bytes of a vector that one scalar load brings
LONGEST = 8        # bytes that a gather or scatter takes for a lane
SHORT_VECTORS = (2, 4, 8, 16)    # and of those that are read whole from a place of each lane's own


def is_elementwise(shapes, inst):
    """Each element of a vector that differs between lanes is computed from the same elements of others."""
    op, type_ = inst.opcode, inst.type
    if not type_.is_vector or type_.scalar.is_pointer or shapes[inst] != VARYING:
        return False
    if op in CASTS:
        return inst.operand(0).type.is_vector and inst.operand(0).type.count == type_.count
    if op == "call":
        base = intrinsic_base(inst.callee.name)
        keep = SCALAR_ARGS.get(base, ())
        return bool(base) and not base.startswith("vector.reduce.") and all(
            v.type.is_vector for i, v in enumerate(inst.args) if i not in keep)
    return op in PLAIN or op in ("phi", "select")


def is_filled(type_):
    """Vectors of the type lie side by side in memory without gaps."""
    return type_.count * type_.element.size == type_.size


def pieces_of(type_):
    """Accesses that a lane makes for a value in its own place: as many as elements, or fewer for a short vector."""
    if type_.is_vector and type_.size in SHORT_VECTORS and is_filled(type_):
        return max(1, type_.size // LONGEST)
    return type_.count if type_.is_vector else 1


class OwnVectors:
    """`rows`: the elementwise instructions whose values are kept in rows, where there are `width` lanes."""

    def __init__(self, shapes, width):
        self.shapes, self.cfg, self.width, self.rows = shapes, shapes.cfg, width, set()
        found = [inst for block in self.cfg.blocks for inst in block.instructions if is_elementwise(shapes, inst)]
        self.inside, waiting = set(found), set(found)
        for inst in found:
            if inst in waiting:
                web = self.web(inst, waiting)
                if all(map(self.fits, web)) and self.turned_apart(web) >= self.turned_in_rows(web):
                    self.rows.update(web)

    def web(self, inst, waiting):
        """All that is computed from it or that it is computed from, elementwise."""
        found, pending = [], [inst]
        waiting.discard(inst)
        while pending:
            inst = pending.pop()
            found.append(inst)
            near = [v for v in (*inst.operands, *inst.users) if v in waiting]
            waiting.difference_update(near)
            pending += near
        return found

    def fits(self, inst):
        count = inst.type.count
        return count & (count - 1) == 0 and count * self.width <= MOST

    def weight(self, value):
        loop = self.cfg.loop_of[self.cfg.number[value.block]] if value.opcode else None
        return TURN ** min(loop.depth, 4) if loop is not None else 1

    def given(self, web):
        """What the web's values are computed from beside themselves, each once; constants have any form."""
        return {v for inst in web for v in inst.operands if v not in self.inside and not v.is_constant
                and v.type.is_vector}

    def turned_apart(self, web):
        """What it takes if the web's values are kept apart."""
        cost = 0
        for value in self.given(web):
            if self.shapes.uniform(value):
                cost += SPREAD * (0 if is_spread(value) else value.type.count) * self.weight(value)
            elif self.form(value) == ROWS and not self.taken_apart(value):
                cost += value.type.count * self.weight(value)
        return cost + sum(inst.type.count * self.weight(user) for inst in web for user in inst.users
                          if user not in self.inside and self.wanted(user) == ROWS)

    def turned_in_rows(self, web):
        """And if they are kept in rows."""
        cost = sum(value.type.count * self.weight(value) for value in self.given(web)
                   if not self.shapes.uniform(value) and self.form(value) == PARTS)
        for inst in web:
            cost += inst.type.count * self.weight(inst) * (
                self.taken_apart(inst) + (BY_LANE if self.is_by_lane(inst) else 0))
        return cost

    def is_by_lane(self, inst):
        condition = inst.operand(0) if inst.opcode == "select" else None
        return condition is not None and not condition.type.is_vector and not self.shapes.uniform(condition)

    def taken_apart(self, value):
        """Somebody who is in no web takes elements of it."""
        return any(user not in self.inside and self.wanted(user) == PARTS for user in value.users)

    def form(self, value):
        """In which a value that differs between lanes is there."""
        if is_access(value):
            return self.in_memory(value, EITHER)
        return ROWS if value.opcode == "bitcast" else PARTS

    def wanted(self, user):
        """In which form an instruction takes vectors."""
        if is_access(user) and is_store(user):
            return self.in_memory(user, PARTS)
        return ROWS if user.opcode == "bitcast" and user.operand(0).type.is_vector else PARTS

    def in_memory(self, inst, own_place):
        """`own_place`: the form of a vector of 16 bytes in each lane's own place."""
        type_, pointer = accessed_type(inst), pointer_of(inst)
        shape = self.shapes[pointer]
        if shape == type_.size and is_filled(type_):
            return ROWS
        if shape != VARYING:
            return EITHER
        short = type_.size in SHORT_VECTORS and is_filled(type_)
        if short and (type_.size < max(WHOLE) or self.shapes.usually_neighbours(pointer, type_.size)):
            return ROWS
        return own_place if short else PARTS


def is_spread(value):
    """All elements are the same."""
    return value.opcode == "shufflevector" and len(set(value.shuffle_mask)) == 1
