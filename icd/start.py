# SPDX-License-Identifier: Apache-2.0
"""The first Python code of the private interpreter: says where the modules of clpy are, imports the core.

Frozen into libclpy-core.so by build.py. sys.path is empty and stays so: nothing of the host program's, of its Python
or of this machine's is imported.
"""
import gc
import os
import sys
from _frozen_importlib import BuiltinImporter, FrozenImporter

from clpy_imports import Finder, Shortcut

# New objects between looks for garbage: the first build imports 160 modules, and looked through what they brought 30
# times, which took a twentieth of it.
NEW_OBJECTS = 20_000
CACHE_TAG = "clpy-{}{}".format(*sys.version_info[:2])
shortcut = None     # to the modules of the core


def set_up(folder, llvm_modules, prepare, make):
    global shortcut
    sys.executable = ""
    # So that what it compiles is not what another Python of this version compiled, which may be gone with that one. A
    # wheel brings these files.
    sys.implementation.cache_tag = CACHE_TAG
    finder = Finder(folder, frozenset(llvm_modules.split()), prepare)
    sys.meta_path[:] = [finder, BuiltinImporter, FrozenImporter]
    shortcut = Shortcut(finder, make)


def core(loud):
    """The address of the core's struct, 0 when it cannot be imported. What that makes stays: none of it is looked
    through for garbage, now or later."""
    try:
        with shortcut:
            from clpy.api.process import private_core
            return private_core()
    except BaseException as error:
        if loud:
            import traceback
            traceback.print_exception(error)
        os.write(2, f"clpy: no OpenCL device: {type(error).__name__}: {error}\n".encode(errors="replace"))
        return 0
    finally:
        gc.freeze()
        gc.set_threshold(NEW_OBJECTS)
        gc.enable()


def run(text, *arguments):
    """Exit code of a text that is run as a program."""
    sys.argv = [text, *arguments]
    gc.enable()
    try:
        exec(compile(text, "<text>", "exec"), {"__name__": "__main__"})
        return 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        import traceback
        traceback.print_exception(error)
        return 1
    finally:
        sys.stdout.flush()
