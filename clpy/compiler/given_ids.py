# SPDX-License-Identifier: Apache-2.0
"""Functions that are called get ids and sizes as parameters: what a kernel knows of its work-item, they do not.

`f(args)` that asks for get_global_id(0) becomes `f(args, id)`, and who calls it asks instead: in the end a kernel.
"""
from clpy.compiler.analysis.builtin_table import ID, base_name
from clpy.compiler.analysis.calls import call_graph, row_called
from clpy.compiler.analysis.code_size import callers_first
from clpy.llvm.ir import Builder, Types, add_function
from clpy.llvm.opcodes import FUNCTION, RETURN


def asks_id(call):
    row = row_called(call)
    return row is not None and row.kind == ID


def can_be_given(call):
    """Whether what it asks for is the same wherever it asks: the dimension is known."""
    return all(arg.is_const_int for arg in call.args)


def may_get_more(function):
    return not function.value_type.is_vararg and all(user.opcode == "call" for user in function.users)


def with_more(module, function, more):
    """The function with such parameters more, (name, type) each, and no longer without."""
    old = [p.type for p in function.params]
    name = function.name
    function.name = f"{name}.asks"
    types = old + [type_ for _, type_ in more]
    made = add_function(module, name, Types(module).function(function.value_type.returns, types))
    made.name_params([p.name for p in function.params] + [name for name, _ in more])
    made.take_blocks(function)
    made.call_conv = function.call_conv
    for place in (RETURN, FUNCTION, *range(1, len(old) + 1)):
        made.copy_attributes(function, place, place)
    made.set_internal()
    for before, now in zip(function.params, made.params, strict=False):
        before.replace_with(now)
    return made


def give(module, function):
    """What the function asks for becomes parameters, and its callers ask."""
    asked = {}
    for call in filter(asks_id, function.instructions_of("call")):
        asked.setdefault((call.callee, tuple(arg.zext for arg in call.args)), []).append(call)
    if not asked:
        return
    made = with_more(module, function, [(f"{base_name(callee.name)}{'.'.join(['', *map(str, dims)])}", calls[0].type)
                                        for (callee, dims), calls in asked.items()])
    n_params = len(made.params) - len(asked)
    arguments = [(callee, calls[0].args) for (callee, _), calls in asked.items()]
    for calls, param in zip(asked.values(), made.params[n_params:], strict=True):
        for call in calls:
            call.replace_with(param)
            call.erase()
    builder = Builder(module)
    for call in function.users:
        builder.before(call)
        new = builder.call(made, [*call.args, *(builder.call(callee, args) for callee, args in arguments)])
        new.set_call_conv(made.call_conv)
        for place in (RETURN, FUNCTION, *range(1, n_params + 1)):
            new.copy_call_attributes(call, place)
        call.replace_with(new)
        call.erase()
    function.erase()


def run(module, names):
    """For the functions of these names that are still there; all that they call and that is not among them asks for no
    ids."""
    if not names:
        return
    for function in reversed(callers_first(call_graph(module))):
        if function.name in names:
            give(module, function)
