# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel, lets auditwheel find the platform that it is for, and writes its name with that."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# What another wheel brings, and what is named by its path (portable.pyopencl).
BESIDE = ("libclpy-clang-*.so", "*/libclpy.so")
TIME = (2020, 1, 1, 0, 0, 0)       # the same files make the same wheel
EXECUTABLE, PLAIN = 0o100755, 0o100644


def content(source):
    return source if isinstance(source, bytes) else Path(source).read_bytes()


def is_executable(source):
    return not isinstance(source, bytes) and os.access(source, os.X_OK)


def put(archive, name, data, mode=PLAIN):
    info = zipfile.ZipInfo(name, TIME)
    info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data, compresslevel=9)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write_as(path, info, files, tag):
    """One .whl file; `info`: the folder of its metadata."""
    described = (f"Wheel-Version: 1.0\nGenerator: clpy\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n").encode()
    with zipfile.ZipFile(path, "w") as archive:
        rows = [put(archive, name, content(source), EXECUTABLE if is_executable(source) else PLAIN)
                for name, source in sorted(files.items())]
        rows.append(put(archive, f"{info}/WHEEL", described))
        put(archive, f"{info}/RECORD", "".join([*rows, f"{info}/RECORD,,\n"]).encode())


def platform(path):
    """The oldest manylinux that has all the wheel needs, in auditwheel's words; it ends the program where there is
    none."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "--only-plat",
                               *(f"--exclude={name}" for name in BESIDE), "-w", folder, path], env=environment,
                              capture_output=True, text=True, check=False)
        named = [re.search(r"-py3-none-([\w.]+)\.whl$", made.name) for made in Path(folder).iterdir()]
    if done.returncode or not named:
        sys.exit(f"clpy: auditwheel refuses {path.name}:\n{done.stdout}{done.stderr}")
    return named[0][1]


def write(folder, name, version, files, licences, metadata, entry_points=b""):
    """The wheel NAME-VERSION in the folder. `files` and `licences`: {path: file or bytes}."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    files = files | {f"{info}/licenses/{below}": source for below, source in licences.items()}
    files[f"{info}/METADATA"] = metadata
    if entry_points:
        files[f"{info}/entry_points.txt"] = entry_points
    with tempfile.TemporaryDirectory() as tmp:
        first = Path(tmp) / f"{name}-{version}-py3-none-linux_x86_64.whl"
        write_as(first, info, files, "linux_x86_64")
        tag = platform(first)
    write_as(folder / f"{name}-{version}-py3-none-{tag}.whl", info, files, tag)
