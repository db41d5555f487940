# SPDX-License-Identifier: Apache-2.0
"""The tests of vendors' extensions see the platform of this tree, as those in tests/ do, and what these share."""
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "api")]

if os.environ.get("OCL_ICD_VENDORS") != str(ROOT / "build" / "vendors"):       # they are run without the others
    import tests.conftest  # noqa: F401

from tests.api.conftest import (  # noqa: E402, F401
    buffer,
    buffers,
    contents,
    context,
    image,
    kernel,
    no_leak,
    other_context,
    program,
    queue,
    record,
    set_args,
    the_api,
    user_event,
)


def pytest_collection_finish(session):
    """Once, as in tests/: where those are run too, they do it."""
    files = {getattr(plugin, "__file__", None) for plugin in session.config.pluginmanager.get_plugins()}
    if str(ROOT / "tests" / "conftest.py") not in files:
        from tests.conftest import pytest_collection_finish as lend
        lend()


@pytest.fixture(scope="session")
def api():
    return the_api()


@pytest.fixture(scope="session")
def device(api):
    """The CPU device."""
    return api.devices()[0]
