# SPDX-License-Identifier: Apache-2.0
"""Contexts of one program take turns: an endless kernel of one keeps no other from its work."""
import sys

import pytest
from host_build import HOSTS, LIBRARY, run_ok, vendors

SCRIPT = HOSTS / "turns.py"
MODES = ["endless", "from-threads", "several-endless", "both-go-on", "taken-back", "one-context", "exit"]


@pytest.fixture(scope="module")
def only_clpy(tmp_path_factory):
    return vendors(tmp_path_factory.mktemp("turns") / "clpy_only", LIBRARY)


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("mode", MODES)
def test_contexts_take_turns(mode, threads, only_clpy):
    assert run_ok(sys.executable, SCRIPT, mode, vendors=only_clpy, timeout=60,
                  env={"CLPY_NUM_THREADS": threads})[0] == "ok\n"
