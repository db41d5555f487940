# SPDX-License-Identifier: Apache-2.0
"""The signals of a host program are its own: clpy sets up no handler, blocks nothing and takes no interrupt."""
import signal
import sys

import pytest
from host_build import HOSTS, LIBRARY, compile_host, run, run_ok, vendors
from spirv_source import kernel


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return tmp_path_factory.mktemp("signals")


@pytest.fixture(scope="module")
def only_clpy(build):
    return vendors(build / "clpy_only", LIBRARY)


@pytest.fixture(scope="module")
def host(build):
    return compile_host(build, "signals.c", "-lOpenCL", "-pthread")


@pytest.fixture(scope="module")
def module(build):
    path = build / "module.spv"
    path.write_bytes(kernel())
    return path


@pytest.mark.parametrize("faults", ["0", "1"])
def test_no_handler_changes(host, module, only_clpy, faults):
    """But those of faults, where kernels' faults are told (is_of_faults in hosts/host.h)."""
    assert run_ok(host, "unchanged", module, vendors=only_clpy, env={"CLPY_FAULTS": faults}) == ("ok\n", "")


def test_a_handler_of_the_program_gets_an_interrupt_and_the_build_goes_on(host, module, only_clpy):
    """Also one that comes from a terminal, to the whole process group."""
    assert run_ok(host, "handled", module, vendors=only_clpy) == ("ok\n", "")


def test_an_interrupt_ends_a_program_without_a_handler(host, module, only_clpy):
    assert run(host, "default", module, vendors=only_clpy) == (-signal.SIGINT, "", "")


SCRIPT = HOSTS / "interrupted.py"


@pytest.mark.parametrize("mode", ["builds", "handler-that-raises"])
def test_a_python_program_is_interrupted_after_its_build(mode, only_clpy):
    assert run_ok(sys.executable, SCRIPT, mode, vendors=only_clpy) == ("ok\n", "")


@pytest.mark.parametrize("milliseconds", [0, 2, 5, 10, 20, 40, 80])
def test_a_python_program_is_interrupted_in_its_first_call(milliseconds, only_clpy):
    assert run_ok(sys.executable, SCRIPT, "first-call", milliseconds / 1000, vendors=only_clpy) == ("ok\n", "")
