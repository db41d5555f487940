# SPDX-License-Identifier: Apache-2.0
"""stub"""
from clpy.llvm.ir import Builder, Types, functions

from . import frame as fr


def run(module, lowering):
    for item in fr.of_role(functions(module), "item"):
        name = item.attribute_text(fr.KERNEL)
        n_args = len(item.params) - len(fr.ITEM_FRAME)
        args = [(p.name, p.type) for p in item.params[:n_args]]
        t = Types(module)
        region = fr.new_function(module, f"{name}.region", "region", args, fr.ITEM_FRAME, t.void, item)
        region.take_blocks(item)
        for o, n in zip(item.params, region.params): o.replace_with(n)
        foreach = fr.new_function(module, f"{name}.region.foreach", "foreach", args, fr.GROUP_FRAME, t.void, item)
        group = fr.new_function(module, f"{name}.group", "group", args, fr.GROUP_FRAME, t.void, item)
        b = Builder(module).at_end(group.append_block("entry"))
        b.call(foreach, group.params)
        b.ret()
        item.erase()
