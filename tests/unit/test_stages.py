# SPDX-License-Identifier: Apache-2.0
"""`clpy stages` and `clpy bisect`; docs/stages.md shows what the first one prints."""
import re
import shlex
import sys
from pathlib import Path
from unittest import mock

import pytest

from clpy import config
from clpy.compiler import pipeline, program, target
from clpy.tools import cli

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/stages.md").read_text()
FILE = "tests/passes/stages.cl"
BLOCKS = re.findall(r"```\n\$ clpy (stages [^\n]*)\n(.*?)\n```", PAGE, re.DOTALL)


def test_the_glossary_names_files_that_are_there():
    page = (ROOT / "docs/glossary.md").read_text()
    rows = re.findall(r"^\| (?!word|---)(.+?) \| (.+) \| (.+) \|$", page, re.MULTILINE)
    places = [place for _, _, text in rows for place in re.findall(r"`(.+?)`", text)]
    assert len(rows) > 50 and [p for p in places if not (ROOT / "clpy" / p).exists()] == []


@pytest.fixture
def clpy(capfd, monkeypatch):
    monkeypatch.chdir(ROOT)

    def call(line):
        code = cli.main(shlex.split(line))
        out, err = capfd.readouterr()
        return code, out, err
    return call


@pytest.mark.parametrize(("line", "text"), BLOCKS, ids=[line for line, _ in BLOCKS])
def test_the_page_shows_what_is_printed(clpy, line, text):
    assert clpy(line) == (0, text + "\n\n", "")


def test_the_page_shows_the_kernel():
    assert (ROOT / FILE).read_text().split("\n", 1)[1].strip() in PAGE and len(BLOCKS) == 3


def test_all_stages_of_a_kernel(clpy):
    """From the front end to the optimizer, each only where the kernel changed, in the order of the list."""
    code, out, err = clpy(f"stages {FILE}")
    shown = re.findall(r"^; (\w+): ", out, re.MULTILINE)
    names = [name for name, _ in pipeline.PASSES]
    assert (code, err) == (0, "") and shown == sorted(shown, key=names.index)
    assert out.startswith("; as the front end makes it\n") and {"work_items", "regions", "optimize"} <= set(shown)
    assert "images" not in shown and "@__clpy_kernel.turn" in out.rpartition("; optimize")[2]


@pytest.mark.parametrize(("line", "said"), [
    (f"stages {FILE} --kernel other", "--kernel: one of turn"),
    (f"stages {FILE} --pass shuffle", "there is no pass shuffle; passes: division, "),
    (f"stages {FILE} --isa 8086", "there is no instruction set 8086"),
    ("stages nothing.cl", "nothing.cl: "),
    ("bisect", "no program given"),
    ("bisect -- ./no-such-program", "./no-such-program: "),
])
def test_what_is_wrong_is_said(clpy, line, said):
    code, out, err = clpy(line)
    assert code == 1 and out == "" and err.startswith("clpy: ") and said in err


# Stands for a program with a kernel that some passes break: it fails unless one of them is left out, or all.
PROGRAM = """import os, sys
left_out = set(os.environ.get("CLPY_SKIP_PASSES", "").split(","))
sys.exit(not ({test}))"""


@pytest.mark.parametrize(("test", "code", "said"), [
    ("'vectorize' in left_out", 0, "it works without vectorize: regions as vectors"),
    ("{'unroll', 'optimize'} <= left_out", 1, "it works without all of "),
    ("False", 1, "it fails without "),
    ("True", 0, "the program works with all passes"),
])
def test_bisect(clpy, test, code, said):
    failing = shlex.join([sys.executable, "-S", "-c", PROGRAM.format(test=test)])
    found, out, err = clpy(f"bisect -- {failing}")
    assert (found, err) == (code, "") and said in out


@pytest.mark.parametrize("name", pipeline.OPTIONAL)
def test_each_optional_pass_can_be_left_out(name):
    """The code is made, and the pass was not run."""
    source = b"kernel void k(global float *p, int n) { int i = get_global_id(0); if (i < n) p[i] = sin(p[i]); }"
    seen = []

    def note(name, module):
        seen.append(name)
        assert module.verify() == ""

    with config.override(SKIP_PASSES=f"{name}, division"), mock.patch.object(pipeline, "shown", lambda: note):
        made = program.build(source, program.parse_options(""), target.host_target())
        assert program.load(made, target.host_target()).address("k")
    assert name not in seen and "division" in seen
