# SPDX-License-Identifier: Apache-2.0
"""The library behind translated instructions (library/*.c): part of it is inlined into the code of each program, the
rest is one object of the host, which all programs call."""
from functools import cache
from hashlib import blake2b
from pathlib import Path

from clpy.compiler import binary
from clpy.compiler import cache as stored
from clpy.llvm import codegen
from clpy.llvm.ir import Function, add_function, functions
from clpy.llvm.module import Module

# After inlining: registers become values, addresses and masks are folded. No vectorizer, nothing that unrolls: the code
# is vectors already, and there is much of it.
PIPELINE = ("always-inline,globaldce,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
            "loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,simplifycfg,dse,adce),globaldce")
# Of code that runs little.
BRIEF = "always-inline,globaldce,function(sroa,early-cse<memssa>,simplifycfg,adce)"
LIBRARY = Path(__file__).parent / "library"
PIXELS = Path(__file__).parents[1] / "builtins" / "image_any.bc"
CONVENTION_C = 0
# What calls of a function may be taken not to do.
EFFECTS = ("nounwind", "willreturn", "memory", "nofree", "nosync", "norecurse", "mustprogress")
# What lanes are given to whose places have nothing in common.
SCATTERED = ("gather_", "scatter_", "few_", "together_", "spread_")
OF_POINTERS = ("captures", "readonly", "writeonly")

_objects = {}


def whole(images):
    """A Module with all functions, as C has them. Those for images, and what the CPU device has for them, if there are
    any."""
    module = None
    paths = [path for path in sorted(LIBRARY.glob("*.bc")) if images or path.stem != "images"]
    for path in (*paths, *([PIXELS] if images else ())):
        if module is None:
            module = Module.from_bitcode(path.read_bytes())
        else:
            module.link_bitcode(path.read_bytes())
    for function in functions(module):
        for name in ("target-cpu", "target-features", "min-legal-vector-width", "stack-protector-buffer-size",
                     "no-trapping-math"):
            function.remove_attribute(name)
        if not function.intrinsic:
            function.call_conv = CONVENTION_C
    for function in functions(module):
        for call in function.instructions_of("call"):
            if isinstance(call.callee, Function):
                call.set_call_conv(call.callee.call_conv)
    return module


def is_called(function):
    return not function.is_declaration and not function.has_attribute("alwaysinline")


@cache
def bitcode(images):
    """(declarations of all functions; what is inlined, with declarations of the rest; all of it, for the object; the
    names of what is inlined, and of the rest)."""
    module = whole(images)
    for function in functions(module):
        if not function.is_declaration:
            (function.set_external if is_called(function) else function.set_internal)()
    everything, called = module.to_bitcode(), []
    for function in functions(module):
        if is_called(function):
            called.append(function.name)
            declare_only(module, function)
    inlined = [function for function in functions(module) if not function.is_declaration]
    for function in inlined:
        function.set_external()     # to be linked where a module declares it
    bodies, names = module.to_bitcode(), [function.name for function in inlined]
    for function in inlined:
        declare_only(module, function)
    return module.to_bitcode(), bodies, everything, frozenset(names), frozenset(called)


def declare_only(module, function):
    """Its body is elsewhere."""
    name = function.name
    function.name = f"{name}.body"
    made = add_function(module, name, function.value_type)
    for attribute in EFFECTS:
        if function.has_attribute(attribute):
            made.add_attribute(attribute, function.attribute_value(attribute))
    for index in range(1, len(function.params) + 1):
        for attribute in OF_POINTERS:
            if function.has_attribute(attribute, index):
                made.add_attribute(attribute, function.attribute_value(attribute, index), index)
    function.replace_with(made)
    function.erase()


def declarations(images=False):
    """A Module to write calls of the library into."""
    return Module.from_bitcode(bitcode(images)[0])


def link(module, images=False):
    """Give a module that began with declarations() those functions to be inlined that it uses, and no other: to read
    them all takes as long as to translate a small kernel."""
    module.run_passes("globaldce")
    _, bodies, _, names, _ = bitcode(images)
    if not any(function.name in names for function in functions(module)):
        return
    codegen.link_needed(module, bodies)
    for function in functions(module):
        if function.name in names and not function.is_declaration:
            function.set_internal()


def scattered_is_rare(module):
    """Values that stay in registers go to memory there, not where lanes' places follow each other."""
    for function in functions(module):
        if function.is_declaration and function.name.startswith(SCATTERED):
            function.add_attribute("cold")


def code(host, images=False):
    """The object for a Target of this machine: one for programs with `images`, one for those without."""
    parts = b"wave library with images" if images else b"wave library", host.key().encode(), stored.compiler_stamp()
    key = blake2b(b"\0".join(parts), digest_size=20).hexdigest()
    found = _objects.get(key) or stored.load(key)
    if found is None:
        with codegen.machine(host) as machine:
            module = Module.from_bitcode(bitcode(images)[2])
            module.set_triple(machine.key[0])
            module.set_datalayout(machine.datalayout)
            module.run_passes(PIPELINE, machine.ref)
            found = machine.object(module)
        stored.store(key, found)
    _objects[key] = found
    return found


def undefined_symbols(part, host, images=False):
    """What an object and the shared one need of the process."""
    defined = bitcode(images)[4]
    return [name for name in binary.undefined_symbols(part, code(host, images)) if name not in defined]
