# SPDX-License-Identifier: Apache-2.0
"""clCreateSubDevices and what follows: the cases in sub_device_cases.py, for devices of several sizes; contexts of
several devices, which these are."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clpy.device.host.units import divide

HERE = Path(__file__).parent


@pytest.mark.parametrize(("cases", "units"), [("sub_device", 1), ("sub_device", 2), ("sub_device", 7),
                                              ("several_devices", 2),
                                              ("device_fission", 1), ("device_fission", 2), ("device_fission", 7)])
def test_with_compute_units(cases, units):
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE / f"{cases}_cases.py"],
                         env={**os.environ, "TEST_UNITS": str(units)}, capture_output=True, text=True, timeout=600,
                         check=False)
    assert run.returncode == 0, run.stdout + run.stderr


# ---- affinity domains, on machines that hwloc makes up

def parts(machine, n_units=None, first=0, count=None):
    """The parts along NUMA nodes, caches of level 4, 3, 2, 1; and the processors."""
    n_units = n_units or 16
    return divide(machine, n_units, first, n_units if count is None else count)


MACHINE = "numa:2 l3:2 l2:2 l1d:1 core:1 pu:2"


def test_domains_of_a_whole_machine():
    found, cpus = parts(MACHINE)
    assert found == [[8, 8], [], [4, 4, 4, 4], [2] * 8, [2] * 8]
    assert cpus == list(range(16))


def test_domains_of_a_part():
    found, cpus = parts(MACHINE, first=6, count=5)
    assert found == [[2, 3], [], [2, 3], [2, 2, 1], [2, 2, 1]]
    assert cpus == list(range(6, 11))


def test_named_units():
    """Units that share something are neighbours, in whatever order they were named."""
    found, cpus = divide(MACHINE, 16, 0, 0, [9, 0, 8, 3, 1])
    assert found == [[3, 2], [], [3, 2], [2, 1, 2], [2, 1, 2]]
    assert cpus == [0, 1, 3, 8, 9]
    assert divide(MACHINE, 4, 0, 0, [3, 1])[1] == [4, 5, 6, 7, 12, 13, 14, 15]


def test_level_4():
    assert parts("numa:1 l4:2 l3:2 l2:1 l1d:2 core:1 pu:2")[0] == [[16], [8, 8], [4] * 4, [4] * 4, [2] * 8]


def test_fewer_units_than_processors():
    """A quota: each unit has several processors."""
    found, cpus = parts(MACHINE, 4)
    assert found == [[2, 2], [], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    assert cpus == list(range(16))
    assert parts(MACHINE, 4, 1, 1)[1] == [4, 5, 6, 7]
    assert parts(MACHINE, 5, 4, 1)[1] == [12, 13, 14, 15]


def test_more_units_than_processors():
    found, cpus = parts("numa:1 l2:2 l1d:1 core:1 pu:1", 6)
    assert found == [[6], [], [], [3, 3], [3, 3]]
    assert parts("numa:1 l2:2 l1d:1 core:1 pu:1", 6, 1, 1)[1] == [0]
    assert parts("numa:1 l2:2 l1d:1 core:1 pu:1", 6, 3, 2)[1] == [1]
    assert cpus == [0, 1]


def test_no_topology():
    assert parts("nonsense:0")[0] == [[], [], [], [], []]
