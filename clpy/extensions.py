# SPDX-License-Identifier: Apache-2.0
"""The extensions at run time: which a device lists, and what a vendor's brings. What they are is written in
clpy/spec/extensions.txt and in the folders below vendor_ext; nothing here looks into a folder before it has to.
"""
import os

from clpy.spec.extension_table import BUILT_IN, EXTENSIONS

HERE = os.path.dirname(__file__)
DECLARATIONS = os.path.join(HERE, "compiler", "builtins", "declarations")     # of those that Clang does not have


class Extension:
    """A row of the table. `needs` are tuples of abilities, one of which a device must have all of."""
    __slots__ = ("features", "files", "level", "name", "needs", "package", "version")

    def __init__(self, name, version, level, needs, features, package, files):
        self.name = name
        self.version = version
        self.level = level
        self.needs = needs
        self.features = features
        self.package = package
        self.files = files

    def is_met(self, abilities, compiled=()):
        """By what a device has, and by the extensions that its compiler has."""
        if not self.needs:
            return True
        has = {*abilities, "compiler"} if self.name in compiled else set(abilities)
        return any(map(has.issuperset, self.needs))

    def file(self, name):
        """Path of a file in the folder of a vendor's extension, "" where there is none."""
        return os.path.join(folder_of(self.package), name) if name in self.files else ""


ALL = {row[0]: Extension(*row) for row in EXTENSIONS}
OF_PLATFORM = tuple(each.name for each in ALL.values() if "platform" in each.level)
# Programs may enable them on any device: that changes nothing.
OF_NO_LANGUAGE = tuple(each.name for each in ALL.values() if ("compiler",) not in each.needs
                       and "opencl.h" not in each.files)
_read = {}      # declarations, by the name of the extension
FEATURES = frozenset(feature for each in ALL.values() for feature in each.features)


def of_device(abilities, compiled):
    """Names of those that a device lists, in order."""
    # not at the top: the command `clpy` reads the table with any Python
    from clpy import config
    hidden = config.get("HIDE_EXTENSIONS").replace(",", " ").split()
    return tuple(each.name for each in ALL.values() if "device" in each.level and each.is_met(abilities, compiled)
                 and not is_named(each.name, hidden))


def that_fit(names, room):
    """Those whose names, with a space after each but the last, have at most `room` characters: Khronos's and EXT's
    first, which most programs ask for, then those of vendors, in order."""
    fit = []
    for name in sorted(names, key=lambda name: not name.startswith(("cl_khr_", "cl_ext_"))):
        if len(name) <= room:
            fit.append(name)
            room -= len(name) + 1
    return tuple(fit)


def is_named(name, words):
    """By its name, or by the beginning of it with a star behind."""
    return any(name.startswith(word[:-1]) if word.endswith("*") else name == word for word in words)


def of_language(ability):
    """Names of vendors' extensions that bring OpenCL C to a device with this ability."""
    return tuple(each.name for each in ALL.values()
                 if "opencl.h" in each.files and any(ability in need for need in each.needs))


def features_of_language(ability):
    """OpenCL C features that come with those."""
    return tuple(feature for name in of_language(ability) for feature in ALL[name].features)


def version_of(name):
    return ALL[name].version if name in ALL else (1, 0, 0)


def declarations(names):
    """{name of a header: its text} of those that have one, for the compiler to read before a program."""
    texts = {name: declaration(name) for name in names}
    return {header(name): text for name, text in texts.items() if text}


def word_of(name):
    """The word that a program must say for the header of an extension to be read, b"" for any. (`re` is slow to import,
    and so is `functools`; who lists platforms waits for this module.)"""
    _, _, rest = declaration(name).partition(b"\n// Read where a program says: ")
    return rest.partition(b"\n")[0].strip()


def header(name):
    return f"clpy/{name}.h"


def declaration(name):
    """b"" where an extension has none."""
    if name not in _read:
        path = (ALL[name].file("opencl.h") if name in ALL else "") or os.path.join(DECLARATIONS, f"{name}.h")
        try:
            _read[name] = read(path)
        except FileNotFoundError:
            _read[name] = b""
    return _read[name]


def built_in_kernels(names):
    """Names of the built-in kernels of these extensions, with the extension that each is of."""
    return {kernel: extension for kernel, extension, _, _ in BUILT_IN if extension in names}


def built_in_source(kernels):
    """OpenCL C with these kernels. Files that several are made from are in it once."""
    paths = [os.path.join(folder_of(package), "kernels", file) for kernel, _, package, files in BUILT_IN
             if kernel in kernels for file in files]
    return b"".join(map(read, dict.fromkeys(paths)))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def folder_of(package):
    return os.path.join(HERE, *package.split(".")[1:])


def answers(device):
    """Answers of a device (clpy.device.answers.Described) to the queries of the vendors' extensions that it lists."""
    import importlib
    found = {}
    for name in device.extensions():
        if name in ALL and "answers.py" in ALL[name].files:
            found.update(importlib.import_module(f"{ALL[name].package}.answers").answers(device))
    return found
