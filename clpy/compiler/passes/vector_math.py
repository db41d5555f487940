# SPDX-License-Identifier: Apache-2.0
"""Tell LLVM of the vector forms in glibc's libmvec, so that a vectorized loop calls sinf on 4, 8 or 16 lanes at once.

LLVM's intrinsics for the same functions become calls of libm first. The attribute names a variant as the vector
function ABI does: ISA letter (b: SSE, d: AVX2, e: AVX-512), mask (N: none), lanes, a `v` per argument.
"""
from clpy.compiler import library
from clpy.compiler.analysis.builtin_table import LIBMVEC_1, LIBMVEC_2, MATH, PURE, row_of
from clpy.compiler.analysis.libmvec import variants
from clpy.llvm.ir import Builder, Function, Types, add_global, const_array, declare, functions, get_global

INTRINSICS = {f"llvm.{name}": name for name in LIBMVEC_1 + LIBMVEC_2}
SUFFIX = {"f32": "f", "f64": ""}
USED = "llvm.compiler.used"


def libm_call(module, builder, call):
    """Replace a scalar intrinsic such as llvm.sin.f32 by the call of libm it would become."""
    name, _, kind = call.callee.name.rpartition(".")
    if name not in INTRINSICS or kind not in SUFFIX:
        return
    args = call.args
    target = declare(module, INTRINSICS[name] + SUFFIX[kind],
                     Types(module).function(call.type, [a.type for a in args]))
    value = builder.before(call).call(target, args)
    value.fast_math = call.fast_math
    call.replace_with(value)
    call.erase()


def add_variants(module, function, vector_bits):
    """Declare the vector forms and name them in the attribute; returns them."""
    types = Types(module)
    ty = function.value_type
    made, mappings = [], []
    for symbol, lanes in variants(function.name, len(ty.params), 32 if str(ty.returns) == "float" else 64, vector_bits):
        vector = types.vector(ty.returns, lanes)
        form = declare(module, symbol, types.function(vector, [vector] * len(ty.params)))
        library.mark_pure(form)
        made.append(form)
        mappings.append(f"{symbol}({symbol})")
    if mappings:
        function.add_attribute("vector-function-abi-variant", ",".join(mappings))
    return made


def keep(module, values):
    """Hold declarations that nothing calls yet until the vectorizer has run."""
    types = Types(module)
    old = get_global(module, USED)
    if old is not None:
        values = [old.initializer.operand(i) for i in range(old.initializer.n_operands)] + values
        old.erase()
    used = add_global(module, USED, types.array(types.ptr, len(values)))
    used.initializer = const_array(types.ptr, values)
    used.set_appending()
    used.set_section("llvm.metadata")


def run(module, lowering):
    builder = Builder(module)
    for function in functions(module):
        for call in function.instructions_of("call"):
            if isinstance(call.callee, Function) and call.callee.intrinsic:
                libm_call(module, builder, call)
    kept = []
    for function in functions(module):
        row = row_of(function.name) if function.is_declaration and not function.name.startswith("_Z") else None
        if row is None or row.kind not in (MATH, PURE):
            continue
        library.mark_pure(function)
        if row.kind == MATH and lowering.optimize:
            kept += add_variants(module, function, lowering.vector_bits)
    if kept:
        keep(module, kept)
