# SPDX-License-Identifier: Apache-2.0
"""Where Intel's offline compiler is on this machine: the program ocloc of the Debian package intel-opencl-icd, which
finds its libraries (libigc1) by itself, and the disassembler iga64 of libigc-tools.
Asked when devices are listed: imports next to nothing."""
import os

from clpy import config
from clpy.compiler.amdgpu.installed import stat

PACKAGE = "intel-opencl-icd"
FOLDER = "/usr/bin"
PROGRAM = "ocloc"
TOOLS = "libigc-tools"
DISASSEMBLER = "iga64"


def folder():
    return config.get("INTEL_COMPILER") or FOLDER


def path():
    return os.path.join(folder(), PROGRAM)


def libraries():
    """Files of which one is the compiler itself: it changes where the program does not."""
    return (path(), *(os.path.join(place, "libigc.so.1") for place in (
        [folder()] if config.get("INTEL_COMPILER") else [f"/usr/lib/{multiarch()}"])))


def disassembler():
    return os.path.join(folder(), DISASSEMBLER)


def missing_disassembler():
    """Why there is no disassembler, "" where there is one."""
    return missing_program(disassembler(), DISASSEMBLER, TOOLS)


def multiarch():
    import sys
    return sys.implementation._multiarch


def stamp():
    """Changes with the compiler."""
    return [stat(os.path.realpath(file)) for file in libraries()]


def missing():
    """Why there is no compiler, "" where there is one."""
    return missing_program(path(), PROGRAM, PACKAGE) or missing_disassembler()


def missing_program(path, name, package):
    if os.access(path, os.X_OK) and os.path.isfile(path):
        return ""
    where = config.get("INTEL_COMPILER")
    return (f"there is no {name} in {where} (CLPY_INTEL_COMPILER)" if where else
            f"code for Intel's chips needs Intel's {name}: install the Debian package {package}")


def environment():
    """Of these programs: nothing of the application's, whose variables may change what they do."""
    where = config.get("INTEL_COMPILER")
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", **({"LD_LIBRARY_PATH": where} if where else {})}
