# SPDX-License-Identifier: Apache-2.0
"""Runs the Khronos conformance suite against this tree, and compares with the lists of tests that pass.

    python tests/cts/run.py BUILD [NAME ...]            the listed tests of all suites, or of those named, must pass
    python tests/cts/run.py BUILD --add [NAME ...]      whole suites; what passes and is in no list is added
    python tests/cts/run.py BUILD --each-width [NAME ...]   the listed tests at every vector width (tests/widths.py)
    python tests/cts/run.py BUILD --device gpu:tahiti [NAME ...]    on a model, whose lists are in a folder of its own

BUILD is a build folder of OpenCL-CTS, NAME a suite as in api.txt beside this file: api is test_api, X_mipmaps test_X
with its option test_mipmaps. The lists only grow: a listed test that does not pass, or is skipped or gone, ends the run
with status 1.

Look at what --add has added: tests of images in suites about other things pass on a device without images too.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SECONDS = 7200                   # for one suite: four tests of c11_atomics take ten minutes each, thousands of programs
# The suite's own quick settings, where all sizes and formats together take hours.
SMALL = ("cl_get_info", "image_streams", "kernel_image_methods", "samplerless_reads")
WIMPY = ("bruteforce", "half", "integer_ops", "select")
SETTINGS = dict.fromkeys(SMALL, ("small_images",)) | dict.fromkeys(WIMPY, ("-w",))
LEFT_OUT = re.compile(r"^(\w+)\.\.\.\n.*wimpy mode, skipping", re.MULTILINE)    # what the suite then says has passed
CPU = "cpu"                      # as CLPY_DEVICES names it
MIPMAPS = "_mipmaps"             # after the name of a suite: its mode for images of several levels
sys.path.insert(0, str(HERE.parent))
import widths  # noqa: E402


def environment(folder, switches):
    """The loader sees the platform of this tree alone; builds start with an empty cache. `switches` are added."""
    vendors = folder / "vendors"
    vendors.mkdir()
    (vendors / "clpy.icd").write_text(f"{ROOT / 'clpy' / 'libclpy.so'}\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLPY_", "CL_", "OCL_"))}
    return {**kept, "OCL_ICD_VENDORS": str(vendors), "CLPY_CACHE_DIR": str(folder / "cache"), "CLPY_GPU_DETAIL": "off",
            **switches}


def lists(device):
    """The folder with the lists of a device: for a model that of its chip."""
    return HERE if device == CPU else HERE / device.rpartition(":")[2]


def listed(path):
    return set(path.read_text().split()) if path.exists() else set()


def command(build, name):
    """The program of a suite, and the options of it."""
    suite = name.removesuffix(MIPMAPS)
    program = next(iter(sorted(build.glob(f"test_conformance/**/test_{suite}"))), None)
    if program is None:
        sys.exit(f"{build} has no test_{suite}: build that target first")
    return program, [*SETTINGS.get(suite, ()), *(["test_mipmaps"] if name != suite else [])]


def all_tests(program):
    """The names of a suite's tests: one of the programs runs none of them where none is named."""
    out = subprocess.run([program, "-list"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return [line.strip() for line in out.splitlines() if line.startswith("\t")]


def run_suite(build, name, tests, switches, seconds):
    """{test: pass, fail or skip} of a suite; nothing where a crash or the end of the time kept it from its end."""
    program, options = command(build, name)
    tests = tests or all_tests(program)
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        env = {**environment(Path(folder), switches), "CL_CONFORMANCE_RESULTS_FILENAME": str(results)}
        log = Path(folder) / "log"
        try:
            with log.open("wb") as out:
                subprocess.run([program, *tests, *options], cwd=program.parent, env=env, stdout=out,
                               stderr=subprocess.STDOUT, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            print(f"{name}: not done after {seconds} s")
        said = log.read_text(errors="replace")
        if results.exists():
            return json.loads(results.read_text())["results"] | dict.fromkeys(LEFT_OUT.findall(said), "skip")
        print(f"{name}: no results; the end of its output:\n{said[-2000:]}")
        return {}


def check_suite(given, name, width):
    """Did all listed tests pass?"""
    path = lists(given.device) / f"{name}.txt"
    wanted, add = listed(path), given.add
    switches = {**widths.WIDTHS[width], "CLPY_DEVICES": given.device}
    results = run_suite(given.build.resolve(), name, [] if add else sorted(wanted), switches, given.seconds)
    passed = {test for test, result in results.items() if result == "pass"}
    count = {kind: list(results.values()).count(kind) for kind in ("pass", "fail", "skip")}
    where = "" if width == "chosen" else f" at {width}"
    print(f"{name}{where}: {count['pass']} pass, {count['fail']} fail, {count['skip']} skipped; "
          f"{len(wanted)} listed", flush=True)
    for test in sorted(test for test, result in results.items() if result == "fail" and test not in wanted):
        print(f"  fails: {test}")
    for test in sorted(wanted - passed):
        print(f"  LISTED, but {results.get(test, 'no result')}: {test}")
    if add and passed - wanted:
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(sorted(wanted | passed)) + "\n")
        print(f"  added: {', '.join(sorted(passed - wanted))}")
    return wanted <= passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--each-width", action="store_true")
    parser.add_argument("--width", type=widths.names, default=["chosen"], metavar="NAME,...",
                        help="these alone, of: " + ", ".join(widths.WIDTHS))
    parser.add_argument("--seconds", type=int, default=SECONDS, help=f"for one suite ({SECONDS})")
    parser.add_argument("--device", default=CPU, metavar="NAME", help="as CLPY_DEVICES names it (cpu)")
    given = parser.parse_intermixed_args()
    names = given.names or sorted(path.stem for path in lists(given.device).glob("*.txt"))
    held = [check_suite(given, name, width)
            for width in (widths.WIDTHS if given.each_width else given.width) for name in names]
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
