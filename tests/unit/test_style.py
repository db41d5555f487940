# SPDX-License-Identifier: Apache-2.0
"""House rules that a linter does not know: lengths of files and functions, the licence line, no private paths."""
import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE_LIMIT, FUNCTION_LIMIT, COLUMNS = 500, 60, 120
SOURCE_SUFFIXES = (".py", ".pyx", ".pxd", ".c", ".cpp", ".h", ".cl")
TEXT_SUFFIXES = (*SOURCE_SUFFIXES, ".md", ".toml", ".txt", ".ll", ".in", ".map")
FOLDERS = ("clpy", "vendor_ext", "icd", "include", "release", "tests", "bench", "docs")
# Folders that are somebody's own: a path into one works on one machine.
PRIVATE_PATH = re.compile(r"(?<![\w./-])/(?:home|root|Users|work|mnt|tmp/w)/\w")
VAGUE_NAMES = {"utils", "util", "misc", "common", "helpers", "helper"}
SPECIFICATION_NAMES = {"clpy/compiler/builtins/common.cl"}     # a family of functions is called so
CYTHON_FUNCTION = re.compile(r"^(\s*)(?:cdef|cpdef|def)\s(?!class\b|extern\b|struct\b|enum\b|union\b)[^=#]*\(")


def hand_written(suffixes):
    generated = {"consts.pxd", "entries.pyx", "names.py", "query_types.py",
                 "extension_table.py", "made_chips.py"}
    top = [path for path in ROOT.iterdir() if path.is_file() and path.suffix in suffixes]
    below = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    return sorted(path for path in top + below
                  if path.name not in generated and not (path.suffix in (".c", ".cpp") and
                                                         path.with_suffix(".pyx").exists()))


def name(path):
    return path.relative_to(ROOT).as_posix()


def cython_functions(lines):
    """(first line, length) of each function of a .pyx file, by indentation."""
    for start, line in enumerate(lines):
        match = CYTHON_FUNCTION.match(line)
        if not match or line.rstrip().endswith((")", ";")):
            continue
        body = start + 1
        while body < len(lines) and not lines[body - 1].split("#")[0].rstrip().endswith(":"):
            body += 1
        end = body
        for at in range(body, len(lines)):
            text = lines[at]
            if text.strip() and len(text) - len(text.lstrip()) <= len(match[1]):
                break
            if text.strip():
                end = at + 1
        yield start + 1, end - start


def c_functions(lines):
    """(first line, length) of each function of a C or C++ file whose braces stand in the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start is not None:
            yield start, number - start + 1
            start = None


def functions(path):
    text = path.read_text()
    if path.suffix == ".py":
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        return [(node.lineno, node.end_lineno - node.lineno + 1) for node in ast.walk(ast.parse(text))
                if isinstance(node, kinds)]
    return list((cython_functions if path.suffix in (".pyx", ".pxd") else c_functions)(text.splitlines()))


@pytest.mark.parametrize("path", hand_written(SOURCE_SUFFIXES), ids=name)
def test_source(path):
    lines = path.read_text().splitlines()
    assert len(lines) <= FILE_LIMIT, f"{len(lines)} lines: split it"
    assert not lines or "SPDX-License-Identifier: Apache-2.0" in "".join(lines[:2])
    assert [number for number, line in enumerate(lines, 1) if len(line) > COLUMNS] == [], "lines too long"
    long = [f"line {at}: {length} lines" for at, length in functions(path) if length > FUNCTION_LIMIT]
    assert long == [], "functions too long"
    assert path.stem not in VAGUE_NAMES or name(path) in SPECIFICATION_NAMES, "a name that says nothing"


# C in a string of Cython, which no linter sees: code belongs into a header.
C_IN_STRING = re.compile(r'cdef extern from \*(?: nogil)?:\s+"')


def test_c_stands_in_headers():
    assert [name(path) for path in hand_written((".pyx", ".pxd")) if C_IN_STRING.search(path.read_text())] == []
    assert C_IN_STRING.search('cdef extern from * nogil:\n    """\n    #define X 1\n')
    assert C_IN_STRING.search('cdef extern from *:\n    "static int x;"\n')


# Words of docs/glossary.md that once meant several things: where they mean what they do.
ONE_MEANING = {"claim": "clpy/device/(host/|base)", "plan": "clpy/compiler/(spmd/region|passes/regions)",
               "watch": "clpy/core/(watch|semaphore|sync_file)"}


@pytest.mark.parametrize("word", ONE_MEANING)
def test_a_word_means_one_thing(word):
    used = re.compile(rf"(?:\b|_){word}(?:s|e?d|ed)?(?:\b|_)", re.IGNORECASE)
    places = {name(path) for path in hand_written((".py", ".pyx", ".pxd")) if name(path).startswith("clpy/")
              and used.search(path.read_text())}
    assert places and [place for place in places if not re.match(ONE_MEANING[word], place)] == []


def test_functions_are_measured():
    cython = ["cdef int f(int a,", "           int b) noexcept nogil:", "    return a", "", "cdef class C:",
              "    def g(self):", "        pass", "", "        pass", "x = 1"]
    assert list(cython_functions(cython)) == [(1, 3), (6, 4)]
    assert list(c_functions(["int f(void)", "{", "    return 1;", "}"])) == [(2, 3)]


@pytest.mark.parametrize("path", hand_written(TEXT_SUFFIXES), ids=name)
def test_no_private_path(path):
    if path == Path(__file__).resolve():
        return
    found = [line for line in path.read_text().splitlines() if PRIVATE_PATH.search(line)]
    assert found == [], "a path that exists on one machine only"


def test_documentation_leads_to_every_page():
    """The index names all pages, and no page or README names one that is not there."""
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    sources = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]
    links = {path: re.findall(r"\]\(([^)#:]+)", path.read_text()) for path in sources}
    assert pages - {"index.md"} <= set(links[ROOT / "docs/index.md"])
    assert [(path.name, link) for path, found in links.items() for link in found
            if not (path.parent / link).exists()] == []
