# SPDX-License-Identifier: Apache-2.0
"""Runs inside the interpreter that libclpy.so joined or started: imports the core from the library's own folder.

Compiled into the library by build.py. sys.path is not touched: a host program's Python must not see other modules
because it uses OpenCL.
"""
import os
import sys

from _clpy_icd import ffi


def package(folder):
    """Import the package `clpy` of this folder, and no other one."""
    loaded = sys.modules.get("clpy")
    if loaded is not None:
        path = list(getattr(loaded, "__path__", ()))
        if not path or os.path.realpath(path[0]) != folder:
            raise ImportError(f"another module named clpy is loaded: {getattr(loaded, '__file__', loaded)}")
        return
    bootstrap = sys.modules["_frozen_importlib"]
    external = sys.modules["_frozen_importlib_external"]
    spec = external.spec_from_file_location("clpy", os.path.join(folder, "__init__.py"),
                                            submodule_search_locations=[folder])
    bootstrap._load(spec)


@ffi.def_extern(error=0)
def clpy_start(folder, table, size, platform, own_interpreter, loud):
    """The address of the core's struct, 0 when it cannot be imported."""
    try:
        package(os.fsdecode(ffi.string(folder)))
        from clpy.api import entries, process
        return process.hand_over(entries.dispatch_address(), table, size, platform, own_interpreter)
    except BaseException as error:
        if loud:
            import traceback
            traceback.print_exception(error)
        os.write(2, f"clpy: no OpenCL device: {type(error).__name__}: {error}\n".encode(errors="replace"))
        return 0
