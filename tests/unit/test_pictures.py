# SPDX-License-Identifier: Apache-2.0
"""docs/pictures.md: every name in it is in the code, and what is drawn below a function is called there."""
import re
from pathlib import Path

import pytest
from test_style import ROOT

PAGE = (ROOT / "docs/pictures.md").read_text()
STEP = re.compile(r"^ *[│ ]*[├└]─ ([\w/]+)\.(\w+)(.*)$")
DEFINED = r"^([ \t]*)(?:async )?(?:def|cdef|cpdef)\s(?:[\w *]+[ *])?{}\("
SOURCES = (".py", ".pyx", ".pxd")


def text_of(module):
    """Of all files of a module: what Cython has inline stands in the .pxd."""
    return "\n".join(path.read_text() for path in (ROOT / f"clpy/{module}{suffix}" for suffix in SOURCES)
                     if path.exists())


def body_of(module, function):
    """The text of a function, None where there is none of that name."""
    text = text_of(module)
    for match in re.finditer(DEFINED.format(function), text, re.MULTILINE):
        lines = text[match.start():].split("\n")
        end = next((n for n, line in enumerate(lines[1:], 1) if line.strip()
                    and len(line) - len(line.lstrip()) <= len(match[1]) and not line.lstrip().startswith(")")
                    and not lines[n - 1].endswith(",")), len(lines))
        if not lines[0].endswith("nogil"):      # a declaration
            return "\n".join(lines[1:end])
    return None


def steps():
    """(module, function, what is said of it, the step that it is drawn below) of each line of the journeys."""
    above, found = [], []
    for line in PAGE.splitlines():
        match = STEP.match(line)
        if match:
            column = match.start(1)
            above = [step for step in above if step[0] < column]
            found.append((match[1], match[2], match[3], above[-1][1:] if above else None))
            above.append((column, match[1], match[2]))
        elif not line.strip():
            above = []
    return found


def fields(struct):
    """Text of a struct or class of core or device."""
    begin = re.compile(rf"^(?:ctypedef |cdef )?(?:struct|class) {struct}\b.*\n((?:[ \t#].*\n|\n)+)", re.MULTILINE)
    for path in (*sorted(ROOT.glob("clpy/core/*.pxd")), *ROOT.glob("clpy/device/*.p*")):
        match = begin.search(path.read_text()) if path.suffix in SOURCES else None
        if match:
            return match[1]
    return None


@pytest.mark.parametrize(("module", "function", "said", "above"), steps(), ids=lambda each: str(each)[:50])
def test_a_step(module, function, said, above):
    assert body_of(module, function) is not None, f"{module} has no function {function}"
    if above is None:
        return
    calls = body_of(*above) + (text_of("compiler/pipeline") if "/passes/" in module else "")
    by = re.search(r"\(by (\w+)\.(\w+)\)", said)
    if by:          # which of them it is, the device or the command says
        assert re.search(rf"\b{by[2]}\b", fields(by[1])), f"there is no {by[0]}"
        calls += text_of(above[0]) + text_of("device/base")
        assert f".{by[2]}(" in calls and function in "".join(map(text_of, ("device/cpu/device", "device/toolchain",
                                                                           "device/cpu/toolchain", "core/command")))
    else:
        name = Path(module).stem if "/passes/" in module else function
        assert re.search(rf"\b{name}\b", calls), f"{'.'.join(above)} does not mention {name}"


def test_there_are_two_journeys():
    assert len(steps()) > 40 and {module for module, _, _, above in steps() if above is None} >= {
        "api/program", "api/ndrange", "device/host/pool"}


NAMES = sorted(set(re.findall(r"(?<![\w/.])([A-Z][a-z]\w+)\.([a-z]\w+)", PAGE)))


@pytest.mark.parametrize(("struct", "field"), NAMES, ids=lambda each: each)
def test_a_field(struct, field):
    assert re.search(rf"\b{field}\b", fields(struct) or ""), f"there is no {struct}.{field}"


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\b(?:user_event|command)_[a-z_]+", PAGE))))
def test_a_function_of_commands(name):
    assert any(body_of(module, name) is not None for module in ("core/command", "core/gate"))


def test_what_is_not_there_is_not_found():
    assert body_of("core/command", "command_vanish") is None and fields("Commando") is None
    assert "object_drop" in body_of("core/command", "command_finish")
    assert "command_place" not in body_of("core/command", "command_finish")
