# SPDX-License-Identifier: Apache-2.0
"""Run a kernel in many ways and compare the bits of what it leaves.

    with Worker() as worker:
        outcome = worker.run(source, launch, seed, ways)      # {way: digest, or an error}

Kernels run in a child process, so that one that crashes or hangs costs only itself. clpy's ways go past the API: the
compiler makes the code, and a launch record starts it group after group. Other platforms are called through the ICD
loader's ABI by pyopencl, in a worker of their own (`Worker(vendor=...)`).
"""
import ctypes
import hashlib
import json
import os
import re
import select
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

from .kernel_function import kernel_function

ROOT = Path(__file__).resolve().parents[2]
LIBC = ctypes.CDLL(None)
STARTED = "started"
STREAMS = 1   # CLPY_LAUNCH_STREAMS
LEFT = 0x80   # bytes that earlier kernels left in a group's memory: as words, multiples of 4 that are no address


class Way(NamedTuple):
    """`width`: work-items per vector (0: chosen, 1: scalar); `flags`: of the launch; `across`: lanes lie along
    dimension 1; `quick`: the passes are the usual ones, LLVM does little behind them. Vectors that LLVM's code
    generator takes its time for are there in a fifth of it, so that a run over many kernels tests the passes; `calls`:
    no function is inlined that could be called; `whole`: the code has all forms from the start; `lockstep`: work-items
    of a wavefront, which is `observed`."""
    isa: str = "native"
    width: int = 0
    options: str = ""
    flags: int = 0
    across: bool = False
    quick: bool = False
    calls: bool = False
    lockstep: int = 0
    observed: bool = False
    chip: str = ""
    whole: bool = False


WAYS = {
    "scalar": Way(width=1),
    "auto": Way(),
    "4": Way(width=4),
    "8": Way(width=8),
    "16": Way(width=16),
    "streams": Way(flags=STREAMS),
    "O0": Way(options="-cl-opt-disable"),
    "avx2": Way("avx2"),
    "avx2-whole": Way("avx2", whole=True),
    "avx2-8": Way("avx2", 8),
    "sse4.2": Way("sse4.2"),
    "sse4.2-4": Way("sse4.2", 4),
    "across-8": Way(width=8, across=True),
    "across-16": Way("avx2", width=16, across=True),
    "quick-4": Way(width=4, quick=True),
    "quick-8": Way(width=8, quick=True),
    "quick-16": Way(width=16, quick=True),
    "quick-across-4": Way(width=4, across=True, quick=True),
    "quick-across-16": Way(width=16, across=True, quick=True),
    "quick-calls-8": Way(width=8, quick=True, calls=True),
    "lockstep16": Way(lockstep=16),
    "quick-lockstep16": Way(lockstep=16, quick=True),
    "lockstep32": Way("avx2", lockstep=32),
    "lockstep64": Way(lockstep=64),
    "quick-lockstep64": Way(lockstep=64, quick=True),
    "observed32": Way(lockstep=32, observed=True),
    "quick-observed16": Way(lockstep=16, observed=True, quick=True),
    "gpu:tahiti": Way(chip="tahiti"),
    "gpu:vega10": Way(chip="vega10"),
}
MODEL = "gpu:"
LITTLE = "always-inline,globaldce,function<eager-inv>(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg)"


def distinct(names):
    """Of these ways, in their order: those that are not the same on this machine as one before. An instruction set by
    name, and the same as what the machine has, differ in nothing but the order of instructions."""
    from clpy.compiler.cpu import CpuTarget
    kept = {}
    for name in names:
        kept.setdefault((CpuTarget(isa=WAYS[name].isa).vector_bits, WAYS[name]._replace(isa="")), name)
    return tuple(kept.values())


def way_of(name):
    """The way of that name; a model of any chip is one. KeyError where there is none."""
    if name not in WAYS and name.startswith(MODEL):
        from clpy.device.gpu import chip
        if name.removeprefix(MODEL) in chip.files():
            return Way(chip=name.removeprefix(MODEL))
    return WAYS[name]


class LaunchRecord(ctypes.Structure):
    """clpy_launch of include/clpy_abi.h."""
    _fields_ = [("work_dim", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                *[(n, ctypes.c_size_t * 3) for n in ("global_offset", "global_size", "local_size", "num_groups")],
                ("observer", ctypes.c_void_p)]


class GroupMemory(ctypes.Structure):
    _fields_ = [("local", ctypes.c_void_p), ("context", ctypes.c_void_p)]


def three(sizes, fill):
    return (*sizes, *[fill] * (3 - len(sizes)))


def aligned(size, fill=0, alignment=128):
    """(buffer to keep, address) of memory."""
    memory = np.full(size + alignment, fill, np.uint8)
    return memory, -(-memory.ctypes.data // alignment) * alignment


def argument_block(info, arguments):
    """(memory to keep, address, bytes of local memory): the arguments as a launch captures them. An int stands for a
    __local argument of so many bytes."""
    memory, base = aligned(info.args_size + 16)
    local = info.local_bytes
    for arg, value in zip(info.args, arguments, strict=True):
        if isinstance(value, np.ndarray):
            data = ctypes.c_size_t(value.ctypes.data)
        elif isinstance(value, int):
            local = -(-local // 128) * 128
            data, local = ctypes.c_size_t(local), local + value
        else:
            data = ctypes.create_string_buffer(value.tobytes(), value.itemsize)
        ctypes.memmove(base + arg.offset, ctypes.byref(data), arg.size if arg.size else ctypes.sizeof(data))
    return memory, base, local


def blind_observer():
    """(memory to keep, address) of a clpy_observer whose functions do nothing: each is labs of the C library."""
    functions = (ctypes.c_void_p * 5)(*[ctypes.cast(LIBC.labs, ctypes.c_void_p).value] * 5)
    return functions, ctypes.addressof(functions)


def launch(executable, loaded, name, arguments, size, group, offset=(), flags=0, observer=None):
    """Run all groups of a kernel, one after the other; `observer`: address of a clpy_observer."""
    if hasattr(loaded, "sink"):
        with loaded.sink(name) as sink:
            run_groups(executable, loaded, name, arguments, size, group, offset, flags, sink)
    else:
        run_groups(executable, loaded, name, arguments, size, group, offset, flags, observer)


def for_shape(executable, loaded, name, size, group, offset):
    """What core/versions.pyx does: (executable, loaded) with the code for such a launch."""
    whole = executable.kernels[name].whole
    if all(w == 1 or (n % w == m % w == 0 and n + at < 1 << 30)
           for w, n, m, at in zip(whole, size, group, offset, strict=True)):
        return executable, loaded
    if name not in executable.others:
        from clpy.compiler import program
        other = program.any_groups(executable, name, executable.target)
        executable.others[name] = other, program.load(other, executable.target)
    return executable.others[name]


def run_groups(executable, loaded, name, arguments, size, group, offset, flags, observer):
    dimensions = len(size)
    size, group, offset = three(size, 1), three(group, 1), three(offset, 0)
    executable, loaded = for_shape(executable, loaded, name, size, group, offset)
    info = executable.kernels[name]
    block, base, local = argument_block(info, arguments)
    counts = [-(-n // m) for n, m in zip(size, group, strict=True)]
    sizes = [(ctypes.c_size_t * 3)(*v) for v in (offset, size, group, counts)]
    record = LaunchRecord(dimensions, flags, *sizes, observer)
    rooms = local, info.context_bytes * int(np.prod(group))
    keep, memory = zip(*(aligned(n, LEFT) for n in rooms), strict=True)
    groups = GroupMemory(*memory)
    function = kernel_function(loaded.address(name), info.unit)
    for z in range(counts[2]):
        for y in range(counts[1]):
            function(ctypes.addressof(record), base, ctypes.addressof(groups), 0, counts[0], y, z)
    del block, keep


@contextmanager
def changed_compiler(way):
    """For the time of the block the compiler is one that `way` asks for beyond the options users have."""
    from clpy.compiler import frame as fr
    from clpy.compiler.passes import inline, optimize
    from clpy.compiler.spmd.vector_region import VectorRegion
    from clpy.llvm import codegen
    with ExitStack() as stack:
        if way.across:
            usual = VectorRegion.best

            def across(self):
                return self.consider(1) if fr.frame_of(self.region)["lid.1"].has_users else usual(self)
            stack.enter_context(mock.patch.object(VectorRegion, "best", across))
        if way.calls:
            stack.enter_context(mock.patch.multiple(inline, LARGE_FUNCTION=-1, LARGE_GROWTH=-1))
        if way.quick:
            machine = codegen.machine
            stack.enter_context(mock.patch.object(codegen, "machine", lambda target, optimize=True:
                                                  machine(target, False)))
            stack.enter_context(mock.patch.object(optimize, "choose", lambda module, lowering: LITTLE))
        yield


class Compiler:
    """Kernels of one source for clpy's ways; the source is parsed once per set of options, and what quick ways have in
    common, up to the cut into regions, is done once."""

    def __init__(self, source):
        self.source, self.units, self.regions = source, {}, {}

    def build(self, way):
        import clpy.device.host.gang
        import clpy.device.host.printf  # noqa: F401 (those that print)
        from clpy import config
        from clpy.compiler import cpu, program
        from clpy.device.host import frames

        from . import models
        frames.known_to_kernels()
        way = way_of(way)
        if way.chip:
            return models.build(way.chip, self.source, f"-w {models.standard(way.chip)} {way.options}")
        machine = cpu.CpuTarget(isa=way.isa, lockstep=way.lockstep, observed=way.observed)
        options = program.parse_options("-w -cl-std=CL3.0 " + way.options)
        if way.options not in self.units:
            self.units[way.options] = program.compile_source(self.source.encode(), {}, options, machine)
        values = {"CPU_VECTORIZER_MODE": str(way.width), "SPECIALIZE_MS": 0 if way.whole else 100}
        with config.override(**values), changed_compiler(way):
            if way.quick:
                executable = self.quick(way, self.units[way.options], options, machine)
            else:
                executable = program.link([self.units[way.options]], options, machine)
        executable.target, executable.others = machine, {}
        return executable, program.load(executable, machine)

    def quick(self, way, unit, options, target):
        """program.finish for the quick ways."""
        from clpy.compiler import binary, library, pipeline, program
        from clpy.llvm import codegen, module, orc
        from clpy.records import replace
        names = [name for name, _ in pipeline.PASSES]
        cut = names.index("regions") + 1
        with codegen.machine(target, True) as machine:
            key = way.isa, way.calls, way.lockstep, way.observed
            if key not in self.regions:
                common = module.Module.from_bitcode(unit.ir)
                library.keep_kernels(common)
                renamed = library.rename_kernels(common, orc.provides)
                library.link(common)
                lowering = pipeline.prepare(common, target, machine, True)
                pipeline.run(common, lowering, names[:cut])
                self.regions[key] = common, lowering, renamed
            common, lowering, renamed = self.regions[key]
            clone = common.clone()
            lowering = replace(lowering, machine=machine.ref, width=way.width, report=[],
                               kernels=deepcopy(lowering.kernels))
            pipeline.run(clone, lowering, names[cut:])
            kernels = library.restore_names(clone, lowering.kernels, renamed)
            code = machine.object(clone)
        log = "\n".join(pipeline.describe(lowering.report))
        return program.Executable(unit.ir, [code], kernels, options, log, undefined=binary.undefined_symbols(code))


class Platform:
    """Another implementation of OpenCL, or clpy through its API: what the ICD loader finds. Its optimizer is not what
    is tested, and takes two thirds of the time."""
    OPTIONS = "-cl-std=CL3.0 -cl-opt-disable"

    def __init__(self):
        import pyopencl as cl
        self.cl = cl
        devices = [d for p in cl.get_platforms() for d in p.get_devices()]
        self.context = cl.Context(devices[:1])
        self.queue = cl.CommandQueue(self.context)

    def run(self, source, name, arguments, shape):
        cl = self.cl
        kernel = cl.Kernel(cl.Program(self.context, source).build(self.OPTIONS, cache_dir=False), name)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        memory = [cl.Buffer(self.context, flags, hostbuf=a) if isinstance(a, np.ndarray) else a for a in arguments]
        kernel.set_args(*memory)
        cl.enqueue_nd_range_kernel(self.queue, kernel, shape.size, shape.group, shape.offset)
        for array, buffer in zip(arguments, memory, strict=True):
            if isinstance(array, np.ndarray):
                cl.enqueue_copy(self.queue, array, buffer)
        self.queue.finish()


class Printed:
    """`lines`: what is written to the process's stdout for the time of a block, in no order."""

    def __enter__(self):
        self.file, self.stdout = os.memfd_create("printed"), os.dup(1)
        os.dup2(self.file, 1)
        return self

    def __exit__(self, *exc):
        LIBC.fflush(None)
        os.dup2(self.stdout, 1)
        self.lines = sorted(os.pread(self.file, 1 << 20, 0).splitlines())
        os.close(self.file)
        os.close(self.stdout)


def digest(arguments, changed, lines=()):
    """What tells two results apart, short."""
    out = hashlib.sha256()
    for array in arguments[:changed]:
        out.update(array.tobytes())
    out.update(b"\n".join(lines))
    return out.hexdigest()[:16]


def work(job, platform):
    """Yield (way, digest or error) for a job of Worker.run."""
    from . import random_case
    shape = random_case.Launch(*map(tuple, job["launch"]))
    compiler, (_keep, observer) = Compiler(job["source"]), blind_observer()
    for way in job["ways"]:
        yield way, STARTED
        arguments = random_case.arguments(job["seed"])
        try:
            if platform is None:
                executable, loaded = compiler.build(way)
            with Printed() as printed:
                if platform is not None:
                    platform.run(job["source"], "k", arguments, shape)
                else:
                    launch(executable, loaded, "k", arguments, shape.size, shape.group, shape.offset,
                           flags=way_of(way).flags, observer=observer)
        except Exception as why:
            yield way, f"{type(why).__name__}: {getattr(why, 'log', '') or why}"[-2000:]
        else:
            yield way, digest(arguments, random_case.CHANGED, printed.lines)


def serve():
    """The child: jobs come as lines of JSON, answers go back the same way."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a runtime prints is no answer
    platform = Platform() if "--platform" in sys.argv else None
    for line in sys.stdin:
        for answer in work(json.loads(line), platform):
            answers.write(json.dumps(answer) + "\n")
        answers.write("null\n")


class Worker:
    """A child process that runs kernels; it is started again when one of them kills it."""

    def __init__(self, vendor=None, timeout=60):
        """`vendor`: an .icd file, or a library, of the platform to use; None is clpy without its API."""
        self.vendor, self.timeout, self.child = vendor, timeout, None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.stop()

    def start(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CL_CONFIG_")} | {"CLPY_CACHE": "0"}
        command = [sys.executable, "-m", "tests.kernels.differential"]
        if self.vendor:
            environment.update(OCL_ICD_VENDORS=self.vendor, PYOPENCL_NO_CACHE="1")
            folder = os.path.dirname(self.vendor)
            environment["LD_LIBRARY_PATH"] = f"{folder}:{environment.get('LD_LIBRARY_PATH', '')}".rstrip(":")
            command.append("--platform")
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
                                      env=environment, stderr=subprocess.DEVNULL)
        self.pending = b""

    def stop(self):
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None

    def line(self):
        """The next answer, or None when the child is gone or silent."""
        while b"\n" not in self.pending:
            ready, _, _ = select.select([self.child.stdout], [], [], self.timeout)
            data = os.read(self.child.stdout.fileno(), 1 << 16) if ready else b""
            if not data:
                return None
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        return line

    def run(self, source, shape, seed, ways=tuple(WAYS)):
        """{way: digest or error} for the kernel `k` of a source, with the arguments of a seed."""
        out, left = {}, list(ways)
        while left:
            if self.child is None:
                self.start()
            job = {"source": source, "launch": [shape.size, shape.group, shape.offset], "seed": seed, "ways": left}
            self.child.stdin.write(json.dumps(job).encode() + b"\n")
            self.child.stdin.flush()
            way = self.collect(out)
            if way is None:
                break
            code = self.child.poll()
            self.stop()
            out[way] = "hangs" if code is None else f"crashes, {code}"
            left = left[left.index(way) + 1:]
        return out

    def collect(self, out):
        """Read a job's answers; returns the way that killed the child, or None."""
        way = None
        while (line := self.line()) != b"null":
            if line is None:
                try:
                    self.child.wait(2)
                except subprocess.TimeoutExpired:
                    pass
                return way or next(iter(WAYS))
            way, answer = json.loads(line)
            if answer != STARTED:
                out[way] = answer
        return None


def is_digest(result):
    return bool(result and re.fullmatch("[0-9a-f]{16}", result))


def kind(result):
    """What a failure has in common with those of smaller kernels."""
    return "differs" if is_digest(result) else re.sub(r"[\W\d]+", " ", result or "nothing")[:50]


def differences(outcome, oracle="scalar"):
    """The ways whose result is not the oracle's; the oracle itself if it has none."""
    expected = outcome.get(oracle)
    if not is_digest(expected):
        return {oracle: expected}
    return {way: result for way, result in outcome.items() if result != expected}


if __name__ == "__main__":
    serve()
