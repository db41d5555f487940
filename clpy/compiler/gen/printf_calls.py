# SPDX-License-Identifier: Apache-2.0
"""printf becomes stores to a buffer that the device reads when the work-group is done, as for GCN chips
(amdgpu/printf_calls.py has the form of a record).

Kernels get the buffer's address as one parameter more, behind all others, and so do functions on the way to a printf.
The buffer begins with two numbers of 32 bits: bytes that are taken, and those that there are.
"""
from clpy.compiler.amdgpu.printf_calls import replace_calls, write_record
from clpy.compiler.analysis.calls import call_graph
from clpy.compiler.analysis.code_size import callers_first
from clpy.compiler.given_ids import with_more
from clpy.compiler.metadata import is_kernel
from clpy.errors import CompileError
from clpy.llvm.ir import Builder, Types, declare, get_function
from clpy.llvm.opcodes import FUNCTION, RETURN

ALLOCATE, BUFFER = "__clpy_record", "__clpy_printf_buffer"
ADD, SUB = "_Z10atomic_addPU3AS1Vjj", "_Z10atomic_subPU3AS1Vjj"
GLOBAL, DATA, LENGTH = 1, 8, 4      # address space; bytes before the records, before the buffer's length


def lower(module):
    """Names of the kernels that print."""
    if not replace_calls(module, ALLOCATE, write_record):
        return set()
    write_allocate(module)
    names = set()
    for function in reversed(callers_first(call_graph(module))):
        asks = [call for call in function.instructions_of("call") if getattr(call.callee, "name", "") == BUFFER]
        if not asks:
            continue
        if is_kernel(function):
            names.add(function.name)
        give(module, function, asks)
    return names


def give(module, function, asks):
    """What the function asks for becomes its last parameter, and its callers ask."""
    callers = list(function.users)
    if any(user.opcode != "call" for user in callers):
        raise CompileError(f"error: {function.name} prints and is called by its address\n")
    of_kernel = is_kernel(function)
    made = with_more(module, function, [("printf", Types(module).pointer(GLOBAL))])
    made.copy_metadata(function)
    if of_kernel:
        made.set_external()
    for call in asks:
        call.replace_with(made.params[-1])
        call.erase()
    ask, builder = declaration(module), Builder(module)
    for call in callers:
        builder.before(call)
        new = builder.call(made, [*call.args, builder.call(ask, [])])
        new.set_call_conv(made.call_conv)
        for place in (RETURN, FUNCTION, *range(1, len(made.params))):
            new.copy_call_attributes(call, place)
        call.replace_with(new)
        call.erase()
    function.erase()


def declaration(module):
    types = Types(module)
    return declare(module, BUFFER, types.function(types.pointer(GLOBAL), []))


def write_allocate(module):
    """Room for a record of so many bytes, null where there is not enough."""
    function, t = get_function(module, ALLOCATE), Types(module)
    place = t.pointer(GLOBAL)
    function.set_internal()
    size, b = function.params[0], Builder(module).at_end(function.append_block())
    full, room = function.append_block(), function.append_block()
    change = t.function(t.i32, [place, t.i32])
    buffer = b.call(declaration(module), [])
    at = b.call(declare(module, ADD, change), [buffer, size])
    length = b.load(t.i32, b.gep(t.i8, buffer, [t.i64.const(LENGTH)]))
    b.cond_br(b.icmp("ugt", b.add(at, size), length), full, room)
    b.at_end(full)
    b.call(declare(module, SUB, change), [buffer, size])
    b.ret(place.null)
    b.at_end(room)
    b.ret(b.gep(t.i8, buffer, [b.cast("zext", b.add(at, t.i32.const(DATA)), t.i64)]))
