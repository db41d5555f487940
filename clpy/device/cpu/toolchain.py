# SPDX-License-Identifier: Apache-2.0
"""The toolchain of the CPU device: clpy.compiler, imported when the first program comes."""
from clpy.device.toolchain import CompilerToolchain


class CpuToolchain(CompilerToolchain):
    makes_kernels = True

    def compiler(self):
        from clpy.compiler import program
        return program

    def build(self, source, options, target):
        return self.compiler().build(source, options, target, may_wait=True)

    def build_il(self, il, options, target):
        return self.compiler().build_il(il, options, target, may_wait=True)

    def link(self, products, options, target):
        return self.compiler().link(products, options, target, may_wait=True)

    def unpack(self, binary, target):
        return self.compiler().unpack(binary, target, self.link, self.build)

    def make_kernel(self, product, loaded, name, target, any_groups, likely, formats):
        return self.compiler().make_kernel(product, name, target, any_groups, likely, formats)

    def specialize(self, product, name, size, target, formats):
        return self.compiler().specialize(product, name, size, target, formats)

    def made_ns(self, product):
        return product.made_ns

    def recalls(self, product):
        return product.is_cached

    def recall(self, product, name, size, target, formats):
        from clpy.compiler import other_way
        given = product, name, size, target, formats
        return other_way.recall(*given) or self.compiler().recall(*given)

    def is_in_doubt(self, special, product, name, size, target, formats):
        from clpy.compiler import other_way
        return other_way.is_in_doubt(special, product, name, size, target, formats)

    def other_way(self, product, name, size, target, formats):
        from clpy.compiler import other_way
        return other_way.make(product, name, size, target, formats)

    def settle(self, product, name, size, target, formats, other_won):
        from clpy.compiler import other_way
        other_way.settle(product, name, size, target, formats, other_won)

    def forget_special(self, product, name, size, target, formats):
        from clpy.compiler import other_way
        other_way.forget(product, name, size, target, formats)
        self.compiler().forget_special(product, name, size, target, formats)

    def general(self, product, name, target):
        return self.compiler().general(product, name, target)

    def any_groups(self, product, name, target):
        return self.compiler().any_groups(product, name, target)

    def load(self, product, target):
        return self.compiler().load(product, target)
