# SPDX-License-Identifier: Apache-2.0
"""Programs and traces of wavefronts made by hand, in the format of include/clpy_wave.h."""
import struct
from types import SimpleNamespace
from typing import NamedTuple

from clpy.device.gpu.timing import access
from clpy.device.gpu.timing.simulation import simulate

VALU, SALU, BRANCH, SMEM, VMEM, LDS, WAIT, BARRIER, END = (
    "VALU", "SALU", "BRANCH", "SMEM", "VMEM", "LDS", "WAIT", "BARRIER", "END")
LOAD, STORE, ATOMIC = "LOAD", "STORE", "ATOMIC"
ANY = 255
HEADER, RUN = 0xffffffff, 0x8000
SCRATCH, ARGUMENTS = 1 << 63, 1 << 62
LANES = 64


class Step(NamedTuple):
    unit: str
    kind: str = ""
    count: int = 1
    cycles: int = 4
    bytes: int = 0
    vm: int = ANY
    lgkm: int = ANY
    exp: int = ANY
    line: int = 0
    mix: dict | None = None
    at: int = 0
    size: int = 0


def valu(count=1, cycles=4, line=0):
    """`cycles`: of one instruction."""
    return Step(VALU, count=count, cycles=cycles, line=line, mix={"valu": count})


def salu(count=1, line=0):
    return Step(SALU, count=count, line=line)


def load(size=4, line=0):
    return Step(VMEM, LOAD, bytes=size, line=line)


def store(size=4, line=0):
    return Step(VMEM, STORE, bytes=size, line=line)


def wait(vm=ANY, lgkm=ANY, exp=ANY, line=0):
    return Step(WAIT, cycles=0, vm=vm, lgkm=lgkm, exp=exp, line=line)


END_STEP = Step(END)
BRANCH_STEP = Step(BRANCH)
BARRIER_STEP = Step(BARRIER)


def resources(group_size=64, vgprs=24, sgprs=16, lds_bytes=0, scratch_bytes=0, lanes=LANES, has_barriers=True):
    return SimpleNamespace(group_size=group_size, vgprs=vgprs, sgprs=sgprs, lds_bytes=lds_bytes,
                           scratch_bytes=scratch_bytes, lanes=lanes, has_barriers=has_barriers)


def touch(cycles, line_numbers=(), meet=None):
    """The words of a memory step; `meet`: of an atomic one, work-items at one address."""
    words = [len(line_numbers) | cycles << 16]
    for line in line_numbers:
        words += [line & 0xffffffff, line >> 32]
    return words if meet is None else [*words, meet]


def touch_run(cycles, line, n):
    """Of lines that follow each other."""
    return [n | RUN | cycles << 16, line & 0xffffffff, line >> 32]


def touch_addresses(chip, addresses, size, kind="load"):
    """The words of a vector memory step with these addresses."""
    return touch(access.vector_memory_cycles(chip, addresses, size, kind), access.lines(addresses, size))


def piece(group, wave, blocks, lanes=LANES):
    """A piece of a wavefront. `blocks`: (number, words of its memory steps ...) or a number alone."""
    x, y, z = group if isinstance(group, tuple) else (group, 0, 0)
    words = [HEADER, x, y, z, wave, lanes]
    for block in blocks:
        number, *steps = block if isinstance(block, tuple) else (block,)
        words.append(number)
        for step in steps:
            words += step
    return words


def sink(*pieces):
    words = [word for each in pieces for word in each]
    return struct.pack(f"={len(words)}I", *words)


def run(chip, blocks, pieces, n_groups, held=None, buffers=(), host=()):
    """Simulate pieces that one thread wrote."""
    groups = n_groups if isinstance(n_groups, tuple) else (n_groups, 1, 1)
    return simulate(chip, blocks, [sink(*pieces)], groups, held or resources(), buffers, host=host)
