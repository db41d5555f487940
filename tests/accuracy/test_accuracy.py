# SPDX-License-Identifier: Apache-2.0
"""The tool that measures accuracy finds errors, and its page is of what was measured."""
import json
from pathlib import Path

import numpy as np
import pytest

from . import page, run
from .reference import Reference
from .table import FUNCTIONS, TYPES

HERE = Path(__file__).resolve().parent
BY_NAME = {f.name: f for f in FUNCTIONS}
MEASURED = json.loads((HERE / "measured.json").read_text())


@pytest.mark.parametrize("name", TYPES)
def test_a_wrong_result_is_found(name):
    """Of correct square roots one is three units of the last place too large, then one no number."""
    exact = Reference(BY_NAME["sqrt"], name, False)
    x, y, got = exact.arrays(5000)
    exact.fill(20000, 5000, x, y)
    x = np.abs(x)
    got[:] = np.sqrt(x)
    assert exact.worst(x, y, got, 5000)[0] <= 0.5
    at = int(np.flatnonzero((x > 2) & (x < 200))[0])
    got[at] += 3 * np.spacing(got[at])
    error, where = exact.worst(x, y, got, 5000)
    assert where == at and 2.4 < error < 3.6
    got[at + 1 if not np.isnan(got[at + 1]) else at] = np.nan
    assert exact.worst(x, y, got, 5000)[0] == np.inf


@pytest.mark.parametrize("name", TYPES)
def test_arguments_have_all_that_is_special(name):
    for function in ("pow", "pown", "exp"):
        exact = Reference(BY_NAME[function], name, False)
        x, y, _ = exact.arrays(20000)
        exact.fill(0, 20000, x, y)
        assert np.isnan(x).any() and np.isinf(x).any() and (x == 0).any() and (x < 0).any()
        tiny = np.finfo(x.dtype).tiny
        assert ((x != 0) & (np.abs(x) < tiny)).any()


@pytest.mark.parametrize("name", TYPES)
def test_what_was_measured_is_within_the_limits(name):
    """And is of every function of the table."""
    assert set(MEASURED[name]) == set(BY_NAME)
    assert [f for f, result in MEASURED[name].items() if run.failed(BY_NAME[f], name, result)] == []


def test_the_page_is_of_what_was_measured():
    assert (HERE.parents[1] / "docs" / "accuracy.md").read_text() == page.text(MEASURED)
