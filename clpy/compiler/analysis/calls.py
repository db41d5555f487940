# SPDX-License-Identifier: Apache-2.0
"""Which functions call which, and whether one calls itself in the end."""
from clpy.compiler.analysis.builtin_table import row_of
from clpy.llvm.ir import Function, control_flow, functions

BODY = "__clang_ocl_kern_imp_"    # before the name of a kernel, in that of the function which other functions call


def row_called(call):
    """The row of the runtime's function that is called, None where it is another one."""
    callee = call.callee
    return row_of(callee.name) if isinstance(callee, Function) and callee.is_declaration else None


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


def recursion(graph):
    """What is wrong with the program, "" where nothing is."""
    cycle = find_cycle(graph)
    names = " -> ".join(f.name.removeprefix(BODY) for f in [*cycle, *cycle[:1]])
    return f"recursion is not allowed in OpenCL C: {names}" if cycle else ""


def is_in_loop(block):
    return any(0 in targets for targets in control_flow([block])[1])


def is_repeated(function, known):
    """Whether a loop calls a function, or one that calls it in the end. `known`: what was found out of others; nothing
    calls itself."""
    if function not in known:
        calls = [user for user in function.users if user.opcode == "call"]
        known[function] = any(is_in_loop(call.block) or is_repeated(call.function, known) for call in calls)
    return known[function]
