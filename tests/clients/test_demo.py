# SPDX-License-Identifier: Apache-2.0
"""The demo on small problems, and that it does not hide a failure."""
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parent / "demo"
_spec = importlib.util.spec_from_file_location("demo_run", DEMO / "run.py")
demo = importlib.util.module_from_spec(_spec)
sys.modules["demo_run"] = demo
_spec.loader.exec_module(demo)


def run_demo(*arguments, **environment):
    return subprocess.run([sys.executable, str(DEMO / "run.py"), *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=300)


def test_all_results_are_right(tmp_path):
    report = tmp_path / "rows.json"
    result = run_demo("--small", "--json", str(report))
    assert result.returncode == 0, result.stdout + result.stderr
    rows = json.loads(report.read_text())
    assert len(rows) == sum(program.rows for program in demo.PROGRAMS)
    assert all(row["verified"] and row["seconds"] > 0 and row["rate"] > 0 for row in rows)
    assert len({row["program"] for row in rows}) == len(rows)
    assert {row["unit"] for row in rows} == {"GB/s", "GFLOP/s"}
    for row in rows:
        assert row["program"] in result.stdout and row["device"] in result.stdout


def test_it_runs_on_a_model(tmp_path):
    report = tmp_path / "rows.json"
    result = run_demo("--small", "--gpu", "--json", str(report), CLPY_DEVICES="gpu")
    assert result.returncode == 0, result.stdout + result.stderr
    rows = json.loads(report.read_text())
    assert len(rows) == sum(program.rows for program in demo.PROGRAMS)
    assert all(row["verified"] and "Tahiti" in row["device"] for row in rows)


def test_two_devices_share_buffers(tmp_path):
    """The CPU device and the model of a GPU, in one context."""
    report = tmp_path / "rows.json"
    result = run_demo("--small", "--only", "together", "--json", str(report), CLPY_DEVICES="cpu,gpu")
    assert result.returncode == 0, result.stdout + result.stderr
    [row] = json.loads(report.read_text())
    assert row["verified"] and row["device"].endswith(" and Tahiti (model)")


def test_no_platform_is_a_failure():
    result = run_demo("--small", "--only", "fill", "--platform", "no such platform")
    assert result.returncode == 1
    assert "no such platform" in result.stdout
    assert "demo: FAILED" in result.stdout


@pytest.mark.parametrize(("verified", "rows", "code", "expected"), [
    ([True, True], 2, 0, ""),
    ([True, False], 2, 1, "wrong result: p1"),
    ([True], 2, 0, "x.c gave 1 of 2 results"),
    ([True], 2, -11, "x.c ended with exit code -11 after 1 of 2 results"),
    ([True, True], 2, 1, "x.c ended with exit code 1 after 2 of 2 results"),
])
def test_verdict_on_a_program(verified, rows, code, expected):
    program = demo.Program("x.c", rows, 1, 1)
    results = [{"program": f"p{number}", "verified": right} for number, right in enumerate(verified)]
    assert demo.complaint(program, results, code) == expected
