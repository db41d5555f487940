# SPDX-License-Identifier: Apache-2.0
"""Building programs, from source to loaded machine code; what the CPU device's toolchain calls.

    Unit        one compiled source: bitcode for spir64 (clCompileProgram)
    Executable  linked and compiled for a target: kernels and a native object (clLinkProgram, clBuildProgram)
    Loaded      an Executable's code in memory

What is wrong with a program is in its build log: code is generated inside the build, but where it is sure that nothing
can go wrong (compiler/waiting.py). A failed build raises CompileError; wrong options and binaries raise CLError.
`may_wait`, where a function has it, allows for an Executable whose kernels wait for their code. What only programs from
SPIR-V or from binaries need is imported with the first of them.
"""
from functools import cached_property
from hashlib import blake2b
from time import perf_counter_ns, thread_time_ns

from clpy import config
from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler import binary, cache, device_queues, for_host, frontend, zeros
from clpy.compiler.metadata import KernelInfo
from clpy.compiler.options import BUILD, COMPILE, LINK, PARTS, Options, linked, parse_options
from clpy.compiler.pieces import Pieces
from clpy.errors import CLError, CompileError
from clpy.records import field, record, replace
from clpy.trace import trace

ANY_GROUPS = ()        # a group_size: nothing is known of it
GLOBAL_SPACE = 1       # LLVM's address space of variables of the program


@record
class Unit:
    """A compiled source, or with kind binary.LIBRARY several linked ones."""
    ir: bytes
    options: Options
    log: str = ""
    kind: int = binary.OBJECT
    portable: bool = True   # no file of this machine took part
    foreign: bool = False   # the bitcode is of a binary and may be anything


@record
class Executable:
    """`ir` is the program before the builtins and any lowering, `objects` what became of it on the target. Where the
    kernels wait there are none: `make_kernel` makes those of one of them. What is known of it before is in `kernels`:
    its arguments and attributes."""
    ir: bytes
    objects: list
    kernels: dict
    options: Options
    log: str = ""
    kind: int = binary.EXECUTABLE
    undefined: list = field(default_factory=list)   # symbols of the objects that the process must provide
    distinct: bool = True   # code may take the memory of arguments to be distinct
    waits: bool = False
    is_cached: bool = False # it comes from the cache or a binary
    made_ns: int = 0        # of a processor, that a kernel took; 0: not known

    @cached_property
    def digest(self):
        return blake2b(self.ir, digest_size=20).digest()

    @cached_property
    def pieces(self):
        return Pieces(self.ir, self.kernels)


class Nothing:
    """What is loaded of a program whose kernels wait."""

    def address(self, name):
        return 0


class Clock:
    """Where the time of a build goes; CLPY_DEBUG=3 shows it."""

    def __init__(self):
        self.start = self.last = perf_counter_ns()
        self.parts = []

    def lap(self, name):
        now = perf_counter_ns()
        self.parts.append(f"{name} {(now - self.last) / 1e6:.1f}")
        self.last = now

    def report(self, what):
        if config.get("DEBUG") >= 3:
            trace(3, f"{what}: {(self.last - self.start) / 1e6:.1f} ms ({', '.join(self.parts)})")


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
    trace(4, source.decode("utf-8", "replace"))
    result = frontend.compile_source(source, headers or {}, options, target)
    if result.module is None:
        raise CompileError(result.log)
    if device_queues.FEATURE in target.c_features:
        device_queues.hide_blocks(result.module)
    return result.module, result.log, not result.reads_files


def compile_il(il, options, target):
    """Unit of a SPIR-V module."""
    from clpy.compiler import il as il_reader
    clock = Clock()
    unit = Unit(read_il(il).to_bitcode(), il_reader.options_for(options))
    clock.lap("translator")
    clock.report("compile")
    return unit


def build_il(il, options, target, may_wait=False):
    """Executable of a SPIR-V module, from the cache if it is there."""
    from clpy.compiler import il as il_reader
    from clpy.compiler import translator
    clock = Clock()
    options = il_reader.options_for(options)
    key = cache.key(il, {}, [b"spirv", translator.stamp(), *waiting_mark(may_wait)], options, target)
    executable = cached(key, target, clock)
    if executable is not None:
        return executable
    module = read_il(il)
    clock.lap("translator")
    return finish_and_store(module, options, target, clock, key, may_wait=may_wait)


def read_il(il):
    from clpy.compiler import il as il_reader
    try:
        return il_reader.read(il)
    except il_reader.ModuleError as why:
        raise CompileError(f"error: {why}\n") from None


def link(units, options, target, may_wait=False):
    """Executable of the units; with -create-library a Unit that holds them all."""
    if any(unit.foreign for unit in units):
        from clpy.compiler import foreign
        return foreign.link(units, options, target, link)
    from clpy.compiler.units import merge
    clock = Clock()
    module = merge(units)
    clock.lap("link")
    options = linked([unit.options for unit in units], options)
    if options.create_library:
        return Unit(module.to_bitcode(), options, kind=binary.LIBRARY)
    # The bitcode says it all: what files the sources read does not matter any more.
    key = cache.key(module.to_bitcode(), {}, [b"link", *waiting_mark(may_wait)], options, target)
    return cached(key, target, clock) or finish_and_store(module, options, target, clock, key, may_wait=may_wait)


def waiting_mark(may_wait):
    """What makes the cache's key another one."""
    return [b"waiting"] if may_wait else []


def build(source, options, target, headers=None, may_wait=False):
    """Executable of a source, from the cache if it is there."""
    clock = Clock()
    args = frontend.arguments(options, target)  # a wrong -cl-std is known before anything else
    key = cache.key(source, headers or {}, args + waiting_mark(may_wait), options, target)
    executable = cached(key, target, clock)
    if executable is not None:
        return executable
    module, log, portable = run_frontend(source, headers, options, target)
    clock.lap("front end")
    return finish_and_store(module, options, target, clock, key if portable else None, log, may_wait=may_wait)


def cached(key, target, clock, relink=link):
    """Executable of a cache entry, None when there is none, or a damaged or foreign one."""
    blob = cache.load(key)
    clock.lap("cache")
    if blob is None:
        return None
    try:
        kind, _, meta = binary.unpack(blob)
        if kind == binary.EXECUTABLE and meta.get("target") == target.key():
            executable = unpack(blob, target, relink)
            clock.lap("read")
            clock.report("cached")
            return executable
    except CLError:
        pass
    cache.forget(key)
    return None


def finish_and_store(module, options, target, clock, key, log="", **launches):
    """Executable of a linked spir module, also into the cache under `key` (None: not)."""
    executable = finish(module, options, target, clock, **launches)
    executable.log = log + executable.log
    if key is not None and config.get("CACHE"):
        cache.store(key, pack(executable, b"", target, made_ns=executable.made_ns))
        clock.lap("store")
    clock.report("build")
    return executable


def finish(module, options, target, clock, group_size=None, formats=None, distinct=True, other=False, may_wait=False):
    """From the linked spir module of a whole program to an Executable; its work-groups are of `group_size`, if any, or
    of whole vectors (None) where that does, its images of `formats`, and the memory of arguments is `distinct` where
    kernels gain by that; `other`: see Lowering."""
    from clpy.compiler import frame, initializers, library, parts, pipeline, supported, waiting
    from clpy.compiler.lowering import LoweringError
    from clpy.llvm import orc
    from clpy.llvm.module import LLVMError
    start = thread_time_ns()
    try:
        initializers.gather(module)
        library.keep_kernels(module)
        supported.check(module, target)
        ir = module.to_bitcode()
        plain = may_be_specialized(module, options, target)
        first = not group_size and config.get("SPECIALIZE_MS") > 0 and plain
        kernels = waiting.kernels_of(module, options) if may_wait and plain else {}
        clock.lap("bitcode")
        renamed = library.rename_kernels(module, orc.provides)
        library.link(module)
        supported.check_calls(module)
        refuse_undefined(library.undefined_with_types(module))
        module = device_queues.plain(module)
        clock.lap("builtins")
        if kernels and waiting.is_sound(module):
            return Executable(ir, [], kernels, options, waits=True)
        notes = []
        lowering = pipeline.lower(module, target, options, notes, distinct, group_size=group_size, formats=formats,
                                  first=first, other=other)
        kernels = library.restore_names(module, lowering.kernels, renamed)
        kernels.pop(frame.INITIALIZE, None)
        if formats and not group_size:
            takes_formats(kernels.values(), formats)
        clock.lap("lower")
        objects = parts.compile_kernels(module, lowering, target)
        clock.lap("code")
    except LoweringError as why:
        raise CompileError(f"error: {why}\n") from None
    except LLVMError as why:
        raise CompileError(f"error: {failed(why)}\n") from None
    undefined = binary.undefined_symbols(*objects)
    refuse_undefined(orc.missing(undefined))
    log = "".join(f"{note}\n" for note in notes) if config.get("DEBUG") >= 3 else ""
    made_ns = (thread_time_ns() - start) // max(len(kernels), 1)
    return Executable(ir, objects, kernels, options, log, undefined=undefined, made_ns=made_ns)


def takes_formats(kernels, formats):
    """Their code says that images are of these."""
    for info in kernels:
        info.args = [replace(arg, format=formats[i][0] << 16 | formats[i][1]) if i in formats else arg
                     for i, arg in enumerate(info.args)]


def specialize(executable, name, size, target, formats):
    """Executable of one kernel for work-groups of `size` and images of these formats, {index of the argument: (channel
    order, type, pixel's bytes)}; None where that is not possible or would not pay."""
    if not may_have_special(executable, name, formats):
        return None
    module = alone(executable, name)
    if not may_be_specialized(module, executable.options, target):
        return None
    return version(executable, (name,), module, target, size, executable.distinct, formats)


def may_have_special(executable, name, formats):
    return (executable.ir and not (executable.kernels[name].is_one_item and not formats)
            and not any(info.is_block for info in executable.kernels.values()))


def recall(executable, name, size, target, formats, other=False):
    """What `specialize` made of it before, in this process or another; None where the cache has nothing."""
    if not other and not may_have_special(executable, name, formats):
        return None
    made = cached(version_key(executable, (name,), target, size, executable.distinct, formats, other), target, Clock())
    if made is not None:
        made.distinct = executable.distinct
    return made


def forget_special(executable, name, size, target, formats):
    """It is no faster: later processes do not begin with it."""
    cache.forget(version_key(executable, (name,), target, size, executable.distinct, formats))


def may_be_specialized(module, options, target):
    """Variables of the program would be others in the new code: a program that has some stays as it is, and so does one
    with blocks, which are known by their numbers."""
    from clpy.compiler.metadata import is_block
    from clpy.llvm.ir import functions, global_variables
    return not (target.lockstep or options.opt_disable or "llvmir" not in options.parts_of_binary(PARTS)
                or any(v.type.address_space == GLOBAL_SPACE and not v.is_fixed for v in global_variables(module))
                or any(is_block(function) for function in functions(module)))


def general(executable, name, target):
    """Executable of one kernel whose arguments may have memory in common. Where a kernel's code is not made for that,
    the bitcode is there (pipeline.may_be_distinct), and no variable in it would be another one (passes/distinct.py)."""
    return version(executable, (name,), alone(executable, name), target, None, False) if executable.ir else None


def any_groups(executable, name, target):
    """Executable of one kernel for groups that are not whole vectors; likewise."""
    return make_kernel(executable, name, target, for_any_groups=True) if executable.ir else None


def make_kernel(executable, name, target, for_any_groups=False, likely=(), formats=None):
    """Executable of one kernel of a program whose kernels wait, and of those that are `likely` needed next, where they
    are short. With `formats`, as for `specialize`, it is for these alone."""
    size, names = ANY_GROUPS if for_any_groups else None, (name,)
    if likely and not for_any_groups and not formats:
        short = executable.pieces.together(name)
        names = short if {name, *likely}.issuperset(short) else names
    return version(executable, names, executable.pieces.module_of(*names), target, size, executable.distinct,
                   formats or None)


def alone(executable, name):
    """The linked module with one of the kernels."""
    return executable.pieces.module_of(name)


def version(executable, names, module, target, size, distinct, formats=None, other=False):
    clock = Clock()
    key = version_key(executable, names, target, size, distinct, formats, other)
    made = cached(key, target, clock) or finish_and_store(module, executable.options, target, clock, key, other=other,
                                                          group_size=size, distinct=distinct, formats=formats)
    made.distinct = distinct
    return made


def version_key(executable, names, target, size, distinct, formats, other=False):
    what = [b"special" if distinct else b"general", "\n".join(names).encode(), repr((size, formats, other)).encode()]
    return cache.key(executable.digest, {}, what, executable.options, target)


def failed(why):
    """What LLVM says of code that it cannot make, in words for who wrote the source."""
    if "nline asm" in str(why):
        return "assembly in a program is not supported by this device"
    return f"the compiler failed: {why}"


def refuse_undefined(names):
    from clpy.compiler import library
    lines = [f"error: undefined reference to '{library.readable(name)}'\n" for name in names]
    if lines:
        raise CompileError("".join(lines))


def pack(program, source, target, parts=PARTS, **more):
    """The binary of a Unit or an Executable, with these of the PARTS. A Unit is its bitcode, which stays. `more`
    metadata is for the cache, whose entries need not be the same each time."""
    source = source if "source" in parts else None
    meta = {"options": program.options.text, "stage": program.options.stage, "parts": program.options.of_parts(),
            "log": program.log, "target": target.key(), "device": target.name, **more}
    if program.kind != binary.EXECUTABLE:
        if not program.foreign:
            from clpy.compiler import foreign
            foreign.remember(program.ir)
        return binary.pack(program.kind, (source, program.ir, b""), meta)
    ir = program.ir if "llvmir" in parts else None
    if "exe" not in parts and program.ir:
        from clpy.compiler import foreign
        foreign.remember(program.ir)
        return binary.pack(program.kind, (source, ir, None), meta)
    meta["objects"] = [len(part) for part in program.objects]
    meta["waits"] = program.waits
    meta["kernels"] = [info.to_dict() for info in program.kernels.values()]
    return binary.pack(program.kind, (source, ir, b"".join(program.objects)), meta, sealed=True)


def unpack(blob, target, relink=link, rebuild=build):
    """Unit or Executable of a binary. One made for another CPU or by another version of clpy, or without machine code,
    is compiled anew from its bitcode, by `relink`, or by `rebuild` from its source: applications keep binaries
    (pyopencl does) and expect them to work after an update."""
    kind, parts, meta = binary.unpack(blob)
    try:
        log = text_of(meta, "log")
        options = parse_options(text_of(meta, "options"), text_of(meta, "stage")).with_parts(meta["parts"])
        if meta["stage"] not in (BUILD, COMPILE, LINK):
            raise ValueError("of no call")
        if meta["device"] != target.name:
            raise ValueError("made for another kind of device")
        ir = parts[".llvmir"]
        if kind != binary.EXECUTABLE:
            return Unit(ir, options, log, kind, foreign=is_foreign(ir))
        if meta["format"] in binary.OLD_FORMATS:
            return relink([Unit(ir, options, foreign=True)], options, target)
        code = binary.sealed_code(parts, meta) if parts[".text"] else b""
        waits = bool(parts[".text"]) and not code and meta["waits"] is True
        kernels = kernels_of(meta) if (code or waits) and meta["target"] == target.key() else None
        if kernels is None:
            if ir:
                trusted = code or waits or not is_foreign(ir)
                return relink([Unit(ir, options, foreign=not trusted)], options, target)
            if parts[".source"]:
                return rebuild(parts[".source"], options, target)
            raise ValueError("there is neither machine code for this device nor what to make it of")
        objects = binary.cut_all(code, meta["objects"])
        return Executable(ir, objects, kernels, options, log, undefined=binary.undefined_symbols(*objects), waits=waits,
                          made_ns=time_of(meta), is_cached=True)
    except (KeyError, TypeError, ValueError, CLError, CompileError) as why:
        raise CLError(binary.CL_INVALID_BINARY, str(why)) from None


def is_foreign(ir):
    from clpy.compiler import foreign
    return foreign.is_foreign(ir)


def time_of(meta):
    """What the kernels took to make, 0 where it is not said."""
    made_ns = meta.get("made_ns", 0)
    if type(made_ns) is not int or not 0 <= made_ns < 2**63:
        raise ValueError("of no time")
    return made_ns


def text_of(meta, name):
    """A text that an application may ask for; ValueError where it is none."""
    text = meta[name]
    if not isinstance(text, str) or "\0" in text:
        raise ValueError(f"{name} is no text")
    text.encode()
    return text


def kernels_of(meta):
    """Metadata of a binary's kernels, None when it was made by another version of clpy."""
    if meta.get("abi") != binary.ABI_VERSION:
        return None
    try:
        return {info.name: info for info in map(KernelInfo.from_dict, meta["kernels"])}
    except ValueError:
        return None


def source_of(blob):
    """The source a binary carries, b"" for none."""
    return binary.unpack(blob)[1][".source"]


def load(executable, target):
    """The code in memory: `.address(kernel name)`. It is there as long as the result."""
    from clpy.compiler import library_code
    if executable.waits:
        return load_nothing()
    shared = library_code.addresses(executable.undefined, target)
    loaded = load_objects(executable.objects, executable.undefined, executable.kernels, shared=shared)
    if executable.options.debug:
        from clpy.compiler import debugger
        debugger.show(loaded, executable.objects, loaded.addresses)
    return loaded


def load_nothing():
    """Where a kernel's code could not be loaded the build says so, not its first launch."""
    from clpy.llvm import orc
    why = orc.refusal()
    if why:
        raise CompileError(f"error: the machine code cannot be loaded: {why}\n")
    return Nothing()


def load_objects(objects, undefined, kernels, beside=None, shared=None):
    """Objects of this machine in memory, with the kernels of these names. `beside` is what was loaded before and they
    refer to; they become part of it. `shared`: addresses of what else they call, by name."""
    from clpy.compiler.runtime import before_load, functions
    from clpy.llvm import orc
    from clpy.llvm.module import LLVMError
    clock = Clock()
    for name, address in functions.items():
        orc.define_runtime(name, address)
    for each in before_load:
        each()
    try:
        loaded = orc.Loaded() if beside is None else beside
        wanted = [*(KERNEL_PREFIX + name for name in kernels), *binary.defined_symbols(for_host.PREFIX, *objects)]
        loaded.load(objects, undefined, wanted, {**(shared or {}), **zeros.places(loaded, undefined, objects)})
    except LLVMError as why:
        raise CompileError(f"error: the machine code cannot be loaded: {why}\n") from None
    clock.lap("jit")
    clock.report("load")
    return loaded
