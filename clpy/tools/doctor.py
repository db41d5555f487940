# SPDX-License-Identifier: Apache-2.0
"""`clpy doctor`: follows the way from a program to a kernel on clpy, and says where it ends and what to do."""
import json
import os
import subprocess
import sys
from pathlib import Path

from clpy.core.identity import NAME
from clpy.tools import icd_file, loaders

CURE = ("no file of a folder that this loader reads leads to clpy: "
        'clpy icd install --user, then eval "$(clpy env)" in each shell; or --system as root; or --venv for pyopencl')


def run_probe(loader):
    """A kernel through this loader, in a process of its own."""
    command = [sys.executable, "-I", str(Path(__file__).with_name("probe.py")), loader, NAME]
    environment = dict(os.environ)
    if "pyopencl" in loader:
        # As pyopencl does before it loads it; and libraries beside it are found by pyopencl's module.
        beside, path = str(Path(loader).parent), os.environ.get("LD_LIBRARY_PATH")
        environment.update(PYOPENCL_HOME=str(Path(loader).parents[1]),
                           LD_LIBRARY_PATH=beside + (os.pathsep + path if path else ""))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    except subprocess.TimeoutExpired:
        return {"ran": False, "platforms": [], "error": "it does not end within 120 s", "stderr": ""}
    try:
        report = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        why = f"the process ended with signal {-done.returncode}" if done.returncode < 0 else "no report"
        report = {"ran": False, "platforms": [], "error": why}
    report["stderr"] = done.stderr.strip()
    return report


def examine_loader(path, origin):
    kind, _ = loaders.describe(path)
    entry = {"path": path, "origin": origin, "kind": kind, "places": [], "finds_clpy": False}
    ours = icd_file.library()
    for place, why in loaders.places(path):
        files = []
        for file, library in loaders.icd_files(place):
            is_ours = Path(library).name in (ours.name, icd_file.BRIDGE)
            files.append({"file": file, "library": library, "error": loaders.dlopen_error(library),
                          "is_clpy": is_ours, "is_this_clpy": is_ours and icd_file.leads_here(Path(library), ours)})
            entry["finds_clpy"] |= is_ours
        entry["places"].append({"place": place, "why": why, "exists": Path(place).exists(), "files": files})
    entry["probe"] = run_probe(path)
    if not entry["probe"]["ran"] and not entry["finds_clpy"]:
        entry["cure"] = CURE
    return entry


def examine():
    """All that doctor knows, as data."""
    found = [examine_loader(path, origin) for path, origin in loaders.loaders()]
    return {"library": str(icd_file.library()), "loaders": found,
            "ran": any(entry["probe"]["ran"] for entry in found)}


def show_loader(entry):
    lines = [f"loader {entry['path']}", f"  {entry['kind']}; {entry['origin']}"]
    for place in entry["places"]:
        lines.append(f"  reads {place['place']} ({place['why']})" + ("" if place["exists"] else ": does not exist"))
        for file in place["files"]:
            mark = "cannot be opened" if file["error"] else "ok"
            note = "" if not file["is_clpy"] or file["is_this_clpy"] else "  (another installation of clpy)"
            lines.append(f"    {file['file']} -> {file['library']}: {mark}{note}")
            if file["error"]:
                lines.append(f"      {file['error']}")
    probe = entry["probe"]
    names = ", ".join(f"{name} ({version})" for name, version in probe["platforms"]) or "none"
    lines.append(f"  platforms: {names}")
    if probe["ran"]:
        lines.append(f"  a kernel was built in {probe['build_seconds'] * 1000:.0f} ms and ran on {NAME}: right result")
    else:
        lines.append(f"  NO KERNEL RAN on {NAME}: {probe['error']}")
    lines += [f"  | {line}" for line in probe["stderr"].splitlines()]
    if "cure" in entry:
        lines.append(f"  cure: {entry['cure']}")
    return lines


def show(report):
    """The report as text."""
    lines = [f"clpy is {report['library']}"]
    if not report["loaders"]:
        lines.append("no ICD loader (libOpenCL.so.1) on this machine: apt install ocl-icd-libopencl1")
    for entry in report["loaders"]:
        lines += ["", *show_loader(entry)]
    lines += ["", "clpy works" if report["ran"] else "clpy does not work yet"]
    return "\n".join(lines)
