# SPDX-License-Identifier: Apache-2.0
"""An element of a vector, taken out and put into all lanes of another, becomes one shuffle.

LLVM 22 miscompiles it on x86 with AVX2 when the vector was truncated and such splats are interleaved: a lane gets the
upper half of what its neighbour was before the truncation (tests/kernels/test_sub_group_flow.py has such a kernel).
instcombine makes the same shuffle, so code that is optimized has none of these.
"""
from clpy.compiler.spmd.arrays import splatted
from clpy.llvm.ir import Builder, Types, const_vector, functions


def element_in_all(shuffle):
    """(vector, index) of the element that all lanes have, where they have one of a vector; else None."""
    element = splatted(shuffle)
    if element is None or element.opcode != "extractelement":
        return None
    vector, index = element.operands
    inside = index.is_const_int and index.zext < vector.type.count
    return (vector, index.zext) if inside else None


def run(module, lowering):
    if lowering.optimize:
        return
    types, builder = Types(module), Builder(module)
    for function in functions(module):
        for shuffle in function.instructions_of("shufflevector"):
            found = element_in_all(shuffle)
            if found is None:
                continue
            vector, index = found
            builder.before(shuffle)
            mask = const_vector([types.i32.const(index)] * shuffle.type.count)
            shuffle.replace_with(builder.shuffle(vector, vector.type.poison, mask))
            shuffle.erase()
