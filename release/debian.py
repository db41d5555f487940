# SPDX-License-Identifier: Apache-2.0
"""Makes dist/clpy-opencl-icd_*.deb: python release/debian.py, by `make deb`. Debian's own tools do the same from the
folder debian/; here the rules are called as they call them, and the package does not land beside the repository."""
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    if not shutil.which("dh"):
        sys.exit("clpy: the Debian packages debhelper and dpkg-dev are missing: apt install debhelper dpkg-dev")
    for old in (ROOT / "dist").glob("clpy-opencl-icd_*.deb"):
        old.unlink()
    shutil.rmtree(ROOT / "debian/clpy-opencl-icd", ignore_errors=True)
    subprocess.run(["debian/rules", "binary"], check=True, cwd=ROOT)
    for made in (ROOT / "dist").glob("clpy-opencl-icd_*.deb"):
        print(f"{made.stat().st_size / 1e6:6.1f} MB  {made.name}")
