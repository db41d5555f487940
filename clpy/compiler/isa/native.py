# SPDX-License-Identifier: Apache-2.0
"""Translated programs as objects of the host: from the cache, or translated, optimized and compiled now. Of a program
whose kernels wait there is an object of its variables, for which all instructions are looked at, and then one of each
kernel."""
from hashlib import blake2b
from weakref import ref

from clpy import notation
from clpy.abi_layout import ARG_CONSTANT, ARG_GLOBAL, ARG_IMAGE, ARG_PIPE
from clpy.compiler import cache, collector
from clpy.compiler.amdgpu import facts
from clpy.compiler.frame import INITIALIZE
from clpy.compiler.isa import shared
from clpy.errors import CompileError
from clpy.records import record
from clpy.trace import trace

LENGTH = 8               # bytes of the numbers before a cache entry's parts
# Bytes of a kernel's machine code, some 12,000 instructions. Of longer ones LLVM takes minutes to optimize code of the
# host, in time that grows with the square of the length, and makes it a third faster.
LONG = 96 << 10
TRACED = ".traced"      # as translate() has it
_last = None, None       # a weak reference to an Executable, and its IsaProgram
KINDS = {"": "", TRACED: ", which tell what they do", ".fast": ", which are fast"}     # of code, by `beside`


@record
class Native:
    """`object` is to be loaded beside shared.code(), that with `images` if it works on such, and traced and fast code
    beside the plain code, whose variables they use. `undefined` are the symbols that the process must provide. `facts`
    is {kernel: what the device needs to run it and to time it}."""
    object: bytes
    facts: dict
    undefined: list
    images: bool


def native(executable, host, rates, beside="", optimize=True, only_stored=False, traced=False, only=None):
    """The Native of an amdgpu Executable, for the Target `host`. `rates`: the chip's (steps.py); `beside`: which code,
    as translate() has it; not `optimize`: code that is made in a third of the time, and runs for longer.
    `only_stored`: None where the cache has it not. `traced`: plain code that tells each wavefront's way, as traced code
    does. `only`: the kernels, as translate() has it."""
    code = executable.objects[0]
    traced = traced or beside == TRACED
    name = key(code, host, rates, beside, optimize, traced, only)
    blob = cache.load(name)
    if blob is not None:
        return read(blob, host, executable)
    if only_stored:
        return None
    made = translated(executable, host, rates, beside, optimize, traced, only)
    cache.store(name, write(made))
    return made


def key(*parts):
    state = blake2b(digest_size=20)
    code, host, rates, *kind = parts
    for part in (b"wavefronts", code, host.key().encode(), cache.compiler_stamp(),
                 repr((sorted(rates.items()), kind)).encode()):
        state.update(len(part).to_bytes(LENGTH, "little"))
        state.update(part)
    return state.hexdigest()


def write(made):
    parts = notation.dumps(made.facts).encode(), made.object
    return b"".join(len(part).to_bytes(LENGTH, "little") + part for part in parts)


def read(blob, host, executable):
    parts, at = [], 0
    while at < len(blob):
        size = int.from_bytes(blob[at:at + LENGTH], "little")
        parts.append(blob[at + LENGTH:at + LENGTH + size])
        at += LENGTH + size
    return finished(parts[1], notation.loads(parts[0]), host, executable)


def finished(code, kernels, host, executable):
    from clpy.compiler.isa.gcn.translate import IMAGE
    from clpy.compiler.isa.gcn.wavefront import PREFIX
    images = has_images(executable)
    undefined = [name for name in shared.undefined_symbols(code, host, images)
                 if name != IMAGE and not name.startswith(PREFIX)]
    return Native(code, kernels, undefined, images)


def has_images(executable):
    return any(arg.kind == ARG_IMAGE for info in executable.kernels.values() for arg in info.args)


def read_program(executable):
    """The IsaProgram. Kernels that wait for their code often come one after the other: the last program is kept."""
    global _last
    executable_of, program = _last
    if executable_of is None or executable_of() is not executable:
        program = read_code(executable)
        _last = ref(executable), program
    return program


def read_code(executable):
    from clpy.compiler.gen import zebin
    from clpy.compiler.gen.target import PROCESSORS
    processor = next((info.facts.get("processor") for info in executable.kernels.values()), None)
    if not executable.kernels and zebin.is_for_intel(executable.objects[0]):
        processor = next(iter(PROCESSORS))      # any: there is no code
    if processor is not None:
        if processor in PROCESSORS:
            from clpy.compiler.gen.facts import read_program as read
        else:
            from clpy.compiler.r600.facts import read_program as read
        return read(executable.objects[0], executable.kernels, processor)
    return facts.read_program(executable.objects[0], executable.kernels, is_listed=False)


def translated(executable, host, rates, beside, optimize, traced, only=None):
    from clpy.compiler.isa.gcn import known, translate
    from clpy.compiler.isa.gcn.flow import UnknownInstruction
    from clpy.llvm import codegen
    from clpy.llvm.module import LLVMError
    program = read_program(executable)
    longest = max((size for at, size in program.symbols.values() if at < len(program.text)), default=0)
    try:
        if only == ():
            known.refuse_unknown(program, has_images(executable))
        with codegen.machine(host, optimize and longest < LONG) as machine:
            with collector.paused():
                module, waves = translate.translate(program, rates, traced, machine, beside, not optimize, only)
            code = translate.compile(module, machine, is_brief=not optimize)
    except UnknownInstruction as why:
        raise CompileError(f"error: {why}\n") from None
    except LLVMError as why:
        raise CompileError(f"error: the translation to code of the host failed: {why}\n") from None
    what = "" if only is None else f" ({', '.join(only) or 'variables'})"
    trace(3, f"translated: {len(program.text)} bytes of {program.processor} code{what} to {len(code)} bytes"
             f"{KINDS[TRACED if traced else beside]}")
    return finished(code, {name: about(program, name, each, INITIALIZE in waves)
                           for name, each in waves.items()}, host, executable)


def about(program, name, waves, constructs):
    """What the device needs to know of a kernel, plain data. `constructs`: objects of the program have to be there."""
    kernel = program.kernels[name]
    # An argument may have several copies.
    pointers = sorted({copy.block for copy in kernel.copies if copy.kind in (ARG_GLOBAL, ARG_CONSTANT, ARG_PIPE)})
    images = sorted({copy.block for copy in kernel.copies if copy.kind == ARG_IMAGE})
    prints = any(hidden.kind == "printf_buffer" for hidden in kernel.hidden)
    return {"waves": waves.to_dict(), "constructs": constructs, "vgprs": getattr(kernel, "gprs", kernel.vgprs),
            "sgprs": kernel.sgprs,
            "pointers": pointers, "scratch_bytes": kernel.scratch_bytes, "prints": prints, "images": images,
            "code_bytes": program.symbols[name][1], "wave_lanes": getattr(kernel, "simd", kernel.wave_size),
            "barriers": getattr(kernel, "barriers", 0)}
