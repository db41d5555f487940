# SPDX-License-Identifier: Apache-2.0
"""Loops that LLVM's unroller keeps off: it would make code of remainders alone, or only look at what lies in them."""
from clpy.llvm.ir import md_make_distinct, md_node


def loop_id(module, *properties):
    """A loop identifier with these properties, a list of what the metadata has each."""
    nodes = [md_node(module, list(p)) for p in (("llvm.loop.unroll.disable",), *properties)]
    return md_make_distinct(md_node(module, [None, *nodes]))
