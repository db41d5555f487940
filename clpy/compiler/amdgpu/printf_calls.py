# SPDX-License-Identifier: Apache-2.0
"""printf becomes stores to a buffer that the runtime gives and reads when the work-group is done.

A call takes room with __printf_alloc of the device library, which a hidden argument tells where the buffer is: 32 bits
for the bytes taken so far, 32 for those there are, and the room. What a call leaves there is a record: its bytes in 64
bits, the address of the format in 64, and the arguments as clpy.compiler.passes.printf_calls packs them. So conversions
get the whole of their arguments, and what the CPU device prints is printed (LLVM's own pass, which leaves 32 bits of a
double, is not used).

The value of printf is 0, or -1 where the buffer is full.
"""
from clpy.compiler.passes.printf_calls import HEADER, NAME, describe, pack, padded, storable
from clpy.llvm.ir import Builder, Types, add_function, declare, functions, get_function

ALLOCATE = "__printf_alloc"
RECORD = 16             # bytes before a record's arguments
GLOBAL = 1
# Kernels of a module with formats have the hidden argument for the buffer. The texts are where the code has them.
FORMATS = '!llvm.printf.fmts = !{!0}\n!0 = !{!"1:0:"}\n'


def lower(module):
    """Whether the module prints."""
    if not replace_calls(module, ALLOCATE, write_record):
        return False
    module.link_bitcode(f'target triple = "{module.triple}"\ntarget datalayout = "{module.datalayout}"\n{FORMATS}'
                        .encode())
    return True


def replace_calls(module, allocate, write):
    """Whether there are calls of printf. They become calls of functions that take room with `allocate` and fill it by
    write(module, builder, record, its bytes, format, [(value, describe(its type))])."""
    printf = get_function(module, NAME)
    if printf is None or not printf.has_users:
        return False
    writers = {}
    for function in functions(module):
        for call in function.instructions_of("call"):
            if call.callee == printf:
                replace(module, call, writers, allocate, write)
    return True


def replace(module, call, writers, allocate, write):
    """One call by one of the function for these types."""
    types, builder = Types(module), Builder(module).before(call)
    args = [call.args[0], *(storable(builder, types, value) for value in call.args[1:])]
    key = tuple(str(value.type) for value in args)
    if key not in writers:
        function = add_function(module, f"printf.record.{len(writers)}",
                                types.function(types.i32, [value.type for value in args]))
        make_writer(module, types, function, allocate, write)
        writers[key] = function
    call.replace_with(builder.call(writers[key], args))
    call.erase()


def make_writer(module, types, function, allocate, write):
    """The body of a function that writes the record of a format and arguments; it is inlined."""
    function.set_internal()
    function.add_attribute("alwaysinline")
    builder = Builder(module).at_end(function.append_block())
    given = [(value, describe(value.type)) for value in function.params[1:]]
    size = RECORD + sum(HEADER + padded(bytes_ * count) for _, (_, bytes_, count) in given)
    place = types.pointer(GLOBAL)
    room_for = declare(module, allocate, types.function(place, [types.i32]))
    record = builder.call(room_for, [types.i32.const(size)])
    full, room = function.append_block(), function.append_block()
    builder.cond_br(builder.icmp("eq", record, place.null), full, room)
    builder.at_end(full)
    builder.ret(types.i32.const(-1))
    builder.at_end(room)
    write(module, builder, record, size, function.params[0], given)
    builder.ret(types.i32.null)


def write_record(module, builder, record, size, text, given):
    types = Types(module)
    builder.store(types.i64.const(size), record).align = 8
    builder.store(builder.cast("ptrtoint", text, types.i64),
                  builder.gep(types.i8, record, [types.i64.const(8)])).align = 8
    pack(builder, types, builder.gep(types.i8, record, [types.i64.const(RECORD)]), given)
