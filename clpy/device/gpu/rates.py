# SPDX-License-Identifier: Apache-2.0
"""Issue cycles of a chip by class of instruction, for whoever makes steps out of machine code.

The classes are the keys of [issue] in a chip file; docs/gpu-chips.md says which instructions are in each.
"""


def rates(chip):
    """Class -> cycles that a unit is busy with one instruction of a wavefront."""
    return dict(vars(chip.issue))


def peak(chip, name):
    """Operations a second of a class, of all compute units, one for each work-item and instruction."""
    per_cycle = chip.compute.simds * chip.compute.wave_size / getattr(chip.issue, name)
    return chip.compute.units * per_cycle * chip.clock.core_mhz * 1e6
