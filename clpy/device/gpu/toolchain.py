# SPDX-License-Identifier: Apache-2.0
"""The toolchain of the models of AMD's GCN chips: clpy.compiler.amdgpu makes the chip's machine code, and
clpy.compiler.isa code of the host from that. Both are imported when the first program comes."""
from clpy import config
from clpy.device.gpu.rates import rates
from clpy.device.toolchain import Toolchain


class Code:
    """Loaded code, both kinds: there as long as this object."""

    def __init__(self, loaded):
        self.loaded = loaded

    def address(self, name):
        return self.loaded[0].address(name)


class GcnToolchain(Toolchain):
    def __init__(self, chip, target):
        self.chip = chip
        self.plain = target

    def target(self, initialize):
        return self.plain.initializing(initialize)

    def build(self, source, options, target):
        from clpy.compiler.amdgpu import program
        return program.build(source, options, target)

    def compile(self, source, headers, options, target):
        from clpy.compiler.amdgpu import program
        return program.compile_source(source, headers, options, target)

    def build_il(self, il, options, target):
        from clpy.compiler.amdgpu import program
        return program.build_il(il, options, target)

    def compile_il(self, il, options, target):
        from clpy.compiler.amdgpu import program
        return program.compile_il(il, options, target)

    def link(self, products, options, target):
        from clpy.compiler.amdgpu import program
        return program.link(products, options, target)

    def load(self, product, target):
        """Plain code, and traced code beside it unless CLPY_GPU_DETAIL is off."""
        from clpy.compiler.isa.native import native
        from clpy.compiler.program import load_objects
        from clpy.compiler.target import host_target
        from clpy.device.gpu import launch_time
        made = native(product, host_target(), rates(self.chip), config.get("GPU_DETAIL") != "off")
        loaded = [load_objects([part], undefined, product.kernels)
                  for part, undefined in zip(made.objects, made.undefined, strict=True)]
        for name, info in product.kernels.items():
            addresses = [part.address(name) for part in loaded]
            kernel = launch_time.Kernel(self.chip, name, made.facts[name], addresses[0], (*addresses, 0)[1])
            info.facts = {"kernel": launch_time.add(kernel)}
        return Code(loaded)

    def pack(self, product, source, target):
        from clpy.compiler import program
        return program.pack(product, source, target)

    def unpack(self, binary, target):
        from clpy.compiler.amdgpu import program
        return program.unpack(binary, target)

    def source_in(self, binary):
        from clpy.compiler import program
        return program.source_of(binary)
