# SPDX-License-Identifier: Apache-2.0
"""Every test, and every process that a test starts, sees the platform of this tree, and a cache of its own; and
beside the CPU device one that reports what a test asks for, which only who asks for a custom device gets. The tiny
tests come first, and where one of them fails no other is worth its time. A test that hangs shows where: all stacks are
printed and the run ends (`timeout` in pyproject.toml).
"""
import atexit
import os
import shutil
import signal
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
VENDORS = ROOT / "build" / "vendors"
FAKE = "fake"


def point_loaders_here():
    """Before anything loads an ICD loader: it reads the environment once, and the file while other processes of the
    same run come up."""
    VENDORS.mkdir(parents=True, exist_ok=True)
    listed, text = VENDORS / "clpy.icd", f"{ROOT / 'clpy' / 'libclpy.so'}\n"
    if not listed.exists() or listed.read_text() != text:
        listed.write_text(text)
    cache = tempfile.mkdtemp(prefix="clpy-test-")
    atexit.register(shutil.rmtree, cache, ignore_errors=True)
    for name in [name for name in os.environ if name.startswith(("CLPY_", "CL_CONFIG_"))]:
        del os.environ[name]
    os.environ.pop("OCL_ICD_FILENAMES", None)
    os.environ.update(OCL_ICD_VENDORS=str(VENDORS), CLPY_CACHE_DIR=cache, PYOPENCL_NO_CACHE="1",
                      CLPY_DEVICES="cpu,fake")


def take_interrupts():
    """A shell's job in the background ignores them, and so would all that a test starts and interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


point_loaders_here()
take_interrupts()


def pytest_collection_finish():
    """What runs in this process is a core that tests can look into. Programs that they start have the library's own.
    The tests of the lint run before anything is built."""
    if find_spec("clpy.api.process") is not None:
        from clpy.api.process import lend
        lend()


def pytest_addoption(parser):
    parser.addoption("--device", default="", metavar="NAME", help="run the tests that take a device, and no others, on "
                     "this one, as CLPY_DEVICES names it, or `fake`")


def pytest_configure(config):
    """The only device, then, but for the one for tests, which is made from the CPU device: what is tested is what
    programs and kernels do on it, and not its clock."""
    name = config.getoption("--device")
    if name:
        os.environ.update(CLPY_DEVICES="cpu,fake" if name == FAKE else name, CLPY_GPU_DETAIL="off")


def takes_a_device(item, name):
    """Which may be no more than that one: the one for tests is there when it is asked for."""
    fixtures = set(getattr(item, "fixturenames", ()))
    return {"machine", "device"} & fixtures and (name == FAKE or "fake_device" not in fixtures)


def is_tiny(nodeid):
    return nodeid.startswith("tests/test_tiny.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    name = config.getoption("--device")
    if name:
        items[:] = [item for item in items if takes_a_device(item, name)]
    items.sort(key=lambda item: not is_tiny(item.nodeid))    # a stable sort: the others keep their order


def pytest_runtest_logreport(report):
    if report.failed and is_tiny(report.nodeid):
        pytest.exit("a tiny test failed: the others are not worth running", returncode=1)
