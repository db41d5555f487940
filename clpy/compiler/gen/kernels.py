# SPDX-License-Identifier: Apache-2.0
"""KernelInfo of a Gen chip's kernels."""
import re

from clpy.compiler import metadata
from clpy.compiler.analysis.waiting_loops import WaitingLoops
from clpy.compiler.gen.target import SUB_GROUP_SIZES
from clpy.errors import CompileError
from clpy.llvm.ir import Function

PRIVATE, GLOBAL, LOCAL, GENERIC = 0, 1, 3, 4     # address spaces
SPIRV = "__spirv_Atomic"
ATOMIC = re.compile(rf"_Z\d+(ato(m|mic)_(?!work_item_fence)|{SPIRV})")
OPERATIONS = ("call", "load", "atomicrmw", "cmpxchg")
# Values instead of variables, as far as it takes to see what a loop waits for.
SIMPLER = "function(sroa,early-cse,simplifycfg)"


def read_kernels(module):
    """{name: KernelInfo} of a module, as far as declarations tell."""
    from clpy.llvm.ir import functions
    infos = {f.name: metadata.read_kernel(f) for f in functions(module) if metadata.is_kernel(f)}
    for info in infos.values():
        size = metadata.required_sub_group_size(info)
        if size and size not in SUB_GROUP_SIZES:
            raise CompileError(f"error: kernel {info.name}: no sub-groups of {size} work-items: the device has those "
                               f"of {', '.join(map(str, SUB_GROUP_SIZES))}\n")
    return infos


def note_waiting(infos, module):
    """Which kernels read what others may write meanwhile, and which wait in a loop for other work-groups."""
    from clpy.compiler.analysis.graph import laid_out
    from clpy.llvm.ir import functions
    in_loops = set()
    for kernel in functions(module):
        if not metadata.is_kernel(kernel) or kernel.name not in infos:
            continue
        info = infos[kernel.name]
        looking = {inst.block for inst in kernel.instructions_of(*OPERATIONS) if OF_ANYBODY.looks(inst)}
        info.may_spin = bool(looking) or any(map(is_atomic, kernel.instructions_of(*OPERATIONS)))
        if looking:
            cfg = laid_out(kernel)
            info.facts = {**info.facts, "looks": True}
            if looking & {cfg.blocks[number] for loop in cfg.loops for number in loop.blocks}:
                in_loops.add(kernel.name)
    if in_loops:
        module = module.clone()
        module.run_passes(SIMPLER)
        for kernel in functions(module):
            if kernel.name in in_loops:
                infos[kernel.name].spins = bool(OF_GROUPS.headers(laid_out(kernel)))


class Loops(WaitingLoops):
    """Most atomic operations are calls here: those of OpenCL C 1.2, and loads and stores of SPIR-V's."""

    def looks(self, inst):
        return super().looks(inst) or (inst.opcode == "call" and is_atomic(inst) and changes_nothing(inst)
                                       and inst.args[0].type.address_space in self.shared)

    def has_effects(self, inst):
        return not self.looks(inst) and super().has_effects(inst)


OF_ANYBODY, OF_GROUPS = Loops((GLOBAL, LOCAL, GENERIC), PRIVATE), Loops((GLOBAL, GENERIC), PRIVATE)


def is_atomic(inst):
    if inst.opcode != "call":
        return inst.opcode != "load"        # loads are calls by now
    return isinstance(inst.callee, Function) and bool(ATOMIC.match(inst.callee.name))


def changes_nothing(call):
    name, args = call.callee.name, call.args
    if SPIRV in name:
        return f"{SPIRV}Load" in name
    if "cmpxchg" in name:
        return len(args) > 2 and args[1] == args[2]
    return len(args) > 1 and args[1].is_const_int and not args[1].zext


def note(infos, prints, variables):
    """The kernels of the names `prints` have the buffer's address as an argument behind all others; the first one knows
    what variables begin with."""
    for name in prints:
        infos[name].facts = {**infos[name].facts, "prints": True}
    if infos and variables:
        first = infos[min(infos)]
        first.facts = {**first.facts, "variables": variables}


def add_facts(infos, read):
    """What the machine code says: memory per group, work-items per hardware thread, and for which processor it is."""
    for name, info in infos.items():
        kernel = read.kernels[name]
        info.local_bytes = kernel.lds_bytes
        info.private_bytes = -(-kernel.thread_scratch // kernel.simd)
        info.preferred_multiple = info.sub_group_size = kernel.simd
        info.facts = {**info.facts, "waits": False, "processor": read.processor}
