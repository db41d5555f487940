# SPDX-License-Identifier: Apache-2.0
"""AMD's own library of OpenCL C for its chips: bitcode of the Debian package rocm-device-libs, linked as far as it is
used. Variables named oclc_* tell its functions of the chip and of the build options."""
import hashlib
import os
from functools import cache

from clpy import notation
from clpy.compiler import cache as program_cache
from clpy.compiler.amdgpu import generic, library_parts
from clpy.compiler.amdgpu.installed import FUNCTIONS, PACKAGE, folder, missing, stamp, stat


class Missing(Exception):
    """The library is not there; the text is for the build log."""


@cache
def bitcode(path, size, changed):
    with open(path, "rb") as file:
        return file.read()


def read(name):
    """Bitcode of a file of the library."""
    if missing():
        raise Missing(missing())
    path = os.path.join(folder(), name)
    try:
        return bitcode(path, *stat(path))
    except OSError as why:
        raise Missing(f"{path}: {why.strerror}: install the Debian package {PACKAGE} of the same version") from None


def switches(options, target):
    """{variable: the file that has it for a chip and build options}."""
    fast = options.fast_relaxed_math
    on = (
        ("correctly_rounded_sqrt32", "correctly_rounded_sqrt", options.correct_divide_sqrt),
        ("daz_opt", "daz_opt", target.flushes_denormals or options.denorms_are_zero),
        ("finite_only_opt", "finite_only", options.finite_math or fast),
        ("unsafe_math_opt", "unsafe_math", options.unsafe_math or fast),
        ("wavefrontsize64", "wavefrontsize64", True),
    )
    return {"__oclc_ISA_version": f"oclc_isa_version_{target.cpu.removeprefix('gfx')}.bc",
            "__oclc_ABI_version": "oclc_abi_version_500.bc",
            **{f"__oclc_{variable}": f"oclc_{name}_{'on' if value else 'off'}.bc" for variable, name, value in on}}


def link(module, options, target):
    """Add the functions that the module needs, and those that they need, and the variables. What nobody has stays
    undefined."""
    from clpy.llvm.codegen import link_needed
    from clpy.llvm.ir import get_global
    if not folder():
        read(FUNCTIONS[0])
    link_functions(module)
    left = undefined(module)
    if left and any([generic.adapt(module, function, generic_names(folder(), repr(stamp()))) for function in left]):
        link_functions(module)
    for variable, name in switches(options, target).items():
        if get_global(module, variable) is not None:
            link_needed(module, read(name))


def link_functions(module):
    library_parts.link(module, [function.name for function in undefined(module)],
                       lambda: [read(name) for name in FUNCTIONS], repr(stamp()))


def undefined(module):
    """The functions that are declared, used, and not LLVM's own."""
    from clpy.llvm.ir import functions
    return [f for f in functions(module) if f.is_declaration and not f.intrinsic and f.has_users]


@cache
def generic_names(path, changed):
    """generic.names of the library; to read all its names takes as long as several builds."""
    from clpy.llvm.ir import functions
    from clpy.llvm.module import Module
    key = hashlib.blake2b(b"generic names " + changed.encode(), digest_size=20).hexdigest()
    try:
        found = notation.loads(program_cache.load(key) or b"")
        if isinstance(found, dict) and all(isinstance(name, str) for name in found.values()):
            return found
    except ValueError:
        pass    # it is not there, or damaged
    found = generic.names(f.name for f in functions(Module.from_bitcode(read(FUNCTIONS[0]))))
    program_cache.store(key, notation.dumps(found).encode())
    return found
