# SPDX-License-Identifier: Apache-2.0
"""Eight threads use the platform at once, at random, for a few seconds (make soak: for a minute)."""
from soak import run_soak


def test_eight_threads_at_random():
    row, complaints, errors = run_soak(5, 8, 1)
    assert complaints == [], errors[-2000:]
    assert row["rounds"] >= 8
    assert row["builds"] >= 8
    assert row["callbacks_seen"] > 0


def test_the_census_sees_a_leak():
    _, complaints, errors = run_soak(0.5, 2, 2, "leak")
    assert complaints == ["objects live at the end"], errors[-2000:]
