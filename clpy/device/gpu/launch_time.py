# SPDX-License-Identifier: Apache-2.0
"""The kernels of the models, and what CLPY_GPU_PROFILE tells of their launches.

Kernels are known by numbers, since the runtime has no Python objects.
"""
import itertools
from dataclasses import dataclass
from math import prod

from clpy import config, notation
from clpy.device.gpu.occupancy import occupancy
from clpy.trace import report_once

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
    lanes: int = 64                  # work-items of a wavefront
    has_barriers: bool = True

    def held(self, chip):
        return occupancy(chip, self.vgprs, self.sgprs, self.lds_bytes, self.group_size, self.lanes, self.has_barriers)


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
    """Of a launch, as clpy.device.gpu.record has it: `counts` and `lanes` by block, its time, and of what was followed
    `stats` (None: nothing was), `visits` by block, `stalls` and `uses` by step. What was followed may be of another
    launch of its queue: `launch` is its own number there, `sampled` that one's (None: it has none, in a queue out of
    order)."""
    kernel: Kernel
    program: object
    resources: Resources
    global_size: tuple
    local_size: tuple
    counts: list
    lanes: list
    ns: float
    cycles: float
    uncertainty: float | None
    traced: int
    queue: int
    launch: int | None
    sampled: int | None
    stats: dict | None
    dirty_lines: int
    visits: list
    stalls: list
    uses: list

    @property
    def waves(self):
        return waves_of(self.global_size, self.local_size, self.resources.lanes)

    def result(self):
        """timing.result.Result, of what was followed."""
        from clpy.device.gpu.timing.result import Result
        chip = self.kernel.chip
        return Result(chip, self.program, self.resources.held(chip), self.resources, self.stats, [], [],
                      self.dirty_lines, self.stalls, self.visits, [], 1, [])

    def scale(self):
        """What was followed stands for all: by the work of all wavefronts, which is counted."""
        followed = work_of(self.program, self.visits)
        return work_of(self.program, self.counts) / followed if followed else 1.0


def add(kernel):
    """The number of a new kernel."""
    number = next(_numbers)
    _kernels[number] = kernel
    return number


def kernel(number):
    return _kernels[number]


def forget(number):
    _kernels.pop(number, None)


def waves_of(global_size, local_size, lanes=64):
    """Wavefronts of all groups; those at the end of a dimension may be smaller."""
    kinds = []                   # (groups, their size) of each dimension
    for items, size in zip(global_size, local_size, strict=True):
        kinds.append([(items // size, size), (1, items % size)] if items % size else [(items // size, size)])
    return sum(prod(n for n, _ in of) * -(-prod(size for _, size in of) // lanes) for of in itertools.product(*kinds))


def work_of(program, visits):
    return sum(n * sum(step.cycles * step.count for step in block)
               for n, block in zip(visits, program.blocks, strict=True))


def counters_of(told):
    from clpy.device.gpu import counters
    launch = counters.Launch(waves=told.waves, visits=told.counts, lanes=told.lanes, result=told.result(),
                             cycles=told.cycles, scale=told.scale())
    if told.stats is None:       # a formula knows no more than the time
        return {"GPUTime": told.ns} | counters.counters(launch, ("exact",))
    return counters.counters(launch)


def line(told):
    """All that is told of a launch, for JSON."""
    from clpy.device.gpu.source_lines import by_line
    return {"kernel": told.kernel.name, "device": f"gpu:{told.kernel.chip.name}", "global_size": told.global_size,
            "local_size": told.local_size, "ns": round(told.ns, 1), "uncertainty": told.uncertainty,
            "queue": told.queue, "launch": told.launch, "sampled_launch": told.sampled, "traced_groups": told.traced,
            "counters": counters_of(told), "lines": by_line(told)}


def note(told):
    """A line for CLPY_GPU_PROFILE. Where it cannot be written that is said once."""
    path = config.get("GPU_PROFILE")
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(notation.dumps(told) + "\n")
    except OSError as why:
        report_once(f"CLPY_GPU_PROFILE: {path}: {why.strerror}")
