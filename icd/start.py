# SPDX-License-Identifier: Apache-2.0
"""The first Python code of the private interpreter: says where the modules of clpy are, imports the core.

Frozen into libclpy-core.so by build.py. sys.path is empty and stays so: nothing of the host program's, of its Python
or of this machine's is imported. Modules of clpy that are compiled are in libclpy-core.so itself, as built-in ones,
those that call LLVM in a library beside it, and the others are files.
"""
import gc
import os
import sys
from _frozen_importlib import BuiltinImporter, FrozenImporter, ModuleSpec
from _frozen_importlib_external import ExtensionFileLoader, SourceFileLoader

CACHE_TAG = "clpy-{}{}".format(*sys.version_info[:2])


class Finder:
    """Of `clpy` and all that is in it. `prepare` is called with the library of LLVM before its first module is made."""

    def __init__(self, folder, llvm_modules, prepare):
        self.parent = os.path.dirname(folder)
        self.llvm = os.path.join(folder, "libclpy-llvm.so")
        self.llvm_modules = llvm_modules
        self.prepare = prepare

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != "clpy":
            return None
        place = os.path.join(self.parent, *name.split("."))
        if name in sys.builtin_module_names:
            return self.spec(name, BuiltinImporter, place + ".pyx")
        if name in self.llvm_modules:
            if self.prepare:
                self.prepare(self.llvm)
                self.prepare = None
            return self.spec(name, ExtensionFileLoader(name, self.llvm), self.llvm)
        for file in (place + ".py", os.path.join(place, "__init__.py")):
            if os.path.isfile(file):
                return self.spec(name, SourceFileLoader(name, file), file)
        if os.path.isdir(place):        # a package without a file of its own
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations.append(place)
            return spec
        return None

    @staticmethod
    def spec(name, loader, file):
        is_package = file.endswith("__init__.py")
        spec = ModuleSpec(name, loader, origin=file, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations.append(os.path.dirname(file))
        return spec


def set_up(folder, llvm_modules, prepare):
    # So that what it compiles is not what another Python of this version compiled, which may be gone with that one. A
    # wheel brings these files.
    sys.implementation.cache_tag = CACHE_TAG
    sys.meta_path[:] = [Finder(folder, frozenset(llvm_modules.split()), prepare), BuiltinImporter, FrozenImporter]


def core(loud):
    """The address of the core's struct, 0 when it cannot be imported. What that makes stays: none of it is looked
    through for garbage, now or later."""
    gc.disable()
    try:
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
        gc.enable()


def run(text, *arguments):
    """Exit code of a text that is run as a program."""
    sys.argv = [text, *arguments]
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
