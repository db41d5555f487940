# SPDX-License-Identifier: Apache-2.0
"""The toolchain of the models of AMD's GCN chips: clpy.compiler.amdgpu makes the chip's machine code, and
clpy.compiler.isa code of the host from that. Both are imported when the first program comes."""
from _thread import allocate_lock

from clpy import config
from clpy.device.gpu.rates import rates
from clpy.device.toolchain import CompilerToolchain


class Code:
    """Loaded code: there as long as this object."""

    def __init__(self, product, chip):
        from clpy.compiler.frame import INITIALIZE
        from clpy.compiler.isa import shared
        from clpy.compiler.passes.initializers import ONCE
        from clpy.compiler.program import load_objects
        self.product, self.chip = product, chip
        self.lock = allocate_lock()
        self.is_traced = False       # whether the code that tells each wavefront's way is there
        made, host = self.native(traced=False)
        self.facts = made.facts
        names = [*product.kernels, *([ONCE] if INITIALIZE in made.facts else [])]
        self.loaded = load_objects([made.object, shared.code(host, made.images)], made.undefined, names)

    def native(self, traced):
        from clpy.compiler.isa.native import native
        from clpy.compiler.target import host_target
        host = host_target()
        # Few wavefronts of a sample go through traced code: it takes longer to compile than to run.
        optimize = not traced or config.get("GPU_DETAIL") == "full"
        return native(self.product, host, rates(self.chip), traced, optimize), host

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


EXECUTABLE = 4      # CL_PROGRAM_BINARY_TYPE_EXECUTABLE


class GcnToolchain(CompilerToolchain):
    binary_parts = ("llvmir", "exe")        # as AMD's runtime has it

    def __init__(self, chip, target):
        super().__init__(target)
        self.chip = chip

    def compiler(self):
        from clpy.compiler.amdgpu import program
        return program

    def build(self, source, options, target):
        options = with_environment(options)
        return self.saved(super().build(source, options, target), options)

    def build_il(self, il, options, target):
        options = with_environment(options)
        return self.saved(super().build_il(il, options, target), options)

    def link(self, products, options, target):
        return self.saved(super().link(products, options, target), options)

    def saved(self, product, options):
        """The product, after -save-temps."""
        if (options.save_temps or options.temps_prefix) and product.kind == EXECUTABLE:
            from clpy.compiler.amdgpu import temporaries
            product.log += temporaries.save(product, self.chip.name, options)
        return product

    def load(self, product, target):
        from weakref import ref

        from clpy.device.gpu import launch_time
        code = Code(product, self.chip)
        for name, info in product.kernels.items():
            kernel = launch_time.Kernel(self.chip, name, code.facts[name], ref(code))
            info.facts = {**info.facts, "kernel": launch_time.add(kernel)}
        return code


def with_environment(options):
    """Options of clBuildProgram as AMD's variables of the environment change them."""
    instead, more = config.get("AMD_BUILD_OPTIONS"), config.get("AMD_BUILD_OPTIONS_APPEND")
    if not instead and not more:
        return options
    from clpy.compiler.options import parse_options
    return parse_options(" ".join(filter(None, [instead or options.text, more])), options.stage)
