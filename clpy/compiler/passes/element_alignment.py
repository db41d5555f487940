# SPDX-License-Identifier: Apache-2.0
"""Vectors in memory that kernels are given are aligned as their elements are, whatever their type says.

Programs that know GPUs cast pointers to elements to pointers to vectors of these, and an instruction for memory that is
aligned ends such a kernel. Those for any address are as fast where the address is aligned. What is known of a place
without its type (arguments, variables) LLVM finds again.
"""
from clpy.compiler.analysis.memory import PRIVATE
from clpy.llvm.ir import functions

COPIES = "llvm.memcpy.", "llvm.memmove."
REGISTER = 16       # bytes: what is shorter has no instruction that asks for alignment
MOST_OF_A_COPY = 8  # bytes: what the largest element needs


def run(module, lowering):
    for function in functions(module):
        for access in function.instructions_of("load", "store"):
            soften(access)
    for function in functions(module):
        if function.name.startswith(COPIES):
            for call in function.users:
                soften_copy(call)


def soften(access):
    stored = access.opcode == "store"
    type_ = access.operand(0).type if stored else access.type
    if type_.is_vector and type_.size >= REGISTER and access.operand(int(stored)).type.address_space != PRIVATE:
        access.align = min(access.align, type_.element.align)


def soften_copy(call):
    for index, pointer in enumerate(call.args[:2], 1):
        align = call.call_attribute_value("align", index)
        if align is not None and align > MOST_OF_A_COPY and pointer.type.address_space != PRIVATE:
            call.remove_call_attribute("align", index)
            call.add_call_attribute("align", MOST_OF_A_COPY, index)
