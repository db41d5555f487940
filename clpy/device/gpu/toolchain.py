# SPDX-License-Identifier: Apache-2.0
"""The toolchains of the models of chips: clpy.compiler.amdgpu, clpy.compiler.r600 and clpy.compiler.gen make a chip's
machine code, clpy.compiler.isa code of the host from that. All are imported when the first program comes."""
from _thread import allocate_lock

from clpy import config
from clpy.device.gpu.rates import rates
from clpy.device.toolchain import CompilerToolchain


class Code:
    """Loaded code: there as long as this object. Of a program whose kernels wait it is their variables, and of a Part a
    kernel beside those. Plain code is made when the program is, in little time: where launches
    will be traced it is such as can tell each wavefront's way too. Of what a launch, or a kernel that runs for long,
    wants of code beside it that of all kernels is made; it uses the variables of the plain code: what kernels leave
    there is one for all."""

    def __init__(self, product, chip):
        from clpy.compiler.frame import INITIALIZE
        from clpy.compiler.isa import shared
        from clpy.compiler.passes.initializers import ONCE
        from clpy.compiler.program import load_objects
        within = product.within if isinstance(product, Part) else None
        self.product, self.chip = product.executable if within else product, chip
        self.only = tuple(product.kernels) if within else () if product_waits(product) else None
        self.lock = allocate_lock()
        self.loading = within.loading if within else allocate_lock()
        self.there = set()           # kinds of code beside the plain one
        self.is_fast = config.get("SPECIALIZE_MS") == 0
        detail = config.get("GPU_DETAIL")
        # What kernels enqueue stays in the code that it begins with, and of that most tells nothing.
        self.tells = detail != "off" and not self.is_fast and not any(k.is_block for k in product.kernels.values())
        # Few wavefronts of a sample tell anything: their code takes longer to compile than to run.
        self.follows_all = detail == "full"
        made, host = self.native("", self.is_fast or (self.tells and self.follows_all), traced=self.tells)
        self.facts = made.facts
        names = [*self.kernels(), *([ONCE] if INITIALIZE in made.facts else [])]
        objects = [made.object] if within else [made.object, shared.code(host, made.images)]
        with self.loading:
            self.loaded = load_objects(objects, made.undefined, names, within.loaded if within else None)
        self.objects = {"": made.object}

    def kernels(self):
        """Names of those that are here."""
        return self.product.kernels if self.only is None else self.only

    def native(self, beside, optimize, only_stored=False, traced=False):
        from clpy.compiler.isa.native import native
        from clpy.compiler.target import host_target
        host = host_target()
        return native(self.product, host, rates(self.chip), beside, optimize, only_stored, traced, self.only), host

    def address(self, name):
        """0: the kernel waits for its code."""
        return self.loaded.address(name) if self.only != () else 0

    def traced(self, name):
        """Address of a kernel's code that tells each wavefront's way."""
        from clpy.compiler.isa.gcn.translate import TRACED
        return self.address(name) if self.tells else self.beside(TRACED, name, self.follows_all)

    def fast(self, name, only_stored=False):
        """Address of a kernel's plain code, optimized; 0 where the cache has it not and that is all to look at."""
        from clpy.compiler.isa.gcn.translate import FAST
        return self.address(name) if self.is_fast else self.beside(FAST, name, True, only_stored)

    def quiet(self, name):
        """Address of the fast code of one wavefront that has told enough; 0: there is none, or no better one than the
        traced code has."""
        from clpy.compiler.isa.gcn.translate import FAST, QUIET
        with self.lock:
            is_there = FAST in self.there
        return self.address(name + FAST + QUIET) if is_there and self.waits(name) else 0

    def waits(self, name):
        return self.facts[name]["waves"]["suspends"]

    def origins(self, name):
        """(object file, symbol, its address) of each kind of a kernel's code that there is, in an order that stays."""
        from clpy.abi_layout import KERNEL_PREFIX
        with self.lock:
            return [(code, (KERNEL_PREFIX + name + kind).encode(), self.address(name + kind))
                    for kind, code in self.objects.items()]

    def beside(self, kind, name, optimize, only_stored=False):
        from clpy.compiler.isa.gcn.translate import FAST, QUIET
        from clpy.compiler.program import load_objects
        with self.lock:
            if kind not in self.there:
                made, _ = self.native(kind, optimize, only_stored)
                if made is None:
                    return 0
                names = [each + kind for each in self.kernels()]
                if kind == FAST:
                    names += [each + FAST + QUIET for each in self.kernels() if self.waits(each)]
                with self.loading:
                    load_objects([made.object], made.undefined, names, self.loaded)
                self.objects[kind] = made.object
                self.there.add(kind)
        return self.loaded.address(name + kind)


class Part:
    """A kernel of an executable, to be loaded beside the Code of its variables."""

    def __init__(self, executable, within, kernels):
        self.executable, self.within, self.kernels = executable, within, kernels


def product_waits(product):
    return any(info.facts.get("waits") for info in product.kernels.values())


EXECUTABLE = 4      # CL_PROGRAM_BINARY_TYPE_EXECUTABLE


def target_of(chip):
    """The Target of a chip's code."""
    from clpy.compiler.amdgpu.installed import GEN, VLIW
    who = chip.identity
    if who.architecture in VLIW:
        from clpy.compiler.r600.target import VliwTarget as Made
    elif who.architecture in GEN:
        from clpy.compiler.gen.target import GenTarget
        return GenTarget(who.processor, chip.name, who.device_name, is_older=chip.is_stood_in_for)
    else:
        from clpy.compiler.amdgpu.target import ChipTarget as Made
    return Made(who.processor, chip.name, who.device_name)


def toolchain_of(chip, target):
    from clpy.compiler.amdgpu.installed import GEN, VLIW
    who = chip.identity
    kind = VliwToolchain if who.architecture in VLIW else GenToolchain if who.architecture in GEN else GcnToolchain
    return kind(chip, target)


class GcnToolchain(CompilerToolchain):
    binary_parts = ("llvmir", "exe")        # as AMD's runtime has it
    makes_kernels = True

    def __init__(self, chip, target):
        super().__init__(target)
        self.chip = chip

    def compiler(self):
        from clpy.compiler.amdgpu import program
        return program

    def build(self, source, options, target):
        options = with_environment(options)
        return self.saved(super().build(source, options, target), options, target)

    def build_il(self, il, options, target):
        options = with_environment(options)
        return self.saved(super().build_il(il, options, target), options, target)

    def build_assembly(self, text, options, target):
        return self.compiler().build_assembly(text, options, target)

    def link(self, products, options, target):
        return self.saved(super().link(products, options, target), options, target)

    def saved(self, product, options, target):
        """The product, after -save-temps."""
        if (options.save_temps or options.temps_prefix) and product.kind == EXECUTABLE:
            from clpy.compiler.amdgpu import temporaries
            product.log += temporaries.save(product, self.chip.name, options, target)
        return product

    def load(self, product, target):
        from weakref import ref

        from clpy.device.gpu import launch_time
        code = Code(product, self.chip)
        for name, info in product.kernels.items() if code.facts else ():
            kernel = launch_time.Kernel(self.chip, name, code.facts[name], ref(code))
            info.facts = {**info.facts, "kernel": launch_time.add(kernel)}
        return code

    def make_kernel(self, product, loaded, name, target, any_groups, likely, formats):
        from clpy.records import replace
        info = replace(product.kernels[name])
        info.facts = {**info.facts, "waits": False}
        return Part(product, loaded, {name: info})


class VliwToolchain(GcnToolchain):
    makes_kernels = False

    def compiler(self):
        from clpy.compiler.r600.program import program
        return program

    def build_assembly(self, text, options, target):
        return CompilerToolchain.build_assembly(self, text, options, target)

    def saved(self, product, options, target):
        """LLVM writes no listing of these chips' code that it could read."""
        return product


class GenToolchain(VliwToolchain):
    def compiler(self):
        from clpy.compiler.gen.program import program
        return program

    def build(self, source, options, target):
        return CompilerToolchain.build(self, source, options, target)

    def build_il(self, il, options, target):
        return CompilerToolchain.build_il(self, il, options, target)


def with_environment(options):
    """Options of clBuildProgram as AMD's variables of the environment change them."""
    instead, more = config.get("AMD_BUILD_OPTIONS"), config.get("AMD_BUILD_OPTIONS_APPEND")
    if not instead and not more:
        return options
    from clpy.compiler.options import parse_options
    return parse_options(" ".join(filter(None, [instead or options.text, more])), options.stage)
