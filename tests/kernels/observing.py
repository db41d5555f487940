# SPDX-License-Identifier: Apache-2.0
"""Run a kernel in observed lock-step wavefronts and write down what its observer is told."""
import ctypes
from dataclasses import dataclass, field

from clpy.compiler import cpu, program

from . import differential

U32, U64 = ctypes.c_uint32, ctypes.c_uint64
WAVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, U64, U64, U64, U64, U64)
MASKED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, U32, U64)
BRANCH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, U32, U64, U64)
MEMORY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, U32, U64, ctypes.POINTER(U64))


class Observer(ctypes.Structure):
    """clpy_observer of include/clpy_abi.h."""
    _fields_ = [("wave", WAVE), ("block", MASKED), ("branch", BRANCH), ("memory", MEMORY), ("barrier", MASKED)]


@dataclass
class Event:
    """`group` and `first` say whose wavefront it is; `lanes` take part; `data`: per lane the address, or if it goes."""
    site: object
    group: tuple
    first: int
    lanes: list
    data: dict = field(default_factory=dict)

    @property
    def kind(self):
        return self.site.kind


class Recorder:
    """A clpy_observer that keeps all events. `waves` are (group, first, lanes), one per wavefront and region."""

    def __init__(self, sites):
        self.sites, self.waves, self.events = sites, [], []
        self.now = None
        self.struct = Observer(WAVE(self.wave), MASKED(self.masked), BRANCH(self.branch), MEMORY(self.memory),
                               MASKED(self.masked))

    def wave(self, _, x, y, z, first, mask):
        self.now = ((x, y, z), first)
        self.waves.append((*self.now, lanes_of(mask)))

    def masked(self, _, site, mask):
        self.events.append(Event(self.sites[site], *self.now, lanes_of(mask)))

    def branch(self, _, site, mask, taken):
        lanes, goes = lanes_of(mask), set(lanes_of(taken))
        self.events.append(Event(self.sites[site], *self.now, lanes, {n: n in goes for n in lanes}))

    def memory(self, _, site, mask, addresses):
        lanes = lanes_of(mask)
        self.events.append(Event(self.sites[site], *self.now, lanes, {n: addresses[n] for n in lanes}))

    def of_kind(self, kind):
        return [e for e in self.events if e.kind == kind]

    def of_work_items(self):
        """(group, linear local id) -> what it did, in order: (kind, site's number, address or whether it went)."""
        out = {}
        for e in self.events:
            for lane in e.lanes:
                out.setdefault((e.group, e.first + lane), []).append(
                    (e.kind, self.sites.index(e.site), e.data.get(lane)))
        return out


def lanes_of(mask):
    return [n for n in range(64) if mask >> n & 1]


def observe(source, arguments, size, group, width=16, options="", offset=()):
    """Run kernel `k`; returns the Recorder. `arguments` as for differential.launch."""
    device, parsed = cpu.CpuTarget(lockstep=width, observed=True), program.parse_options(options)
    executable = program.link([program.compile_source(source.encode(), {}, parsed, device)], parsed, device)
    recorder = Recorder(executable.kernels["k"].sites)
    differential.launch(executable, program.load(executable, device), "k", arguments, size, group, offset,
                        observer=ctypes.addressof(recorder.struct))
    return recorder
