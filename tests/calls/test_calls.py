# SPDX-License-Identifier: Apache-2.0
"""A short slice of the calls at random in each run of the tests, and that a crash, a hang and a leak are reported."""
import json
import struct
import subprocess
import sys

import pytest

from clpy.spec import tables
from clpy.spec.names import VALUES

from . import run, table
from .child import SIZE


@pytest.mark.parametrize(("seed", "count", "threads"), [(1, 6000, 1), (2, 6000, 1), (3, 6000, 4)])
def test_calls(seed, count, threads):
    row = run.run_chunk(seed, count, threads, limit=60)
    assert row["failures"] == [], row["last"][-8:]
    assert row["calls"] >= count * 0.9 and row["successes"] > count / 3 and len(row["succeeded"]) > 70
    absent = {function.name for function in tables.read_api() if function.status == "absent"}
    assert absent and absent & set(row["succeeded"]) == set(), "their status in api.txt is wrong"


def test_every_function_has_its_errors():
    errors = table.errors()
    assert {row.name for row in tables.everywhere(tables.read_api)} - set(errors) == set()
    assert {code for codes in errors.values() for code in codes} <= set(VALUES)
    assert all(len(set(codes)) == len(codes) for codes in errors.values())


def test_functions_of_vendors_are_called_too(monkeypatch, tmp_path):
    """With the codes and the queries that their folders name. What is not there cannot be called."""
    folder = tmp_path / "acme/example"
    folder.mkdir(parents=True)
    for file, text in (("extensions", "cl_acme_example | 1.0.0 | device | - | -"),
                       ("errors", "clDoAcme | CL_INVALID_CONTEXT CL_INVALID_VALUE"),
                       ("queries", "clGetContextInfo | cl_acme_example | 0x9991 | cl_uint | ctx.n_devices"),
                       ("api", "clDoAcme | cl_acme_example | done | nogil | code.do | cl_int (cl_context context)")):
        (folder / f"{file}.txt").write_text(text + "\n")
    assert "clDoAcme" not in table.functions()
    monkeypatch.setattr(tables, "vendor_folders", lambda: [folder])
    assert "clDoAcme" not in table.functions() and 0x9991 in table.functions()["clGetContextInfo"].queries
    found = table.addresses
    monkeypatch.setattr(table, "addresses", lambda rows: {**found(rows), "clDoAcme": 1})
    function = table.functions()["clDoAcme"]
    assert function.permits(VALUES["CL_INVALID_CONTEXT"]) and not function.permits(VALUES["CL_INVALID_EVENT"])
    assert function.first_invalid == VALUES["CL_INVALID_CONTEXT"] and not function.makes


def test_a_code_that_is_not_listed_is_found(monkeypatch):
    """The oracle itself: without its row's codes an ordinary error is one too many."""
    from .table import Function
    row = next(row for row in tables.read_api() if row.name == "clFlush")
    function = Function(row, 1, ["CL_INVALID_COMMAND_QUEUE"], ())
    assert function.permits(VALUES["CL_INVALID_COMMAND_QUEUE"]) and function.permits(0)
    assert function.permits(VALUES["CL_OUT_OF_RESOURCES"]) and not function.permits(VALUES["CL_INVALID_VALUE"])


def test_a_crash_is_reported(tmp_path):
    command = [sys.executable, "-m", "tests.calls.run", "--count", "2000", "--seed", "7", "--break-at", "300"]
    result = subprocess.run([*command, "--json", str(tmp_path / "out")], cwd=run.ROOT, capture_output=True, text=True)
    assert result.returncode == 1
    assert "ended by SIGSEGV" in result.stdout and "--seed 7 --count 2000" in result.stdout
    failed, = json.loads((tmp_path / "out").read_text())["failed"]
    assert failed["calls"] == 300 and failed["last"][-1].startswith("300 cl")
    assert failed["last"][-1].endswith("... did not return") and " -> " in failed["last"][-2]


def test_a_hang_is_ended(tmp_path):
    journal = tmp_path / "journal"
    journal.write_bytes(struct.pack("<Q", 5).ljust(SIZE, b"\0"))
    process = subprocess.Popen(["sleep", "100"])
    assert not run.follow(process, journal, limit=0.1)
    assert process.poll() is not None


def test_wrong_usage():
    result = subprocess.run([sys.executable, "-m", "tests.calls.run", "--count", "none"], cwd=run.ROOT,
                            capture_output=True, text=True)
    assert result.returncode == 2 and "usage:" in result.stderr
