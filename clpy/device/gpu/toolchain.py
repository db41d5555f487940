# SPDX-License-Identifier: Apache-2.0
"""The toolchain of the models of AMD's GCN chips: clpy.compiler.amdgpu makes the chip's machine code, and
clpy.compiler.isa code of the host from that. Both are imported when the first program comes."""
from _thread import allocate_lock
from weakref import ref

from clpy.device.gpu.rates import rates
from clpy.device.toolchain import CompilerToolchain


class Code:
    """Loaded code: there as long as this object."""

    def __init__(self, product, chip):
        self.product, self.chip = product, chip
        self.lock = allocate_lock()
        self.plain, self.facts = self.load(traced=False)
        self.telling = None          # the code that tells each wavefront's way, once somebody has asked for it

    def load(self, traced):
        from clpy.compiler.isa import shared
        from clpy.compiler.isa.native import native
        from clpy.compiler.program import load_objects
        from clpy.compiler.target import host_target
        host = host_target()
        made = native(self.product, host, rates(self.chip), traced)
        return load_objects([made.object, shared.code(host, made.images)], made.undefined, self.product.kernels), made.facts

    def address(self, name):
        return self.plain.address(name)

    def traced(self, name):
        """Address of a kernel's traced code, which is made when a launch first wants it."""
        with self.lock:
            if self.telling is None:
                self.telling, _ = self.load(traced=True)
        return self.telling.address(name)


class GcnToolchain(CompilerToolchain):
    def __init__(self, chip, target):
        super().__init__(target)
        self.chip = chip

    def compiler(self):
        from clpy.compiler.amdgpu import program
        return program

    def load(self, product, target):
        from clpy.device.gpu import launch_time
        code = Code(product, self.chip)
        for name, info in product.kernels.items():
            kernel = launch_time.Kernel(self.chip, name, code.facts[name], ref(code))
            info.facts = {**info.facts, "kernel": launch_time.add(kernel)}
        return code
