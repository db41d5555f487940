# SPDX-License-Identifier: Apache-2.0
"""Builds into a package folder what a host program loads: python icd/build.py FOLDER [MODULES]. Called by setup.py.

libclpy.so, which loaders open; and where MODULES, a JSON file, says what clpy's compiled modules are made of, the
private interpreter with them (private_python.py).
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import private_python

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
PARTS = ("exports.c", "chosen.c", "before.c", "host.c", "bootstrap.c", "forks.c")
# now: what is missing is missing at the first call, not in the middle of the program.
# -Bsymbolic: a loader exports functions of the same names, and comes first in the program.
LINK = ["-shared", f"-Wl,--version-script={HERE / 'exports.map'}", "-Wl,-z,nodelete", "-Wl,-z,now", "-Wl,-Bsymbolic",
        "-Wl,-z,defs", "-Wl,-soname,libclpy.so", "-ldl", "-lpthread"]


def baked(folder):
    """What the library knows without its core."""
    sys.path.insert(0, str(folder.parent))
    from clpy import config
    from clpy.compiler.amdgpu import installed
    from clpy.core import identity
    devices = next(o.default for o in config.TABLE if o.name == "DEVICES")
    kinds = [name.partition(":")[0] for name in devices.split(",")]
    if set(kinds) - {"cpu", "gpu"}:
        sys.exit(f"clpy: {devices}: of what type these devices are has to be told to icd/chosen.c")
    return {"CLPY_DEFAULT_DEVICES": devices,
            **{f"CLPY_DEFAULT_{kind.upper()}S": kinds.count(kind) for kind in ("cpu", "gpu")},
            "CLPY_GPU_NEEDS": installed.usual(),
            "CLPY_NAME": identity.NAME, "CLPY_VENDOR": identity.VENDOR, "CLPY_PROFILE": identity.PROFILE,
            "CLPY_VERSION": identity.VERSION, "CLPY_SUFFIX": identity.ICD_SUFFIX,
            "CLPY_EXTENSIONS": " ".join(identity.EXTENSIONS)}


def source(folder):
    """C source: the baked strings, then the files in order."""
    out = ["#define _GNU_SOURCE"]
    out += [f"#define {name} {json.dumps(value)}" for name, value in baked(folder).items()]
    for name in PARTS:
        out += [f'#line 1 "icd/{name}"', (HERE / name).read_text()]
    return "\n".join(out) + "\n"


def build(folder):
    """Compile and link, unless the library is newer than all it is made from."""
    target = folder / "libclpy.so"
    text = source(folder)
    kept = ROOT / "build" / "icd" / "source.c"
    if target.exists() and kept.exists() and kept.read_text() == text and \
            all(target.stat().st_mtime >= p.stat().st_mtime for p in (HERE / "build.py", HERE / "exports.map")):
        return
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(text)
    with tempfile.TemporaryDirectory() as tmp:
        made = Path(tmp) / "libclpy.so"
        subprocess.run([os.environ.get("CC", "gcc"), *private_python.COMPILE, "-I", str(ROOT / "include"), str(kept),
                        "-o", str(made), *LINK], check=True)
        private_python.put(made, target)


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve())
    if len(sys.argv) > 2:
        private_python.build(Path(sys.argv[1]).resolve(), json.loads(Path(sys.argv[2]).read_text()))
