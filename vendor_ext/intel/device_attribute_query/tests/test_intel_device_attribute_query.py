# SPDX-License-Identifier: Apache-2.0
"""cl_intel_device_attribute_query of the CPU device."""
from pathlib import Path

import pytest
from clapi import API, E

from clpy.spec.tables import read_queries
from clpy.vendor_ext.intel.device_attribute_query import answers

QUERIES = read_queries(Path(answers.__file__).parent)


@pytest.fixture(scope="module")
def api():
    return API()


def test_the_cpu_device_answers(api):
    device = api.devices()[0]
    assert "cl_intel_device_attribute_query" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    found = {}
    for query in QUERIES:
        value = api.info("clGetDeviceInfo", device, getattr(E, query.enum.removeprefix("CL_")))
        assert len(value) == query.element_size
        found[query.enum] = int.from_bytes(value, "little")
    assert len(found) == 7
    shape = [found[f"CL_DEVICE_NUM_{part}_INTEL"] for part in ("SLICES", "SUB_SLICES_PER_SLICE", "EUS_PER_SUB_SLICE",
                                                               "THREADS_PER_EU")]
    assert min(shape) >= 1


def system(tmp_path, rows):
    for cpu, (package, last_cache, siblings) in enumerate(rows):
        folder = tmp_path / f"cpu{cpu}"
        (folder / "topology").mkdir(parents=True)
        (folder / "topology/physical_package_id").write_text(f"{package}\n")
        (folder / "topology/thread_siblings_list").write_text(f"{siblings}\n")
        for index, shared in enumerate(("private", last_cache)):
            (folder / f"cache/index{index}").mkdir(parents=True)
            (folder / f"cache/index{index}/shared_cpu_list").write_text(f"{shared}\n")
    return str(tmp_path)


def test_shape(tmp_path):
    """Two packages of two parts each of two cores with two threads."""
    rows = [(cpu // 8, f"part{cpu // 4}", f"core{cpu // 2}") for cpu in range(16)]
    assert answers.shape_of(answers.processors(system(tmp_path, rows))) == (2, 2, 2, 2)


def test_a_system_that_tells_nothing(tmp_path):
    assert answers.shape_of(answers.processors(str(tmp_path))) == (1, 1, 1, 1)


@pytest.mark.parametrize(("model", "signature"), [((6, 85, 7), 0x50657), ((25, 1, 1), 0xA00F11), ((15, 2, 4), 0xF24)])
def test_signature(model, signature):
    assert answers.signature(*model) == signature


def test_features():
    flags = ([], ["avx2"], ["avx_vnni"], ["amx_int8", "avx512_vnni"])
    assert [answers.features(each) for each in flags] == [0, 0, 1, 3]
