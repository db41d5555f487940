# SPDX-License-Identifier: Apache-2.0
"""KernelInfo of a Gen chip's kernels."""
import re

from clpy.abi_layout import ARG_QUEUE
from clpy.compiler import metadata
from clpy.compiler.gen.target import SUB_GROUP_SIZES
from clpy.errors import CompileError
from clpy.llvm.ir import Function

SHARED = (1, 3, 4)                  # address spaces that work-items share, or may
ATOMIC = re.compile(r"_Z\d+ato(m|mic)_")
NOT_HERE = {ARG_QUEUE: "queues"}


def read_kernels(module):
    """{name: KernelInfo} of a module, as far as declarations tell."""
    from clpy.llvm.ir import functions
    infos = {f.name: metadata.read_kernel(f) for f in functions(module) if metadata.is_kernel(f)}
    for info in infos.values():
        size = metadata.required_sub_group_size(info)
        if size and size not in SUB_GROUP_SIZES:
            raise CompileError(f"error: kernel {info.name}: no sub-groups of {size} work-items: the device has those "
                               f"of {', '.join(map(str, SUB_GROUP_SIZES))}\n")
        for arg in info.args:
            if arg.kind in NOT_HERE:
                raise CompileError(f"error: kernel {info.name} takes a {arg.type_name}: this device has no "
                                   f"{NOT_HERE[arg.kind]}\n")
    return infos


def note_waiting(infos, module):
    """Which kernels read what others may write meanwhile, and which do so in a loop. Atomic operations are still calls
    of OpenCL C's functions."""
    from clpy.compiler.analysis.graph import laid_out
    from clpy.llvm.ir import functions
    for kernel in functions(module):
        if not metadata.is_kernel(kernel) or kernel.name not in infos:
            continue
        info = infos[kernel.name]
        looking = {inst.block for inst in kernel.instructions_of("load", "call") if looks(inst)}
        info.may_spin = bool(looking) or any(is_atomic(call) for call in kernel.instructions_of("call"))
        if looking:
            cfg = laid_out(kernel)
            inside = {cfg.blocks[number] for loop in cfg.loops for number in loop.blocks}
            info.spins = bool(looking & inside)
            info.facts = {**info.facts, "looks": True}


def is_atomic(call):
    return isinstance(call.callee, Function) and bool(ATOMIC.match(call.callee.name))


def looks(inst):
    """It reads what others may have written since, and writes nothing new."""
    if inst.opcode == "load":
        return inst.is_volatile and inst.operand(0).type.address_space in SHARED
    if not is_atomic(inst):
        return False
    name, args = inst.callee.name, inst.args
    if "atomic_load" in name:
        return True
    if "cmpxchg" in name or "compare_exchange" in name:
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
