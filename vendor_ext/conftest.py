# SPDX-License-Identifier: Apache-2.0
"""The tests of vendors' extensions see the platform of this tree, as those in tests/ do, and what these share."""
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

if os.environ.get("OCL_ICD_VENDORS") != str(ROOT / "build" / "vendors"):       # they are run without the others
    import tests.conftest  # noqa: F401
