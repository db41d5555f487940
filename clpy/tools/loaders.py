# SPDX-License-Identifier: Apache-2.0
"""The ICD loaders of this machine: which there are, which folders each reads, and what it finds there."""
import ctypes
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

DEFAULT_FOLDER = "/etc/OpenCL/vendors"


def system_loader():
    """The libOpenCL.so.1 that a program gets; None where there is none."""
    try:
        ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return None
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if "/libOpenCL.so" in path:
            return path
    return "libOpenCL.so.1"


def bundled_loaders():
    """In wheels of this environment, and in the active conda environment."""
    site = Path(sysconfig.get_path("platlib"))
    found = sorted(site.glob("pyopencl/.libs/libOpenCL*.so*")) + sorted(site.glob("pyopencl.libs/libOpenCL*.so*"))
    if os.environ.get("CONDA_PREFIX"):
        found += sorted(Path(os.environ["CONDA_PREFIX"], "lib").glob("libOpenCL.so.1"))
    return [str(p) for p in found]


def loaders():
    """[(path, where it is from)], each once."""
    found = {}
    system = system_loader()
    if system:
        found[os.path.realpath(system)] = (system, "what programs use")
    for path in bundled_loaders():
        origin = "in pyopencl's wheel" if "pyopencl" in path else "in the conda environment"
        found.setdefault(os.path.realpath(path), (path, origin))
    return list(found.values())


def describe(path):
    """(kind, folder that is built in), from the strings in the library."""
    try:
        data = Path(path).read_bytes()
    except OSError:
        return "unknown", DEFAULT_FOLDER
    kind = "Khronos" if b"OCL_ICD_FILENAMES" in data else "ocl-icd" if b"OCL_ICD_VENDORS" in data else "unknown"
    if b"PYOPENCL_HOME" in data:
        kind += ", pyopencl's build"
    built_in = re.search(rb"(/[\w./+-]*OpenCL/vendors)/?\0", data)
    return kind, built_in[1].decode() if built_in else DEFAULT_FOLDER


def places(path):
    """[(folder or file, why)] that the loader at `path` reads, in its order."""
    kind, built_in = describe(path)
    found = []
    if kind == "Khronos":
        found += [(name, "OCL_ICD_FILENAMES") for name in os.environ.get("OCL_ICD_FILENAMES", "").split(":") if name]
    variable = next((v for v in ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH") if os.environ.get(v)), None)
    if variable == "OPENCL_VENDOR_PATH" and kind == "Khronos":
        variable = None
    found.append((os.environ[variable], variable) if variable else (built_in, "built in"))
    if "pyopencl" in kind and not variable:
        found.append((str(Path(path).parent), "beside the loader"))
    return found


def icd_files(place):
    """[(file, library)] of a folder, an .icd file or a library."""
    where = Path(place)
    if where.is_dir():
        files = sorted(where.glob("*.icd"))
    elif where.suffix == ".icd":
        files = [where]
    else:
        return [(str(where), str(where))]
    found = []
    for file in files:
        try:
            lines = file.read_text(errors="replace").splitlines()
        except OSError as error:
            found.append((str(file), f"cannot be read: {error.strerror}"))
            continue
        found.append((str(file), beside(file, lines[0].strip() if lines else "")))
    return found


def beside(file, library):
    """Names without a folder are looked for where programs look, and beside the file by pyopencl's loader."""
    place = file.with_name(library) if library and "/" not in library else None
    return str(place) if place and place.exists() else library


def dlopen_error(library):
    """Why a loader cannot open the library; "" when it can. In a process of its own: a driver may crash it."""
    script = ("import ctypes, os, sys\n"
              "try:\n    ctypes.CDLL(sys.argv[1], mode=os.RTLD_LAZY)\n"
              "except OSError as error:\n    sys.exit(str(error))\nos._exit(0)\n")
    if not library:
        return "the file is empty"
    try:
        done = subprocess.run([sys.executable, "-I", "-c", script, library], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "opening it does not end within 60 s"
    if done.returncode < 0:
        return f"opening it ends the process with signal {-done.returncode}"
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""
