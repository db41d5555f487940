# SPDX-License-Identifier: Apache-2.0
"""Chips: what the models of GPUs are models of.

What a chip is like is written in its file (chip_file.py), and nowhere else. Files take long to read and to check, and
whoever lists devices waits for it, so the build puts the values of those that come with clpy into a module,
made_chips.py (chips/build.py); a user's own are read each time.
"""
import os
import sys

from clpy import config
from clpy.trace import report_once

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chips")
SUFFIX = ".toml"
SimpleNamespace = type(sys.implementation)      # of `types`, which is slow to import
DEFAULT = "tahiti"               # `gpu` without a name


class ChipError(ValueError):
    """A chip file that is not right: says which file, which key and what is expected there."""


class Chip:
    """All values of a chip: `chip.lds.banks`; with basis and source `chip.values["lds.banks"]`."""

    def __init__(self, name, path, sections, values=None):
        self.name = name
        self.path = path
        self._values = values
        for section, pairs in sections.items():
            setattr(self, section, SimpleNamespace(**pairs))

    @property
    def values(self):
        if self._values is None:
            from clpy.device.gpu.chip_file import values_of
            self._values = values_of(self.path)
        return self._values

    @property
    def is_gcn(self):
        return self.identity.architecture == "gcn"

    @property
    def is_gen(self):
        return self.identity.architecture == "gen"

    @property
    def is_stood_in_for(self):
        """Its code is the next generation's, as there is no compiler for its own."""
        return self.is_gen and self.identity.instructions != self.identity.processor

    @property
    def is_vliw(self):
        return not self.is_gcn and not self.is_gen

    @property
    def compute_units(self):
        """CL_DEVICE_MAX_COMPUTE_UNITS: Intel's driver counts EUs, of which a subslice has some."""
        return self.compute.units * self.compute.simds if self.is_gen else self.compute.units

    @property
    def wave_slots(self):
        """Wavefronts that a compute unit can hold; VLIW chips have a limit for those of all units."""
        slots = self.compute.waves_per_simd * self.compute.simds
        return min(slots, self.compute.waves_per_device // self.compute.units) if self.is_vliw else slots

    def __repr__(self):
        return f"<chip {self.name}>"


def in_folder(folder):
    """Name -> path of the chip files in a folder."""
    return {name.removesuffix(SUFFIX): os.path.join(folder, name)
            for name in sorted(os.listdir(folder)) if name.endswith(SUFFIX)}


def own_files():
    """Those of the user's. A line says, once, which places are none."""
    found = {}
    for entry in config.get("GPU_CHIPS").split(os.pathsep):
        path = os.path.expanduser(entry.strip())
        if not path:
            continue
        if os.path.isdir(path):
            try:
                found |= in_folder(path)
            except OSError as why:
                report_once(f"CLPY_GPU_CHIPS: {path}: {why.strerror}")
        elif os.path.isfile(path):
            found[os.path.splitext(os.path.basename(path))[0]] = path
        else:
            report_once(f"CLPY_GPU_CHIPS: {path} is neither a folder nor a file")
    return found


def files():
    """Name of each chip -> its file; the user's own come after, and may replace one."""
    return in_folder(FOLDER) | own_files()


def compiled_for():
    """Names of the chips that there is a compiler for, VLIW and Gen chips where it is installed; also of those whose
    file is wrong, which load() tells."""
    return [name for name in files() if has_compiler(name)]


def for_any_program():
    """Of these those that take all programs: VLIW chips have neither doubles nor images, Gen chips no images."""
    return [name for name in compiled_for() if architecture_of(name) in ("gcn", "")]


def architecture_of(name):
    """"" where its file is wrong."""
    try:
        return load(name).identity.architecture
    except ChipError:
        return ""


def has_compiler(name):
    from clpy.compiler.amdgpu import installed
    try:
        who = load(name).identity
    except ChipError:
        return True
    return who.architecture == "gcn" or not installed.missing(who.architecture, who.processor)


def load(name):
    """The chip of that name; ChipError where there is none, or where its file is wrong."""
    own = own_files()
    if name not in own:
        sections = made().get(name)
        if sections is not None:
            return Chip(name, os.path.join(FOLDER, name + SUFFIX), sections)
    from clpy.device.gpu.chip_file import read
    known = files()
    if name not in known:
        raise ChipError(f"there is no chip {name}, only " + ", ".join(sorted(known)))
    return read(known[name])


def made():
    """Name -> {section: {key: value}} of the chips that come with clpy; nothing before the build has got so far."""
    try:
        from clpy.device.gpu.made_chips import CHIPS
    except ImportError:
        return {}
    return CHIPS
