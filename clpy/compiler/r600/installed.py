# SPDX-License-Identifier: Apache-2.0
"""Where the library of OpenCL C for VLIW chips is on this machine: bitcode of the Debian package libclc-22, a file for
each processor. Asked when devices are listed: imports next to nothing."""
import os

from clpy import config
from clpy.compiler.amdgpu.installed import stat

PACKAGE = "libclc-22"
FOLDER = "/usr/lib/clc"
SUFFIX = "-r600--.bc"


def path(processor):
    return os.path.join(config.get("CLC_LIBRARY") or FOLDER, processor + SUFFIX)


def stamp(processor):
    """Changes with the library."""
    return stat(path(processor))


def missing(processor):
    """Why there is no library, "" where there is one."""
    if os.path.isfile(path(processor)):
        return ""
    where = config.get("CLC_LIBRARY")
    return (f"there is no {processor}{SUFFIX} in {where} (CLPY_CLC_LIBRARY)" if where else
            f"code for AMD's VLIW chips needs the library of OpenCL C: install the Debian package {PACKAGE}")
