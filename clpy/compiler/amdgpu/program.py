# SPDX-License-Identifier: Apache-2.0
"""Building programs for AMD's chips: what clpy.compiler.program is for the CPU device, with the same Units,
Executables, binaries and cache. An Executable's one object is the chip's code object, which
facts.read_program reads."""
from functools import partial

from clpy.compiler import binary, cache, foreign, program, translator
from clpy.compiler import il as il_reader
from clpy.compiler.amdgpu import assembler, code, described, device_library, facts, frontend, host_calls, kernels
from clpy.compiler.frame import INITIALIZE
from clpy.compiler.options import linked
from clpy.compiler.program import Clock, CompileError, Executable, Unit, pack, source_of  # noqa: F401 (for callers)
from clpy.compiler.units import merge
from clpy.errors import CLError


def compile_source(source, headers, options, target):
    """Unit of an OpenCL C source; `headers` are {name: text} as clCompileProgram gets them."""
    clock = Clock()
    module, log, portable = run_frontend(source, headers, options, target)
    unit = Unit(module.to_bitcode(), options, log, portable=portable)
    clock.lap("front end")
    clock.report("compile")
    return unit


def run_frontend(source, headers, options, target):
    """(Module, log, portable)."""
    result = frontend.compile_source(source, headers or {}, options, target)
    if result.module is None:
        raise CompileError(result.log)
    host_calls.plain_blocks(result.module)
    return result.module, result.log, not result.reads_files


def compile_il(il, options, target):
    """Unit of a SPIR-V module."""
    clock = Clock()
    options = il_reader.options_for(options)
    unit = Unit(read_il(il, options, target).to_bitcode(), options)
    clock.lap("translator")
    clock.report("compile")
    return unit


def build_il(il, options, target):
    """Executable of a SPIR-V module, from the cache if it is there."""
    clock = Clock()
    options = il_reader.options_for(options)
    key = cache.key(il, {}, [b"spirv", translator.stamp()], options, target)
    executable = cached(key, target, clock)
    if executable is not None:
        return executable
    module = read_il(il, options, target)
    clock.lap("translator")
    return finish_and_store(module, options, target, clock, key)


def build_assembly(text, options, target):
    """Executable of the chip's assembly, from the cache if it is there. It has no bitcode: its machine code is all."""
    clock = Clock()
    key = cache.key(text, {}, [b"assembly"], options, target)
    executable = cached(key, target, clock)
    if executable is not None:
        return executable
    blob, log = assembler.assemble(text, target.processor)
    clock.lap("assembler")
    try:
        infos = described.read_kernels(blob)
        read = facts.read_program(blob, infos)
        described.check(read)
    except ValueError as why:
        raise CompileError(f"{log}error: {why}\n") from None
    kernels.add_facts(infos, read)
    executable = Executable(b"", [blob], infos, described.options_for(blob, options), log)
    clock.lap("facts")
    cache.store(key, program.pack(executable, b"", target))
    clock.report("assemble")
    return executable


def read_il(il, options, target):
    """The Module of a SPIR-V module for the chip."""
    from clpy.compiler.amdgpu import retarget
    from clpy.llvm.module import LLVMError
    try:
        return retarget.retarget(program.read_il(il), options, target)
    except (LLVMError, ValueError) as why:
        raise CompileError(f"error: {why}\n") from None


def link(units, options, target):
    """Executable of the units; with -create-library a Unit that holds them all."""
    if any(unit.foreign for unit in units):
        return foreign.link(units, options, target, link)
    clock = Clock()
    module = merge(units)
    clock.lap("link")
    options = linked([unit.options for unit in units], options)
    if options.create_library:
        return Unit(module.to_bitcode(), options, kind=binary.LIBRARY)
    key = cache.key(module.to_bitcode(), {}, [b"link"], options, target)
    return cached(key, target, clock) or finish_and_store(module, options, target, clock, key)


def build(source, options, target, headers=None):
    """Executable of a source, from the cache if it is there."""
    clock = Clock()
    args = frontend.arguments(options, target)
    key = cache.key(source, headers or {}, args, options, target)
    executable = cached(key, target, clock)
    if executable is not None:
        return executable
    module, log, portable = run_frontend(source, headers, options, target)
    clock.lap("front end")
    return finish_and_store(module, options, target, clock, key if portable else None, log)


def cached(key, target, clock):
    return program.cached(key, target, clock, link)


def unpack(blob, target):
    """Unit or Executable of a binary, as program.unpack; its machine code is one that can be read."""
    made = program.unpack(blob, target, link, build)
    if made.kind == binary.EXECUTABLE:
        try:
            code, = made.objects
            facts.read_program(code, made.kernels)
        except ValueError as why:
            raise CLError(binary.CL_INVALID_BINARY, f"the chip's code cannot be read: {why}") from None
    return made


def finish_and_store(module, options, target, clock, key, log=""):
    """Executable of a linked module, also into the cache under `key` (None: not)."""
    executable = finish(module, options, target, clock)
    executable.log = log
    if key is not None:
        cache.store(key, program.pack(executable, b"", target))
        clock.lap("store")
    clock.report("build")
    return executable


def finish(module, options, target, clock):
    """From the module of a whole program to an Executable."""
    from clpy.llvm.module import LLVMError
    try:
        code.gather_initializers(module)
        code.keep_kernels(module)
        ir = module.to_bitcode()
        infos = kernels.read_kernels(module)
        host_calls.number_blocks(module, infos)
        clock.lap("bitcode")
        blob = code.make(module, target, options, clock, partial(kernels.note_memory, infos))
        kernels.add_facts(infos, facts.read_program(blob, infos, kernels.is_listing_wanted(blob)))
        infos.pop(INITIALIZE, None)
        clock.lap("facts")
    except device_library.Missing as why:
        raise CompileError(f"error: {why}\n") from None
    except LLVMError as why:
        raise CompileError(f"error: the compiler failed: {why}\n") from None
    except ValueError as why:
        raise CompileError(f"error: the chip's code cannot be read: {why}\n") from None
    return Executable(ir, [blob], infos, options)
