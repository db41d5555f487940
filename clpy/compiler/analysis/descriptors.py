# SPDX-License-Identifier: Apache-2.0
"""What kernels read of the descriptors of images."""
from clpy.llvm.ir import md_node


def mark_invariant(module, views):
    """Loads from descriptors may be moved over any store."""
    invariant, pending = md_node(module, []), list(views)
    while pending:
        for user in pending.pop().users:
            if user.opcode == "getelementptr":
                pending.append(user)
            elif user.opcode == "load":
                user.set_metadata("invariant.load", invariant)
