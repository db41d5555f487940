# SPDX-License-Identifier: Apache-2.0
"""Lays the wheels out as Debian has it: python release/unpack.py WHEELS FOLDER, by debian/rules."""
import sys
import zipfile
from pathlib import Path

PLACE = "usr/lib/clpy"
ICD = "etc/OpenCL/vendors/clpy.icd"
COMMAND = "usr/bin/clpy"
HEADERS, INCLUDE = "clpy/include/", "usr/include/"
DOCUMENTS = "usr/share/doc/clpy-opencl-icd/LICENSES"
SCRIPT = f"""#!/bin/sh
# The command of clpy, which runs with any Python 3, and leaves no byte code that dpkg does not know.
PYTHONPATH=/{PLACE}${{PYTHONPATH:+:$PYTHONPATH}} exec python3 -B -m clpy.tools.cli "$@"
"""


def put(path, data, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def unpack(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            top = info.filename.partition("/")[0]
            if "/licenses/LICENSES/" in info.filename:
                put(folder / DOCUMENTS / info.filename.rpartition("/")[2], archive.read(info))
            elif top in ("clpy", "clpy_llvm", "clpy_spirv"):
                inside = info.filename.startswith(HEADERS)
                place = INCLUDE + info.filename.removeprefix(HEADERS) if inside else f"{PLACE}/{info.filename}"
                put(folder / place, archive.read(info), info.external_attr >> 16 & 0o777)


if __name__ == "__main__":
    target = Path(sys.argv[2])
    for wheel in sorted(Path(sys.argv[1]).glob("*.whl")):
        unpack(wheel, target)
    put(target / ICD, f"/{PLACE}/clpy/libclpy.so\n".encode())
    put(target / COMMAND, SCRIPT.encode(), 0o755)
