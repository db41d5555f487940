# SPDX-License-Identifier: Apache-2.0
"""How the code of wavefronts calls a launch's observer."""
from clpy.abi_layout import OBSERVER
from clpy.compiler import frame as fr
from clpy.llvm.ir import Builder, Types, add_function, get_function

PREFIX = "clpy.observe."
BLOCK, BRANCH, MEMORY, BARRIER = (PREFIX + n for n in ("block", "branch", "memory", "barrier"))
WAVE = PREFIX + "wave"


def observer_types(t):
    """Parameters of the calls in the IR, by name."""
    return {BLOCK: [t.i32, t.i1], BRANCH: [t.i1, t.i32, t.i1], MEMORY: [t.i64, t.i32, t.i1], BARRIER: [t.i32, t.i1]}


class Callbacks:
    """The observer's functions as the generated code calls them, each through a function of the module."""

    def __init__(self, module, launch):
        self.module, self.launch = module, launch

    def call(self, builder, name, args):
        builder.call(self.function(name, [a.type for a in args]), [self.launch, *args])

    def function(self, name, types):
        """Loads the launch's observer and its function, and calls that."""
        symbol = name.replace(PREFIX, "clpy.observer.")
        found = get_function(self.module, symbol)
        if found is not None:
            return found
        t, b = Types(self.module), Builder(self.module)
        f = add_function(self.module, symbol, t.function(t.void, [t.ptr, *types]))
        f.set_internal()
        f.add_attribute("alwaysinline")
        launch, *args = f.params
        b.at_end(f.append_block("entry"))
        observer = b.load(t.ptr, b.gep(t.i8, launch, [t.i64.const(fr.LAUNCH_OBSERVER)]), "observer")
        place = b.gep(t.i8, observer, [t.i64.const(OBSERVER[name[len(PREFIX):]])])
        b.call_address(t.function(t.void, [t.ptr, *types]), b.load(t.ptr, place), [observer, *args])
        b.ret()
        return f
