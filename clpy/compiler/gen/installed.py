# SPDX-License-Identifier: Apache-2.0
"""Where Intel's offline compiler is on this machine: the program ocloc of the Debian package intel-opencl-icd, which
finds its libraries (libigc1) by itself. Asked when devices are listed: imports next to nothing."""
import os

from clpy import config
from clpy.compiler.amdgpu.installed import stat

PACKAGE = "intel-opencl-icd"
FOLDER = "/usr/bin"
PROGRAM = "ocloc"


def folder():
    return config.get("INTEL_COMPILER") or FOLDER


def path():
    return os.path.join(folder(), PROGRAM)


def libraries():
    """Files of which one is the compiler itself: it changes where the program does not."""
    return (path(), *(os.path.join(place, "libigc.so.1") for place in (
        [folder()] if config.get("INTEL_COMPILER") else [f"/usr/lib/{multiarch()}"])))


def multiarch():
    import sys
    return sys.implementation._multiarch


def stamp():
    """Changes with the compiler."""
    return [stat(os.path.realpath(file)) for file in libraries()]


def missing():
    """Why there is no compiler, "" where there is one."""
    if os.access(path(), os.X_OK) and os.path.isfile(path()):
        return ""
    where = config.get("INTEL_COMPILER")
    return (f"there is no {PROGRAM} in {where} (CLPY_INTEL_COMPILER)" if where else
            f"code for Intel's chips needs Intel's compiler: install the Debian package {PACKAGE}")
