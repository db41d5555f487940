# SPDX-License-Identifier: Apache-2.0
"""Machine code of functions of the library that first code calls: made once for a processor, not in each build, or
when clpy is built (builtins/pixel_code.py).

A form is one function for a number or for a vector; code calls it by its name behind PREFIX. Its code is made when a
program that calls it is loaded, and kept by the process and in the cache. It is the arithmetic that is inlined where
code is made again, compiled in the same way, so that results of a kernel do not change with that.
"""
import _thread

from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler import library
from clpy.compiler.analysis import pixels
from clpy.compiler.analysis.builtin_table import MATH, row_of
from clpy.compiler.analysis.libmvec import shape_of, variants

PREFIX = "__clpy_library."

_loaded = {}        # (key of the target, symbol of the form) -> (what holds its code, address)
_lock = _thread.allocate_lock()


def name_of(symbol):
    """The name by which code calls a form."""
    return PREFIX + symbol


def addresses(names, target):
    """{name: address} of those of the names that are forms."""
    return {name: address_of(name.removeprefix(PREFIX), target) for name in names if name.startswith(PREFIX)}


def address_of(symbol, target):
    key = target.key(), symbol
    with _lock:
        if key not in _loaded:
            _loaded[key] = load(symbol, target)
        return _loaded[key][1]


def load(symbol, target):
    """(What holds the code of a form in memory, its address)."""
    from clpy.compiler import program
    loaded = program.load_objects(*objects_of(symbol, target), [symbol])
    return loaded, loaded.address(symbol)


def objects_of(symbol, target):
    """(Its objects, what they call), from the cache if they are there."""
    from clpy.compiler import binary, cache, program
    from clpy.compiler.options import BUILD, parse_options
    if symbol.startswith(pixels.FORMS):
        return [library.read(f"{symbol}.o")], []
    options, clock = parse_options("", BUILD), program.Clock()
    key = cache.key(symbol.encode(), {}, [b"library"], options, target)
    made = program.cached(key, target, clock)
    if made is None:
        objects = [compile_form(symbol, target)]
        made = program.Executable(b"", objects, {}, options, undefined=binary.undefined_symbols(*objects))
        cache.store(key, program.pack(made, b"", target))
        clock.lap("code")
        clock.report(symbol)
    return made.objects, made.undefined


def compile_form(symbol, target):
    """An object. The passes are those of vectors that are inlined; the code is not hurried, for it stays."""
    from clpy.compiler.lowering import Lowering
    from clpy.compiler.passes import optimize, retarget
    from clpy.llvm import codegen
    module = module_of(symbol)
    with codegen.machine(target) as machine:
        lowering = Lowering(target, machine=machine.ref, datalayout=machine.datalayout)
        retarget.run(module, lowering)
        module.run_passes(optimize.VECTORS, lowering.machine)
        call_as_vectors(module, *shape_of(symbol)[:2], target.vector_bits)
        return machine.object(module)


def module_of(symbol):
    """The form, with what it needs, for spir64."""
    from clpy.compiler import library
    from clpy.llvm.ir import SPIR_FUNC, Types, add_function, functions, get_function
    from clpy.llvm.module import Module
    module = Module.create("library")
    lanes, element, n = shape_of(symbol)
    types = Types(module)
    number = types.float if element == "f" else types.double
    type_ = types.vector(number, lanes) if lanes > 1 else number
    add_function(module, symbol, types.function(type_, [type_] * n)).call_conv = SPIR_FUNC
    library.link(module)
    for function in functions(module):
        if not function.is_declaration:
            function.set_internal()
    form = get_function(module, symbol)
    form.name = KERNEL_PREFIX + symbol
    form.set_external()
    return module


def call_as_vectors(module, lanes, element, vector_bits):
    """Where a form calls the C library's function for each element of a vector, vectors of work-items call its vector
    form, whose last bits may be others; but for what is cold, which they call one by one as well."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        row = row_of(function.name) if function.is_declaration and lanes > 1 else None
        if row is None or row.kind != MATH:
            continue
        calls = [call for call in function.users if not call.function.has_attribute("cold")]
        forms = variants(function.name, function.n_params, 32 if element == "f" else 64, vector_bits)
        for symbol in [symbol for symbol, width in forms if width == lanes]:
            gather(module, calls, lanes, symbol)


def gather(module, calls, lanes, symbol):
    """One call of the vector form for those of a block that have each element of the same vectors."""
    from clpy.llvm.ir import Builder, Types, declare
    types, groups = Types(module), {}
    for call in calls:
        if any(arg.opcode != "extractelement" for arg in call.args):
            raise ValueError(f"{symbol}: not of a vector's element")
        groups.setdefault((call.block, *(arg.operand(0) for arg in call.args)), []).append(call)
    for (block, *vectors), found in groups.items():
        by_lane = {call.args[0].operand(1).zext: call for call in found}
        if len(by_lane) != lanes:
            raise ValueError(f"{symbol}: not every element has a call")
        b = Builder(module).before(next(inst for inst in block.instructions if inst in found))
        form = declare(module, symbol, types.function(vectors[0].type, [v.type for v in vectors]))
        whole = b.call(form, vectors)
        for lane, call in by_lane.items():
            call.replace_with(b.extract_element(whole, types.i64.const(lane)))
            call.erase()
