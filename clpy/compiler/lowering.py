# SPDX-License-Identifier: Apache-2.0
"""What passes know beside the module, and what they raise when the program, not the compiler, is at fault."""
from functools import cached_property

from clpy.compiler.target import Target
from clpy.records import field, record


def sub_group_sizes(vector_bits):
    """Work-items of sub-groups that kernels may ask for; registers hold as many floats as those of others have."""
    return tuple(sorted({vector_bits // 32, 8, 16, 32}))


class LoweringError(Exception):
    """The kernel cannot be compiled; the message goes to the build log."""


@record
class Lowering:
    """What is known of the device stands in `target`, a row each in target.FACTS; what passes find out for others, in
    the IR (frame.py)."""
    target: Target
    kernels: dict = field(default_factory=dict)   # name -> KernelInfo
    optimize: bool = True
    machine: int = 0                              # LLVMTargetMachineRef; 0: no target known
    datalayout: str = ""
    vector_bits: int = 512
    width: int = 0                                # work-items per vector; 0: chosen per region, 1: no vectors
    group_size: tuple = None                      # of all launches, for kernels that do not say it themselves
    formats: dict = None          # likewise, of images: {argument: (order, type, pixel's bytes)}, 0 bytes: a sampler
    distinct: bool = True                         # code may take arguments' memory to be distinct, and say so
    first: bool = False                           # nothing has run; what does for long is compiled for its size
    whole: bool = False                           # code may take groups to be whole vectors, and say so
    other: bool = False                           # regions that are in doubt run the way that estimates speak against
    report: list = field(default_factory=list)    # (region, width, several vectors' width, why not wider)

    @cached_property
    def has_halves(self):
        """Whether the processor computes with halves; others with floats in their place."""
        return "+avx512fp16" in self.target.features.split(",")

    @cached_property
    def can_round(self):
        """Whether the processor has an instruction that makes whole numbers of those of floating point."""
        return self.target.cpu.startswith("x86-64-v") or "+sse4.1" in self.target.features.split(",")

    @property
    def has_run_long(self):
        """Whether the kernel has: the code is for the size of the groups it did so with."""
        return bool(self.group_size)

    @cached_property
    def is_made_again(self):
        """Whether all of the code is of kernels for which other code is made once they have run for long. Kernels of a
        single work-item mostly run once, and long."""
        return self.first and not any(info.is_one_item for info in self.kernels.values())
