# SPDX-License-Identifier: Apache-2.0
"""Building programs for VLIW chips: clpy.compiler.chip_program with LLVM's R600 code generator."""
from functools import partial

from clpy.compiler.amdgpu.code import keep_kernels
from clpy.compiler.chip_program import ChipProgram
from clpy.compiler.program import CompileError
from clpy.compiler.r600 import code, facts, frontend, kernels

NO_IL = "error: models of VLIW chips take no SPIR-V\n"


class VliwProgram(ChipProgram):
    frontend = frontend
    keep_kernels = staticmethod(keep_kernels)

    def code(self, module, options, target, clock):
        infos = kernels.read_kernels(module, target.wave_size)
        blob = code.make(module, target, clock, partial(kernels.note_waiting, infos))
        add_facts(infos, facts.read_program(blob, infos, target.processor))
        clock.lap("facts")
        return blob, infos

    def check(self, blob, infos, target):
        facts.read_program(blob, infos, target.processor)

    def compile_il(self, il, options, target):
        raise CompileError(NO_IL)

    def build_il(self, il, options, target):
        raise CompileError(NO_IL)


def add_facts(infos, read):
    """What the machine code says: memory per group, and for which processor it is."""
    for name, info in infos.items():
        info.local_bytes = read.kernels[name].lds_bytes
        info.facts = {**info.facts, "waits": False, "processor": read.processor}


program = VliwProgram()
