# SPDX-License-Identifier: Apache-2.0
"""The device library function by function.

LLVM takes longer to read its index, of ten thousand names, than to build a small kernel. So a function is cut out of
the library with all that it calls when a program first uses it, and kept in memory and in the cache of programs. It is
kept as LLVM's first passes leave it, which find less to do in each program then, and come to nearly the same code.
"""
import hashlib

from clpy.compiler import cache

FIRST_PASSES = "thinlto-pre-link<O2>"    # what is right for any chip, before loops are unrolled and made vectors
DENORMALS = "denormal-fp-math-f32"
# Of the functions meanwhile: they are taken over where LLVM would for the chips, and nothing is known of denormal
# numbers, which it would else take to be kept: the program says (code.fit).
ASSUMED = {"function-inline-threshold": "2475", DENORMALS: "dynamic,dynamic"}
DIGEST = 16         # bytes in front of an entry of the cache: what is damaged must not reach LLVM
_parts = {}         # (stamp, name) -> bitcode; b"" where the library does not have the function


def link(module, names, files, stamp):
    """Add the functions of these names that the library has. `files` gives its modules, as bitcode; `stamp` changes
    with it."""
    from clpy.llvm.codegen import link_needed
    missing = [name for name in names if find(stamp, name) is None]
    if missing:
        cut_out(module, missing, files(), stamp)
    for name in names:
        if _parts[stamp, name]:
            link_needed(module, _parts[stamp, name])


def find(stamp, name):
    """A part that is in memory or in the cache, None for another."""
    part = _parts.get((stamp, name))
    if part is None:
        blob = cache.load(key(stamp, name))
        if blob is not None and digest(blob[DIGEST:]) == blob[:DIGEST]:
            part = _parts[stamp, name] = blob[DIGEST:]
    return part


def key(stamp, name):
    return hashlib.blake2b(repr(("part of a library, 3", stamp, name)).encode(), digest_size=20).hexdigest()


def digest(data):
    return hashlib.blake2b(data, digest_size=DIGEST).digest()


def cut_out(like, names, files, stamp):
    """Make parts: first one with all the names, for to look into the library takes the time, then from it one each."""
    from clpy.llvm.codegen import link_needed
    from clpy.llvm.ir import get_function
    whole = declaring(like, names)
    before = None
    while before != (before := open_names(whole)) and before:
        for data in files:
            link_needed(whole, data)
    data = whole.to_bitcode()
    for name in names:
        part = b""
        found = get_function(whole, name)
        if found is None or not found.is_declaration:       # None: another name of a function
            one = declaring(like, [name])
            link_needed(one, data)
            forget_types_of_memory(one)
            if found is not None:
                simplify(one, get_function(one, name))
            part = one.to_bitcode()
            cache.store(key(stamp, name), digest(part) + part)
        _parts[stamp, name] = part


def forget_types_of_memory(module):
    """What vload reads may have been written as another type, and vstore may write over it: in either order."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        for inst in function.instructions_of("load", "store"):
            inst.set_metadata("tbaa", None)


def simplify(module, wanted):
    """What the function has taken over of others goes."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        for name, value in ASSUMED.items() if not function.is_declaration else ():
            function.add_attribute(name, value)
    wanted.set_external()
    module.run_passes(FIRST_PASSES)
    wanted.set_once()
    for function in functions(module):
        for name in ASSUMED:
            function.remove_attribute(name)


def declaring(like, names):
    """A module that has nothing but declarations. A linker that looks for names alone does not care for the types."""
    from clpy.llvm.ir import Types, declare
    from clpy.llvm.module import Module
    made = Module.create()
    made.set_triple(like.triple)
    made.set_datalayout(like.datalayout)
    types = Types(made)
    for name in names:
        declare(made, name, types.function(types.void, []))
    return made


def open_names(module):
    from clpy.llvm.ir import functions
    return {f.name for f in functions(module) if f.is_declaration and not f.intrinsic}
