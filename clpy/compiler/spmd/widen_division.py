# SPDX-License-Identifier: Apache-2.0
"""Quotients and remainders of integers that differ between lanes, as floating-point numbers. A part of widening.

No processor divides vectors of integers, and lane after lane takes longer than all the rest of most kernels. The
quotient of two integers of 32 bits as doubles, rounded and then cut off, is exact: what was rounded away is less than
2^-53 of it, while a quotient that is no integer is at least one divisor's part below the next. So is the product with
the inverse of a divisor that is the same for all lanes, where that is made a little too large. Floats do for 16 bits.
Integers of 64 bits have 32 most of the time, which is looked at as the code runs. So is whether a divisor that is the
same for all lanes is a power of two, as in `(id + 1) % n`: its remainders are the lower bits then.
"""
from clpy.compiler.spmd.lanes import Part
from clpy.llvm.ir import intrinsic

DIVISIONS = ("udiv", "sdiv", "urem", "srem")
SINGLE = 16               # bits of integers for which floats are exact
DOUBLE = 32               # and doubles
TOO_LARGE = 1 + 2.0 ** -50    # an inverse and a product are rounded three times, by 2^-53 of them each


def given(divisor):
    """What a divisor is but for what keeps it from trapping: 1 for what would, and for lanes that do not take part."""
    while True:
        if divisor.opcode == "freeze":
            divisor = divisor.operand(0)
        elif divisor.opcode == "select" and any(v.is_const_int and v.zext == 1 for v in divisor.operands[1:]):
            yes, no = divisor.operands[1:]
            divisor = no if yes.is_const_int and yes.zext == 1 else yes
        else:
            return divisor


def is_by_number(inst):
    """LLVM makes products of a division by what it knows."""
    return inst.operand(1).is_constant


def is_easy_by_power(inst):
    """By a power of two: of negative numbers only whether there is a remainder."""
    if inst.opcode in ("udiv", "urem"):
        return True
    return inst.opcode == "srem" and all(
        user.opcode == "icmp" and user.predicate in ("eq", "ne") and user.operand(1) == inst.type.null
        for user in inst.users)


class Division(Part):
    def divide(self, inst, dividend, divisor):
        """The vector that the operation makes of two, or of what it finds to be the same divisor for all lanes."""
        shared = None if inst.type.is_vector else given(inst.operand(1))
        shared = self.shared(shared) if shared is not None and self.shapes.uniform(shared) else None
        if shared is None or not is_easy_by_power(inst):
            return self.by_any(inst, dividend, divisor, shared)
        return self.by_power(inst, dividend, shared, lambda: self.by_any(inst, dividend, divisor, shared))

    def by_power(self, inst, dividend, divisor, by_any):
        """By a number, not 0, that is the same for all lanes; `by_any` makes the result of what is no power of two."""
        b, type_ = self.b, divisor.type
        below = b.sub(divisor, type_.const(1))
        is_power = b.icmp("eq", b.binop("and", divisor, below), type_.null, "power")

        def shifted():
            bits = b.call(intrinsic(self.module, "llvm.ctpop", [type_]), [below])
            return b.binop("lshr", dividend, self.forms.splat(bits))

        def cut():
            return b.binop("and", dividend, self.forms.splat(below))
        return self.either(is_power, shifted if inst.opcode == "udiv" else cut, by_any)

    def either(self, condition, one, other):
        """What `one` makes where the condition holds, else what `other` does, each in blocks of its own."""
        b, forms = self.b, self.forms
        first, second, after = (forms.new_block() for _ in range(3))
        b.cond_br(condition, first, second)
        made = []
        for block, make in ((first, one), (second, other)):
            forms.go(block)
            value = make()
            made.append((value, forms.here))
            b.br(after)
        forms.go(after)
        result = b.phi(made[0][0].type)
        for value, end in made:
            result.add_incoming(value, end)
        return result

    def by_any(self, inst, dividend, divisor, shared):
        e, signed = inst.type.scalar, inst.opcode[0] == "s"
        if e.width <= DOUBLE:
            return self.result(inst, dividend, divisor, self.quotient(dividend, divisor, shared, signed))
        return self.of_long(inst, dividend, divisor, shared)

    def shared(self, divisor):
        b, value = self.b, self.b.freeze(self.forms.scalar(divisor))
        return b.select(b.icmp("eq", value, value.type.null), value.type.const(1), value)

    def result(self, inst, dividend, divisor, quotient):
        if inst.opcode.endswith("div"):
            return quotient
        return self.b.sub(dividend, self.b.mul(quotient, divisor))

    def quotient(self, dividend, divisor, shared, signed):
        """Of integers of up to 32 bits."""
        b, t, type_ = self.b, self.t, dividend.type
        number = t.float if type_.element.width <= SINGLE else t.double
        numbers = t.vector(number, type_.count)
        way, back = ("sitofp", "fptosi") if signed else ("uitofp", "fptoui")
        x = b.cast(way, dividend, numbers)
        if shared is None or number == t.float:
            made = b.binop("fdiv", x, b.cast(way, divisor, numbers))
        else:
            inverse = b.binop("fdiv", number.const(TOO_LARGE), b.cast(way, shared, number))
            made = b.binop("fmul", x, self.forms.splat(inverse))
        return b.cast(back, made, type_)

    def of_long(self, inst, dividend, divisor, shared):
        """Of 64 bits: as unsigned numbers of 32 where all are such."""
        b, t = self.b, self.t
        used = b.binop("or", dividend, divisor)
        bits = b.call(intrinsic(self.module, "llvm.vector.reduce.or", [used.type]), [used])

        def short():
            narrow = t.vector(t.i32, used.type.count)
            one, two = b.cast("trunc", dividend, narrow), b.cast("trunc", divisor, narrow)
            quotient = self.quotient(one, two, shared and b.cast("trunc", shared, t.i32), False)
            return b.cast("zext", self.result(inst, one, two, quotient), used.type)
        return self.either(b.icmp("ult", bits, t.i64.const(1 << DOUBLE)), short,
                           lambda: b.binop(inst.opcode, dividend, divisor))
