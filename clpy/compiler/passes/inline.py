# SPDX-License-Identifier: Apache-2.0
"""Make each kernel one function: everything it calls is inlined, so that barriers and ids are seen where they act.

A function that calls itself, directly or not, is refused, as OpenCL C does.
"""
from clpy.llvm.ir import SPIR_KERNEL, Function, functions

from .errors import LoweringError


def call_graph(module):
    """Function -> functions with a body that it calls."""
    graph = {}
    for function in functions(module):
        if not function.is_declaration:
            calls = (call.callee for call in function.instructions_of("call"))
            graph[function] = {c for c in calls if isinstance(c, Function) and not c.is_declaration}
    return graph


def find_cycle(graph):
    """The functions on one cycle of the graph, in order; empty when there is none. A walk with a stack of its own."""
    done = set()
    for root in graph:
        path, on_path, pending = [], set(), [(root, None)]
        while pending:
            node, children = pending[-1]
            if children is None:
                if node in done:
                    pending.pop()
                    continue
                path.append(node)
                on_path.add(node)
                children = iter(graph[node])
                pending[-1] = (node, children)
            child = next(children, None)
            if child is None:
                pending.pop()
                done.add(path.pop())
                on_path.discard(node)
            elif child in on_path:
                return path[path.index(child):]
            elif child not in done:
                pending.append((child, None))
    return []


def run(module, lowering):
    cycle = find_cycle(call_graph(module))
    if cycle:
        names = " -> ".join(f.name for f in [*cycle, cycle[0]])
        raise LoweringError(f"recursion is not allowed in OpenCL C: {names}")
    for function in functions(module):
        if function.is_declaration or function.call_conv == SPIR_KERNEL:
            continue
        for attribute in ("noinline", "optnone"):
            function.remove_attribute(attribute)
        function.add_attribute("alwaysinline")
        function.set_internal()
    for kernel in functions(module):
        if kernel.call_conv == SPIR_KERNEL:
            kernel.remove_attribute("optnone")
    module.run_passes("always-inline,globaldce")
