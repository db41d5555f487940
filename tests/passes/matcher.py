# SPDX-License-Identifier: Apache-2.0
"""CHECK lines of .ll tests, a small part of what LLVM's FileCheck does.

  ; RUN: pass,pass            the passes to run; with `width=4`, `first` or `O0` after them as options
  ; ERROR: text               they must fail with this in the message
  ; CHECK: text               a later line contains the text (runs of blanks are one blank)
  ; CHECK-NEXT: text          the very next line does
  ; CHECK-NOT: text           no line does between the matches around it
  ; CHECK-LABEL: text         like CHECK; names of values are forgotten
In a text, {{regex}} is a regular expression, [[NAME:regex]] keeps what it matches, [[NAME]] stands for it.
"""
import re

DIRECTIVE = re.compile(r"^;\s*(CHECK(?:-NEXT|-NOT|-LABEL)?):\s*(.*?)\s*$")
HEADER = re.compile(r"^;\s*(RUN|ERROR):\s*(.*?)\s*$")
PART = re.compile(r"\{\{(.*?)\}\}|\[\[(\w+):(.*?)\]\]|\[\[(\w+)\]\]")


class Mismatch(AssertionError):
    pass


def headers(text):
    """RUN and ERROR lines as a dict."""
    return dict(m.groups() for m in map(HEADER.match, text.splitlines()) if m)


def directives(text):
    return [m.groups() for m in map(DIRECTIVE.match, text.splitlines()) if m]


def squeeze(line):
    return re.sub(r"\s+", " ", line.strip())


def pattern(text, names):
    """A compiled regular expression for a CHECK text."""
    out, end = [], 0
    for m in PART.finditer(text):
        out.append(re.escape(squeeze_inside(text[end:m.start()])))
        regex, name, kept, known = m.groups()
        if regex is not None:
            out.append(f"(?:{regex})")
        elif name is not None:
            out.append(f"(?P<{name}>{kept})")
        elif known in names:
            out.append(re.escape(names[known]) + r"(?![\w.])")
        else:
            raise Mismatch(f"[[{known}]] has not been matched")
        end = m.end()
    out.append(re.escape(squeeze_inside(text[end:])))
    return re.compile("".join(out))


def squeeze_inside(text):
    return re.sub(r"\s+", " ", text)


def check(expected, output):
    """Raise Mismatch unless `output` has what the CHECK lines of `expected` say. Returns how many there were."""
    lines = [squeeze(line) for line in output.splitlines()]
    at, names, forbidden = 0, {}, []
    found = directives(expected)
    for kind, text in found:
        if kind == "CHECK-NOT":
            forbidden.append(text)
            continue
        if kind == "CHECK-LABEL":
            names = {}
        regex = pattern(text, names)
        stop = at + 1 if kind == "CHECK-NEXT" else len(lines)
        hit = next((n for n in range(at, min(stop, len(lines))) if regex.search(lines[n])), None)
        if hit is None:
            raise Mismatch(f"{kind}: {text}\nnot found in line {at + 1} and on:\n" + "\n".join(lines[at:at + 40]))
        refuse(forbidden, lines[at:hit], names)
        forbidden = []
        names.update(regex.search(lines[hit]).groupdict())
        at = hit + 1
    refuse(forbidden, lines[at:], names)
    return len(found)


def refuse(forbidden, lines, names):
    for text in forbidden:
        regex = pattern(text, names)
        for line in lines:
            if regex.search(line):
                raise Mismatch(f"CHECK-NOT: {text}\nbut there is: {line}")
