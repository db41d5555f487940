# SPDX-License-Identifier: Apache-2.0
"""Values of translated SPIR-V that are structures in OpenCL C, as Clang hands them to functions of the library.

For types of vendors' extensions the translator makes pointers that stand for values: `ptr f(ptr)` where Clang has
`void f(ptr sret, ptr byval)`. Here each value gets memory of its own, which such a pointer then points to. What the
library's function has (builtins/build.py) tells which of the pointers are values, and how large they are.
"""
from functools import cache
from typing import NamedTuple

from clpy.compiler import library
from clpy.compiler.analysis.builtin_table import base_name
from clpy.compiler.spirv_calls import call_instead
from clpy.llvm.ir import Builder, Types, functions
from clpy.llvm.opcodes import SPIR_KERNEL
from clpy.spec.extension_table import SPIRV as OF_VENDORS

PREFIXES = tuple(prefix for _, _, _, prefix in OF_VENDORS if prefix)
WORD = 8                    # bytes; the structures are whole words
MERGES = ("phi", "select", "freeze")


class Form(NamedTuple):
    """A function of the library. A type is its text, of a value the number of its words."""
    symbol: str
    returns: object
    params: tuple


@cache
def forms(family):
    """{name in OpenCL C: [Form]} of those functions of a family."""
    from clpy.llvm.module import Module
    found = {}
    for function in functions(Module.from_bitcode(library.bitcode(family))):
        name = base_name(function.name)
        if name.startswith(PREFIXES) and not function.is_declaration:
            found.setdefault(name, []).append(form_of(function))
    return found


def form_of(function):
    params = [words(function.attribute_type("byval", i)) or str(type_)
              for i, type_ in enumerate(function.value_type.params, start=1)]
    result = words(function.attribute_type("sret", 1))
    if result:
        return Form(function.name, result, tuple(params[1:]))
    return Form(function.name, str(function.value_type.returns), tuple(params))


def words(type_):
    if type_ is None:
        return 0
    if type_.size % WORD or type_.align > WORD:
        raise ValueError(f"a value of {type_.size} bytes")
    return type_.size // WORD


def agrees(type_, wanted):
    return type_.is_pointer if isinstance(wanted, int) else str(type_) == wanted


def form_for(call):
    """The library's function that a call means."""
    name = base_name(call.callee.name)
    types = [argument.type for argument in call.args]
    found = [form for family in library.families_of(call.callee.name) for form in forms(family).get(name, ())
             if len(form.params) == len(types) and agrees(call.type, form.returns)
             and all(map(agrees, types, form.params))]
    if len(found) != 1:
        raise ValueError(f"'{name}' has other parameters than it is declared with")
    return found[0]


class Values:
    """Those of one function: `size` has the words of each, its memory takes its place."""

    def __init__(self, module, function):
        self.types, self.builder, self.module, self.function = Types(module), Builder(module), module, function
        self.calls = [(call, form_for(call)) for call in function.instructions_of("call") if is_known(call.callee)]
        self.size = {}
        self.zeros = {}         # words -> memory that nobody writes to

    def note(self, pending, value, size):
        if value.is_constant or self.size.get(value) == size:
            return
        if value in self.size or not (value.is_argument or value.opcode in MERGES or is_known_call(value)):
            raise ValueError(f"in '{self.function.name}' a value of a vendor's type comes from elsewhere: {value}")
        self.size[value] = size
        pending.append(value)

    def collect(self):
        pending = []
        for call, form in self.calls:
            if isinstance(form.returns, int):
                self.note(pending, call, form.returns)
            for argument, wanted in zip(call.args, form.params, strict=True):
                if isinstance(wanted, int):
                    self.note(pending, argument, wanted)
        for value in pending:           # it grows
            for other in [*merged(value), *(user for user in value.users if user.opcode in MERGES)]:
                self.note(pending, other, self.size[value])

    def memory(self, size):
        self.builder.before(self.function.entry.instructions[0])
        made = self.builder.alloca(self.types.array(self.types.i64, size))
        made.align = WORD
        return made

    def zero(self, size):
        if size not in self.zeros:
            self.zeros[size] = made = self.memory(size)
            self.builder.before(made.next)
            for index in range(size):
                place = self.builder.gep(self.types.i64, made, [self.types.i64.const(index)])
                self.builder.store(self.types.i64.const(0), place)
        return self.zeros[size]

    def copy(self, to, source, size):
        self.builder.memcpy(to, WORD, source, WORD, self.types.i64.const(size * WORD))

    def given(self, value, size):
        """The memory of an operand: what has no value is zero."""
        return self.zero(size) if value.is_constant else value

    def replace_phi(self, phi):
        """The values of the ways here are handed over in memory of their own, as one may be the phi's last."""
        size = self.size[phi]
        own, handed = self.memory(size), self.memory(size)
        for value, block in phi.incoming:
            source = self.given(value, size)
            self.builder.before(block.terminator)
            self.copy(handed, source, size)
        self.builder.before(phi.block.first_non_phi)
        self.copy(own, handed, size)
        phi.replace_with(own)
        phi.erase()

    def replace_select(self, select):
        size = self.size[select]
        yes, no = (self.given(each, size) for each in select.operands[1:])
        self.builder.before(select)
        select.replace_with(self.builder.select(select.operand(0), yes, no))
        select.erase()

    def replace_call(self, call, form):
        args = [self.given(argument, wanted) if isinstance(wanted, int) else argument
                for argument, wanted in zip(call.args, form.params, strict=True)]
        if isinstance(form.returns, int):
            result, returns = self.memory(form.returns), self.types.void
            args.insert(0, result)
        else:
            result, returns = None, call.type
        made = call_instead(self.module, self.types, self.builder.before(call), form.symbol, returns, args)
        if not call.is_void:
            call.replace_with(result or made)
        call.erase()

    def run(self):
        self.collect()
        merges = [value for value in self.size if value.opcode in MERGES]
        for call, form in self.calls:
            self.replace_call(call, form)
        for value in merges:
            if value.opcode == "select":
                self.replace_select(value)
            elif value.opcode == "freeze":
                value.replace_with(self.given(value.operand(0), self.size[value]))
                value.erase()
        for value in merges:
            if value.opcode == "phi":
                self.replace_phi(value)


def merged(value):
    """The values that one comes from."""
    if value.opcode == "phi":
        return [each for each, _ in value.incoming]
    return value.operands[-2:] if value.opcode == "select" else [value.operand(0)] if value.opcode == "freeze" else []


def is_known(function):
    return base_name(function.name).startswith(PREFIXES) and function.is_declaration


def is_known_call(value):
    return value.opcode == "call" and is_known(value.callee)


def inline_all(module):
    """No function between takes such values or gives them, and no variable has them."""
    for function in functions(module):
        if function.is_declaration:
            continue
        for name in ("noinline", "optnone"):
            function.remove_attribute(name)
        if function.call_conv != SPIR_KERNEL:
            function.add_attribute("alwaysinline")
    module.run_passes("always-inline,function(sroa)")


def run(module):
    if not PREFIXES or not any(map(is_known, functions(module))):
        return
    inline_all(module)
    old = [function for function in functions(module) if is_known(function)]
    for function in old:        # the library's may have the very name
        function.name += ".values"
    for function in functions(module):
        if not function.is_declaration:
            Values(module, function).run()
    for function in old:
        function.erase()
