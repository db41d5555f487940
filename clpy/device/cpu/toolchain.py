# SPDX-License-Identifier: Apache-2.0
"""The toolchain of the CPU device: clpy.compiler, imported when the first program comes."""
from clpy.device.toolchain import Toolchain


class CpuToolchain(Toolchain):
    def __init__(self, target):
        self.plain = target

    def target(self, initialize):
        return self.plain.initializing(initialize)

    def build(self, source, options, target):
        from clpy.compiler import program
        return program.build(source, options, target)

    def compile(self, source, headers, options, target):
        from clpy.compiler import program
        return program.compile_source(source, headers, options, target)

    def build_il(self, il, options, target):
        from clpy.compiler import program
        return program.build_il(il, options, target)

    def compile_il(self, il, options, target):
        from clpy.compiler import program
        return program.compile_il(il, options, target)

    def link(self, products, options, target):
        from clpy.compiler import program
        return program.link(products, options, target)

    def specialize(self, product, name, size, target):
        from clpy.compiler import program
        return program.specialize(product, name, size, target)

    def load(self, product, target):
        from clpy.compiler import program
        return program.load(product, target)

    def variable_bytes(self, product):
        from clpy.compiler import binary
        return binary.variable_bytes(*product.objects)

    def pack(self, product, source, target):
        from clpy.compiler import program
        return program.pack(product, source, target)

    def unpack(self, binary, target):
        from clpy.compiler import program
        return program.unpack(binary, target)

    def source_in(self, binary):
        from clpy.compiler import program
        return program.source_of(binary)
