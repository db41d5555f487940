# SPDX-License-Identifier: Apache-2.0
"""Compile functions of OpenCL C that libclc does not have, for VLIW chips: `build.py PACKAGE` makes
PACKAGE/compiler/r600/library/*.bc. Code is for no chip in particular."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LLVM_BIN = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22")) / "bin"
FLAGS = ["-triple", "r600--", "-x", "cl", "-cl-std=CL1.2", "-cl-ext=+all", "-finclude-default-header",
         "-fdeclare-opencl-builtins", "-O2", "-discard-value-names", "-emit-llvm-bc", "-Wall", "-Werror"]


def build(package):
    folder = Path(package) / "compiler" / "r600" / "library"
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted(HERE.glob("*.cl"))
    for stale in {path.stem for path in folder.glob("*.bc")} - {path.stem for path in sources}:
        (folder / f"{stale}.bc").unlink()
    for source in sources:
        target = folder / f"{source.stem}.bc"
        partial = target.with_suffix(f".{os.getpid()}")
        subprocess.run([LLVM_BIN / "clang", "-cc1", *FLAGS, "-o", partial, source], check=True)
        if target.exists() and target.read_bytes() == partial.read_bytes():
            partial.unlink()
        else:
            partial.replace(target)


if __name__ == "__main__":
    build(sys.argv[1])
