# SPDX-License-Identifier: Apache-2.0
"""clpy/spec/queries.txt has every query that the registry lists: all of the core, and those of each extension that the
platform or a device lists. Nor does it have others."""
import pytest
from clapi import SPEC, E

from clpy.spec.names import VALUES
from clpy.spec.tables import read_queries

VENDORS = ("cl_amd_", "cl_intel_", "cl_nv_", "cl_arm_", "cl_qcom_")


def rows(name):
    lines = (SPEC / name).read_text().splitlines()
    return [tuple(cell.strip() for cell in line.split("|")) for line in lines if line and not line.startswith("#")]


REGISTRY = [row for row in rows("registry.txt") if len(row) == 3]
QUERIES = {(query.function, query.enum): query.version for query in read_queries() if query.enum.startswith("CL_")}
VALUES_ASKED = {(function, VALUES[enum]) for function, enum in QUERIES}


@pytest.fixture(scope="module")
def extensions(api):
    """Of the platform and of all devices."""
    texts = [api.text("clGetPlatformInfo", api.platform(), E.PLATFORM_EXTENSIONS)]
    texts += [api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS) for device in api.devices()]
    return set(" ".join(texts).split())


def test_every_query_of_the_core():
    core = [(function, enum, version) for function, version, enum in REGISTRY if version[0].isdigit()]
    assert len(core) > 190
    assert [row for row in core if QUERIES.get(row[:2]) != row[2]] == []


def test_every_query_of_listed_extensions(extensions):
    """An enumerant that became core is asked by its value."""
    missing = [(function, enum) for function, extension, enum in REGISTRY if extension in extensions
               and (function, VALUES[enum]) not in VALUES_ASKED]
    assert missing == []


def test_no_query_that_the_registry_has_not():
    known = {(function, enum): version for function, version, enum in REGISTRY}
    wrong = [(pair, version) for pair, version in QUERIES.items()
             if known.get(pair) != version and not version.startswith(VENDORS)]
    assert wrong == []


def test_extensions_are_the_registrys(extensions):
    names = {row[1] for row in rows("registry.txt") if len(row) == 2}
    assert {name for name in extensions - names if not name.startswith(VENDORS)} == set()
