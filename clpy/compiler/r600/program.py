# SPDX-License-Identifier: Apache-2.0
"""Building programs for VLIW chips: what clpy.compiler.program is for the CPU device, with the same Units, Executables,
binaries and cache. An Executable's one object is the chip's code object, which facts.read_program reads."""
from functools import partial

from clpy.compiler import binary, cache, foreign, program
from clpy.compiler.amdgpu.code import keep_kernels
from clpy.compiler.options import linked
from clpy.compiler.program import Clock, CompileError, Executable, Unit, pack, source_of  # noqa: F401 (for callers)
from clpy.compiler.r600 import code, facts, frontend, kernels
from clpy.compiler.units import merge
from clpy.errors import CLError

NO_IL = "error: models of VLIW chips take no SPIR-V\n"


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
    return result.module, result.log, not result.reads_files


def compile_il(il, options, target):
    raise CompileError(NO_IL)


def build_il(il, options, target):
    raise CompileError(NO_IL)


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
            blob, = made.objects
            facts.read_program(blob, made.kernels, target.processor)
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
        keep_kernels(module)
        ir = module.to_bitcode()
        infos = kernels.read_kernels(module)
        clock.lap("bitcode")
        blob = code.make(module, target, clock, partial(kernels.note_waiting, infos))
        add_facts(infos, facts.read_program(blob, infos, target.processor))
        clock.lap("facts")
    except LLVMError as why:
        raise CompileError(f"error: LLVM's code generator for VLIW chips refuses the program: {why}\n") from None
    except ValueError as why:
        raise CompileError(f"error: the chip's code cannot be read: {why}\n") from None
    return Executable(ir, [blob], infos, options)


def add_facts(infos, read):
    """What the machine code says: memory per group, and for which processor it is."""
    for name, info in infos.items():
        info.local_bytes = read.kernels[name].lds_bytes
        info.facts = {**info.facts, "waits": False, "processor": read.processor}
