# SPDX-License-Identifier: Apache-2.0
"""Where the private interpreter finds the modules of clpy, and a shorter way to those that come up with the core.

Modules that are compiled are in libclpy-core.so itself, as built-in ones, those that call LLVM in a library beside it,
and the others are files.
"""
import _frozen_importlib
import builtins
import marshal
import os
import sys
from _frozen_importlib import BuiltinImporter, ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, ExtensionFileLoader, SourceFileLoader
from _imp import exec_builtin

MAGIC_BYTES = 16            # of a file of byte code: the version of Python, flags, and the source's time and size
AS_OLD_AS_SOURCE, NEVER_OLD = 0, 1      # flags


class Finder:
    """Of `clpy` and all that is in it. `prepare` is called with the library of LLVM before its first module is made."""

    def __init__(self, folder, llvm_modules, prepare):
        self.parent = os.path.dirname(folder)
        self.llvm = os.path.join(folder, "libclpy-llvm.so")
        self.llvm_modules = llvm_modules
        self.prepare = prepare
        self.compiled = frozenset(name for name in sys.builtin_module_names if name.startswith("clpy."))

    def place(self, name):
        """Path of a module but for how it ends."""
        return f"{self.parent}/{name.replace('.', '/')}"

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != "clpy":
            return None
        place = self.place(name)
        if name in self.compiled:
            return file_spec(name, BuiltinImporter, place + ".pyx")
        if name in self.llvm_modules:
            if self.prepare:
                self.prepare(self.llvm)
                self.prepare = None
            return file_spec(name, ExtensionFileLoader(name, self.llvm), self.llvm)
        for file in (place + ".py", place + "/__init__.py"):
            if os.path.isfile(file):
                return file_spec(name, SourceFileLoader(name, file), file)
        return folder_spec(name, place) if os.path.isdir(place) else None


def file_spec(name, loader, file):
    spec = ModuleSpec(name, loader, origin=file, is_package=file.endswith("__init__.py"))
    spec.has_location = True
    spec._initializing = False      # whoever imports the module again looks at it
    if spec.submodule_search_locations is not None:
        spec.submodule_search_locations.append(os.path.dirname(file))
    return spec


def folder_spec(name, folder):
    """Of a package without a file of its own."""
    spec = ModuleSpec(name, None, is_package=True)
    spec._initializing = False
    spec.submodule_search_locations.append(folder)
    return spec


class Shortcut:
    """Once it is entered, modules of clpy are imported without what importlib does for others: finders that are asked
    in turn, and attributes that nobody looks at. That is a third of the time until there is a device, and of what the
    imports of the first build take. Until it is left there are no locks against threads, of which there is one.
    `make` is _imp.create_builtin for clpy's modules, which knows where they are."""

    def __init__(self, finder, make):
        self.finder, self.make = finder, make
        self.usual = _frozen_importlib._find_and_load
        self.locked = _frozen_importlib._find_and_load_unlocked     # called with the lock of the module
        sys.__spec__._initializing = builtins.__spec__._initializing = False     # as those of all others are

    def __enter__(self):
        _frozen_importlib._find_and_load = lambda *given: self.load(*given, self.usual)

    def __exit__(self, *error):
        _frozen_importlib._find_and_load = self.usual
        _frozen_importlib._find_and_load_unlocked = lambda *given: self.load(*given, self.locked)

    def load(self, name, import_, usual):
        """The module, which is not in sys.modules yet; `usual` is importlib's way to it."""
        parent, _, last = name.rpartition(".")
        if name.partition(".")[0] != "clpy" or name in self.finder.llvm_modules:
            return usual(name, import_)
        if parent and parent not in sys.modules:
            import_(parent)
            if name in sys.modules:
                return sys.modules[name]
        place = self.finder.place(name)
        run = self.built_in if name in self.finder.compiled else self.from_file
        module = run(name, place)
        if module is None:
            return usual(name, import_)
        if parent:
            setattr(sys.modules[parent], last, module)
        return module

    def built_in(self, name, place):
        spec = file_spec(name, BuiltinImporter, place + ".pyx")
        module = self.make(name, spec)
        module.__spec__ = spec
        return begun(module, exec_builtin)

    def from_file(self, name, place):
        """None where there is something that takes the usual way: no file, or no byte code as old as it."""
        for file, folder, last in ((place + ".py", *place.rsplit("/", 1)), (place + "/__init__.py", place, "__init__")):
            try:
                source = os.stat(file)
            except OSError:
                continue
            cached = f"{folder}/__pycache__/{last}.{sys.implementation.cache_tag}.pyc"
            code = byte_code(cached, source)
            if code is None:
                return None
            spec = file_spec(name, SourceFileLoader(name, file), file)
            spec.cached = cached
            return begun(module_of(spec, __file__=file, __cached__=cached), exec_code, code)
        return begun(module_of(folder_spec(name, place), __file__=None)) if os.path.isdir(place) else None


def byte_code(path, source):
    """From a file that is not older than the source, whose stat is given; None where there is no such one."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        data = os.read(file, os.fstat(file).st_size)
    finally:
        os.close(file)
    flags, time, size = (int.from_bytes(data[i:i + 4], "little") for i in (4, 8, 12))
    as_old = time == int(source.st_mtime) & 0xffffffff and size == source.st_size & 0xffffffff
    if data[:4] != MAGIC_NUMBER or not (flags == NEVER_OLD or (flags == AS_OLD_AS_SOURCE and as_old)):
        return None
    return marshal.loads(memoryview(data)[MAGIC_BYTES:])


def module_of(spec, **attributes):
    module = type(sys)(spec.name)
    module.__dict__.update(__spec__=spec, __loader__=spec.loader, __package__=spec.parent, **attributes)
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    return module


def exec_code(module, code):
    exec(code, module.__dict__)


def begun(module, run=None, *arguments):
    """The module, after `run` ran its code. Other threads that import it wait meanwhile."""
    module.__spec__._initializing = True
    sys.modules[module.__name__] = module
    try:
        if run:
            run(module, *arguments)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    finally:
        module.__spec__._initializing = False
    return module
