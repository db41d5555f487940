# SPDX-License-Identifier: Apache-2.0
"""Vectors of halves are rounded to whole numbers as floats: LLVM's optimizer leaves the conversions around ceil and its
like out, and its code generator, for processors without instructions on halves, then takes each lane alone.
"""
from clpy.llvm.ir import Builder, Types, functions, intrinsic

ROUNDINGS = tuple(f"llvm.{name}." for name in ("ceil", "floor", "nearbyint", "rint", "round", "roundeven", "trunc"))


def run(module, lowering):
    if lowering.has_halves:
        return
    types, builder = Types(module), Builder(module)
    for function in functions(module):
        kind = function.value_type.returns if function.name.startswith(ROUNDINGS) else None
        if kind is None or not kind.is_vector or str(kind.scalar) != "half":
            continue
        wide = types.vector(types.float, kind.count)
        of_floats = intrinsic(module, function.name.rpartition(".")[0], [wide])
        for call in function.users:
            builder.before(call)
            rounded = builder.call(of_floats, [builder.cast("fpext", call.args[0], wide)])
            call.replace_with(builder.cast("fptrunc", rounded, kind))
            call.erase()
