# SPDX-License-Identifier: Apache-2.0
"""The extensions at run time: which a device lists, and what a vendor's brings. What they are is written in
clpy/spec/extensions.txt and in the folders below vendor_ext; nothing here looks into a folder before it has to.
"""
import os
from functools import lru_cache

from clpy.spec.extension_table import EXTENSIONS

HERE = os.path.dirname(__file__)
DECLARATIONS = os.path.join(HERE, "compiler", "builtins", "declarations")     # of those that Clang does not have


class Extension:
    """A row of the table."""
    __slots__ = ("features", "level", "name", "needs", "package", "version")

    def __init__(self, name, version, level, needs, features, package):
        self.name = name
        self.version = version
        self.level = level
        self.needs = needs
        self.features = features
        self.package = package

    def is_met(self, abilities, compiled=()):
        """By what a device has, and by the extensions that its compiler has."""
        return not self.needs or any(all(one in abilities or (one == "compiler" and self.name in compiled)
                                         for one in need.split("+")) for need in self.needs)

    def file(self, name):
        """Path of a file in the folder of a vendor's extension, "" where there is none."""
        path = os.path.join(HERE, *self.package.split(".")[1:], name) if self.package else ""
        return path if path and os.path.exists(path) else ""


ALL = {row[0]: Extension(*row) for row in EXTENSIONS}
OF_PLATFORM = tuple(each.name for each in ALL.values() if "platform" in each.level)
FEATURES = frozenset(feature for each in ALL.values() for feature in each.features)


def of_device(abilities, compiled):
    """Names of those that a device lists, in order."""
    return tuple(each.name for each in ALL.values() if "device" in each.level and each.is_met(abilities, compiled))


def of_language(ability):
    """Names of vendors' extensions that bring OpenCL C to a device with this ability."""
    return tuple(each.name for each in ALL.values()
                 if any(ability in need.split("+") for need in each.needs) and each.file("opencl.h"))


def features_of_language(ability):
    """OpenCL C features that come with those."""
    return tuple(feature for name in of_language(ability) for feature in ALL[name].features)


def version_of(name):
    return ALL[name].version if name in ALL else (1, 0, 0)


def declarations(names):
    """{name of a header: its text} of those that have one, for the compiler to read before a program."""
    texts = {name: declaration(name) for name in names}
    return {header(name): text for name, text in texts.items() if text}


def may_need(name, texts):
    """May one of the texts, which are all there is of a program, use what the header of an extension declares? A header
    may say which word must stand there; that could also be put together by macros."""
    word = word_of(name)
    return not word or any(word in text or b"##" in text for text in texts)


@lru_cache(maxsize=None)
def word_of(name):
    """(`re` is slow to import, and who lists platforms waits for this module.)"""
    _, _, rest = declaration(name).partition(b"\n// Read where a program says: ")
    return rest.partition(b"\n")[0].strip()


def header(name):
    return f"clpy/{name}.h"


@lru_cache(maxsize=None)     # the command `clpy` runs with Python 3.8, too
def declaration(name):
    path = (ALL[name].file("opencl.h") if name in ALL else "") or os.path.join(DECLARATIONS, f"{name}.h")
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def answers(device):
    """Answers of a device (clpy.device.answers.Described) to the queries of the vendors' extensions that it lists."""
    import importlib
    found = {}
    for name in device.extensions():
        if name in ALL and ALL[name].file("answers.py"):
            found.update(importlib.import_module(f"{ALL[name].package}.answers").answers(device))
    return found
