# SPDX-License-Identifier: Apache-2.0
"""Issue cycles of a chip by class of instruction, for whoever makes steps out of machine code.

The classes are the keys of [issue] in a chip file; docs/gpu-chips.md says which instructions are in each.
"""


PIPES, LANES = 2, 8              # FPUs of an EU; of 32 bits in a register


def rates(chip):
    """Class -> cycles that a unit is busy with one instruction of a wavefront, and the banks of local memory. Of Gen
    chips with a register, and how long a result takes besides: nothing in their code says where a thread waits for
    one."""
    issue = vars(chip.issue) | {"lds_banks": chip.lds.banks}
    if chip.is_gen:
        issue |= {f"{name}_latency": cycles for name, cycles in vars(chip.latency).items()}
    return issue


def peak(chip, name):
    """Operations a second of a class, of all compute units, one for each work-item and instruction."""
    lanes = PIPES * LANES if chip.is_gen else chip.compute.wave_size
    per_cycle = chip.compute.simds * lanes / getattr(chip.issue, name)
    return chip.compute.units * per_cycle * chip.clock.core_mhz * 1e6
