# SPDX-License-Identifier: Apache-2.0
"""How long a launch takes on a chip, and its counters, from what its wavefronts told; called when all groups have run.

Kernels are known by numbers, since the runtime has no Python objects.
"""
import itertools
import json
from dataclasses import dataclass

from clpy import config
from clpy.device.gpu.occupancy import occupancy
from clpy.device.gpu.timing import formula, transfers
from clpy.device.gpu.timing.program import Program
from clpy.device.gpu.timing.sample import Sampler
from clpy.device.gpu.timing.simulation import Simulation
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


@dataclass
class Kernel:
    """`facts` are those of clpy.compiler.isa.native; `plain` and `traced` addresses of its code, 0 for none."""
    chip: object
    name: str
    facts: dict
    plain: int
    traced: int
    program: object = None       # timing.program.Program, made when the first launch ends

    def round(self):
        """Work-groups of one wavefront that fill the chip."""
        held = occupancy(self.chip, self.facts["vgprs"], self.facts["sgprs"], 0, 64)
        return held.waves_per_cu * self.chip.compute.units


@dataclass
class Told:
    """What a launch told: `counts` and `lanes` by block, `traces` of threads as bytes, `traced` groups of it."""
    global_size: tuple
    local_size: tuple
    groups: tuple
    local_bytes: int
    counts: list
    lanes: list
    traces: list
    traced: int
    buffers: list


def add(kernel):
    """The number of a new kernel."""
    number = next(_numbers)
    _kernels[number] = kernel
    return number


def kernel(number):
    return _kernels[number]


def forget(number):
    _kernels.pop(number, None)


def kernel_ns(number, told):
    """(nanoseconds on the chip, part of the chip that it fills)."""
    kernel = _kernels[number]
    if kernel.program is None:
        kernel.program = Program(steps_of(kernel.facts))
    x, y, z = told.local_size
    resources = Resources(kernel.facts["vgprs"], kernel.facts["sgprs"], told.local_bytes,
                          kernel.facts["scratch_bytes"], x * y * z)
    held = occupancy(kernel.chip, resources.vgprs, resources.sgprs, resources.lds_bytes, resources.group_size)
    total = told.groups[0] * told.groups[1] * told.groups[2]
    waves = total * -(-resources.group_size // 64)
    if told.traced:
        result, cycles, uncertainty = simulated(kernel, told, resources, total)
        numbers = counted(told, result, waves, cycles, total / told.traced)
    else:
        cycles, uncertainty, numbers = formula.launch_cycles(
            kernel.chip, kernel.program, told.counts, told.lanes, waves, held), None, {}
    ns = kernel.chip.dispatch.floor_us * 1000 + cycles * 1000 / kernel.chip.clock.core_mhz
    note(kernel, told, ns, uncertainty, numbers)
    return ns, min(total / (held.groups_per_cu * kernel.chip.compute.units), 1.0)


def steps_of(facts):
    from clpy.compiler.isa.gcn.steps import WaveProgram
    return WaveProgram.from_dict(facts["waves"]).blocks


def simulated(kernel, told, resources, total):
    """(Result, cycles of the whole launch, uncertainty as a part of it)."""
    simulation = Simulation(kernel.chip, kernel.program, told.groups, resources, told.buffers)
    simulation.add(told.traces)
    simulation.run(last=True)
    result = simulation.result()
    if told.traced >= total:
        return result, result.cycles, 0.0
    sampler = Sampler(simulation)
    sampler.taken = sampler.traced = told.traced
    sampler.spread = True
    work = work_of(kernel.program, told.counts)
    estimate = sampler.estimate(work, work_of(kernel.program, result.visits))
    return result, estimate.cycles, estimate.uncertainty


def work_of(program, visits):
    return sum(n * sum(step.cycles * step.count for step in block)
               for n, block in zip(visits, program.blocks, strict=True))


def counted(told, result, waves, cycles, scale):
    from clpy.device.gpu import counters
    launch = counters.Launch(waves=waves, visits=told.counts, lanes=told.lanes, result=result, cycles=cycles,
                             scale=scale)
    return counters.counters(launch)


def note(kernel, told, ns, uncertainty, numbers):
    """A line for CLPY_GPU_PROFILE."""
    path = config.get("GPU_PROFILE")
    if not path:
        return
    line = {"kernel": kernel.name, "device": f"gpu:{kernel.chip.name}", "global_size": told.global_size,
            "local_size": told.local_size, "ns": round(ns, 1), "uncertainty": uncertainty,
            "traced_groups": told.traced, "counters": numbers}
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    except OSError as why:
        report(f"CLPY_GPU_PROFILE: {path}: {why.strerror}")


def copy_ns(chip, to_or_from_host, is_fill, size):
    if is_fill:
        return transfers.fill_ns(chip, size)
    return transfers.host_transfer_ns(chip, size) if to_or_from_host else transfers.device_copy_ns(chip, size)
