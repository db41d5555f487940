# SPDX-License-Identifier: Apache-2.0
"""Runs kernels on chips that are not there: OpenCL C to a chip's machine code, translated, loaded, over an NDRange."""
import ctypes
from contextlib import contextmanager, nullcontext
from functools import cache
from unittest import mock

import numpy as np

from clpy import abi_layout as abi
from clpy.compiler.amdgpu import code, facts, listing, program
from clpy.compiler.amdgpu.target import ChipTarget
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.isa import shared
from clpy.compiler.isa.gcn import translate
from clpy.compiler.options import Options, parse_options
from clpy.compiler.r600 import facts as vliw_facts
from clpy.compiler.r600 import program as vliw_program
from clpy.compiler.r600.target import PROCESSORS as VLIW
from clpy.compiler.r600.target import VliwTarget
from clpy.device.gpu import chip as chips
from clpy.device.gpu.rates import rates
from clpy.llvm import codegen, orc

ALIGN = 128


LEFT = 0x80         # bytes that earlier kernels left: as words, multiples of 4 that are no address


def aligned(size, fill=0):
    """Bytes that begin where a cache line does."""
    room = np.full(size + ALIGN, fill, np.uint8)
    start = -room.ctypes.data % ALIGN
    return room[start:start + size]


ALL = (1 << 64) - 1


@contextmanager
def assembly():
    with mock.patch.object(listing, "read", lambda *_: []), mock.patch.object(code, "refuse_assembly"):
        yield


class Sink:
    """clpy_wave_sink with room for a trace."""

    def __init__(self, blocks, words=1 << 18, most=ALL, is_silent=False, most_waves=0):
        self.counts, self.lanes = np.zeros(blocks, np.uint64), np.zeros(blocks, np.uint64)
        self.words = np.zeros(words, np.uint32)
        start = self.words.ctypes.data
        self.record = np.array([self.counts.ctypes.data, self.lanes.ctypes.data, start, start + 4 * words, 0, 0, most,
                                0, 0, is_silent, most_waves, 0], np.uint64)

    @property
    def address(self):
        return self.record.ctypes.data

    @property
    def trace(self):
        return self.words[:(int(self.record[2]) - self.words.ctypes.data) // 4]


def program_of(source, processor, options=""):
    """(IsaProgram, {kernel: KernelInfo})."""
    parsed = parse_options(options) if options else Options()
    if processor in VLIW:
        executable = vliw_program.program.build(source.encode(), parsed, VliwTarget(processor))
        return vliw_facts.read_program(executable.objects[0], executable.kernels, processor), executable.kernels
    target = ChipTarget(processor)
    # Programs may have none, but tests do: the listing knows nothing of it, the translator reads the code itself.
    with assembly() if "__asm" in source else nullcontext():
        unit = program.compile_source(source.encode(), {}, parsed, target)
        executable = program.link([unit], parsed, target)
        return facts.read_program(executable.objects[0], executable.kernels), executable.kernels


class Machine:
    """A program on a processor; that of VLIW chips has the chip's name, and its cycles. `waves`: {kernel: WaveProgram}.
    """

    def __init__(self, source, processor, options="", traced=False, is_brief=False):
        self.program, self.infos = program_of(source, processor, options)
        with codegen.machine(CpuTarget()) as machine:
            cycles = rates(chips.load(processor)) if processor in VLIW else None
            module, self.waves = translate.translate(self.program, cycles, traced, machine, is_brief=is_brief)
            assert module.verify() == ""
            made = translate.compile(module, machine, is_brief)
        names = [abi.KERNEL_PREFIX + name for name in self.program.kernels]
        self.loaded = orc.Loaded([made, shared.code(CpuTarget())], shared.undefined_symbols(made, CpuTarget()), names)

    def run(self, name, size, group, args, sink=None, offset=(0, 0, 0)):
        """`args`: arrays are buffers, integers bytes of local memory, NumPy numbers values."""
        kernel = self.program.kernels[name]
        size, group = ((*x, 1, 1)[:3] for x in (size, group))
        counts = [-(-n // m) for n, m in zip(size, group, strict=True)]
        launch = self.launch(size, group, counts, offset, sink)
        block, local_bytes, keep = self.arguments(name, kernel, args)
        waves = -(-int(np.prod(group)) // kernel.wave_size)
        local, context = aligned(local_bytes + ALIGN, LEFT), aligned(self.waves[name].wave_bytes * waves, LEFT)
        memory = np.array([local.ctypes.data, context.ctypes.data], np.uint64)
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_size_t] * 4)
        function = kind(self.loaded.address(name))
        for z in range(counts[2]):
            for y in range(counts[1]):
                function(launch.ctypes.data, block.ctypes.data, memory.ctypes.data, 0, counts[0], y, z)
        del keep

    @staticmethod
    def launch(size, group, counts, offset, sink):
        record = np.zeros(abi.LAUNCH_BYTES, np.uint8)
        dims = max([1, *(i + 1 for i in range(3) if size[i] > 1)])
        record[abi.LAUNCH["work_dim"]] = dims
        for field, values in (("global_offset", offset), ("global_size", size), ("local_size", group),
                              ("num_groups", counts), ("observer", [sink.address if sink else 0])):
            data = np.array(values, np.uint64).view(np.uint8)
            record[abi.LAUNCH[field]:abi.LAUNCH[field] + len(data)] = data
        return record

    def arguments(self, name, kernel, args):
        info = self.infos[name]
        block, local_bytes, keep = aligned(info.args_size + 16), kernel.lds_bytes, []
        for arg, value in zip(info.args, args, strict=True):
            if arg.kind == abi.ARG_LOCAL:
                local_bytes = -(-local_bytes // ALIGN) * ALIGN
                data = np.uint64(local_bytes)
                local_bytes += value
            else:
                data = np.uint64(value.ctypes.data) if isinstance(value, np.ndarray) else value
                keep.append(value)
            raw = np.frombuffer(data.tobytes(), np.uint8)
            block[arg.offset:arg.offset + len(raw)] = raw
        return block, local_bytes, keep


@cache
def machine(source, processor, options="", traced=False, is_brief=False):
    return Machine(source, processor, options, traced, is_brief)
