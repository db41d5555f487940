# SPDX-License-Identifier: Apache-2.0
"""Files that describe chips, read and checked.

A file has a table for each section of chip_schema.py, and in it for each key
`key = { value = ..., basis = "documented", source = "..." }`. A file that says `like = "hawaii"` at its top has all
values of that chip or family but those it names. Values that no file of the chain gives are an error.
"""
import tomllib
from pathlib import Path
from typing import NamedTuple

from clpy.device.gpu import chip
from clpy.device.gpu.chip import Chip, ChipError, files
from clpy.device.gpu.chip_schema import BASES, BY_NAME, FIELDS, PROCESSORS, SECTIONS

FOLDER = Path(chip.FOLDER)
FAMILIES = FOLDER / "families"        # what chips have in common: named in `like` only
ENTRY = {"value", "basis", "source"}


class Value(NamedTuple):
    """`basis` says how sure it is: documented by the maker or a driver, measured on a board, or estimated."""
    value: object
    basis: str
    source: str


def read(path):
    """The chip that a file describes."""
    values = values_of(path)
    described = Chip(Path(path).stem, path, {section: {field.key: values[field.name].value for field in FIELDS
                                                  if field.section == section and field.name in values}
                                             for section in SECTIONS}, values)
    check_whole(described, values)
    return described


def values_of(path):
    """All values of a chip, "lds.banks" -> Value."""
    path = Path(path)
    values = chain(path, {name: Path(file) for name, file in files().items()}, ())
    of = values["identity.architecture"].value if "identity.architecture" in values else ""
    missing = [field for field in FIELDS if field.name not in values and field.applies(of)]
    if missing:
        field = missing[0]
        more = f"; {len(missing) - 1} more keys are missing" if len(missing) > 1 else ""
        raise ChipError(f"{path}: [{field.section}] {field.key} is missing: expected {field.expected()}, "
                        f"{field.meaning}{more}")
    for field in FIELDS:
        if field.name in values and not field.applies(of):
            raise ChipError(f"{path}: [{field.section}] {field.key} is no key of {of}; expected one of "
                            + ", ".join(f.key for f in FIELDS if f.section == field.section and f.applies(of)))
    return values


def chain(path, known, behind):
    """The values of a file, over those of the one it is like."""
    if path in behind:
        raise ChipError(f"{path}: like: the files are like each other in a circle: "
                        + " -> ".join(file.stem for file in (*behind, path)))
    try:
        with open(path, "rb") as file:
            tables = tomllib.load(file)
    except OSError as error:
        raise ChipError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ChipError(f"{path}: is not TOML: {error}") from None
    like = tables.pop("like", None)
    values = {}
    if like is not None:
        if not isinstance(like, str):
            raise ChipError(f"{path}: like: expected the name of a chip or a family")
        base = known.get(like)
        if base is None or base == path:      # a chip of the user's may be like the one it replaces
            base = next((file for file in (FAMILIES / f"{like}.toml", FOLDER / f"{like}.toml")
                         if file.is_file() and file != path), None)
        if base is None:
            raise ChipError(f"{path}: like: there is no {like}; expected one of " + ", ".join(sorted(
                {*known, *(file.stem for file in FAMILIES.glob("*.toml"))} - {path.stem})))
        values = chain(base, known, (*behind, path))
    return values | own_values(path, tables)


def own_values(path, tables):
    """What the file itself says, each entry checked."""
    values = {}
    for section, entries in tables.items():
        if section not in SECTIONS or not isinstance(entries, dict):
            raise ChipError(f"{path}: [{section}] is no section; expected one of " + ", ".join(SECTIONS))
        for key, entry in entries.items():
            field = BY_NAME.get(f"{section}.{key}")
            if field is None:
                raise ChipError(f"{path}: [{section}] {key} is no key of that section; expected one of "
                                + ", ".join(f.key for f in FIELDS if f.section == section))
            values[field.name] = checked(path, field, entry)
    return values


def checked(path, field, entry):
    place = f"{path}: [{field.section}] {field.key}"
    if not isinstance(entry, dict) or set(entry) != ENTRY:
        raise ChipError(f'{place}: expected {{ value = ..., basis = "...", source = "..." }}')
    if entry["basis"] not in BASES:
        raise ChipError(f"{place}: basis: expected one of " + ", ".join(BASES))
    if not isinstance(entry["source"], str) or not entry["source"].strip():
        raise ChipError(f"{place}: source: expected a text that says where the value is from")
    if not field.accepts(entry["value"]):
        unit = f" ({field.unit})" if field.unit else ""
        raise ChipError(f"{place} = {entry['value']!r}: expected {field.expected()}{unit}")
    return Value(entry["value"], entry["basis"], entry["source"])


STAND_INS = {"gen7.5": "gen8"}          # instructions that no compiler makes -> those that it makes instead
# What the keys have to do with each other: (key, whether they fit, what is expected).
WHOLE = (
    *[("identity.processor", lambda c, of=of: c.identity.architecture != of or c.identity.processor in PROCESSORS[of],
       f"one of {', '.join(PROCESSORS[of])}, as identity.architecture is {of}") for of in PROCESSORS],
    ("identity.instructions",
     lambda c: STAND_INS.get(c.identity.instructions, c.identity.instructions) == c.identity.processor,
     "what identity.processor is, or gen7.5 where that is gen8"),
    ("compute.simds", lambda c: c.is_gen or c.compute.simds == (4 if c.is_gcn else 1),
     "4 where identity.architecture is gcn, 1 where it is vliw4 or vliw5"),
    ("compute.wave_size", lambda c: c.compute.wave_size in (
        (8, 16, 32) if c.is_gen else (32,) if c.identity.processor == "cedar" else (64,)),
     "8, 16 or 32 where identity.architecture is gen, 32 where identity.processor is cedar, else 64"),
    ("lds.bytes_per_group", lambda c: c.lds.bytes_per_group <= c.lds.bytes, "at most lds.bytes"),
    ("caches.l1_ways", lambda c: c.caches.l1_bytes % (c.caches.l1_ways * c.caches.line_bytes) == 0,
     "l1_bytes to be whole sets of lines"),
    ("caches.scalar_ways", lambda c: c.caches.scalar_bytes % (c.caches.scalar_ways * c.caches.line_bytes) == 0,
     "scalar_bytes to be whole sets of lines"),
    ("caches.l2_channels",
     lambda c: c.caches.l2_bytes % (c.caches.l2_channels * c.caches.l2_ways * c.caches.line_bytes) == 0,
     "l2_bytes to be whole sets of lines in each channel"),
    ("caches.l2_ways_lds", lambda c: c.caches.l2_ways_lds <= c.caches.l2_ways, "at most caches.l2_ways"),
    ("caches.interleave_bytes", lambda c: c.caches.interleave_bytes % c.caches.line_bytes == 0, "whole lines"),
    ("latency.l2_hit", lambda c: (0 if c.is_gen else c.latency.l1_hit) <= c.latency.l2_hit <= c.latency.dram,
     "not less than latency.l1_hit, and not more than latency.dram"),
    ("latency.smem_miss", lambda c: c.latency.smem_hit <= c.latency.smem_miss <= c.latency.dram,
     "not less than latency.smem_hit, and not more than latency.dram"),
    ("compute.shader_engines", lambda c: c.compute.shader_engines <= c.compute.units, "at most compute.units"),
    ("link.kind", lambda c: (c.link.kind == "shared") == c.memory.shared,
     'shared where memory.shared is true, else pcie'),
    ("link.dma_gbs", lambda c: c.link.dma_gbs <= c.link.raw_gbs, "at most link.raw_gbs"),
)


def check_whole(chip, values):
    for name, fits, expected in WHOLE:
        if name in values and not fits(chip):
            section, key = name.split(".")
            raise ChipError(f"{chip.path}: [{section}] {key} = {values[name].value!r}: expected {expected}")
