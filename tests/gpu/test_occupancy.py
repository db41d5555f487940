# SPDX-License-Identifier: Apache-2.0
"""Occupancy by the rules of the hardware: the tables of the AMD guide."""
import itertools

import pytest

from clpy.device.gpu.chip import load
from clpy.device.gpu.occupancy import occupancy
from clpy.device.gpu.timing import chip_model

VGPR_TABLE = {10: 24, 9: 28, 8: 32, 7: 36, 6: 40, 5: 48, 4: 64, 3: 84, 2: 128, 1: 256}     # waves: most registers
SGPR_TABLE = {10: 48, 9: 56, 8: 64, 7: 72, 6: 80}                                          # GCN 1 and 2


@pytest.mark.parametrize(("waves", "vgprs"), VGPR_TABLE.items())
def test_vector_registers(waves, vgprs):
    chip = load("hawaii")
    assert occupancy(chip, vgprs, 16, 0, 64).waves_per_simd == waves
    if waves > 1:
        assert occupancy(chip, vgprs + 1, 16, 0, 64).waves_per_simd < waves


@pytest.mark.parametrize(("waves", "sgprs"), SGPR_TABLE.items())
def test_scalar_registers(waves, sgprs):
    chip = load("tahiti")
    assert occupancy(chip, 8, sgprs, 0, 64).waves_per_simd == waves
    assert occupancy(chip, 8, sgprs + 1, 0, 64).waves_per_simd == (waves - 1 if waves > 6 else 5)


def test_scalar_registers_of_gcn3_never_limit():
    """800 of them: what a wavefront can have leaves room for 8, and 80 for 10."""
    assert occupancy(load("fiji"), 8, 80, 0, 64).waves_per_simd == 10
    assert occupancy(load("fiji"), 8, 102, 0, 64).waves_per_simd == 7
    assert occupancy(load("tonga"), 8, 8, 0, 64).waves_per_simd == 8      # always 96, and at most 8 anyway
    assert occupancy(load("polaris10"), 8, 8, 0, 64).waves_per_simd == 8


@pytest.mark.parametrize(("chip", "vgprs", "lds", "size", "groups", "waves", "limiter"), [
    ("hawaii", 24, 0, 64, 40, 40, "waves"),
    ("hawaii", 24, 0, 256, 10, 40, "waves"),
    ("hawaii", 24, 0, 128, 16, 32, "groups"),          # 16 groups of two wavefronts
    ("hawaii", 24, 0, 65, 16, 32, "groups"),           # the second wavefront has one work-item
    ("hawaii", 24, 32768, 256, 2, 8, "lds"),
    ("hawaii", 24, 32768, 64, 2, 2, "lds"),
    ("hawaii", 24, 4096, 256, 10, 40, "waves"),
    ("hawaii", 24, 6554, 256, 9, 36, "lds"),           # 13 steps of 512 bytes
    ("tahiti", 24, 6554, 256, 9, 36, "lds"),           # 26 steps of 256 bytes
    ("tahiti", 24, 6400, 256, 10, 40, "waves"),
    ("hawaii", 64, 0, 192, 5, 15, "vgprs"),            # 16 wavefronts have room, whole groups 15
    ("hawaii", 65, 0, 256, 3, 12, "vgprs"),
    ("hawaii", 256, 0, 256, 1, 4, "vgprs"),
])
def test_groups(chip, vgprs, lds, size, groups, waves, limiter):
    record = occupancy(load(chip), vgprs, 16, lds, size)
    assert (record.groups_per_cu, record.waves_per_cu, record.limiter) == (groups, waves, limiter)
    assert record.fraction == waves / 40


def test_a_group_that_does_not_fit():
    record = occupancy(load("hawaii"), 256, 16, 0, 512)
    assert (record.groups_per_cu, record.waves_per_cu, record.limiter) == (0, 0, "vgprs")


def test_all_threads_of_a_290x():
    """The guide: the 290X has 112,640 threads in flight."""
    chip = load("hawaii")
    assert occupancy(chip, 24, 48, 0, 256).waves_per_cu * chip.compute.wave_size * chip.compute.units == 112640


@pytest.mark.parametrize("name", ["cape-verde", "tahiti", "tonga", "fiji", "vega20"])
def test_numbers_without_python(name):
    """What launches are timed with says the same."""
    chip = load(name)
    for vgprs, sgprs, lds, size in itertools.product((1, 24, 25, 84, 256), (8, 49, 102), (0, 1, 4096, 32768),
                                                     (1, 64, 65, 192, 256)):
        held = occupancy(chip, vgprs, sgprs, lds, size)
        found = chip_model.held(chip, vgprs, sgprs, lds, size)
        assert found == (held.waves_per_simd, held.groups_per_cu, held.waves_per_cu)
