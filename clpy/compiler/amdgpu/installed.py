# SPDX-License-Identifier: Apache-2.0
"""Where AMD's library of OpenCL C is on this machine (device_library.py). Asked when devices are listed: imports next
to nothing."""
import os
import sys

from clpy import config
from clpy.compiler import companion

PACKAGE = "rocm-device-libs"
LIBRARIES = "/usr/lib"              # in it a folder for each architecture
FOLDER = "amdgcn/bitcode"
OTHERS = ("/opt/rocm",)
WHEEL = "clpy_llvm"
COMPILED = ("gcn",)                 # architectures whose code the tools look into
VLIW, GEN = ("vliw5", "vliw4"), ("gen",)
FUNCTIONS = ("opencl.bc", "ocml.bc", "ockl.bc")     # each may need those behind it

_found = {}


def folder():
    """Where the library is, "" where there is none."""
    given = config.get("AMD_DEVICE_LIBRARY")
    if given not in _found:
        _found[given] = next(filter(is_library, [given] if given else folders()), "")
    return _found[given]


def is_library(path):
    return os.path.isfile(os.path.join(path, FUNCTIONS[0]))


def folders():
    """Where it may be."""
    try:
        architectures = sorted(name for name in os.listdir(LIBRARIES) if "-linux-" in name)
    except OSError:
        architectures = ()
    brought = companion.path(WHEEL, FOLDER)
    if brought:
        yield brought
    for place in (*[os.path.join(LIBRARIES, name) for name in architectures], *OTHERS):
        yield os.path.join(place, FOLDER)


def usual():
    """Where a file of it is on a machine like this one, if anywhere: for whoever must not look for long."""
    return os.path.join(LIBRARIES, sys.implementation._multiarch, FOLDER, FUNCTIONS[0])


def stamp():
    """Changes with the library."""
    path = folder()
    return path and [(name, *stat(os.path.join(path, name))) for name in FUNCTIONS]


def stat(path):
    try:
        info = os.stat(path)
    except OSError:
        return (0, 0)
    return info.st_size, info.st_mtime_ns


def missing(architecture="gcn", processor=""):
    """Why there is no code for chips of that architecture (identity.architecture of their files), "" where there is."""
    if architecture in VLIW:
        from clpy.compiler.r600 import installed
        return installed.missing(processor)
    if architecture in GEN:
        from clpy.compiler.gen import installed
        return installed.missing()
    if architecture not in COMPILED:
        return f"there is no compiler for chips of the architecture {architecture}"
    where = config.get("AMD_DEVICE_LIBRARY")
    if folder():
        return ""
    return (f"there is no device library in {where} (CLPY_AMD_DEVICE_LIBRARY)" if where else
            f"code for AMD's chips needs the device library: install the Debian package {PACKAGE}")
