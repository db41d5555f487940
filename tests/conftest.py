# SPDX-License-Identifier: Apache-2.0
"""Every test, and every process that a test starts, sees the platform of this tree, and a cache of its own."""
import atexit
import os
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENDORS = ROOT / "build" / "vendors"


def point_loaders_here():
    """Before anything loads an ICD loader: it reads the environment once."""
    VENDORS.mkdir(parents=True, exist_ok=True)
    (VENDORS / "clpy.icd").write_text(f"{ROOT / 'clpy' / 'libclpy.so'}\n")
    cache = tempfile.mkdtemp(prefix="clpy-test-")
    atexit.register(shutil.rmtree, cache, ignore_errors=True)
    for name in [name for name in os.environ if name.startswith(("CLPY_", "CL_CONFIG_"))]:
        del os.environ[name]
    os.environ.pop("OCL_ICD_FILENAMES", None)
    os.environ.update(OCL_ICD_VENDORS=str(VENDORS), CLPY_CACHE_DIR=cache, PYOPENCL_NO_CACHE="1")


point_loaders_here()
