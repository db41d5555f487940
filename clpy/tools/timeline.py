# SPDX-License-Identifier: Apache-2.0
"""`clpy trace`: runs a program and tells what its commands and builds took, from the timeline that clpy writes."""
import contextlib
import json
import os
import sys
import tempfile

from clpy.tools import program
from clpy.tools.problem import Problem

HEAD = ("", "times", "ms in all", "share", "us each", "shortest", "longest", "waited", "GB/s")


def add_arguments(made):
    made.add_argument("--timeline", metavar="FILE",
                      help="keep the trace events there, for Perfetto or chrome://tracing")
    made.add_argument("--json", action="store_true", help="print the table as a JSON array")
    made.add_argument("--output", metavar="FILE", help="write the table there instead of to standard output")
    made.add_argument("command", nargs="...", metavar="-- PROGRAM ...", help="the program and its arguments")


def trace(args):
    """The program's own exit code."""
    command = program.given(args, "trace")
    program.writable(args.output)
    with tempfile.TemporaryDirectory() as folder:
        path = begin(args.timeline or os.path.join(folder, "timeline.json"))
        status = program.run(command, {"CLPY_TIMELINE": path})
        rows = summary(read(path))
    if not rows:
        print("clpy: the program enqueued no command on a device of clpy; it may have chosen another platform",
              file=sys.stderr)
    program.write(args.output, json.dumps(rows, indent=2) if args.json else show(rows))
    return status


def begin(path):
    """Absolute, for the program may change its folder; what was there goes, since processes add to it."""
    try:
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    return os.path.abspath(path)


def read(path):
    """The events, as far as they were written: a program may be killed in the middle of a line."""
    events = []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    events.append(json.loads(line.rstrip().rstrip(",")))
                except ValueError:
                    continue
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
    return [event for event in events if isinstance(event, dict)]


def summary(events):
    """A dictionary for each kernel, kind of command, and builds: the longest in all first. Times in microseconds."""
    groups = {}
    for event in events:
        if event.get("ph") == "X":
            groups.setdefault((event["cat"], event["name"]), []).append(event)
    in_all = sum(event["dur"] for (kind, _), group in groups.items() if kind != "build" for event in group)
    rows = [summed(kind, name, group, in_all) for (kind, name), group in groups.items()]
    return sorted(rows, key=lambda row: (row["kind"] == "build", -row["total_us"]))


def summed(kind, name, group, in_all):
    times = [event["dur"] for event in group]
    total, moved = sum(times), sum(event["args"].get("bytes", 0) for event in group)
    return {"name": name, "kind": kind, "count": len(group), "total_us": round(total, 3),
            "share": None if kind == "build" or not in_all else round(total / in_all, 4),
            "least_us": min(times), "most_us": max(times),
            "waited_us": round(sum(event["args"].get("waited", 0) for event in group), 3), "bytes": moved,
            "failed": sum(event["args"].get("status", 0) < 0 for event in group)}


def cells(row):
    rate = f"{row['bytes'] / row['total_us'] / 1e3:.1f}" if row["bytes"] and row["total_us"] else ""
    failed = f" ({row['failed']} failed)" if row["failed"] else ""
    return (row["name"] + failed, str(row["count"]), f"{row['total_us'] / 1e3:.3f}",
            "" if row["share"] is None else f"{row['share'] * 100:.1f} %", f"{row['total_us'] / row['count']:.1f}",
            f"{row['least_us']:.1f}", f"{row['most_us']:.1f}", f"{row['waited_us'] / row['count']:.1f}", rate)


def show(rows):
    return "\n".join(line.rstrip() for line in program.columns([HEAD, *map(cells, rows)]))
