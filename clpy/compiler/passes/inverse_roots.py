# SPDX-License-Identifier: Apache-2.0
"""rsqrt of vectors of floats by the processor's estimate of it, and one step of Newton's, with AVX-512.

The library says with a flag which divisions by a root may be that (builtins/math_elementwise.cl): those of rsqrt, of
which 2 ulp are asked. A root and a division keep their unit busy for 34 cycles, this takes six operations. What the
estimate is exact for, 0 and infinity, and what has no root, stays as it is. The flag is taken away from all others, as
LLVM would take an estimate of the inverse for them, that of 0 being no number.
"""
from clpy.compiler.analysis.intrinsics import ALLOW_RECIPROCAL
from clpy.llvm.ir import Builder, Function, Types, const_splat, const_vector, declare, functions

UNORDERED = 8
BITS = 512                  # instructions of the set that this is part of are there for shorter vectors, too
LANES = (16, 8, 4)          # of a register, the longest first


class InverseRoots:
    def __init__(self, module):
        self.module, self.types, self.b = module, Types(module), Builder(module)

    def estimate(self, x):
        """Of one register."""
        t, lanes = self.types, x.type.count
        mask = t.i16 if lanes > 8 else t.i8
        form = declare(self.module, f"llvm.x86.avx512.rsqrt14.ps.{32 * lanes}",
                       t.function(x.type, [x.type, x.type, mask]))
        return self.b.call(form, [x, x.type.null, mask.const(-1)])

    def refined(self, x):
        """y + y / 2 (1 - x y y), where that is a number."""
        b, type_ = self.b, x.type
        y = self.estimate(x)
        fma = declare(self.module, f"llvm.fma.v{type_.count}f32", self.types.function(type_, [type_] * 3))
        error = b.call(fma, [b.fneg(b.binop("fmul", x, y)), y, const_splat(type_, 1.0)])
        better = b.call(fma, [b.binop("fmul", y, const_splat(type_, 0.5)), error, y])
        return b.select(b.fcmp(UNORDERED, error, error), y, better)

    def replace(self, division):
        x = division.operand(1).operand(0)
        lanes = next(n for n in LANES if x.type.count % n == 0)
        self.b.before(division)
        parts = [self.refined(part) for part in self.parts(x, lanes)]
        while len(parts) > 1:
            parts = [self.together(*parts[i:i + 2]) for i in range(0, len(parts), 2)]
        division.replace_with(parts[0])
        division.erase()

    def without_flag(self, division):
        """LLVM sets flags of an instruction, and takes none away."""
        division.replace_with(self.b.before(division).binop("fdiv", *division.operands))
        division.erase()

    def parts(self, x, lanes):
        if x.type.count == lanes:
            return [x]
        return [self.b.shuffle(x, x.type.poison, self.lanes(range(first, first + lanes)))
                for first in range(0, x.type.count, lanes)]

    def together(self, first, second):
        return self.b.shuffle(first, second, self.lanes(range(2 * first.type.count)))

    def lanes(self, numbers):
        return const_vector([self.types.i32.const(n) for n in numbers])


def is_inverse_root(division):
    """1 / sqrt(x) of as many floats as fill registers, two to a power of them."""
    one, root = division.operands
    type_ = division.type
    return (type_.is_vector and str(type_.element) == "float" and type_.count >= LANES[-1]
            and type_.count & (type_.count - 1) == 0 and one == const_splat(type_, 1.0) and root.opcode == "call"
            and isinstance(root.callee, Function) and root.callee.name.startswith("llvm.sqrt."))


def run(module, lowering):
    roots = InverseRoots(module)
    for function in functions(module):
        for division in function.instructions_of("fdiv"):
            if division.fast_math != ALLOW_RECIPROCAL:
                continue
            if lowering.optimize and lowering.vector_bits >= BITS and is_inverse_root(division):
                roots.replace(division)
            else:
                roots.without_flag(division)
