# SPDX-License-Identifier: Apache-2.0
"""Which forms of a region a loop over a group calls, beside the region as it is, for one work-item.

All forms of all regions lie in one function, and most of the time of a build goes into LLVM's code for them. What a
known size of work-groups leaves no work for is not made. Nor is, in code that is made before anything has run
(Lowering.first), what costs much and rarely pays: several vectors at a time in long kernels and between barriers,
copies without a mask of what is long, masks for work-items that do not fill a vector, where these are few, and vectors
that gain little by much code. A kernel that runs for long gets that with the code for its own size. And as nearly all
groups are whole vectors, nothing is made there for others: the first launch that has some gets code of its own
(core/versions.pyx). Where sizes are known to be no whole vectors, or such a launch has come, the form with a mask is
the only one of what is long.

All of it is inlined into one function, which is what the fastest code is made of. LLVM takes more than twice the time
for a function of twice the length, though: in long kernels of several regions, long loops over a group stay functions
of their own in that first code.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.builtin_table import IS_LOCAL, IS_PRIVATE
from clpy.compiler.analysis.shapes import VARYING
from clpy.compiler.spmd.doubts import agrees, may_wait
from clpy.compiler.spmd.lanes import CACHE_LINE
from clpy.compiler.spmd.layout import Unsupported
from clpy.compiler.spmd.widen_division import DIVISIONS
from clpy.compiler.spmd.width import CODE
from clpy.llvm.ir import Function, functions, get_function

FEW = 8           # lanes of vectors whose rest may run one by one
SHORT = 100       # instructions of vectors that are made at once, ...
GROWN = 3         # ... or more, where they are no more than so many times those of a work-item, ...
LITTLE = 1.7      # ... or take that much less time than one work-item after the other
LONG = 200        # instructions, of several vectors at a time or of copies without a mask, that are made at once: a
                  # bound, no cost
OF_DIVISION = 10  # more of these than of others, for whole numbers: a register becomes two of doubles, and back
APART = 200       # instructions of a loop over a group, with its forms, that stays a function of its own, ...
MANY = 2000       # ... and of all of the kernel's


class PutOff(Unsupported):
    """The region runs one by one for now; `choice`: how it will run as vectors."""

    def __init__(self, choice):
        super().__init__("vectors gain less than they cost to make, until it has run for long")
        self.choice = choice


def is_for_good(size, lowering):
    """Whether nothing better is made once the kernel has run for long, as far as its size tells."""
    return not lowering.first or (size > 0 and not lowering.is_made_again)


def pays_at_once(region, choice):
    """Several vectors at a time in a kernel that is short and without barriers: nothing comes behind its region."""
    return region.attribute_text(fr.EXITS) == "none" and region.name.endswith(".0") and \
        choice.model.code(choice.wide) + OF_DIVISION * divisions(choice.model, choice.wide) <= LONG


def divisions(model, width):
    """Registers of whole numbers that are divided."""
    return sum(model.elements_of(inst) * model.registers(inst.type, width) for _, inst in model.insts
               if inst.opcode in DIVISIONS and model.shapes[inst] == VARYING)


def is_put_off(region, choice, lowering):
    """Whether vectors wait for the code that is made later: they gain little, and are several times the code of a
    work-item. One after the other they have to do the same."""
    cost, width = choice.model, choice.width
    code = cost.code(width)
    return (lowering.is_made_again and not lowering.width and code > max(GROWN * region.n_instructions, SHORT)
            and cost.scalar() * width < LITTLE * cost.vector(width) and agrees(cost) and not may_wait(cost))


def by_masks_alone(choice, size, lowering):
    """Whether the form with a mask does for whole vectors, too, until the kernel has run for long: a second form of
    what is long takes as long again to make."""
    return not lowering.width and not is_for_good(size, lowering) and choice.model.code(choice.width) > LONG


def may_count_on_launches(lowering):
    """Whether launches see to it (core/versions.pyx) that groups are as this code takes them to be, and ids small."""
    return lowering.whole and not lowering.width


def of_whole_vectors(size, lowering):
    """Whether all groups are whole vectors along the lanes, as far as this code needs to know."""
    return may_count_on_launches(lowering) and not size


def forms(region, choice, size, lowering):
    """(Widths of the forms without a mask, the widest first, whether there is one with a mask). `size`: work-items
    along the lanes where they are known, else 0. Who asks for a width asks for all forms."""
    widths, masked = usual_forms(region, choice, size, lowering)
    if masked and by_masks_alone(choice, size, lowering):
        widths = []
    if choice.rows is None or choice.rows.narrow == 1:
        return widths, masked
    narrow = choice.rows.narrow
    if is_for_good(size, lowering) or choice.model.code(narrow) <= LONG:
        widths = [*widths, narrow]
    return list(dict.fromkeys(widths)), masked


def usual_forms(region, choice, size, lowering):
    """The same without the narrow form for rows that crowd in a cache, and before what is long has a mask alone."""
    widths = list(dict.fromkeys((choice.wide, choice.width)))
    if lowering.width:
        return widths, True
    if not size:
        if lowering.first and not pays_at_once(region, choice):
            widths = [choice.width]
        return widths, not choice.whole and (not lowering.first or choice.width > FEW)
    if not is_for_good(size, lowering) and not pays_at_once(region, choice):
        return [choice.width], size % choice.width > 0
    # The last group of a dimension may be smaller.
    uniform = region.attribute_text(fr.UNIFORM_GROUPS) is not None
    if uniform and choice.rows is None and size % choice.wide < choice.width:
        widths = [choice.wide]
    return widths, size % choice.width > 0


def room_for_copies(size, lowering):
    """Instructions that the copies of what is guarded (full_paths.py) may add to a region."""
    return CODE // 4 if is_for_good(size, lowering) or lowering.width else LONG


def code_of(foreach):
    """Instructions of a loop over a group with the forms that it calls."""
    forms_called = {call.callee for call in foreach.instructions_of("call")}
    return foreach.n_instructions + sum(f.n_instructions for f in forms_called if isinstance(f, Function))


def keep_apart(module, lowering):
    """Long loops over a group, in first code of long kernels, are not inlined. Who asks where private memory is has to
    be in the kernel's function (passes/generic_spaces.py)."""
    if not lowering.first or any(get_function(module, name) is not None for name in (IS_LOCAL, IS_PRIVATE)):
        return
    by_kernel = {}
    for foreach in fr.of_role(functions(module), fr.FOREACH):
        if not foreach.is_declaration:
            by_kernel.setdefault(foreach.attribute_text(fr.KERNEL), []).append((foreach, code_of(foreach)))
    for loops in by_kernel.values():
        if len(loops) > 1 and sum(size for _, size in loops) > MANY:
            for foreach in (foreach for foreach, size in loops if size > APART):
                foreach.remove_attribute("alwaysinline")
                foreach.add_attribute("noinline")
                foreach.add_attribute("alignstack", CACHE_LINE)
