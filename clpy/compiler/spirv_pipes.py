# SPDX-License-Identifier: Apache-2.0
"""Pipes of translated SPIR-V, as Clang writes them.

The translator makes pointers of pipes and reservations, and calls the functions on them by the names that Clang has.
Functions that turn a pointer into an opaque value and back stand for nothing: the pass for images takes them away
(compiler/passes/images.py). A reservation that there is not has the number 0, and a null pointer, which is not the
number 0 on each device.
"""
from clpy.compiler.analysis.memory import GLOBAL
from clpy.compiler.passes.images import OF_PIPE_ADDRESS, PIPE, RESERVATION, RESERVATION_NUMBER, RESERVATION_OF
from clpy.compiler.spirv_calls import call_instead, check_pointers, refuse, replace_all, symbol_of
from clpy.compiler.spirv_pipe_storage import OF_STORAGE
from clpy.llvm.ir import Builder, Types, declare

READS, WRITES = 0, 1
SCOPES = ("", "work_group_", "sub_group_")
# Function -> (how its pipe is used, None where it has none; the parameter that is a reservation, None; gives one).
KNOWN = {
    "__read_pipe_2": (READS, None, False), "__write_pipe_2": (WRITES, None, False),
    "__read_pipe_4": (READS, 1, False), "__write_pipe_4": (WRITES, 1, False),
    **{f"__{scope}reserve_read_pipe": (READS, None, True) for scope in SCOPES},
    **{f"__{scope}reserve_write_pipe": (WRITES, None, True) for scope in SCOPES},
    **{f"__{scope}commit_read_pipe": (READS, 1, False) for scope in SCOPES},
    **{f"__{scope}commit_write_pipe": (WRITES, 1, False) for scope in SCOPES},
    **{f"__get_pipe_{what}_packets_ro": (READS, None, False) for what in ("num", "max")},
    **{f"__get_pipe_{what}_packets_wo": (WRITES, None, False) for what in ("num", "max")},
    "is_valid_reserve_id": (None, 0, False),
}


class Rewriter:
    def __init__(self, module):
        self.module, self.types, self.builder = module, Types(module), Builder(module)

    def made(self, name, returns, value):
        function = declare(self.module, name, self.types.function(returns, [value.type]))
        return self.builder.call(function, [value])

    def pipe(self, pointer, use):
        return self.made(OF_PIPE_ADDRESS[use], self.types.target_ext(PIPE, [], [use]), pointer)

    def reservation(self, pointer):
        is_null = self.builder.icmp("eq", pointer, pointer.type.null)
        some = self.builder.cast("ptrtoint", pointer, self.types.i64)
        number = self.builder.select(is_null, some.type.null, some)
        return self.made(RESERVATION_OF, self.types.target_ext(RESERVATION), number)

    def pointer(self, reservation):
        number = self.made(RESERVATION_NUMBER, self.types.i64, reservation)
        is_none = self.builder.icmp("eq", number, number.type.null)
        some = self.builder.cast("inttoptr", number, self.types.ptr)
        return self.builder.select(is_none, self.types.ptr.null, some)

    def replace(self, call, name):
        use, reservation, gives_one = KNOWN[name]
        handles = [0] * (use is not None) + [reservation] * (reservation is not None) + [-1] * gives_one
        check_pointers(call, handles)
        if use is not None and call.args[0].type.address_space != GLOBAL:
            refuse(call)
        b = self.builder.before(call)
        args = list(call.args)
        if reservation is not None:
            args[reservation] = self.reservation(args[reservation])
        if use is not None:
            args[0] = self.pipe(args[0], use)
        returns = self.types.target_ext(RESERVATION) if gives_one else call.type
        new = call_instead(self.module, self.types, b, symbol_of(call.callee), returns, args)
        if not call.is_void:
            call.replace_with(self.pointer(new) if gives_one else new)
        call.erase()


def make_of_storage(call, name):
    """A pipe that is a variable of the program: its memory is what it is made of."""
    check_pointers(call, (0, -1))
    if call.args[0].type != call.type:
        refuse(call)
    call.replace_with(call.args[0])
    call.erase()


def run(module):
    replace_all(module, OF_STORAGE.values(), make_of_storage)
    replace_all(module, KNOWN, Rewriter(module).replace)
