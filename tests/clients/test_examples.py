# SPDX-License-Identifier: Apache-2.0
"""The examples on small problems: all are right where the device has what they need, and a failure is told."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

AMD = Path(__file__).resolve().parent / "examples" / "amd"
NAMES = ["binary search", "SVM binary tree, coarse", "SVM binary tree, fine", "SVM binary tree, atomics", "pipes",
         "program-scope variables", "generic address space", "work-group functions"]


def run(program, *arguments, **environment):
    return subprocess.run([sys.executable, str(AMD / program), *arguments], capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=600)


@pytest.mark.parametrize(("device", "absent"), [
    ("cpu", set()),
    ("gpu:tahiti", {"binary search", "pipes", "generic address space"}),
    ("gpu:vega10", set()),
])
def test_all_are_right(device, absent, tmp_path):
    report = tmp_path / "rows.json"
    result = run("run.py", "--small", "--json", str(report), *(["--gpu"] if device != "cpu" else []),
                 CLPY_DEVICES=device)
    assert result.returncode == 0, result.stdout + result.stderr
    rows = json.loads(report.read_text())
    assert [row["example"] for row in rows] == NAMES
    assert {row["example"] for row in rows if row["result"] == "absent"} == absent
    assert {row["result"] for row in rows if row["example"] not in absent} == {"verified"}


def test_one_by_itself():
    result = run("group_functions.py", "3", CLPY_DEVICES="cpu")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("work-group functions on ") and result.stdout.endswith("values: verified\n")
    assert result.stdout.count("\n") == 1


def test_a_wrong_result_is_a_failure(tmp_path):
    program = tmp_path / "wrong.py"
    program.write_text("from example import Outcome, main\n"
                       "main('wrong', lambda queue, n: Outcome('it', False), 1, '')\n")
    result = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=300,
                            env={**os.environ, "PYTHONPATH": str(AMD), "CLPY_DEVICES": "cpu"})
    assert result.returncode == 1 and result.stdout.endswith(": it: WRONG\n")


def test_no_platform_is_a_failure():
    result = run("run.py", "--only", "globals", "--platform", "no such platform")
    assert result.returncode == 1
    assert "no platform is called no such platform" in result.stdout and "1 FAILED" in result.stdout
