# SPDX-License-Identifier: Apache-2.0
"""Of the tests that take a `device` some that are short, on other devices than the CPU: in a process that has no other
one. `make models` runs all of them."""
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SHORT = ("test_fill.py", "test_command_buffer_graph.py::test_what_an_error_leaves_out")
FAULT = ["test_faults.py::TestCommands::test_a_fault_is_the_error_of_its_command[64-trap]"]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("name", "tests"), [
    ("gpu:tahiti", SHORT), ("fake", SHORT), ("gpu:vega10", FAULT), ("gpu:skylake-gt2", [*FAULT, *SHORT[1:]])])
def test_device(name, tests):
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "--device", name,
                           *(str(HERE / each) for each in tests)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
