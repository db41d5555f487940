# SPDX-License-Identifier: Apache-2.0
"""Make each kernel one function: everything it calls is inlined, so that barriers and ids are seen where they act.

A function that calls itself, directly or not, is refused, as OpenCL C does. Where there would be too much code some
functions are called instead (analysis/code_size.py), which get ids as parameters (given_ids.py).
"""
from clpy.compiler import given_ids
from clpy.compiler.analysis.builtin_table import COLLECTIVE, CUT, ID, SPACE, TOGETHER, base_name, row_of
from clpy.compiler.analysis.calls import call_graph, is_repeated, recursion, row_called
from clpy.compiler.analysis.code_size import MOST_CODE, CodeSize, too_often
from clpy.compiler.analysis.libmvec import FORMS, MOST_GROWTH, REPEATED, SHARED, WORTH_A_CALL, forms_of
from clpy.compiler.analysis.memory import LOCAL, base_of
from clpy.compiler.lowering import LoweringError
from clpy.llvm.ir import SPIR_KERNEL, Builder, Inst, Types, functions, global_variables

LARGE_FUNCTION = 2000    # instructions, with all it calls
LARGE_GROWTH = 20000     # instructions that copies of one function may add
SCRATCH = "__clpy_scratch"      # of so many bytes: memory that a function of the library has done with when it returns
SCRATCH_ALIGN = 64


def asks(function, kinds):
    rows = map(row_called, function.instructions_of("call"))
    return any(row is not None and row.kind in kinds for row in rows)


def asks_group(function):
    return asks(function, (ID, CUT, SPACE, TOGETHER))


def asks_more_than_ids(function):
    ids = filter(given_ids.asks_id, function.instructions_of("call"))
    return asks(function, (CUT, SPACE, TOGETHER)) or not all(map(given_ids.can_be_given, ids))


def needs_inlining(graph, has_local, asks_for=asks_group):
    """Functions that cannot stand alone: they, or what they call, use ids, barriers, sub-groups or static __local
    memory, if the module has such."""
    direct = {f for f in graph if asks_for(f) or (has_local and has_place_in_group(f))}
    callers = {f: {c for c, called in graph.items() if f in called} for f in graph}
    pending = list(direct)
    while pending:
        for caller in callers[pending.pop()] - direct:
            direct.add(caller)
            pending.append(caller)
    return direct


def has_place_in_group(function):
    return any(base_of(o).type.address_space == LOCAL and not isinstance(base_of(o), Inst) and base_of(o).is_constant
               for inst in function.instructions for o in inst.operands if o.type.is_pointer)


def kept_apart(graph, sizes, has_local):
    """Functions that are called instead: large ones whose copies would blow up the program, what runs rarely, and what
    runs once for a group."""
    whole = {f for f in graph if (row := row_of(f.name)) is not None and row.kind == COLLECTIVE}
    rare = {f for f in graph if f.has_attribute("cold")}
    large = {f for f, n in sizes.items() if n > LARGE_FUNCTION and f.call_conv != SPIR_KERNEL}
    if not large and not rare:
        return whole
    apart = {f for f in large if sizes[f] * (len(f.users) - 1) > LARGE_GROWTH}
    return (apart | rare) - needs_inlining(graph, has_local) | whole


def too_large(code, graph, has_local):
    """Functions that are called, too, as there would be more code than anybody waits for: those may ask for ids."""
    if code.n_instructions() <= MOST_CODE:
        return set()
    fixed = needs_inlining(graph, has_local, asks_more_than_ids)
    return too_often(code, [f for f in graph if f not in fixed | code.roots and given_ids.may_get_more(f)])


def called_by_vectors(graph, sizes):
    """(Function -> name of its vector forms, those of them whose code is shared, those that only repeated_calls can
    tell of): functions of the library that there would be much code of, and long ones that run once. A call in a loop
    is made again and again, and around it all of the loop's registers are saved."""
    forms = {f: forms_of(f) for f in graph if f.call_conv != SPIR_KERNEL}
    forms, known = {f: name for f, name in forms.items() if name}, {}
    grows = {f for f in forms if sizes[f] * (len(f.users) - 1) > MOST_GROWTH}
    shared = {f for f in forms if sizes[f] >= WORTH_A_CALL}
    repeated = {f for f in shared - grows if is_repeated(f, known)}
    return {f: name for f, name in forms.items() if f in grows or f in shared}, shared, repeated


def keep_meaning(module, function):
    """What relaxed mathematics lets a call take for granted, that its result is a number, say, is lost where the
    function is inlined: so that results are those of later code, a call of shared code does not know it either."""
    builder = Builder(module)
    for call in [user for user in function.users if user.opcode == "call" and user.fast_math]:
        plain = builder.before(call).call(function, call.args)
        plain.set_call_conv(function.call_conv)
        call.replace_with(plain)
        call.erase()


def let_calls_be_inlined(function):
    """A call may say no by itself: those of SPIR-V have what their function has."""
    for call in function.users:
        if call.opcode == "call":
            call.remove_call_attribute("noinline")


def share_scratch(module):
    """Functions of the library that were inlined into the same one have the same memory: there can be many of them, and
    vectors of work-items have it many times."""
    types, builder = Types(module), Builder(module)
    calls = {}
    for call in [call for f in functions(module) if base_name(f.name) == SCRATCH for call in f.users]:
        calls.setdefault(call.function, []).append(call)
    for function, own in calls.items():
        size = max(call.args[0].zext for call in own)
        memory = builder.before(function.blocks[0].instructions[0]).alloca(types.array(types.i8, size), "scratch")
        memory.align = SCRATCH_ALIGN
        for call in own:
            call.replace_with(memory)
            call.erase()


def run(module, lowering):
    graph = call_graph(module)
    wrong = recursion(graph)
    if wrong:
        raise LoweringError(wrong)
    has_local = any(v.address_space == LOCAL for v in global_variables(module))
    code = CodeSize(graph, {f for f in graph if f.call_conv == SPIR_KERNEL})
    sizes = code.whole()
    apart = code.apart = kept_apart(graph, sizes, has_local)
    called = too_large(code, graph, has_local)
    forms, shared, repeated = called_by_vectors(graph, sizes) if lowering.is_made_again else ({}, (), ())
    for function in graph:
        for attribute in ("noinline", "optnone"):
            function.remove_attribute(attribute)
        if function in forms:
            function.remove_attribute("alwaysinline")
            function.add_attribute("noinline")
            function.add_attribute(FORMS, forms[function])
            if function in shared:
                function.add_attribute(SHARED)
                keep_meaning(module, function)
            if function in repeated:
                function.add_attribute(REPEATED)
            function.set_internal()
        elif function in apart or function in called:
            function.remove_attribute("alwaysinline")
            function.set_internal()
        elif function.call_conv != SPIR_KERNEL:
            function.add_attribute("alwaysinline")
            function.set_internal()
            let_calls_be_inlined(function)
    names = {f.name for f in called}
    module.run_passes("always-inline,globaldce")
    given_ids.run(module, names)
    share_scratch(module)
