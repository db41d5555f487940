# SPDX-License-Identifier: Apache-2.0
"""Make each kernel one function: everything it calls is inlined, so that barriers and ids are seen where they act.

A function that calls itself, directly or not, is refused, as OpenCL C does.
"""
from clpy.compiler.analysis.builtin_table import COLLECTIVE, CUT, ID, SPACE, TOGETHER, row_of
from clpy.compiler.analysis.memory import LOCAL, base_of
from clpy.compiler.lowering import LoweringError
from clpy.llvm.ir import SPIR_KERNEL, Function, Inst, functions

BODY = "__clang_ocl_kern_imp_"    # before the name of a kernel, in that of the function which other functions call
LARGE_FUNCTION = 2000    # instructions, with all it calls
LARGE_GROWTH = 20000     # instructions that copies of one function may add


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


def needs_inlining(graph):
    """Functions that cannot stand alone: they, or what they call, use ids, barriers, sub-groups or
    static __local memory."""
    direct = {f for f in graph if uses_group(f)}
    callers = {f: {c for c, called in graph.items() if f in called} for f in graph}
    pending = list(direct)
    while pending:
        for caller in callers[pending.pop()] - direct:
            direct.add(caller)
            pending.append(caller)
    return direct


def uses_group(function):
    for inst in function.instructions:
        if inst.opcode == "call" and isinstance(inst.callee, Function) and inst.callee.is_declaration:
            row = row_of(inst.callee.name)
            if row is not None and row.kind in (ID, CUT, SPACE, TOGETHER):
                return True
        if any(base_of(o).type.address_space == LOCAL and not isinstance(base_of(o), Inst) and base_of(o).is_constant
               for o in inst.operands if o.type.is_pointer):
            return True
    return False


def inlined_sizes(graph):
    """Function -> instructions it would have with everything inlined; callees first."""
    sizes = {}

    def size(function):
        if function not in sizes:
            own = function.instructions
            sizes[function] = len(own) + sum(size(i.callee) for i in own
                                             if i.opcode == "call" and i.callee in graph)
        return sizes[function]
    for function in graph:
        size(function)
    return sizes


def kept_apart(graph):
    """Functions that are called instead: large ones whose copies would blow up the program, what runs rarely, and what
    runs once for a group."""
    whole = {f for f in graph if (row := row_of(f.name)) is not None and row.kind == COLLECTIVE}
    sizes = inlined_sizes(graph)
    rare = {f for f in graph if f.has_attribute("cold")}
    large = {f for f, n in sizes.items() if n > LARGE_FUNCTION and f.call_conv != SPIR_KERNEL}
    if not large and not rare:
        return whole
    apart = {f for f in large if sizes[f] * (len(f.users) - 1) > LARGE_GROWTH}
    return (apart | rare) - needs_inlining(graph) | whole


def run(module, lowering):
    graph = call_graph(module)
    cycle = find_cycle(graph)
    if cycle:
        names = " -> ".join(f.name.removeprefix(BODY) for f in [*cycle, cycle[0]])
        raise LoweringError(f"recursion is not allowed in OpenCL C: {names}")
    apart = kept_apart(graph)
    for function in graph:
        for attribute in ("noinline", "optnone"):
            function.remove_attribute(attribute)
        if function in apart:
            function.remove_attribute("alwaysinline")
            function.set_internal()
        elif function.call_conv != SPIR_KERNEL:
            function.add_attribute("alwaysinline")
            function.set_internal()
    module.run_passes("always-inline,globaldce")
