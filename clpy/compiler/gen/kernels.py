# SPDX-License-Identifier: Apache-2.0
"""KernelInfo of a Gen chip's kernels."""
from clpy.abi_layout import ARG_PIPE, ARG_QUEUE
from clpy.compiler import metadata
from clpy.errors import CompileError

NOT_HERE = {ARG_PIPE: "pipes", ARG_QUEUE: "queues"}


def read_kernels(module):
    """{name: KernelInfo} of a module, as far as declarations tell."""
    from clpy.llvm.ir import functions
    infos = {f.name: metadata.read_kernel(f) for f in functions(module) if metadata.is_kernel(f)}
    for info in infos.values():
        for arg in info.args:
            if arg.kind in NOT_HERE:
                raise CompileError(f"error: kernel {info.name} takes a {arg.type_name}: this device has no "
                                   f"{NOT_HERE[arg.kind]}\n")
    return infos


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
