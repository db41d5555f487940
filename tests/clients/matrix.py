# SPDX-License-Identifier: Apache-2.0
"""Hosts of many kinds, one after the other: is the platform listed, is a kernel built, is its result right, does the
program end well, and how long does all of that take. `make hosts` writes docs/hosts.md from it.

    python tests/clients/matrix.py [PAGE] [--packages FOLDER] [--python PROGRAM]... [--root FOLDER]

The folder of packages is an environment with numba, intel-opencl-rt, torch, tensorflow or bpy; the root is another
Debian with Pythons in it, which gets clpy from the wheels in dist/ (only root may do that). What is not on this machine
is said to be missing. Exit code 1 where a host fails that is there.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LANGUAGES = HERE / "languages"
sys.path[:0] = [str(HERE), str(ROOT)]
from host_build import LIBRARY, compile_host, vendors  # noqa: E402
from test_hosts_python import pythons  # noqa: E402

STEPS = ("listed", "built", "right")
HEAD = """# Hosts

Programs of many kinds and what clpy does in them, as `make hosts` found it on one machine (it writes this page). Each
lists the platform, builds a kernel that is not in the cache, checks every element of its result, and ends; those with
threads do all of that on each of them. "Beside" is another driver or compiler in the same process that works before and
after clpy, or comes later. What `make test` has of these with every change is in `tests/clients`.

| host | platform | kernel | result | exit | seconds |
|---|---|---|---|---|---|
"""


# What to ask a Python for its name.
KIND = ("import sys, sysconfig; print('CPython %d.%d.%d' % sys.version_info[:3] + (', free-threaded' if sysconfig."
        "get_config_var('Py_GIL_DISABLED') else '') + (', debug build' if hasattr(sys, 'gettotalrefcount') else ''))")
INSIDE = """set -e
mount -t proc proc "$0/proc"
mount --rbind /sys "$0/sys"
mount --bind /dev "$0/dev"
exec chroot "$0" "$@"
"""


class Hosts:
    """[(name, command, the drivers to be listed, more variables)]; the command is None for what is not here."""

    def __init__(self, folder, packages):
        self.folder = folder
        self.packages = packages
        self.rows = []
        self.library = folder / "libsteps.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", LANGUAGES / "steps.c", "-o", self.library, "-lOpenCL"],
                       check=True)

    def add(self, name, command, others=(), **variables):
        self.rows.append((name, command, others, variables))

    def python(self, name, python, what, *arguments, others=(), **variables):
        there = python and all(others)
        self.add(name, [python, LANGUAGES / "host.py", self.library, what, *arguments] if there else None, others,
                 **variables)

    def compiled(self, name, tool, command):
        """A language whose compiler makes `command`'s program."""
        where = shutil.which(tool)
        try:
            self.add(name, command(where) if where else None)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name}: not built: {error}", file=sys.stderr)
            self.add(name, None)


def languages(hosts):
    folder, library = hosts.folder, hosts.library
    links = [f"-L{folder}", "-lsteps", f"-Wl,-rpath,{folder}"]

    def built(*command, **variables):
        subprocess.run([str(c) for c in command], check=True, cwd=LANGUAGES, env=os.environ | variables,
                       stdout=subprocess.DEVNULL)

    def c(tool):
        (folder / "main.c").write_text("int steps(const char *); int main(void) { return steps(\"clpy\"); }\n")
        built(tool, folder / "main.c", "-o", folder / "host-c", *links)
        return [folder / "host-c"]

    def go(tool):
        built(tool, "build", "-o", folder / "host-go", "host.go", CGO_LDFLAGS=" ".join(links), GOFLAGS="-mod=mod",
              GOCACHE=str(folder / "go"), HOME=str(folder))
        return [folder / "host-go"]

    def rust(tool):
        built(tool, "-O", "host.rs", "-o", folder / "host-rs", "-L", folder, "-lsteps", "-C",
              f"link-arg=-Wl,-rpath,{folder}")
        return [folder / "host-rs"]

    def java(tool):
        jna = Path("/usr/share/java/jna.jar")
        if not jna.exists():
            raise OSError(f"{jna} is missing: apt install libjna-java")
        built(tool, "-cp", jna, "-d", folder, "Host.java")
        return ["java", "-cp", f"{jna}:{folder}", "Host", library]

    def node(tool):
        subprocess.run(["npm", "install", "--silent", "--prefix", folder, "koffi"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.copy(LANGUAGES / "host.js", folder)
        return [tool, folder / "host.js", library]

    def mono(tool):
        built(tool, f"-out:{folder}/Host.exe", "Host.cs")
        return ["mono", folder / "Host.exe"]

    for name, tool, command in (("C", "gcc", c), ("C#, Mono, threads of 64 KiB", "mcs", mono),
                                ("Go, 8 goroutines", "go", go),
                                ("Rust, threads of 64 KiB", "rustc", rust),
                                ("Java, JNA, threads of 64 KiB", "javac", java),
                                ("Node, koffi, its pool", "node", node)):
        hosts.compiled(name, tool, command)
    hosts.add("C++", [compile_host(folder, "host.cpp", "-lOpenCL")])
    hosts.add("clinfo", [shutil.which("clinfo"), "-l"] if shutil.which("clinfo") else None)


def scripts(hosts):
    """Languages that need no compiler: they call the library by its path."""
    for name, tool, *arguments in (("Ruby, Fiddle, its threads", "ruby", "host.rb"), ("LuaJIT", "luajit", "host.lua"),
                                   ("Perl, FFI::Platypus", "perl", "host.pl"), ("PHP, FFI", "php", "host.php"),
                                   ("Common Lisp, SBCL", "sbcl", "--script", "host.lisp"),
                                   ("Guile", "guile", "--no-auto-compile", "host.scm")):
        where = shutil.which(tool)
        has_ffi = where and (tool != "perl" or subprocess.run([where, "-MFFI::Platypus", "-e1"], check=False,
                                                              capture_output=True).returncode == 0)
        hosts.add(name, [where, *arguments[:-1], LANGUAGES / arguments[-1], hosts.library] if has_ffi else None)


def programs_with_python(hosts):
    """Programs that have a Python for what users write."""
    text = f"import sys; sys.argv = ['host.py', {str(hosts.library)!r}, 'plain']"
    gdb, office, blender = (shutil.which(name) for name in ("gdb", "soffice", "blender"))
    hosts.add("gdb's Python", [gdb, "-batch", "-nx", "-ex", f"python {text}", "-x", LANGUAGES / "host.py"]
              if gdb else None)
    profile = hosts.folder / "office"
    if office:
        (profile / "user/Scripts/python").mkdir(parents=True)
        shutil.copy(LANGUAGES / "macro.py", profile / "user/Scripts/python")
    hosts.add("LibreOffice's Python, a macro", office and [
        office, "--headless", "--norestore", "--nologo", f"-env:UserInstallation=file://{profile}",
        "vnd.sun.star.script:macro.py$run?language=Python&location=user"], HOST_PY=str(LANGUAGES / "host.py"),
        HOST_LIBRARY=str(hosts.library))
    hosts.add("Blender's Python", blender and [
        blender, "-b", "--factory-startup", "--python-exit-code", "3", "--python-expr",
        f"{text}; exec(open({str(LANGUAGES / 'host.py')!r}).read())"])


def asked(command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout.strip()


def in_root(hosts, root):
    """Pythons of another Debian, with its C library and clpy from the wheels."""
    subprocess.run([sys.executable, ROOT / "release/unpack.py", ROOT / "dist", root], check=True)
    (root / "hosts").mkdir(exist_ok=True)
    for path in (LANGUAGES / "host.py", hosts.library):
        shutil.copy(path, root / "hosts")
    inside = ["unshare", "--mount", "sh", "-c", INSIDE, root]
    host = ["/hosts/host.py", "/hosts/libsteps.so"]
    variables = {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/"}
    glibc = "glibc " + asked([*inside, "ldd", "--version"]).split("\n")[0].split()[-1]
    pythons_there = sorted(root.glob("usr/bin/python3.*"), key=lambda path: int(re.findall(r"\d+", path.name)[1]))
    for path in pythons_there:
        if re.fullmatch(r"python3\.\d+t?(-dbg)?", path.name):
            python = f"/usr/bin/{path.name}"
            hosts.add(f"{asked([*inside, python, '-c', KIND])}, {glibc}, from the wheels",
                      [*inside, python, *host, "plain"], **variables)
    if any(root.glob("usr/lib/python3/dist-packages/pyopencl")):
        hosts.add(f"Debian's pyopencl, {glibc}, from the wheels", [*inside, "/usr/bin/python3", *host, "pyopencl"],
                  **variables)


def python_programs(hosts, more=()):
    found = {f"CPython {version}{' of Debian' if str(path).startswith('/usr') else ''}": python
             for (version, path), python in pythons()}
    for name in sorted(found, key=lambda name: [int(part) for part in re.findall(r"\d+", name)]):
        hosts.python(name, found[name], "plain")
    for python in more:
        hosts.python(asked([python, "-c", KIND]), python, "plain")
    hosts.python("PyPy 3", shutil.which("pypy3"), "plain")
    debug = shutil.which("python3-dbg")
    hosts.python("CPython of Debian, debug build", debug, "plain")
    hosts.python("processes forked in advance, as gunicorn's", sys.executable, "prefork")
    hosts.python("multiprocessing's fork server", sys.executable, "workers")
    hosts.python("pyopencl's wheel", sys.executable, "pyopencl")
    debian = Path("/usr/lib/python3/dist-packages/pyopencl").exists()
    hosts.python("Debian's pyopencl", "/usr/bin/python3" if debian else None, "pyopencl")


def beside(hosts):
    """Other drivers and compilers in the process."""
    def of(pattern, root="/etc/OpenCL/vendors"):
        return next(iter(sorted(Path(root).glob(pattern))), None)

    def line(path):
        return path and path.read_text().strip()

    packages = hosts.packages
    intel = next(iter(sorted(packages.glob("lib/libintelocl.so"))), None) if packages else None
    drivers = (("PoCL", "Portable", line(of("pocl.icd")), {}), ("Mesa's rusticl", "rusticl", line(of("rusticl.icd")),
               {"RUSTICL_ENABLE": "swrast"}), ("Intel's runtime", "Intel", intel, {}))
    for name, part, driver, variables in drivers:
        for what, order in (("beside", "beside"), ("behind", "then")):
            hosts.python(f"{order} {name}", sys.executable, what, part, others=(driver,), **variables)
    python = packages and packages / "bin/python"
    for name, module, what in (
            ("beside numba (llvmlite)", "numba", "jit-first"), ("then numba (llvmlite)", "numba", "jit-then"),
            ("beside PyTorch", "torch", "torch"), ("then PyTorch", "torch", "torch-then"),
            ("beside TensorFlow, XLA", "tensorflow", "tensorflow"),
            ("then TensorFlow, XLA", "tensorflow", "tensorflow-then"), ("beside Blender as a module", "bpy", "bpy")):
        there = packages and any(packages.glob(f"lib/python3*/site-packages/{module}"))
        hosts.python(name, python if there else None, what)


def measure(hosts, row):
    """(steps that clpy came to, exit code, seconds) of a row; None where the host is not here."""
    name, command, others, variables = row
    if command is None:
        return None
    where = vendors(Path(tempfile.mkdtemp(dir=hosts.folder)), LIBRARY, *others)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("CLPY_", "PYTHON"))}
    environment |= {"OCL_ICD_VENDORS": where, "CLPY_CACHE": "0", "OCL_ICD_PLATFORM_SORT": "none"} | variables
    start = time.monotonic()
    try:
        done = subprocess.run([str(c) for c in command], env=environment, capture_output=True, text=True,
                              errors="replace", timeout=300, check=False, cwd=hosts.folder)
    except subprocess.TimeoutExpired:
        return set(), "hangs", 300
    seconds = time.monotonic() - start
    came = {step for step in STEPS if f"clpy {step}" in done.stdout}
    if done.stdout == "ok\n":       # of tests/clients/hosts
        came = set(STEPS)
    if name == "clinfo":
        came = {"listed"} if "Platform #0: clpy" in done.stdout else set()
    if done.returncode:
        print(f"{name}: {done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-1500:]}", file=sys.stderr)
    return came, done.returncode, seconds


def table(hosts):
    """(lines, whether all that are here do well)."""
    lines, good, missing = [], True, []
    for row in hosts.rows:
        found = measure(hosts, row)
        if found is None:
            missing.append(row[0])
            continue
        came, code, seconds = found
        wanted = STEPS[:1] if row[0] == "clinfo" else STEPS
        good &= code == 0 and came >= set(wanted)
        words = ["yes" if step in came else "-" if step not in wanted else "NO" for step in STEPS]
        lines.append(f"| {row[0]} | {' | '.join(words)} | {'clean' if code == 0 else code} | {seconds:.2f} |\n")
        print(lines[-1], end="", flush=True)
    if missing:
        lines.append(f"\nNot on the machine: {', '.join(missing)}.\n")
    return lines, good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("page", nargs="?")
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--root", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clpy-hosts-") as folder:
        hosts = Hosts(Path(folder), args.packages and args.packages.absolute())
        languages(hosts)
        scripts(hosts)
        python_programs(hosts, args.python)
        if args.root:
            in_root(hosts, args.root.absolute())
        programs_with_python(hosts)
        beside(hosts)
        lines, good = table(hosts)
    if args.page:
        Path(args.page).write_text(HEAD + "".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
