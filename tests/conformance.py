# SPDX-License-Identifier: Apache-2.0
"""Writes docs/conformance.md: every function, query and extension, whether it is there, and the tests that name it.

usage: conformance.py [--check]    (--check: exit code 1 when the page is not up to date, and nothing is written)
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

PAGE = ROOT / "docs" / "conformance.md"
INTRO = """# Conformance

Made by `make conformance` from `clpy/spec/*.txt` and the tests; do not edit it.

- *done*: it does what the specification says, with every error.
- *absent*: it answers as the specification says where a device does not have the optional feature; none of the devices
  has it.
- *refused*: of an interface that this system does not have, or that is not here: it returns the error that is named.

Every function that is not refused is called a million times at random too (`make calls`): it may return no code that
`clpy/spec/errors.txt` does not list for it. The tests are files below `tests/`.
"""


def sections():
    """[(heading, [row])] of api.txt: the comments between the rows are the headings."""
    from clpy.spec import tables
    rows, found = {row.name: row for row in tables.read_api()}, [("", [])]
    for line in (tables.HERE / "api.txt").read_text().splitlines():
        if line.startswith("# ") and not line.startswith("#  ") and "SPDX" not in line:
            found.append((line[2:].split(";")[0].strip(), []))
        elif (name := line.split("|")[0].strip()) in rows:
            found[-1][1].append(rows[name])
    return [(heading, list_) for heading, list_ in found if list_]


def test_texts():
    paths = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if "calls" not in path.parts)
    return {path.relative_to(ROOT / "tests").as_posix(): path.read_text() for path in paths}


def named_in(name, texts):
    """Test files that name it, the one that does so most often first."""
    count = {path: len(re.findall(rf"\b{name}\b", text)) for path, text in texts.items()}
    return sorted((path for path in count if count[path]), key=lambda path: (-count[path], path))


def tests_cell(name, texts):
    found = named_in(name, texts)
    if not found and name.startswith("cl") and name[2].isupper():
        return "calls/test_calls"
    return ", ".join(path.removesuffix(".py") for path in found[:2]) + (", ..." if len(found) > 2 else "")


def function_tables(texts):
    out = ["", "## Functions"]
    for heading, rows in sections():
        out += ["", f"### {heading[0].upper()}{heading[1:]}", "", "| function | since | status | tests |",
                "|---|---|---|---|"]
        for row in rows:
            status = f"refused: `{row.refusal}`" if row.refusal else row.status
            since = "extension" if row.extension else row.version
            cell = tests_cell(row.name, texts) if not row.refusal else "unit/test_api_table"
            out.append(f"| `{row.name}` | {since} | {status} | {cell} |")
    return out


def table(name):
    from clpy.spec import tables
    lines = (tables.HERE / name).read_text().splitlines()
    return [tuple(cell.strip() for cell in line.split("|")) for line in lines if line and not line.startswith("#")]


def query_table():
    """How many of the registry's queries each function answers; which it does not."""
    from clpy.spec.names import VALUES
    from clpy.spec.tables import read_queries
    registry = [row for row in table("registry.txt") if len(row) == 3]
    # some became core under another name
    values = {(query.function, VALUES.get(query.enum)) for query in read_queries()}
    asked = {(row[0], row[2]) for row in registry if (row[0], VALUES[row[2]]) in values}
    out = ["", "## Queries", "",
           "`tests/api/test_queries.py` asks each of them: its size, its protocol, unknown ones.", "",
           "| function | answered, of the core | of Khronos extensions | not answered |", "|---|---|---|---|"]
    for function in dict.fromkeys(row[0] for row in registry):
        core = [row for row in registry if row[0] == function and row[1][0].isdigit()]
        more = [row for row in registry if row[0] == function and not row[1][0].isdigit()]
        missing = sorted({row[1] for row in core + more if (function, row[2]) not in asked})
        cells = [f"{sum((function, row[2]) in asked for row in rows)} of {len(rows)}" for rows in (core, more)]
        out.append(f"| `{function}` | {cells[0]} | {cells[1]} | {', '.join(missing)} |")
    return out


# Listed on some systems and not on others; the page is the same on all.
OF_SYSTEM = {"cl_khr_external_memory_dma_buf": "both, where the system makes dma-bufs"}


def extension_table(api, texts):
    from clapi import E

    from clpy.extensions import ALL
    platform = api.text("clGetPlatformInfo", api.platform(), E.PLATFORM_EXTENSIONS).split()
    device = api.text("clGetDeviceInfo", api.devices()[0], E.DEVICE_EXTENSIONS).split()
    known = [row[1] for row in table("registry.txt") if len(row) == 2]
    out = ["", "## Extensions", "", "| extension | listed by | tests |", "|---|---|---|"]
    # vendors' have pages of their own
    for name in [*known, *sorted({name for name in (*platform, *device) if not ALL[name].package} - set(known))]:
        by = OF_SYSTEM.get(name) or " and ".join(["platform"] * (name in platform) + ["CPU device"] * (name in device))
        out.append(f"| `{name}` | {by or '-'} | {tests_cell(name, texts) if by else ''} |")
    return out


NOTES = """What these chips have not, they skip: half precision (`gpu:tahiti`), and immutable memory objects, which are
the CPU device's (`immutable_*`, `negative_imagearraycopy*`).

`bufferreadwriterect` draws sizes by the device's memory. On `vega10` and `skylake-gt2` it asks for a copy
in a buffer with pitches of 0, so that the two boxes share bytes, which its own check takes to be apart:
`CL_MEM_COPY_OVERLAP` ends it. The others were not followed to their end: `shuffle_copy` builds thousands of programs,
images of three dimensions are many. On `skylake-gt2` each test was run for itself, on a processor that had other work,
and ended after 60 to 300 s, which a test with hundreds of programs does not fit: each takes Intel's compiler a second.
What is not listed there was ended by that or not run: of `half`, `relationals` (shuffles), `kernel_image_methods` and
loads and stores of vectors a part or none; most of `integer_ops`, of `profiling`, of the asynchronous copies and of
`c11_atomics`, and all of `bruteforce`, were not run. No test that came to its end fails there.

With `-w` the suite leaves the long tests of `integer_ops` out and says that they have passed; they are in no list.
Without it, each for itself, all 32 pass on the CPU device. Of `bruteforce` in full (2^32 inputs of float, all vector
sizes) these were run and pass, with the largest error in ulp, its limit in brackets: `exp` 2.16 (3), `log` 0.94 (3),
`sin` 2.34 (4), `pow` 5.77 (16), `atan2` 1.98 (6), `fmod` 0 (0), `remquo` 0 (0). All 1,045 tests of `conversions`, whose
names are its own and in no list, pass with `-w`. Of the 1,663 others of all programs 1,579 pass, each run for itself;
74 are skipped: the 32 of `integer_ops`, 33 that are for command buffers of one device alone (15 of them pass with
`cl_khr_command_buffer_multi_device` in `CLPY_HIDE_EXTENSIONS`, the others are for devices that lack something), and
nine for what is not there, such as MSAA and buses; eight ask for a GPU and Vulkan.

Not listed: `compiler_defines_for_extensions` goes by a list of its own, which lacks
`cl_khr_async_work_group_copy_fence`, `cl_khr_spirv_extended_debug_info` and `cl_khr_work_group_uniform_arithmetic`;
with these in `CLPY_HIDE_EXTENSIONS` it passes. `svm_atomic_fetch_add` passes or fails by chance: on the host it adds
halves, floats and doubles under a lock of its own, without an atomic, while the device adds to the same number."""


def suite_table():
    """The Khronos conformance tests that are known to pass: tests/cts/*.txt, those of models in folders of chips."""
    out = ["", "## Conformance tests of Khronos", "",
           "`tests/cts/run.py` runs them against a build of the suite. Known to pass on the CPU device:",
           "", "| program | tests |", "|---|---|"]
    folder = ROOT / "tests" / "cts"
    out += suite_rows(folder)
    for chip in sorted({path.parent for path in folder.glob("*/*.txt")}):
        out += ["", f"On the model `gpu:{chip.name}` (`--device`), of the programs that were run there:", "",
                "| program | tests |", "|---|---|", *suite_rows(chip)]
        missing = [f"`{path.stem}`: " + ", ".join(f"`{name}`" for name in sorted(left)) for path in
                   sorted(chip.glob("*.txt")) if (left := {*listed(folder / path.name)} - {*listed(path)})]
        out += ["", f"Of those that the CPU device passes not among these: {'; '.join(missing) or 'none'}."]
    return [*out, "", NOTES]


def suite_rows(folder):
    for path in sorted(folder.glob("*.txt")):
        yield f"| `{path.stem}` | {len(listed(path))} |"


def listed(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def page(api):
    texts = test_texts()
    return "\n".join([INTRO.rstrip("\n"), *function_tables(texts), *query_table(), *extension_table(api, texts),
                      *suite_table()]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 when it is not up to date")
    args = parser.parse_args()
    import conftest  # noqa: F401   the loader sees this tree
    from clapi import API
    text = page(API())
    if args.check:
        is_current = PAGE.exists() and PAGE.read_text() == text
        if not is_current:
            print(f"{PAGE.relative_to(ROOT)} is not up to date: make conformance", file=sys.stderr)
        return 0 if is_current else 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
