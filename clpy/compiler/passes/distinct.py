# SPDX-License-Identifier: Apache-2.0
"""Kernels that gain when no memory that they write is another argument's are compiled for that.

A loop that stores through one pointer and loads through another can hardly be changed at all without `restrict`, which
few programs write. Nearly all of their launches have a buffer of its own for each argument. So the code takes that for
granted, the kernel's metadata says of which arguments (ArgInfo.distinct), and who launches it compares addresses; the
launches for which it is not so get other code (clpy/core/versions.pyx).

All that such a kernel touches must come from its arguments: one that reads addresses from memory stays as it is. So do
programs with variables that keep their values, since other code would have its own, and with blocks, whose kernels are
known by their places in the program.
"""

from clpy.abi_layout import ARG_CONSTANT, ARG_GLOBAL, ARG_IMAGE, ARG_LOCAL, ARG_PIPE, ARG_QUEUE
from clpy.compiler import frame as fr
from clpy.compiler.analysis.access import is_store, pointer_of
from clpy.compiler.analysis.builtin_table import UNIFORM, row_of
from clpy.compiler.analysis.distinct import THROUGH, distinct_indices, is_distinct, orders_memory, roots_of
from clpy.compiler.analysis.graph import laid_out
from clpy.compiler.analysis.memory import GLOBAL, PRIVATE, base_of, space_of
from clpy.compiler.analysis.own_vectors import BINARY, CASTS
from clpy.compiler.metadata import DISTINCT_NOT, DISTINCT_READ, DISTINCT_WRITTEN, is_kernel
from clpy.llvm.ir import Function, Inst, functions, global_variables
from clpy.records import replace

# of which the result is the same for all work-items where their operands are
SAME = (*BINARY, *CASTS, "getelementptr", "load", "icmp", "select")
MANY_AGAIN = 4         # loads that are worth it
MOST_COMPARED = 32     # arguments; clpy/core/distinct.pyx has room for so many
IN_BUFFERS = (ARG_GLOBAL, ARG_CONSTANT)
OTHER_WAYS = (ARG_IMAGE, ARG_PIPE, ARG_QUEUE)     # to memory that may be a buffer's


def is_self_contained(module, lowering):
    return not any(v.address_space == GLOBAL and not v.is_fixed for v in global_variables(module)) and \
        not any(info.is_block for info in lowering.kernels.values())


# --- what a kernel touches


def touches_arguments_only(kernel):
    return all(is_known(root) for inst in kernel.instructions for pointer in pointers_of(inst)
               for root in roots_of(pointer))


def pointers_of(inst):
    """Through which an instruction may touch memory."""
    op = inst.opcode
    if op in ("load", "atomicrmw", "cmpxchg"):
        return [inst.operand(0)]
    if op == "store":
        return [inst.operand(1)]
    return [a for a in inst.args if a.type.is_pointer] if op == "call" else []


def is_known(root):
    if root.is_argument or root.opcode == "alloca" or root.is_null or root.is_undef:
        return True
    return root.is_constant and not root.is_const_expr


def calls_out(kernel):
    """A function that is not inlined is given memory."""
    for call in kernel.instructions_of("call"):
        callee = call.callee
        if not isinstance(callee, Function):
            return True
        if not callee.is_declaration and any(p.is_pointer and p.address_space != PRIVATE
                                             for p in callee.value_type.params):
            return True
    return False


def use_of(argument):
    """What becomes of an argument's memory, DISTINCT_READ or DISTINCT_WRITTEN; DISTINCT_NOT where nothing does."""
    use, seen, pending = DISTINCT_NOT, set(), [argument]
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            if user.opcode in THROUGH:
                if user not in seen:
                    seen.add(user)
                    pending.append(user)
            elif user.opcode == "load":
                use = max(use, DISTINCT_READ)
            elif user.opcode != "icmp":
                return DISTINCT_WRITTEN
    return use


# --- what it gains


def gains(kernel):
    """A loop writes memory and touches other memory, which may be the same for all that is known; or straight code
    reads the same places again and again as it writes others, as each work-item does with places that all read."""
    if any(reads_again(kernel, block) for block in kernel.blocks) or reads_the_same(kernel):
        return True
    cfg = laid_out(kernel)
    loops = ([i for b in loop.blocks for i in cfg.blocks[b].instructions] for loop in cfg.loops)
    return any(meet(kernel, [i for i in loop if i.opcode in ("load", "store")]) for loop in loops)


def reads_again(kernel, block):
    """Places that a block has read already and reads again, as it has written through another argument since."""
    known, since, again = {}, [], 0
    for inst in block.instructions_of("load", "store"):
        pointer = pointer_of(inst)
        if is_store(inst):
            since.append(inst)
            continue
        between = since[known[pointer]:] if pointer in known else []
        again += bool(between) and meet(kernel, [inst, *between])
        known[pointer] = len(since)
    return again >= MANY_AGAIN


def reads_the_same(kernel):
    """All work-items read a place while they write through another argument."""
    stores = [i for i in kernel.instructions_of("store") if space_of(i.operand(1)) == GLOBAL]
    same = {}
    return bool(stores) and any(is_same(load.operand(0), same) and meet(kernel, [load, *stores])
                                for load in kernel.instructions_of("load") if space_of(load.operand(0)) == GLOBAL)


def is_same(value, same):
    """A value is that of all work-items of the group. `same`: what is known already."""
    if not isinstance(value, Inst):
        return True
    if value not in same:
        same[value] = False         # what it needs itself for
        row = row_of(value.callee.name) if value.opcode == "call" and isinstance(value.callee, Function) else None
        same[value] = row.shape == UNIFORM if row is not None else value.opcode in SAME and \
            all(is_same(operand, same) for operand in value.operands)
    return same[value]


def meet(kernel, accesses):
    bases = {base_of(pointer_of(i)) for i in accesses}
    written = {base_of(pointer_of(i)) for i in accesses if is_store(i)}
    arguments = [b for b in bases if b.is_argument and b.type.address_space == GLOBAL]
    return any(a in written or b in written for n, a in enumerate(arguments) for b in arguments[:n]
               if not any(is_distinct(kernel, kernel.params.index(v)) for v in (a, b)))


# --- the whole


def uses_of(kernel, info):
    """What each argument is, as ArgInfo.distinct says it."""
    return [use_of(param) if arg.kind in IN_BUFFERS and param.type.is_pointer else DISTINCT_NOT
            for param, arg in zip(kernel.params, info.args, strict=True)]


def may_take(kernel, info):
    return not any(arg.kind in OTHER_WAYS for arg in info.args) and not calls_out(kernel) and gains(kernel) and \
        touches_arguments_only(kernel)


def mark(kernel, info, uses):
    own = [i for i, (use, arg) in enumerate(zip(uses, info.args, strict=True))
           if use != DISTINCT_NOT or arg.kind == ARG_LOCAL]
    info.args = [replace(arg, distinct=use) for arg, use in zip(info.args, uses, strict=True)]
    if orders_memory(kernel):
        indices = sorted({*own, *distinct_indices(kernel)})
        kernel.add_attribute(fr.DISTINCT, ",".join(map(str, indices)))
    else:
        for index in own:
            kernel.add_attribute("noalias", index=index + 1)


def run(module, lowering):
    if not lowering.optimize or not lowering.distinct or not is_self_contained(module, lowering):
        return
    for kernel in functions(module):
        info = lowering.kernels.get(kernel.name)
        if not is_kernel(kernel) or not may_take(kernel, info):
            continue
        uses = uses_of(kernel, info)
        if DISTINCT_WRITTEN in uses and sum(use != DISTINCT_NOT for use in uses) <= MOST_COMPARED:
            mark(kernel, info, uses)
