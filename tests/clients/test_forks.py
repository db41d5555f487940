# SPDX-License-Identifier: Apache-2.0
"""Forks while other threads use clpy: the child is whole, whatever those were at."""
import sys

import pytest
from host_build import HOSTS, LIBRARY, compile_host, run_ok, vendors


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return tmp_path_factory.mktemp("forks")


@pytest.fixture(scope="module")
def only_clpy(build):
    return vendors(build / "clpy_only", LIBRARY)


@pytest.fixture(scope="module")
def host(build):
    return compile_host(build, "forks.c", "-lOpenCL", "-pthread")


@pytest.mark.parametrize("what", ["build", "launch", "wait", "all", "vfork"])
def test_a_c_program_forks_while_other_threads_are_at_work(host, what, only_clpy):
    out, err = run_ok(host, what, vendors=only_clpy, timeout=300)
    assert out == "10 of 10\n" and err == ""


@pytest.mark.parametrize("how", ["fork", "process"])
def test_a_python_program_forks_while_other_threads_build(how, only_clpy):
    assert run_ok(sys.executable, HOSTS / "forks.py", how, vendors=only_clpy, timeout=300)[0] == "ok\n"
