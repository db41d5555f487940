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


# The guide's chapter on Evergreen: registers of 128 bits, and most wavefronts of a compute unit.
GPR_TABLE = {1: 248, 2: 124, 3: 82, 4: 62, 5: 49, 6: 41, 7: 35, 8: 31, 9: 27, 10: 24, 11: 22, 12: 20, 13: 19, 14: 17,
             15: 16, 16: 15, 17: 14, 18: 13, 20: 12, 21: 11, 22: 11, 23: 10, 24: 10, 25: 9, 27: 9, 28: 8, 31: 8, 32: 7,
             35: 7, 36: 6, 41: 6, 42: 5, 49: 5, 50: 4, 62: 4, 63: 3, 82: 3, 83: 2, 124: 2}
# KB of local memory of a group, rounded: groups.
LOCAL_TABLE = {4.0: 8, 4.5: 7, 5.3: 6, 6.39: 5, 8.0: 4, 10.6: 3, 16.0: 2, 32.0: 1}


@pytest.mark.parametrize(("gprs", "waves"), GPR_TABLE.items())
def test_registers_of_vliw(gprs, waves):
    """Redwood has most slots: 32."""
    assert occupancy(load("redwood"), gprs, 0, 0, 64).limits["vgprs"] == min(waves, 32)
    assert occupancy(load("redwood"), gprs, 0, 0, 64).waves_per_cu == min(waves, 8)      # and eight groups


@pytest.mark.parametrize("in_group", [4, 3, 2, 1])
@pytest.mark.parametrize(("kilobytes", "groups"), LOCAL_TABLE.items())
def test_local_memory_of_vliw(kilobytes, groups, in_group):
    record = occupancy(load("redwood"), 7, 0, int(kilobytes * 1024), 64 * in_group)
    assert (record.groups_per_cu, record.waves_per_cu) == (groups, groups * in_group)


def test_small_wavefronts():
    """Cedar's have 32 work-items: 192 of them on two units, eight groups of four at most on each."""
    def held(gprs, lds_bytes, size):
        record = occupancy(load("cedar"), gprs, 0, lds_bytes, size)
        return record.groups_per_cu, record.waves_per_cu, record.limiter
    assert held(7, 0, 128) == (8, 32, "waves")
    assert held(7, 0, 96) == (8, 24, "groups")
    assert held(31, 0, 128) == (2, 8, "vgprs")
    assert held(7, 8192, 64) == (4, 8, "lds")


@pytest.mark.parametrize(("chip", "waves"), [("cypress", 24), ("cayman", 21), ("barts", 32), ("juniper", 24),
                                             ("turks", 32), ("redwood", 32)])
def test_all_wavefronts_of_a_vliw_chip(chip, waves):
    """496 of the HD 5870, by 20; no more than eight groups of four."""
    record = occupancy(load(chip), 7, 0, 0, 64)
    assert (record.limits["waves"], record.limits["groups"], record.limiter) == (waves, 8, "groups")
    whole = occupancy(load(chip), 7, 0, 0, 256)
    assert (whole.groups_per_cu, whole.waves_per_simd) == (waves // 4, waves)
    assert whole.fraction == waves // 4 * 4 / waves and "sgprs" not in whole.limits


def test_guides_examples_of_vliw():
    """30 registers: eight wavefronts. 70: three, so that a group of four does not fit."""
    assert occupancy(load("cypress"), 30, 0, 0, 256).waves_per_cu == 8
    assert occupancy(load("cypress"), 70, 0, 0, 64).waves_per_cu == 3
    assert occupancy(load("cypress"), 70, 0, 0, 256).groups_per_cu == 0
    assert occupancy(load("cypress"), 62, 0, 0, 256).groups_per_cu == 1


@pytest.mark.parametrize(("chip", "lanes", "slm", "barriers", "size", "groups", "threads", "limiter"), [
    ("skylake-gt2", 16, 0, False, 256, 3, 48, "threads"),      # 56 threads, whole groups of 16
    ("skylake-gt2", 8, 0, False, 256, 1, 32, "threads"),
    ("skylake-gt2", 32, 0, False, 256, 7, 56, "threads"),
    ("skylake-gt2", 32, 0, False, 32, 56, 56, "threads"),      # the guide: groups of 32 are well without barriers
    ("skylake-gt2", 16, 0, True, 16, 16, 16, "barriers"),      # the guide: 16 barrier registers
    ("skylake-gt2", 16, 0, False, 16, 56, 56, "threads"),
    ("skylake-gt2", 16, 32768, True, 64, 2, 8, "slm"),         # the guide: 32 KB, two groups whatever their size
    ("skylake-gt2", 16, 4096, True, 32, 16, 32, "slm"),        # ... and 4 KB are good for 16
    ("skylake-gt2", 16, 4097, True, 32, 8, 16, "slm"),         # a power of two
    ("skylake-gt2", 16, 1, False, 16, 16, 16, "barriers"),     # 1 KB
    ("broadwell-gt2", 16, 1, True, 16, 16, 16, "slm"),         # the guide: at least 4 KB
    ("skylake-gt2", 16, 0, True, 17, 16, 32, "barriers"),      # the second thread has one work-item
    ("skylake-gt2", 8, 65536, True, 256, 1, 32, "slm"),
    ("haswell-gt2", 16, 0, False, 256, 4, 64, "threads"),      # 70 threads
    ("haswell-gt2", 8, 0, True, 512, 1, 64, "threads"),
    ("haswell-gt2", 32, 0, False, 32, 70, 70, "threads"),
    ("haswell-gt3e", 16, 1, True, 16, 16, 16, "slm"),
])
def test_threads_of_a_subslice(chip, lanes, slm, barriers, size, groups, threads, limiter):
    record = occupancy(load(chip), 128, 0, slm, size, lanes, barriers)
    assert (record.groups_per_cu, record.waves_per_cu, record.limiter) == (groups, threads, limiter)
    assert record.fraction == threads / load(chip).wave_slots
    assert chip_model.held(load(chip), 128, 0, slm, size, lanes, barriers) == (7, groups, threads)


@pytest.mark.parametrize("name", ["cape-verde", "tahiti", "tonga", "fiji", "vega20", "cypress", "cayman", "redwood",
                                  "cedar"])
def test_numbers_without_python(name):
    """What launches are timed with says the same."""
    chip = load(name)
    for vgprs, sgprs, lds, size in itertools.product((1, 24, 25, 84, 256), (8, 49, 102), (0, 1, 4096, 32768),
                                                     (1, 64, 65, 192, 256)):
        held = occupancy(chip, vgprs, sgprs, lds, size)
        found = chip_model.held(chip, vgprs, sgprs, lds, size)
        assert found == (held.waves_per_simd, held.groups_per_cu, held.waves_per_cu)
