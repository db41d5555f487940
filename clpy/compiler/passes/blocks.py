# SPDX-License-Identifier: Apache-2.0
"""The address of a block's kernel becomes its number among the program's kernels, from 1, which is what the core finds
it by (clpy/core/enqueue_kernel.pyx). So no function refers to one that it enqueues, be it itself.

The front end also puts the address of a block's function into what the block has captured. Nobody reads it there: calls
of blocks name their function.
"""
from clpy.compiler import frame as fr
from clpy.llvm.ir import SPIR_KERNEL, Builder, Types, functions, get_function

INVOKE = "_block_invoke"     # in the names that the front end gives the functions of blocks


def number_kernels(module, kernels):
    types, builder = Types(module), Builder(module)
    seen = [name for name in kernels if name != fr.INITIALIZE]
    for number, name in enumerate(seen, start=1):
        if kernels[name].is_block:
            kernel = get_function(module, name)
            kernel.replace_with(builder.cast("inttoptr", types.i64.const(number), types.ptr))
            kernel.set_external()    # nobody refers to it any more


def forget_addresses(module):
    for function in functions(module):
        if INVOKE in function.name and function.call_conv != SPIR_KERNEL:
            for user in function.users:
                if user.is_const_expr:
                    user.replace_with(user.type.null)


def run(module, lowering):
    number_kernels(module, lowering.kernels)
    forget_addresses(module)
