# SPDX-License-Identifier: Apache-2.0
"""Kernels on models of chips without the API: their machine code, translated, started like any other code."""
import ctypes
from contextlib import contextmanager
from functools import cache

from clpy.compiler import target
from clpy.compiler.isa import native, shared
from clpy.compiler.program import load_objects, parse_options
from clpy.device.gpu import chip as chips
from clpy.device.gpu import toolchain
from clpy.device.gpu.rates import rates
from clpy.device.host import printf

PRINTED = 1 << 20
RECORD = 16
WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)


class Sink(ctypes.Structure):
    """clpy_wave_sink of include/clpy_wave.h."""
    _fields_ = [(name, ctypes.c_void_p) for name in ("counts", "lanes", "at", "end", "more", "printf_buffer",
                                                   "most_instructions", "host_calls", "quiet", "is_silent",
                                                   "most_waves", "sizes")]


class Loaded:
    """Code of a chip's program, ready to run; `facts` as clpy.compiler.isa.native has them."""

    def __init__(self, code, facts):
        self.code, self.facts = code, facts

    def address(self, name):
        return self.code.address(name)

    @contextmanager
    def sink(self, name):
        """Address of a sink for one launch; what the kernel printed is written behind it."""
        n_blocks = len(self.facts[name]["waves"]["blocks"])
        counts = (ctypes.c_uint64 * (2 * n_blocks + 1))()
        buffer = ctypes.create_string_buffer(PRINTED + 8)
        ctypes.c_uint32.from_buffer(buffer, 4).value = PRINTED
        start = ctypes.addressof(counts)
        sink = Sink(start, start + 8 * n_blocks, 0, 0, 0, ctypes.addressof(buffer), -1 & (1 << 64) - 1, 0)
        yield ctypes.addressof(sink)
        at, end = 8, 8 + ctypes.c_uint32.from_buffer(buffer).value
        while at < end:
            size, text = (ctypes.c_uint64.from_buffer(buffer, at + offset).value for offset in (0, 8))
            WRITE(printf.printf_address())(text, ctypes.addressof(buffer) + at + RECORD, size - RECORD)
            at += size


@cache
def chip_of(name):
    return chips.load(name)


@cache
def target_of(name):
    return toolchain.target_of(chip_of(name))


def standard(name):
    """The option for OpenCL C 3.0, or for what the chip has of it."""
    return "-cl-std=CL3.0" if is_of_version_2(name) else "-cl-std=CL1.2"


def is_of_version_2(name):
    """Whether the chip has OpenCL C 2.0."""
    return target_of(name).c_version >= 200


def has_doubles(name):
    return "cl_khr_fp64" in target_of(name).extensions


def build(name, source, options):
    """(Executable, Loaded) of a source for the chip `name`."""
    compiler = toolchain.toolchain_of(chip_of(name), target_of(name)).compiler()
    executable = compiler.build(source.encode(), parse_options(options), target_of(name))
    host = target.host_target()
    made = native.native(executable, host, rates(chip_of(name)))
    for kernel, info in executable.kernels.items():
        info.context_bytes = made.facts[kernel]["waves"]["wave_bytes"]      # whatever the size of the group
    objects = [made.object, shared.code(host, made.images)]
    return executable, Loaded(load_objects(objects, made.undefined, executable.kernels), made.facts)
