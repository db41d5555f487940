# SPDX-License-Identifier: Apache-2.0
"""Building programs for Intel's Gen chips: clpy.compiler.chip_program with LLVM's SPIR-V and Intel's compiler."""
from functools import partial

from clpy.compiler import device_queues, frontend, initializers, library
from clpy.compiler import program as host_program
from clpy.compiler.chip_program import ChipProgram
from clpy.compiler.frame import INITIALIZE
from clpy.compiler.gen import code, facts, kernels, zebin


class GenProgram(ChipProgram):
    """Modules are of the same form as for the CPU device, spir64's."""
    frontend = frontend

    def prepare(self, module):
        device_queues.hide_blocks(module)

    def keep_kernels(self, module):
        initializers.gather(module)
        library.keep_kernels(module)

    def code(self, module, options, target, clock):
        infos = kernels.read_kernels(module)
        infos.pop(INITIALIZE, None)     # nobody starts it
        blob, prints, begun = code.make(module, infos, target, options, clock, partial(kernels.note_waiting, infos))
        kernels.note(infos, prints, begun)
        try:
            kernels.add_facts(infos, facts.read_program(blob, infos, target.processor))
        except zebin.Undefined as why:
            host_program.refuse_undefined([why.name])
        clock.lap("facts")
        return blob, infos

    def check(self, blob, infos, target):
        facts.read_program(blob, infos, target.processor)

    def read_il(self, il, options, target):
        return host_program.read_il(il)


program = GenProgram()
