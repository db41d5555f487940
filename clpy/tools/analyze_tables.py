# SPDX-License-Identifier: Apache-2.0
"""Rows of `clpy analyze` as data and as text. Chips of different architectures have different columns."""
import csv
import io
from typing import NamedTuple

from clpy.tools.program import columns


class Table(NamedTuple):
    """`columns`: name -> heading in the text; `more`: names that only data has; `if_any`: columns that the text leaves
    out where no row says anything in them."""
    columns: dict
    more: tuple
    if_any: tuple

    def names(self):
        return [*self.columns, *self.more]


GCN = Table({
    "kernel": "kernel", "device": "device", "vgprs": "VGPRs", "sgprs": "SGPRs", "lds_bytes": "LDS",
    "scratch_bytes": "scratch", "code_bytes": "code", "waves_per_simd": "waves", "limiter": "limit", "valu": "VALU",
    "salu": "SALU", "vmem_load": "loads", "vmem_store": "stores", "vmem_atomic": "atomics", "smem": "SMEM",
    "lds": "LDS i.", "branch": "branch", "export": "export", "other": "other",
}, ("processor", "group_size", "occupancy", "wave_slots", "local_arguments", "vgpr_spills", "sgpr_spills"),
    ("export", "vmem_atomic"))


def data(rows, with_isa):
    """Plain data for JSON."""
    made = []
    for row in rows:
        plain = {name: row[name] for name in row["table"].names()}
        if with_isa:
            plain["isa"] = [instruction._asdict() for instruction in row["isa"]]
        made.append(plain)
    return made


def comma_separated(rows):
    """Comma-separated values, with all columns that any of the rows has."""
    out = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row["table"].names())
    writer = csv.DictWriter(out, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def show(rows):
    """A table for people, for each architecture."""
    kinds = []
    for row in rows:
        if row["table"] not in kinds:
            kinds.append(row["table"])
    return "\n\n".join(show_one(kind, [row for row in rows if row["table"] == kind]) for kind in kinds)


def show_one(kind, rows):
    """The columns that say something."""
    names = [name for name in kind.columns if name not in kind.if_any or any(row[name] for row in rows)]
    lines = [[kind.columns[name] for name in names]]
    for row in rows:
        cells = {name: str(row[name]) for name in names}
        cells["waves_per_simd"] = f"{row['waves_per_simd']:g}/{row['wave_slots']}"
        if row["local_arguments"]:
            cells["lds_bytes"] += "+args"
        lines.append([cells[name] for name in names])
    return "\n".join(line.rstrip() for line in columns(lines, left=2))
