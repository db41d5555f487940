# SPDX-License-Identifier: Apache-2.0
"""Functions of the device library that take pointers to any memory, under the names that Clang has for them today.

The library is older than our Clang: in its names a generic pointer has the address space 0 ("PU3AS0i"), which is no
longer written. Where a program has no generic pointers (OpenCL C 3.0 on the oldest chips), atomics are declared for
__global and __local, and the library has the generic ones only. What both names stand for tells which is meant.
"""
import re

GENERIC = "U3AS0"
SPACE = re.compile(r" AS\d+")
POINTER = re.compile(r"P(?!U3AS)")


def plain(name):
    """What a mangled name stands for, without address spaces; "" for other names."""
    from clpy.llvm.codegen import demangled
    if not name.startswith("_Z"):
        return ""
    return SPACE.sub("", demangled(name) or demangled(as_it_was(name)))


def as_it_was(name):
    """The name with the address spaces that Clang no longer writes: where a type is named by its number (two
    memory_order), Clang still counts with them, and nobody can read the name without."""
    head = re.match(r"_Z\d*", name)[0]
    start = len(head) + int(head[2:] or 0)
    return name[:start] + POINTER.sub(f"P{GENERIC}", name[start:])


def names(library):
    """{plain(name): name} of the functions with generic pointers among the names of a library."""
    return {plain(name): name for name in library if GENERIC in name}


def adapt(module, function, known):
    """Give a declared function a body that calls the library's; whether there is one."""
    from clpy.llvm.ir import Builder, Types, declare
    name = known.get(plain(function.name))
    if name is None:
        return False
    types, signature = Types(module), function.value_type
    params = [types.pointer(0) if param.is_pointer else param for param in signature.params]
    target = declare(module, name, types.function(signature.returns, params))
    builder = Builder(module)
    builder.at_end(function.append_block())
    given = [builder.cast("addrspacecast", value, wanted) if value.type != wanted else value
             for value, wanted in zip(function.params, params, strict=True)]
    result = builder.call(target, given)
    builder.ret(None if signature.returns.is_void else result)
    function.set_internal()
    function.add_attribute("alwaysinline")
    return True
