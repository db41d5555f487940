# SPDX-License-Identifier: Apache-2.0
"""The kernels of the models, and what CLPY_GPU_PROFILE tells of their launches.

Kernels are known by numbers, since the runtime has no Python objects.
"""
import itertools
import json
from dataclasses import dataclass

from clpy import config
from clpy.device.gpu.occupancy import occupancy
from clpy.trace import report

_numbers = itertools.count(1)
_kernels = {}


@dataclass
class Resources:
    """Of a kernel, and of the groups of a launch."""
    vgprs: int
    sgprs: int
    lds_bytes: int
    scratch_bytes: int
    group_size: int

    def held(self, chip):
        return occupancy(chip, self.vgprs, self.sgprs, self.lds_bytes, self.group_size)


@dataclass
class Kernel:
    """`facts` are those of clpy.compiler.isa.native; `code` gives the toolchain's Code, as long as that is there."""
    chip: object
    name: str
    facts: dict
    code: object

    def program(self):
        from clpy.compiler.isa.gcn.steps import WaveProgram
        from clpy.device.gpu.timing.program import Program
        return Program(WaveProgram.from_dict(self.facts["waves"]).blocks)


@dataclass
class Told:
    """Of a launch: `counts` and `lanes` by block, its time, and what the simulation came to (None: there was none)."""
    global_size: tuple
    local_size: tuple
    groups: tuple
    waves_per_group: int
    counts: list
    lanes: list
    ns: float
    cycles: float
    uncertainty: float | None
    traced: int
    result: object


def add(kernel):
    """The number of a new kernel."""
    number = next(_numbers)
    _kernels[number] = kernel
    return number


def kernel(number):
    return _kernels[number]


def forget(number):
    _kernels.pop(number, None)


def work_of(program, visits):
    return sum(n * sum(step.cycles * step.count for step in block)
               for n, block in zip(visits, program.blocks, strict=True))


def counters_of(told):
    """What was followed stands for all: by the work of all wavefronts, which is counted."""
    from clpy.device.gpu import counters
    x, y, z = told.groups
    followed = work_of(told.result.program, told.result.visits)
    scale = work_of(told.result.program, told.counts) / followed if followed else 1.0
    return counters.counters(counters.Launch(
        waves=x * y * z * told.waves_per_group, visits=told.counts, lanes=told.lanes, result=told.result,
        cycles=told.cycles, scale=scale))


def note(number, told):
    """A line for CLPY_GPU_PROFILE."""
    kernel, path = _kernels[number], config.get("GPU_PROFILE")
    line = {"kernel": kernel.name, "device": f"gpu:{kernel.chip.name}", "global_size": told.global_size,
            "local_size": told.local_size, "ns": round(told.ns, 1), "uncertainty": told.uncertainty,
            "traced_groups": told.traced, "counters": {} if told.result is None else counters_of(told)}
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    except OSError as why:
        report(f"CLPY_GPU_PROFILE: {path}: {why.strerror}")
