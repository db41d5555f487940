# SPDX-License-Identifier: Apache-2.0
"""A masked store of one known lane becomes a scalar store.

LLVM 22 miscompiles it on x86 when the value is truncated: the scalar it stores has the width before the truncation, so
the neighbour is overwritten (tests/passes/single_lane_stores-truncated.ll shows the input).
"""
from clpy.llvm.ir import Builder, Function, Types, functions


def single_lane(mask):
    """The one lane set in a constant mask, else None."""
    if not mask.is_constant or mask.is_const_expr or mask.is_undef:
        return None
    lanes = [mask.const_element(i) for i in range(mask.type.count)]
    if any(lane is None or not lane.is_const_int for lane in lanes):
        return None
    on = [i for i, lane in enumerate(lanes) if lane.zext]
    return on[0] if len(on) == 1 else None


def run(module, lowering):
    types, builder = Types(module), Builder(module)
    for function in functions(module):
        for call in function.instructions_of("call"):
            if not isinstance(call.callee, Function) or not call.callee.name.startswith("llvm.masked.store."):
                continue
            value, pointer, mask = call.args[0], call.args[1], call.args[-1]
            lane = single_lane(mask)
            if lane is None:
                continue
            builder.before(call)
            element = builder.extract_element(value, types.i64.const(lane))
            at = builder.gep(element.type, pointer, [types.i64.const(lane)], flags=0)
            builder.store(element, at).align = element.type.align
            call.erase()
