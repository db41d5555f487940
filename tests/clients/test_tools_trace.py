# SPDX-License-Identifier: Apache-2.0
"""`clpy trace`: what a program's commands, builds and faults took, and the timeline that it is made from."""
import json
import os
import subprocess
import sys

import pytest

from clpy.tools import icd_file
from clpy.tools.cli import main

PROGRAM = """
import numpy as np, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }"
                              "kernel void wild(global int *a) { a[1l << 40] = 1; }").build()
a = np.arange(1 << 20, dtype=np.int32)
buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
out = np.empty_like(a)
for _ in range(3):
    program.twice(queue, a.shape, (64,), buffer)
cl.enqueue_copy(queue, out, buffer)
assert (out == 8 * a).all()
"""
FAULT = PROGRAM + """
try:
    program.wild(queue, (1,), None, buffer).wait()
except cl.Error:
    pass
"""


def trace(capfd, source, *options):
    """(exit code, stdout, stderr)"""
    code = main(["trace", *options, "--", sys.executable, "-W", "ignore", "-c", source])
    return code, *capfd.readouterr()


def test_a_table(capfd):
    code, out, err = trace(capfd, PROGRAM)
    assert (code, err) == (0, "")
    rows = {line.split("  ")[0].strip(): line.split() for line in out.splitlines()}
    assert rows["twice"][1] == "3"
    assert rows["read buffer"][2] == "1"
    assert rows["build"][1] == "1"


def test_json_has_the_numbers(capfd):
    rows = {row["name"]: row for row in json.loads(trace(capfd, PROGRAM, "--json")[1])}
    twice, read = rows["twice"], rows["read buffer"]
    assert (twice["kind"], twice["count"], twice["failed"]) == ("kernel", 3, 0)
    assert 0 < twice["least_us"] <= twice["total_us"] / 3 <= twice["most_us"]
    assert (read["kind"], read["bytes"]) == ("command", 4 << 20)
    assert twice["share"] + read["share"] == pytest.approx(1, abs=0.001)
    assert (rows["build"]["kind"], rows["build"]["share"]) == ("build", None)


def test_the_timeline_is_kept(capfd, tmp_path):
    """As trace events: the array may stay open, as the format says."""
    path = tmp_path / "timeline.json"
    path.write_text("of another program")
    assert trace(capfd, FAULT, "--timeline", str(path))[0] == 0
    events = json.loads(path.read_text().rstrip().rstrip(",") + "]")
    launches = [event for event in events if event["name"] == "twice"]
    assert [event["args"]["global"] for event in launches] == [[1 << 20, 1, 1]] * 3
    assert all(event["args"]["local"] == [64, 1, 1] and event["args"]["status"] == 0 for event in launches)
    ends = [event["ts"] + event["dur"] for event in launches]
    assert all(end <= event["ts"] + 0.01 for end, event in zip(ends, launches[1:], strict=False)), "not in order"
    fault, = (event for event in events if event.get("cat") == "fault")
    assert (fault["name"], fault["ph"]) == ("fault of wild", "i")
    assert next(event for event in events if event["name"] == "wild")["args"]["status"] < 0


def test_several_processes_share_a_timeline(capfd):
    source = f"import subprocess, sys\nfor _ in 1, 2: subprocess.run([sys.executable, '-c', {PROGRAM!r}], check=True)"
    rows = {row["name"]: row for row in json.loads(trace(capfd, source, "--json")[1])}
    assert rows["twice"]["count"] == 6


def test_a_program_without_commands(capfd):
    code, out, err = trace(capfd, "raise SystemExit(3)", "--json")
    assert (code, json.loads(out)) == (3, [])
    assert "enqueued no command" in err


def test_what_is_wrong_is_said(capfd, tmp_path):
    assert main(["trace"]) == 1
    assert "no program given" in capfd.readouterr().err
    assert main(["trace", "--", str(tmp_path / "nowhere")]) == 1
    assert "No such file" in capfd.readouterr().err
    assert main(["trace", "--timeline", str(tmp_path), "--", "true"]) == 1
    assert "directory" in capfd.readouterr().err.lower()


def test_a_timeline_that_cannot_be_written(tmp_path):
    """The program runs all the same."""
    env = os.environ | icd_file.variables(only=True) | {"CLPY_TIMELINE": str(tmp_path / "no" / "file")}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith("No such file or directory: there is no timeline\n")
