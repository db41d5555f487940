# SPDX-License-Identifier: Apache-2.0
"""Control flow as a pass over lanes wants it: no switches, one return, reducible loops in simplified, closed form.

Scalar work-item loops need none of this, and switches become better code when they are kept; so the default
pipeline leaves it out, and whatever replaces work_item_loop asks for it.
"""
PIPELINE = "function(lower-switch,mergereturn,fix-irreducible,loop-simplify,lcssa)"


def run(module, lowering):
    module.run_passes(PIPELINE)
