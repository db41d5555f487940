# SPDX-License-Identifier: Apache-2.0
"""The toolchain of the models of AMD's GCN chips: clpy.compiler.amdgpu makes the chip's machine code, and
clpy.compiler.isa code of the host from that. Both are imported when the first program comes."""
from clpy.device.toolchain import Toolchain


class GcnToolchain(Toolchain):
    def __init__(self, target):
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
        from clpy.compiler.isa.native import native
        from clpy.compiler.program import load_objects
        from clpy.compiler.target import host_target
        made = native(product, host_target())
        for name, info in product.kernels.items():
            info.facts = made.facts[name]
        return load_objects(made.objects, made.undefined, product.kernels)

    def pack(self, product, source, target):
        from clpy.compiler import program
        return program.pack(product, source, target)

    def unpack(self, binary, target):
        from clpy.compiler.amdgpu import program
        return program.unpack(binary, target)

    def source_in(self, binary):
        from clpy.compiler import program
        return program.source_of(binary)
