# SPDX-License-Identifier: Apache-2.0
"""The runtime under the sanitizers of the C compiler: api, core and device are built with them in a folder of their own
(build/sanitize/KIND, kept for the next time), and the tests of the API and of threads, and calls at random, run there.

usage: sanitize.py [address] [thread] [--graphs N] [--calls N] [--tests FILE ...]    (both kinds unless one is named)

address: AddressSanitizer and UndefinedBehaviorSanitizer; thread: ThreadSanitizer. Exit code 0: no report; 1: reports,
which are printed, or a test that failed; 2: wrong usage. Wants a built tree, gcc with libasan, libubsan and libtsan.
What runs in the JIT and in LLVM is not instrumented; leaks of memory are the census's and the soak's business.
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSTRUMENTED = ("clpy/api", "clpy/core", "clpy/device", "clpy/trace", "clpy/signals", "clpy/forking",
                "clpy/background")
COPIED = ("setup.py", "pyproject.toml", "clpy", "include", "icd", "tests", "vendor_ext")
FLAGS = {"address": "-fsanitize=address,undefined -fno-sanitize=alignment -fno-omit-frame-pointer -O1 -g",
         "thread": "-fsanitize=thread -O1 -g"}
# Address: CPython gives nothing back at its end, and LLVM's allocations that fail are refused by tests on purpose.
# Thread: threads in the child of a fork, which it would refuse otherwise; of thread-local storage of libraries that are
# loaded later it takes the size from where glibc no longer has it, and clears so much.
OPTIONS = {"address": {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_segv=0:exitcode=66",
                       "UBSAN_OPTIONS": "print_stacktrace=1"},
           "thread": {"TSAN_OPTIONS": "exitcode=66 history_size=4 die_after_fork=0 intercept_tls_get_addr=0"}}
# glibc frees what a thread that ended had of its own when another gets its stack, and does not tell. The private
# interpreter of other programs that tests start has the runtime in it once more, as it is: of what it does only the
# calls of the C library would be seen. Which of two copies comes first that no event puts in order, calls at random do
# not care; whether those that are in order come so, the random graphs see by their results.
NOT_OURS = "race:_dl_deallocate_tls\ncalled_from_lib:libclpy-core.so\nrace:core_8transfer_run_copy\n"
# The C++ library is needed before the sanitizer looks for its functions that throw.
PRELOADED = {"address": ("libasan.so", "libubsan.so", "libstdc++.so.6"), "thread": ("libtsan.so",)}
# Of reports; AddressSanitizer also writes down that it left stacks alone which are not the system's.
MARKS = ("AddressSanitizer", "ThreadSanitizer", "runtime error")
TESTS = ("tests/unit/test_runtime_graphs.py", "tests/unit/test_runtime_objects.py",
         "tests/unit/test_runtime_threads.py", "tests/api")
# What cannot be under a sanitizer: limits of the address space, of which it takes terabytes; the line of a fault within
# printf, which it calls from frames of its own, too deep for the report; the child of a fork, where the stacks of
# threads that it does not have are still out of bounds and are used again; programs that end in the middle of their
# threads' work, which ThreadSanitizer waits for. It cannot make threads in the child of a fork, and keeps a signal
# until the thread calls a function it knows, so kernels without an end cannot be stopped. It blocks all signals while a
# handler runs, and from a fault of a kernel ours leaves by a jump: they stay blocked, and the next fault is the last.
LEFT_OUT = {"address": "not short_of_memory and not prints-29 and not the_child_of_a_fork",
            "thread": "not fork and not without_threads and not short_of_memory and not exit and not test_terminate "
                      "and not fault and not error_leaves_out"}


def is_built_here(path):
    """Does the copy build this file itself?"""
    text = path.as_posix()
    return path.name == "libclpy.so" or (path.suffix == ".so" and text.startswith(INSTRUMENTED)) or (
        path.suffix in (".c", ".cpp") and (ROOT / path).with_suffix(".pyx").exists())


def copy_tree(folder):
    """Bring the copy up to date; times are kept, so that only what changed is built again."""
    wanted = set()
    for top in COPIED:
        start = ROOT / top
        for path in [start] if start.is_file() else start.rglob("*"):
            relative = path.relative_to(ROOT)
            if not path.is_file() or "__pycache__" in relative.parts or is_built_here(relative):
                continue
            wanted.add(relative)
            target = folder / relative
            if not target.exists() or target.stat().st_mtime != path.stat().st_mtime:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)
    for target in [p for top in COPIED for p in (folder / top).rglob("*") if p.is_file()]:
        relative = target.relative_to(folder)
        if relative not in wanted and relative.suffix in (".pyx", ".pxd", ".py"):
            target.unlink()
    vendors = folder / "clpy" / "vendor_ext"
    if not vendors.is_symlink():
        vendors.symlink_to("../vendor_ext")


def build(kind, folder):
    env = dict(os.environ, CFLAGS=FLAGS[kind], LDFLAGS=FLAGS[kind].split()[0],
               CLPY_BUILD_ONLY=",".join(f"{prefix}*" for prefix in INSTRUMENTED))
    with open(folder / "build.log", "w") as log:
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "-j", str(os.cpu_count())]
        failed = subprocess.run(command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT).returncode
    if failed:
        sys.exit(f"sanitize: the build failed\n{(folder / 'build.log').read_text()[-3000:]}")
    subprocess.run([sys.executable, "icd/build.py", "clpy"], cwd=folder, check=True)


def library(name):
    path = subprocess.run([os.environ.get("CC", "gcc"), f"-print-file-name={name}"], capture_output=True, text=True,
                          check=True).stdout.strip()
    if "/" not in path:
        sys.exit(f"sanitize: {name} is missing")
    return path


def run(kind, folder, command):
    env = dict(os.environ, LD_PRELOAD=":".join(library(name) for name in PRELOADED[kind]), **OPTIONS[kind])
    env["PYTEST_ADDOPTS"] = f"-k '{LEFT_OUT[kind]}'"     # of tests that run tests too
    for name in OPTIONS[kind]:
        env[name] += f"{':' if kind == 'address' else ' '}log_path={folder / 'report'}"
    if kind == "thread":
        (folder / "not_ours").write_text(NOT_OURS)
        env["TSAN_OPTIONS"] += f" suppressions={folder / 'not_ours'}"
    # Addresses as the sanitizers expect them.
    return subprocess.run(["setarch", "-R", sys.executable, *command], cwd=folder, env=env).returncode


def sanitize(kind, args):
    folder = ROOT / "build" / "sanitize" / kind
    folder.mkdir(parents=True, exist_ok=True)
    for report in folder.glob("report.*"):
        report.unlink()
    print(f"{kind}: build", flush=True)
    copy_tree(folder)
    build(kind, folder)
    os.environ["GRAPHS"] = str(args.graphs)
    print(f"{kind}: tests", flush=True)
    failed = run(kind, folder, ["-m", "pytest", "-q", "-p", "no:cacheprovider", *args.tests])
    print(f"{kind}: calls at random", flush=True)
    for threads in (1, 4):
        failed |= run(kind, folder, ["-m", "tests.calls.run", "--count", str(args.calls), "--seed", str(threads),
                                     "--threads", str(threads), "--limit", "300"])
    written = [path.read_text(errors="replace") for path in sorted(folder.glob("report.*"))]
    reports = [text for text in written if any(mark in text for mark in MARKS)]
    for text in reports:
        print(text[:6000])
    print(f"{kind}: {len(reports)} reports{', tests FAILED' if failed else ''}", flush=True)
    return bool(reports or failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n")[2])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="address or thread; both unless one is named")
    parser.add_argument("--graphs", type=int, default=300, metavar="N", help="random graphs of commands (300)")
    parser.add_argument("--calls", type=int, default=10000, metavar="N", help="calls at random (10000)")
    parser.add_argument("--tests", nargs="+", default=TESTS, metavar="FILE", help="these tests and no others")
    args = parser.parse_args()
    if set(args.kinds) - set(FLAGS):
        parser.error(f"there is no kind {', '.join(sorted(set(args.kinds) - set(FLAGS)))}")
    return 1 if any([sanitize(kind, args) for kind in args.kinds or FLAGS]) else 0


if __name__ == "__main__":
    sys.exit(main())
