# SPDX-License-Identifier: Apache-2.0
"""What messages of Gen chips tell (clpy/compiler/isa/library/gen_trace.c): lines, and cycles as access.py has them."""
import ctypes
import random
import subprocess
from pathlib import Path

import pytest

from clpy.compiler.isa.gcn.wavefront import WAVE
from clpy.device.gpu import chip as chips
from clpy.device.gpu.timing import access

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "clpy/compiler/isa/library"
CLANG = Path("/usr/lib/llvm-22/bin/clang")
CHIP = chips.load("skylake-gt2")
LOAD, STORE, ATOMIC = 0, 1, 2
ADDRESS, PRIVATE, RUN = 672, 1 << 63, 0x8000
BASE, SCRATCH = 1 << 20, 5 << 20


class Sink(ctypes.Structure):
    _fields_ = [("counts", ctypes.c_void_p), ("lanes", ctypes.c_void_p), ("at", ctypes.c_void_p),
                ("end", ctypes.c_void_p), ("rest", ctypes.c_uint64 * 16)]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    made = tmp_path_factory.mktemp("library") / "trace.so"
    subprocess.run([CLANG, "-shared", "-fPIC", "-O1", "-w", "-std=c23", "-mavx2", "-I", ROOT / "include", "-I", LIBRARY,
                    "-o", made, LIBRARY / "trace.c", LIBRARY / "gen_trace.c"], check=True)
    return ctypes.CDLL(str(made))


class Thread:
    """A wave, as the library sees it."""

    def __init__(self, library):
        self.library = library
        self.memory = ctypes.create_string_buffer(1 << 13)
        self.words = (ctypes.c_uint32 * 1024)()
        self.sink = Sink(at=ctypes.addressof(self.words), end=ctypes.addressof(self.words) + 4096)
        start = ctypes.addressof(self.memory)
        self.place = -(-start // 64) * 64
        for name, value, kind in (("tells", 1, ctypes.c_uint32), ("sink", ctypes.addressof(self.sink), ctypes.c_uint64),
                                  ("scratch", SCRATCH, ctypes.c_uint64)):
            kind.from_address(self.place + WAVE[name]).value = value

    def call(self, name, addresses, *more):
        """The words that it tells. Addresses None are of lanes that are off."""
        self.sink.at = ctypes.addressof(self.words)
        (ctypes.c_uint64 * len(addresses)).from_address(self.place + ADDRESS)[:] = [
            0xDEAD00000000 + i if address is None else address for i, address in enumerate(addresses)]
        mask = sum(1 << i for i, address in enumerate(addresses) if address is not None)
        getattr(self.library, name)(ctypes.c_void_p(self.place), ctypes.c_uint32(mask), len(addresses), *more)
        return self.words[:(self.sink.at - ctypes.addressof(self.words)) // 4]

    def memory_access(self, addresses, size, kind=LOAD, private=0):
        """(cycles, lines, work-items at one address of an atomic one)"""
        words = self.call("trace_gen_memory", addresses, size | kind << 8, private)
        return lines_of(words)

    def local(self, addresses, size, kind=LOAD):
        words = self.call("trace_gen_local", addresses, size | kind << 8)
        return (words[0] >> 16, *words[1:])

    def block(self, address, size, private=0):
        self.sink.at = ctypes.addressof(self.words)
        self.library.trace_gen_block(ctypes.c_void_p(self.place), ctypes.c_uint64(address), size, private)
        return lines_of(self.words[:(self.sink.at - ctypes.addressof(self.words)) // 4])


def lines_of(words):
    count, cycles = words[0] & 0x7FFF, words[0] >> 16
    first = words[1] | words[2] << 32 if count else 0
    if words[0] & RUN:
        return cycles, [first + i for i in range(count)], words[3:]
    return cycles, [words[1 + 2 * i] | words[2 + 2 * i] << 32 for i in range(count)], words[1 + 2 * count:]


@pytest.fixture
def thread(library):
    return Thread(library)


def test_the_place_of_addresses(library):
    """ADDRESS is of wave.h, behind what wavefront.WAVE has."""
    assert WAVE["active"] < ADDRESS < ADDRESS + 64 * 8 <= WAVE["v"]


@pytest.mark.parametrize("lanes", [8, 16, 32])
@pytest.mark.parametrize("size", [1, 2, 4, 8, 12, 16])
def test_lines_and_cycles(thread, lanes, size):
    draw = random.Random(lanes * 100 + size)
    for step in (0, size, -size, 4, 20, 64, 128, None):
        for off in (0, 0, 0.3):
            addresses = [None if draw.random() < off else BASE + 4 * draw.randrange(4096) if step is None
                         else BASE + 4096 + 60 + i * step for i in range(lanes)]
            cycles, lines, more = thread.memory_access(addresses, size)
            assert sorted(lines) == sorted(access.lines(addresses, size))
            assert (cycles, more) == (access.vector_memory_cycles(CHIP, addresses, size), [])


@pytest.mark.parametrize("lanes", [8, 16, 32])
@pytest.mark.parametrize("size", [1, 4, 8, 12, 16])
@pytest.mark.parametrize(("kind", "name"), [(LOAD, "read"), (STORE, "write"), (ATOMIC, "atomic")])
def test_banks(thread, lanes, size, kind, name):
    draw = random.Random(lanes * 100 + size)
    for step, off in ((0, 0), (size, 0), (0, .1), (4, .1), (8, .1), (20, .1), (64, .1), (68, .1), (68, 0), (None, .1)):
        addresses = [None if draw.random() < off else 4 * draw.randrange(256) if step is None else i * step
                     for i in range(lanes)]
        told = thread.local(addresses, size, kind)
        least = -(-lanes * max(size, 4) // 64)       # in the static program
        assert max(told[0], least) == access.lds_cycles(CHIP, addresses, size, name)
        assert len(told) == (2 if kind == ATOMIC else 1)


def test_atomic_operations_tell_how_many_meet(thread):
    assert thread.memory_access([BASE + 4 * (i // 4) for i in range(16)], 4, ATOMIC) == (1, [BASE >> 6], [4])
    assert thread.local([0, 4, 0, 0, None, 4, 4, 4], 4, ATOMIC)[1] == 4


def test_nobody_is_on(thread):
    assert thread.memory_access([None] * 16, 4) == (1, [], [])
    assert thread.local([None] * 16, 4) == (0,)


def test_private_memory_is_the_threads(thread):
    addresses = [SCRATCH + 4 * i for i in range(15)] + [SCRATCH + 1024]
    assert thread.memory_access(addresses, 4, private=1024) == (2, [PRIVATE, (SCRATCH + 1024) >> 6], [])
    assert thread.memory_access(addresses, 4)[1] == [SCRATCH >> 6, (SCRATCH + 1024) >> 6]


def test_blocks(thread):
    assert thread.block(BASE + 16, 128) == (3, [BASE >> 6, (BASE >> 6) + 1, (BASE >> 6) + 2], [])
    assert thread.block(BASE, 128) == (2, [BASE >> 6, (BASE >> 6) + 1], [])
    assert thread.block(SCRATCH + 64, 32, 4096) == (1, [PRIVATE | 1], [])


def test_it_tells_nothing_where_nobody_wants_to_know(thread):
    ctypes.c_uint32.from_address(thread.place + WAVE["tells"]).value = 0
    assert thread.call("trace_gen_memory", [BASE] * 16, 4, 0) == []
