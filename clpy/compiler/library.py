# SPDX-License-Identifier: Apache-2.0
"""Linking user code with the OpenCL C library.

The library is a module per family of functions (builtins/build.py): to read the index of all of it would take longer
than to compile a small kernel. index.txt says which family has which names.
"""
import os
from functools import cache

from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler.analysis.builtin_table import base_name, index_name
from clpy.llvm.opcodes import SPIR_KERNEL

# Target types of a declared function that a pass sees to, or none.
KNOWN = ("", "spirv.Image", "spirv.Sampler", "spirv.Pipe", "spirv.ReserveId", "spirv.Queue", "spirv.DeviceEvent")
FOLDER = os.path.join(os.path.dirname(__file__), "builtins")
# What attributes of a source ask linkers and profilers for, that nobody heeds: a kernel in these lists has its address
# taken, and a function in a section of its own is not where a device looks for it.
FOR_LINKERS = ("llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors", "llvm.global.annotations")
PLACES = ("cold", "hot")
NO_MEMORY = 0  # memory(none)


@cache
def index():
    """Name of a function in OpenCL C -> file names of the families that have some form of it."""
    families = {}
    for line in read("index.txt").decode().splitlines():
        family, *names = line.split()
        for name in names:
            families.setdefault(name, []).append(family)
    return families


# Name of a function that was found -> its family: those that have other forms of its name in OpenCL C are not opened
# again.
_families = {}


@cache
def bitcode(family):
    return read(family)


def read(file):
    with open(os.path.join(FOLDER, file), "rb") as data:
        return data.read()


def keep_kernels(module):
    """Make all but the kernels internal, for a user's function may have the name of one that the library uses, and drop
    what no kernel reaches: programs bring libraries of their own, all of which would be inlined into each other."""
    from clpy.llvm.ir import functions
    forget_linkers(module)
    forget_places(module)
    for function in functions(module):
        if not function.is_declaration and function.call_conv != SPIR_KERNEL:
            function.set_internal()
    module.run_passes("globaldce")


def forget_linkers(module):
    """Code is where a device looks for it, and no list keeps what nobody calls."""
    from clpy.llvm.ir import functions, global_variables
    for variable in global_variables(module):
        if variable.name in FOR_LINKERS:
            variable.erase()
    for function in functions(module):
        function.set_section("")


def forget_places(module):
    """Those that a code generator makes of what is called seldom or often."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        for place in PLACES:
            function.remove_attribute(place)


def rename_kernels(module, taken):
    """Give other names to kernels called like a function of the C library, which the builtins mean by that name.
    `taken` tells; the answer is {new name: old name}."""
    from clpy.llvm.ir import functions
    renamed = {}
    for function in functions(module):
        if function.call_conv == SPIR_KERNEL and taken(function.name):
            old, function.name = function.name, f"{function.name}.kernel"
            renamed[function.name] = old
    return renamed


def restore_names(module, kernels, renamed):
    """Undo rename_kernels in the lowered module; `kernels` are its KernelInfo by name, also in the answer."""
    from clpy.llvm.ir import get_function
    for new, old in renamed.items():
        get_function(module, KERNEL_PREFIX + new).name = KERNEL_PREFIX + old
        kernels[new].name = old
    return {info.name: info for info in kernels.values()}


def link(module):
    """Add the library functions that the module needs, and those that they need."""
    from clpy.llvm.codegen import link_needed
    from clpy.llvm.ir import functions
    seen = set()
    while True:
        missing = {function.name for function in functions(module) if function.is_declaration} - seen
        if not missing:
            return
        seen |= missing
        unknown = {name for name in missing - _families.keys() if families_of(name)}
        for family in sorted({family for name in missing for family in families_of(name)}):
            link_needed(module, bitcode(family))
            for name in defined(module, unknown):
                _families[name] = (family,)
                unknown.remove(name)


def families_of(name):
    """Files that may have the function."""
    return _families.get(name) or index().get(index_name(name), ())


def defined(module, names):
    """Those of the functions that have a body now."""
    from clpy.llvm.ir import get_function
    return {name for name in names if not get_function(module, name).is_declaration}


def undefined_with_types(module):
    """Functions that nobody has, and that no code can be made for: their types (events, pipes, device-side queues)
    exist in no back end. What is left of images and samplers, a pass finds."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        signature = function.value_type
        if function.is_declaration and function.has_users and any(
                type_.target_ext_name not in KNOWN for type_ in (signature.returns, *signature.params)):
            yield function.name


def readable(symbol):
    """The OpenCL C name in a mangled symbol."""
    return base_name(symbol)


def mark_known(function, memory):
    """It returns, frees nothing, waits for nobody, and touches this memory alone, as LLVM encodes it."""
    function.add_attribute("memory", memory)
    for name in ("nounwind", "willreturn", "nofree", "nosync"):
        function.add_attribute(name)


def mark_pure(function):
    """libm, as kernels see it: errno and the rounding mode do not exist."""
    mark_known(function, NO_MEMORY)
    function.remove_attribute("convergent")
