# SPDX-License-Identifier: Apache-2.0
"""A sum that a loop keeps in memory, as `c[i] += ...` does, becomes a value, which is stored behind the loop.

Vectors of work-items would gather and scatter it, or at the least load and store it, in each turn. LLVM's LICM does it
where nothing else in the loop may touch the place; it is told what is known of that: which arguments are distinct, and
that local memory is not global. Loops get their test at the end for that, since the store must be one that is made
whenever the loop is entered.
"""
from clpy.compiler.analysis.access import accessed_type, is_store, pointer_of
from clpy.compiler.analysis.distinct import is_distinct, may_alias
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.memory import GLOBAL, LOCAL, base_of, space_of
from clpy.compiler.metadata import is_kernel
from clpy.llvm.ir import functions, md_node, md_scopes

TO_VALUES = ("loop-simplify,lcssa,loop(loop-rotate),loop-mssa(licm<no-allowspeculation>),early-cse<memssa>,"
             "simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>")
MOST_SCOPES = 32


class Accumulators:
    """Whether a function has some."""

    def __init__(self, function):
        self.function, self.cfg = function, laid_out(function)

    def found(self):
        return any(self.in_loop(loop) for loop in self.cfg.loops)

    def in_loop(self, loop):
        accesses = [i for b in loop.blocks for i in self.cfg.blocks[b].instructions
                    if i.opcode in ("load", "store") and not i.is_volatile and not i.is_atomic]
        stores = [i for i in accesses if is_store(i) and space_of(pointer_of(i)) in (GLOBAL, LOCAL)
                  and not self.cfg.changes(pointer_of(i), loop)]
        return any(self.is_alone(s, accesses) for s in stores)

    def is_alone(self, store, accesses):
        """It is loaded too, and the others go elsewhere, as far as this can be seen so soon."""
        pointer = pointer_of(store)
        same = [a for a in accesses if base_of(pointer_of(a)) == base_of(pointer)]
        return any(not is_store(a) and accessed_type(a) == accessed_type(store) for a in same) and not any(
            may_alias(self.function, pointer_of(a), pointer) for a in accesses if a not in same)


def scopes_of(module, function):
    """What the accesses through a base, or else to a space, are in, and what these are apart from."""
    own = [p for i, p in enumerate(function.params) if p.type.is_pointer and is_distinct(function, i)]
    keys = [*own, GLOBAL, LOCAL]
    if len(keys) > MOST_SCOPES:
        return {}
    scopes = dict(zip(keys, md_scopes(module, "clpy.places", [getattr(k, "name", "") or str(k) for k in keys]),
                      strict=True))
    return {key: (md_node(module, [scope]), md_node(module, [other for k, other in scopes.items() if k != key]))
            for key, scope in scopes.items()}


def tell(module, function):
    """Alias scopes for LLVM, at plain accesses whose base is known. Barriers and atomics have none, and stay in
    the way."""
    scopes = scopes_of(module, function)
    for inst in function.instructions_of("load", "store"):
        pointer = pointer_of(inst)
        base = base_of(pointer)
        key = base if base in scopes else space_of(pointer)
        if key in scopes and (base.is_argument or base.is_constant) and not inst.is_volatile and not inst.is_atomic:
            inst.set_metadata("alias.scope", scopes[key][0])
            inst.set_metadata("noalias", scopes[key][1])


def run(module, lowering):
    if not lowering.optimize or lowering.target.lockstep:        # an observer sees the accesses as they are written
        return
    for function in functions(module):
        if is_kernel(function) and Accumulators(function).found():
            tell(module, function)
            function.run_passes(TO_VALUES)
