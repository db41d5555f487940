# SPDX-License-Identifier: Apache-2.0
"""`make costs` measures what it says it does; what comes out is the machine's business."""
import json
import os
import subprocess
import sys
from pathlib import Path

from clpy.compiler.spmd import width

ROOT = Path(__file__).resolve().parents[2]


def test_each_constant_is_measured(tmp_path):
    file = tmp_path / "costs.json"
    command = [sys.executable, "bench/costs.py", "--isa", "sse4.2", "--rounds", "1", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    assert all(hasattr(width, name) and cost >= 0 for name, cost in found.items())
    assert {"GATHER", "SCATTER", "WALK", "EFFECT", "LIBM_SCALAR"} <= set(found)
    assert [line.split()[0] for line in done.stdout.splitlines()[2:]] == list(found)
