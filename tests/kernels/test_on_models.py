# SPDX-License-Identifier: Apache-2.0
"""The tests that take a `machine`, on models of GPUs: each file in a process that has the model as its only device."""
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
OTHERS = [path for path in HERE.glob("test_*.py") if path != Path(__file__)]
FILES = sorted(path.name for path in OTHERS if "(machine" in path.read_text())
CASES = [*(("gpu:tahiti", name) for name in FILES),
         *(("gpu:vega10", name) for name in ("test_barriers.py", "test_ndrange_ids.py", "test_builtins_printf.py"))]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("device", "name"), CASES)
def test_file(device, name):
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "--device", device, str(HERE / name)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
