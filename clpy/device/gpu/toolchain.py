# SPDX-License-Identifier: Apache-2.0
"""The toolchain of the models of AMD's GCN chips: clpy.compiler.amdgpu makes the chip's machine code, and
clpy.compiler.isa code of the host from that. Both are imported when the first program comes."""
from _thread import allocate_lock

from clpy.device.gpu.rates import rates
from clpy.device.toolchain import CompilerToolchain


class Code:
    """Loaded code: there as long as this object."""

    def __init__(self, product, chip):
        from clpy.compiler.isa import shared
        from clpy.compiler.program import load_objects
        self.product, self.chip = product, chip
        self.lock = allocate_lock()
        self.is_traced = False       # whether the code that tells each wavefront's way is there
        made, host = self.native(traced=False)
        self.facts = made.facts
        self.loaded = load_objects([made.object, shared.code(host, made.images)], made.undefined, product.kernels)

    def native(self, traced):
        from clpy.compiler.isa.native import native
        from clpy.compiler.target import host_target
        host = host_target()
        return native(self.product, host, rates(self.chip), traced), host

    def address(self, name):
        return self.loaded.address(name)

    def traced(self, name):
        """Address of a kernel's traced code, which is made when a launch first wants it. It uses the variables of the
        plain code: what kernels leave there is one for both."""
        from clpy.compiler.isa.gcn.translate import TRACED
        from clpy.compiler.program import load_objects
        with self.lock:
            if not self.is_traced:
                made, _ = self.native(traced=True)
                names = [each + TRACED for each in self.product.kernels]
                load_objects([made.object], made.undefined, names, self.loaded)
                self.is_traced = True
        return self.loaded.address(name + TRACED)


class GcnToolchain(CompilerToolchain):
    def __init__(self, chip, target):
        super().__init__(target)
        self.chip = chip

    def compiler(self):
        from clpy.compiler.amdgpu import program
        return program

    def load(self, product, target):
        from weakref import ref

        from clpy.device.gpu import launch_time
        code = Code(product, self.chip)
        for name, info in product.kernels.items():
            kernel = launch_time.Kernel(self.chip, name, code.facts[name], ref(code))
            info.facts = {**info.facts, "kernel": launch_time.add(kernel)}
        return code
