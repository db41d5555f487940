# SPDX-License-Identifier: Apache-2.0
"""The toolchain of the models of AMD's GCN chips: clpy.compiler.amdgpu makes the chip's machine code, and
clpy.compiler.isa code of the host from that. Both are imported when the first program comes."""
from clpy import config
from clpy.device.gpu.rates import rates
from clpy.device.toolchain import CompilerToolchain


class Code:
    """Loaded code, both kinds: there as long as this object."""

    def __init__(self, loaded):
        self.loaded = loaded

    def address(self, name):
        return self.loaded[0].address(name)


class GcnToolchain(CompilerToolchain):
    def __init__(self, chip, target):
        super().__init__(target)
        self.chip = chip

    def compiler(self):
        from clpy.compiler.amdgpu import program
        return program

    def load(self, product, target):
        """Plain code, and traced code beside it unless CLPY_GPU_DETAIL is off."""
        from clpy.compiler.isa import shared
        from clpy.compiler.isa.native import native
        from clpy.compiler.program import load_objects
        from clpy.compiler.target import host_target
        from clpy.device.gpu import launch_time
        host = host_target()
        made = native(product, host, rates(self.chip), config.get("GPU_DETAIL") != "off")
        loaded = [load_objects([part, shared.code(host)], undefined, product.kernels)
                  for part, undefined in zip(made.objects, made.undefined, strict=True)]
        for name, info in product.kernels.items():
            addresses = [part.address(name) for part in loaded]
            kernel = launch_time.Kernel(self.chip, name, made.facts[name], addresses[0], (*addresses, 0)[1])
            info.facts = {"kernel": launch_time.add(kernel)}
        return Code(loaded)
