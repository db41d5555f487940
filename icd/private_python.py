# SPDX-License-Identifier: Apache-2.0
"""Links the private interpreter and all compiled modules of clpy into libraries that no other Python can touch.

libclpy-core.so has the interpreter, from the distribution's static library of position independent code, the standard
library, frozen, and every module but those of clpy/llvm. These are in libclpy-llvm.so, so that LLVM is loaded by the
first build. The objects are those of the extension modules that the build made for Python programs, where these are
for the same version of Python. Only names change: no two modules may have one name for the function that makes them,
and where libclpy-llvm.so calls Python, the names begin with clpypy_, which no Python in the process has (lent.c).
clpy-python is the interpreter as a program.
"""
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
WORK = ROOT / "build" / "icd"
COMPILE = ["-O2", "-g1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wno-unused-function"]
LINK = ["-shared", "-Wl,-z,nodelete", "-Wl,-z,now", "-Wl,-z,defs", "-Wl,-Bsymbolic"]
# Compiled modules of Python's that need libraries nobody has to have, or that nothing of ours comes to.
LEFT_OUT = {"_elementtree", "_posixsubprocess", "_socket", "binascii", "grp", "pwd", "pyexpat", "spwd", "syslog",
            "unicodedata", "xxsubtype", "zlib"}


HWLOC = Path("/usr/lib/x86_64-linux-gnu/libhwloc.a")
# Variables that are not the C library's own in libhwloc.a, but those of static_hwloc.c.
NEAR = ("stdout", "stderr", "program_invocation_name")


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def put(made, target):
    """In one step: programs may have the old one open."""
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copyfile(made, fresh)
    fresh.chmod(0o755)
    fresh.rename(target)


def newer(targets, sources):
    """Is one of the targets missing or older than a source?"""
    if not all(t.exists() for t in targets):
        return True
    return min(t.stat().st_mtime for t in targets) < max(s.stat().st_mtime for s in sources)


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def compiled(source, folder, *options):
    """The object of a file in C or C++."""
    made = folder / source.with_suffix(".o").name
    run("g++" if source.suffix == ".cpp" else "gcc", *COMPILE, *options, "-c", source, "-o", made)
    return made


def own_hwloc(folder):
    """What to link for hwloc to be in the library, where no other one of the process, such as TensorFlow's, is taken
    for it."""
    if not HWLOC.exists():
        sys.exit(f"clpy: {HWLOC} is missing: install the Debian package libhwloc-dev (make deps does it)")
    archive = folder / HWLOC.name
    run("objcopy", *(f"--redefine-sym={name}=clpy_{name}" for name in NEAR), HWLOC, archive)
    return [compiled(HERE / "static_hwloc.c", folder), archive]


class Static:
    """A Python of the distribution that has a static library: that of the version which builds, or else the newest."""

    def __init__(self):
        found = {}
        for archive in Path("/usr/lib").glob("python3.*/config-3.*/libpython3.*-pic.a"):
            version = archive.name.removeprefix("libpython").removesuffix("-pic.a")
            if shutil.which(f"python{version}", path="/usr/bin"):
                found[version] = archive
        if not found:
            sys.exit("clpy: no libpython3.X-pic.a with its python3.X is found in /usr/lib and /usr/bin: install the "
                     "Debian package python3-dev (make deps does it)")
        built_by = sysconfig.get_python_version()
        self.version = built_by if built_by in found else max(found, key=lambda v: int(v.partition(".")[2]))
        self.is_ours = self.version == built_by
        self.archive = found[self.version]
        self.program = f"/usr/bin/python{self.version}"
        self.headers = f"/usr/include/python{self.version}"

    def builtins(self):
        """[(module, function that makes it)] of Python's own modules, from the table that the archive was made with."""
        rows = re.findall(r'\{"(\w+)", (\w+)\}', (self.archive.parent / "config.c").read_text())
        return [(name, function) for name, function in rows if name not in LEFT_OUT and function != "NULL"]

    def objects(self, modules):
        """{module: its objects}, compiled anew where the modules are for another version of Python."""
        if self.is_ours:
            return {m["name"]: [Path(o) for o in m["objects"]] for m in modules}
        print(f"clpy: {sys.executable} is {sysconfig.get_python_version()}: compiling all modules a second time, for "
              f"Python {self.version}", flush=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip((m["name"] for m in modules), pool.map(self.compile, modules), strict=True))

    def compile(self, module):
        made = []
        for source in module["sources"]:
            made.append(WORK / f"python{self.version}" / f"{module['name']}-{Path(source).stem}.o")
            made[-1].parent.mkdir(parents=True, exist_ok=True)
            if newer([made[-1]], [Path(source)]):
                run("g++" if source.endswith("cpp") else "gcc", "-fPIC", "-DNDEBUG", *module["flags"], "-w", "-I",
                    self.headers, "-c", source, "-o", made[-1])
        return made


def renamed(path, target, *options):
    """The object with other names in it, as a file of ours."""
    if newer([target], [path, Path(__file__)]):
        target.parent.mkdir(parents=True, exist_ok=True)
        run("objcopy", *options, path, target)
    return target


def python_names(objects):
    """Names of Python's that the objects want."""
    listing = run("nm", "--undefined-only", "--format=posix", *objects)
    names = {line.split()[0] for line in listing.splitlines() if line}
    return sorted(name for name in names if re.match(r"_?Py[A-Z_]", name))


class Shared:
    """What the libraries link that are for the machine which builds them: its LLVM as a shared library. portable.py has
    the other way, with the same functions."""
    work = WORK

    def core(self, modules):
        return own_hwloc(self.work)

    def llvm(self, modules, objects):
        """({name of an undefined symbol: what it is called there}, flags)."""
        return {}, self.flags(modules)

    @staticmethod
    def flags(modules):
        """What the modules link, each once, in order."""
        options = [flag for m in modules for flag in [f"-L{folder}" for folder in m["library_dirs"]] +
                   [f"-l{library}" for library in m["libraries"]]]
        return list(dict.fromkeys(options))


def compile_start(static, llvm_names, lent):
    """The objects with the tables of what is built in and of what is lent, and the frozen standard library."""
    run(static.program, "-I", "-S", HERE / "freeze.py", WORK, HERE / "start.py", HERE / "imports.py")
    write(WORK / "lent.h", (f"LENT({name})" for name in lent))
    for name in ("private", "lent"):
        run("gcc", *COMPILE, f'-DCLPY_FROZEN="{WORK / "frozen.bin"}"',
            f'-DCLPY_LLVM_MODULES="{" ".join(llvm_names)}"', "-I", WORK, "-I", static.headers, "-c", HERE / f"{name}.c",
            "-o", WORK / f"{name}.o")
    return [WORK / "private.o", WORK / "lent.o"]


def link_core(static, modules, objects, llvm_names, lent, outside):
    """libclpy-core.so, in the work folder; `lent`: names of Python's that libclpy-llvm.so wants."""
    rows, changed = static.builtins(), []
    for name in (m["name"] for m in modules):
        last, whole = name.rpartition(".")[2], name.replace(".", "__")
        rows.append((name, f"PyInit_{whole}"))
        changed += [renamed(o, WORK / "objects" / f"{whole}-{o.stem}.o", f"--redefine-sym=PyInit_{last}=PyInit_{whole}")
                    for o in objects[name]]
    write(WORK / "builtin.h", (f'BUILTIN("{name}", {function})' for name, function in sorted(rows)))
    begin = compile_start(static, llvm_names, lent)
    exported = write(WORK / "core.map", ["{ global: clpy_core_*; local: *; };"])
    made = outside.work / "libclpy-core.so"
    run("gcc", *LINK, "-o", made, *begin, *changed, static.archive, f"-Wl,--version-script={exported}",
        "-Wl,-soname,libclpy-core.so", *outside.core(modules), "-lm", "-ldl", "-lpthread")
    return made


def link_llvm(modules, objects, lent, outside):
    """libclpy-llvm.so, in the work folder. Its slots for addresses are written to later than the dynamic linker would
    lock them. Debuggers look for two names in it (clpy/llvm/debugger.h)."""
    names, flags = outside.llvm(modules, objects)
    names |= {name: f"clpypy_{name}" for name in lent}
    changes = write(outside.work / "lent.txt", (f"{name} {other}" for name, other in names.items()))
    weak = write(WORK / "weak.txt", (f"clpypy_{name}" for name in lent))
    changed = [renamed(o, outside.work / "objects" / f"llvm-{o.stem}.o", f"--redefine-syms={changes}",
                       f"--weaken-symbols={weak}") for m in modules for o in objects[m["name"]]]
    exported = write(WORK / "llvm.map", ["{ global: PyInit_*; __jit_debug_*; local: *; };"])
    made = outside.work / "libclpy-llvm.so"
    run("g++", *LINK, "-Wl,-z,norelro", "-o", made, *changed, f"-Wl,--version-script={exported}",
        "-Wl,-soname,libclpy-llvm.so", *flags)
    return made


def link(static, modules, outside):
    """libclpy-core.so and libclpy-llvm.so."""
    outside.work.mkdir(parents=True, exist_ok=True)
    objects = static.objects(modules)
    llvm = [m for m in modules if m["name"].startswith("clpy.llvm.")]
    others = [m for m in modules if m not in llvm]
    lent = python_names([o for m in llvm for o in objects[m["name"]]])
    core = link_core(static, others, objects, [m["name"] for m in llvm], lent, outside)
    return core, link_llvm(llvm, objects, lent, outside)


def build(folder, modules):
    """All of it, unless it is newer than what it is made from."""
    targets = [folder / name for name in ("libclpy-core.so", "libclpy-llvm.so", "clpy-python")]
    static = Static()
    if not newer(targets, [static.archive, *HERE.glob("*.*"), *(Path(o) for m in modules for o in m["objects"])]):
        return
    libraries = link(static, modules, Shared())
    program = WORK / "clpy-python"
    run("gcc", "-O2", "-Wall", HERE / "python.c", "-o", program, "-ldl")
    for made, target in zip((*libraries, program), targets, strict=True):
        put(made, target)
