# SPDX-License-Identifier: Apache-2.0
"""From an IsaProgram to a module for the host: each kernel as `__clpy_kernel.NAME`, which runs whole wavefronts."""
from clpy.abi_layout import ARG_IMAGE, KERNEL_PREFIX
from clpy.compiler.frame import INITIALIZE
from clpy.compiler.isa import shared
from clpy.compiler.passes.initializers import ONCE, add_question
from clpy.llvm.ir import Builder, Types, add_function, add_global, const_array, const_packed

from . import flow, launch, observe, places, steps, wavefront
from .decode import Decoder

POINTER = 8
IMAGE, TRACED, FAST, QUIET = "__clpy_image", ".traced", ".fast", ".quiet"


def translate(program, rates=None, traced=False, target=None, beside=None, is_brief=False, only=None):
    """(Module, {kernel: WaveProgram}) of a program. `rates`: the chip's issue cycles by class (steps.py); `traced`: the
    code tells each wavefront's way. `target`: a Machine of the host, for triple and data layout. `beside`: the code is
    loaded beside others of the program: plain code ("") has its variables, which the others use, and they have TRACED
    or FAST behind their kernels' names. Wavefronts that have told enough go on in the plain code, behind a barrier, or
    in the fast one, where what runs a wavefront of a kernel that waits has QUIET behind its name.
    `is_brief`: half as much code, without a version for wavefronts that are all on. `only`: names of the kernels, whose
    program's variables are in plain code of none (None: of all, with the variables)."""
    writer = writer_of(program)
    observer = writer.observer_of(traced, rates)
    images = any(copy.kind == ARG_IMAGE for kernel in program.kernels.values() for copy in kernel.copies)
    module = shared.declarations(images)
    if target is not None:
        module.set_triple(target.key[0])
        module.set_datalayout(target.datalayout)
    image = add_image(module, program, beside, bool(only))
    suffix = beside or ""
    decoder, lines = decoder_of(program, rates), places.Lines(module, program)
    made = {}
    for kernel in program.kernels.values() if only is None else map(program.kernels.get, only):
        wave = writer.write(module, program, kernel, decoder, observer, lines, is_brief)
        scratch_offset = wavefront.WAVE["v"] + 256 * wave.c.vgprs
        wave_bytes = scratch_offset + launch.scratch_room(kernel)
        wave_bytes = -(-wave_bytes // launch.WAVE_ALIGN) * launch.WAVE_ALIGN
        made[kernel.name] = facts = writer.wave_program(wave.flow, rates, program.lines)
        facts.wave_bytes, facts.suspends = wave_bytes, wave.suspends
        shares = beside is not None and beside != FAST and wave.suspends
        quiet = quiet_code(module, wave, beside == TRACED) if shares else wave.function
        launch.Wrapper(module, kernel, image, wave.c.flushes, suffix).write(
            wave.function, quiet, wave_bytes, scratch_offset, wave.suspends, len(facts.blocks))
        if beside == FAST and wave.suspends:
            wave.function.name = KERNEL_PREFIX + kernel.name + FAST + QUIET     # it is found as kernels are
            wave.function.set_external()
    if INITIALIZE in made and beside == "":
        kernel = program.kernels[INITIALIZE]
        once = add_question(module, KERNEL_PREFIX + INITIALIZE, kernel.lds_bytes, made[INITIALIZE].wave_bytes)
        once.name = KERNEL_PREFIX + ONCE        # it is found as kernels are
    lines.finish()
    shared.link(module, images)
    if writer.KEEPS_VALUES:
        shared.scattered_is_rare(module)
    return module, made


class GcnCode:
    """Reads the kernels of a program."""

    def __init__(self, program):
        functions = [offset for offset, _ in program.symbols.values() if offset < len(program.text)]
        self.decoder = Decoder(program.processor, program.text, functions)

    def flow(self, kernel):
        return flow.read(self.decoder, kernel.entry, kernel.name)


def decoder_of(program, rates=None):
    """What has flow(kernel), the Flow of a kernel."""
    if program.is_vliw:
        from clpy.compiler.isa.r600.flow import VliwCode
        return VliwCode(program, rates)
    if program.is_gen:
        from clpy.compiler.isa.gen.translate import GenCode
        return GenCode(program)
    return GcnCode(program)


def writer_of(program):
    """What has write(), the code of a kernel, wave_program(), what it takes, and observer_of()."""
    if program.is_gen:
        from clpy.compiler.isa.gen import translate as writer
        return writer
    return GcnWriter


class GcnWriter:
    KEEPS_VALUES = False        # vectors lie in the wavefront's memory between most instructions
    write, wave_program = staticmethod(wavefront.write), staticmethod(steps.wave_program)

    @staticmethod
    def observer_of(traced, rates):
        return (observe.Tracer if traced else observe.Observer)(rates)


def quiet_code(module, wave, traced):
    """The function of a kernel's wavefronts that tell nothing: the plain code's. What a wavefront keeps while it waits
    is the same in both, but that the traced code may keep more."""
    function = wave.function
    if traced:
        name = function.name
        function.name = name + TRACED
        return add_function(module, name, function.value_type)
    function.set_external()
    return function


def compile(module, machine, is_brief=False):
    """A translated module as a native object; it is of no further use."""
    module.run_passes(shared.BRIEF if is_brief else shared.PIPELINE, machine.ref)
    return machine.object(module, hurried=is_brief)


def add_image(module, program, beside, is_elsewhere=False):
    """The program's sections as one variable: code finds its constants there, and what kernels leave to each other, and
    both the addresses of others. `is_elsewhere`: plain code has it that was loaded before."""
    types = Types(module)
    size = max(section.offset + section.size for section in program.sections)
    data = bytearray(size)
    for section in program.sections:
        if section.name != ".text":
            data[section.offset:section.offset + len(section.data)] = section.data
    pieces, start = [], 0
    for place, target in [*sorted(program.pointers), (size, None)]:
        pieces += numbers(types, data[start:place])
        if target is not None:
            pieces.append(target)
        start = place + POINTER
    shape = const_packed(module, [types.i64.null if type(piece) is int else piece for piece in pieces]).type
    image = add_global(module, IMAGE, shape)
    image.align = 256
    if not beside and not is_elsewhere:
        base, build = Builder(module).cast("ptrtoint", image, types.i64), Builder(module)
        image.initializer = const_packed(module, [
            build.add(base, types.i64.const(piece)) if type(piece) is int else piece for piece in pieces])
    if beside is None:
        image.set_internal()
    return image


def numbers(types, data):
    """The bytes as constants: most of them in words, of which there may be many."""
    whole = len(data) // 8 * 8
    words = [types.i64.const(int.from_bytes(data[at:at + 8], "little")) for at in range(0, whole, 8)]
    return [const_array(types.i64, words), const_array(types.i8, [types.i8.const(byte) for byte in data[whole:]])]

