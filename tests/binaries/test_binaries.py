# SPDX-License-Identifier: Apache-2.0
"""A short slice of the changed binaries in each run of the tests, and that a crash is reported."""
import subprocess
import sys

from . import run


def test_changed_binaries():
    row = run.run_chunk(seed=1, count=150, limit=120)
    assert row["failures"] == []
    # Each original once as it is; of the rest most are refused.
    assert row["outcomes"]["CL_SUCCESS"] > 5 and row["outcomes"]["CL_INVALID_BINARY"] > 75


def test_changed_binaries_of_a_model():
    row = run.run_chunk(seed=3, count=60, limit=120, device="gpu:tahiti")
    assert row["failures"] == []
    assert row["outcomes"]["CL_SUCCESS"] > 5 and row["outcomes"]["CL_INVALID_BINARY"] > 30


def test_a_crash_is_reported():
    row = run.run_chunk(seed=2, count=5, limit=120, break_at=3)
    assert [text.split(" ")[0] for text in row["failures"]] == ["3"]
    assert row["failures"][0].endswith("ended by SIGSEGV")


def test_wrong_usage():
    result = subprocess.run([sys.executable, "-m", "tests.binaries.run", "--count", "none"], cwd=run.ROOT,
                            capture_output=True, text=True)
    assert result.returncode == 2 and "usage:" in result.stderr
