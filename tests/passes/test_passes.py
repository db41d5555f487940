# SPDX-License-Identifier: Apache-2.0
"""Each .ll file here: run the passes its header names, verify after each, compare with its CHECK lines."""
from pathlib import Path

import matcher
import pytest

from clpy.compiler import pipeline
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.lowering import LoweringError
from clpy.compiler.target import FACTS
from clpy.llvm import codegen
from clpy.llvm.module import Module

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.ll"))


def lowering_for(module, machine, target, words):
    given = dict(word.partition("=")[::2] for word in words)
    return pipeline.Lowering(target, pipeline.read_kernels(module), "O0" not in words, machine.ref, machine.datalayout,
                             int(given.get("bits", 512)), int(given.get("width", 1)), first="first" in words,
                             whole="whole" in words,
                             formats=formats(given.get("formats", "")))


def formats(given):
    """`0:0x10b4:0x10de:8`: of the image that is argument 0."""
    each = [[int(word, 0) for word in image.split(":")] for image in given.split(",") if image]
    return {index: tuple(known) for index, *known in each}


def facts(words):
    """What a RUN line says of the target: `lockstep=16 observed`."""
    given = dict(word.partition("=")[::2] for word in words)
    return {name: int(given[name] or 1) for name in FACTS if name in given}


def run(text):
    """The module after the passes of the file's RUN line, as text."""
    passes, *words = matcher.headers(text)["RUN"].split()
    module = Module.from_text(text)
    assert module.verify() == ""
    target = CpuTarget(isa="sse4.2", **facts(words))  # the same on every machine

    def verify(name, module):
        wrong = module.verify()
        assert wrong == "", f"after {name}: {wrong}\n{module.to_text()}"

    with codegen.machine(target, "O0" not in words) as machine:
        pipeline.run(module, lowering_for(module, machine, target, words), passes.split(","), verify)
    return module.to_text()


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_file(path):
    text = path.read_text()
    error = matcher.headers(text).get("ERROR")
    if error is not None:
        with pytest.raises(LoweringError, match=error):
            run(text)
        return
    assert matcher.check(text, run(text)) > 0


def test_every_pass_has_a_file():
    """A pass without a .ll test is not tested."""
    tested = {name for path in FILES for name in matcher.headers(path.read_text())["RUN"].split()[0].split(",")}
    missing = [name for name, _ in pipeline.PASSES if name not in tested]
    assert missing == [], f"passes without a test: {missing}"


@pytest.mark.parametrize(("expected", "output"), [
    ("; CHECK: b", "a\nc"),
    ("; CHECK: a\n; CHECK-NEXT: c", "a\nb\nc"),
    ("; CHECK: a\n; CHECK-NOT: b\n; CHECK: c", "a\nb\nc"),
    ("; CHECK-NOT: b", "a\nb"),
    ("; CHECK: x [[V:%\\w+]]\n; CHECK: y [[V]]", "x %1\ny %2"),
    ("; CHECK: x [[V:%\\w+]]\n; CHECK: y [[V]]", "x %1\ny %11"),
    ("; CHECK: b\n; CHECK: a", "a\nb"),
])
def test_matcher_refuses(expected, output):
    with pytest.raises(matcher.Mismatch):
        matcher.check(expected, output)


def test_matcher_accepts():
    expected = "; CHECK: x [[V:%\\w+]]\n; CHECK-NEXT: y {{[0-9]+}} [[V]]\n; CHECK-NOT: z\n; CHECK-LABEL: define"
    assert matcher.check(expected, "x   %1\n  y 17 %1\ndefine z") == 4
