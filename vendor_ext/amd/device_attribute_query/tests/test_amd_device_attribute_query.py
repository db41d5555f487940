# SPDX-License-Identifier: Apache-2.0
"""cl_amd_device_attribute_query: the models' answers are their chips' numbers, the CPU device's its own."""
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from clpy.device.gpu import chip as chips
from clpy.spec.names import VALUES
from clpy.spec.tables import read_queries
from clpy.vendor_ext.amd.device_attribute_query import answers

NAME = "cl_amd_device_attribute_query"
QUERIES = read_queries(Path(answers.__file__).parent)
HOST = """
import ctypes, json, sys, time
from clapi import API, E
api = API()
out = []
for device in api.devices():
    one = {}
    for name, number in json.loads(sys.argv[1]).items():
        size = ctypes.c_size_t()
        error = api.error("clGetDeviceInfo", device, number, 0, None, ctypes.byref(size))
        one[name] = api.info("clGetDeviceInfo", device, number).hex() if error == "CL_SUCCESS" else error
    one["epoch"] = time.time_ns()
    timers = (ctypes.c_uint64(), ctypes.c_uint64())
    api.ok("clGetDeviceAndHostTimer", device, *map(ctypes.byref, timers))
    one["timer"] = timers[0].value
    for key in ("DEVICE_MAX_WORK_GROUP_SIZE", "DEVICE_LOCAL_MEM_SIZE", "DEVICE_NATIVE_VECTOR_WIDTH_INT",
                "DEVICE_GLOBAL_MEM_SIZE", "DEVICE_MAX_MEM_ALLOC_SIZE"):
        one[key] = api.number("clGetDeviceInfo", device, getattr(E, key))
    one["extensions"] = api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    out.append(one)
print(json.dumps(out))
"""


def ask(devices, **environment):
    numbers = {query.enum: VALUES[query.enum] for query in QUERIES}
    tests = Path(__file__).resolve().parents[4] / "tests"
    done = subprocess.run([sys.executable, "-c", HOST, json.dumps(numbers)], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "CLPY_DEVICES": devices, "PYTHONPATH": str(tests),
                               **environment})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def found():
    """Of the CPU device and two models."""
    return ask("cpu,gpu:tahiti,gpu:vega20")


def number(text):
    return int.from_bytes(bytes.fromhex(text), "little")


OF_CHIPS = {"GLOBAL_MEM_CHANNELS", "GLOBAL_MEM_CHANNEL_BANKS", "GLOBAL_MEM_CHANNEL_BANK_WIDTH", "LOCAL_MEM_BANKS",
            "GFXIP_MAJOR", "GFXIP_MINOR", "AVAILABLE_ASYNC_QUEUES", "PCIE_ID"}


def test_the_cpu_device_answers_what_means_something_there(found):
    cpu = found[0]
    assert NAME in cpu["extensions"]
    refused = {name for name, value in cpu.items() if value == "CL_INVALID_VALUE"}
    assert refused == {f"CL_DEVICE_{name}_AMD" for name in OF_CHIPS}
    assert number(cpu["CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD"]) == cpu["DEVICE_MAX_WORK_GROUP_SIZE"]
    assert number(cpu["CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD"]) == cpu["DEVICE_LOCAL_MEM_SIZE"]
    assert number(cpu["CL_DEVICE_WAVEFRONT_WIDTH_AMD"]) == cpu["DEVICE_NATIVE_VECTOR_WIDTH_INT"]
    assert bytes.fromhex(cpu["CL_DEVICE_TOPOLOGY_AMD"]) == bytes(24)
    assert bytes.fromhex(cpu["CL_DEVICE_BOARD_NAME_AMD"])[-1:] == b"\0"
    total, largest = struct.unpack("=2Q", bytes.fromhex(cpu["CL_DEVICE_GLOBAL_FREE_MEMORY_AMD"]))
    assert 0 < total <= cpu["DEVICE_GLOBAL_MEM_SIZE"] // 1024
    assert largest <= min(total, cpu["DEVICE_MAX_MEM_ALLOC_SIZE"] // 1024 + 4)      # which is of whole pages


def test_the_name_of_the_board(monkeypatch, tmp_path):
    monkeypatch.setattr(answers, "BOARD", str(tmp_path / "board_name"))
    assert answers.board_name() == ""
    (tmp_path / "board_name").write_text("B550 AORUS\n")
    assert answers.board_name() == "B550 AORUS"


def test_all_of_the_header(found):
    assert len(QUERIES) == 23
    for model in found[1:]:
        assert NAME in model["extensions"]
        for query in QUERIES:
            size = len(model[query.enum]) // 2
            assert size == query.element_size * int(query.count or 1) if query.count != "" else size > 1, query.enum


@pytest.mark.parametrize(("index", "name"), [(1, "tahiti"), (2, "vega20")])
def test_numbers_of_the_chip(found, index, name):
    chip, model = chips.load(name), found[index]
    expected = {"SIMD_PER_COMPUTE_UNIT": 4, "SIMD_WIDTH": 16, "SIMD_INSTRUCTION_WIDTH": 1, "WAVEFRONT_WIDTH": 64,
                "GLOBAL_MEM_CHANNELS": chip.caches.l2_channels, "GLOBAL_MEM_CHANNEL_BANKS": 4,
                "GLOBAL_MEM_CHANNEL_BANK_WIDTH": 256, "LOCAL_MEM_SIZE_PER_COMPUTE_UNIT": 65536, "LOCAL_MEM_BANKS": 32,
                "THREAD_TRACE_SUPPORTED": 0, "GFXIP_MAJOR": 6 if name == "tahiti" else 9, "GFXIP_MINOR": 0,
                "AVAILABLE_ASYNC_QUEUES": chip.queues.hardware, "PREFERRED_WORK_GROUP_SIZE": 256,
                "MAX_WORK_GROUP_SIZE": 256, "PREFERRED_CONSTANT_BUFFER_SIZE": 16384,
                "PCIE_ID": chip.identity.pci_device_id}
    assert {key: number(model[f"CL_DEVICE_{key}_AMD"]) for key in expected} == expected
    assert bytes.fromhex(model["CL_DEVICE_BOARD_NAME_AMD"]) == chip.identity.board_name.encode() + b"\0"
    total, largest = struct.unpack("=2Q", bytes.fromhex(model["CL_DEVICE_GLOBAL_FREE_MEMORY_AMD"]))
    assert largest <= total <= chip.memory.bytes // 1024 and total > chip.memory.bytes // 2048


def test_queues_are_those_that_are_used():
    told = ask("gpu:hawaii,gpu:tahiti", GPU_NUM_COMPUTE_RINGS="3")
    assert [number(model["CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD"]) for model in told] == [3, 2]


def test_places_differ(found):
    places = [bytes.fromhex(model["CL_DEVICE_TOPOLOGY_AMD"]) for model in found[1:]]
    assert len(set(places)) == 2 and {place[:4] for place in places} == {b"\1\0\0\0"}


def test_the_offset_leads_to_the_time_of_the_day(found):
    for model in found:
        told = number(model["CL_DEVICE_PROFILING_TIMER_OFFSET_AMD"]) + model["timer"]
        assert abs(told - model["epoch"]) < 60 * 10**9


@pytest.mark.parametrize(("processor", "version"), [("gfx600", (6, 0)), ("gfx906", (9, 0)), ("gfx90a", (9, 0)),
                                                    ("gfx1030", (10, 3))])
def test_version_of_a_processor(processor, version):
    assert answers.version(processor) == version
