# SPDX-License-Identifier: Apache-2.0
"""What the libraries of a wheel are linked to, where those of a build are linked to the machine's shared libraries:
nothing but the C library is needed where a wheel goes.

LLVM and Clang come from the distribution's static libraries, as far as clpy calls them, in one library beside the
package, libclpy-clang-DIGEST.so. Its symbols have names of our own, so that no other LLVM in the process is taken for
it or has it taken for its own. The digest is of these names and of LLVM's version: packages of clpy that need the same
share the library, so that a new clpy is a small download.
"""
import hashlib
import os
import re
import shutil
import sys
from pathlib import Path

from private_python import HERE, LINK, WORK, compiled, newer, own_hwloc, run, write

LLVM = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22"))
PREFIX = "clpyll_"
# Components of LLVM beyond what they bring themselves; libraries of Clang, which has no llvm-config.
COMPONENTS = ("x86", "amdgpu", "spirv", "passes", "orcjit", "bitreader", "bitwriter", "irreader", "linker",
              "debuginfodwarf", "lto", "option", "frontendoffloading", "frontenddriver", "coverage")
CLANG = ("Frontend", "Driver", "Options", "CodeGen", "Parse", "Serialization", "Sema", "Edit", "Analysis",
         "AnalysisLifetimeSafety", "APINotes", "ASTMatchers", "AST", "Support", "Lex", "Basic")
# Two copies of it in a process do not meet: its symbols are seen by nobody.
RUNTIME = ("-static-libstdc++", "-static-libgcc")
# Static ones: these libraries are small and not everywhere, or not everywhere with the same version.
COMPRESSION = ("-l:libz.a", "-l:libzstd.a")
OURS = re.compile(r"LLVM[A-Z]\w*$|_Z\w*(?:4llvm|5clang)\w*$")


def llvm_config(*arguments):
    return run(LLVM / "bin/llvm-config", *arguments).split()


def version():
    """Of LLVM."""
    return llvm_config("--version")[0]


class Portable:
    """As private_python.Shared. `beside`: the folder for libclpy-clang-DIGEST.so; `found`, where libclpy-llvm.so
    finds that folder, relative to its own."""

    def __init__(self, beside, found):
        self.work = WORK / "portable"
        self.beside = beside
        self.found = found
        self.digest = None

    def core(self, modules):
        return [*own_hwloc(self.work), self.compiled("older_glibc.c"), "-s"]

    def compiled(self, name, *options):
        return compiled(HERE / name, self.work, *options)

    def llvm(self, modules, objects):
        wanted = llvm_names([o for m in modules for o in objects[m["name"]]])
        self.digest = hashlib.sha256("\n".join([version(), *wanted]).encode()).hexdigest()[:8]
        library = self.beside / f"libclpy-clang-{self.digest}.so"
        self.clang(wanted, library)
        return ({name: PREFIX + name for name in wanted},
                [library, self.compiled("older_glibc.c"), f"-Wl,-rpath,$ORIGIN/{self.found}", "-Wl,--gc-sections",
                 *RUNTIME, "-s"])

    def clang(self, wanted, library):
        """Links libclpy-clang-DIGEST.so, which takes most of a minute, unless it is there already."""
        made = self.work / library.name
        if newer([made], [Path(__file__), *(LLVM / "lib").glob("libLLVMCore.a")]):
            exported = write(self.work / "clang.map", ["{ global:", *(f"{PREFIX}{n};" for n in wanted), "local: *; };"])
            # In a file: they are more than a command line may be long.
            names = write(self.work / "clang.options",
                          [*(f"-Wl,-u,{n}" for n in wanted), *(f"-Wl,--defsym={PREFIX}{n}={n}" for n in wanted)])
            polly = self.compiled("../clpy/llvm/no_polly_shim.cpp", "-std=c++17", "-fno-rtti", f"-I{LLVM / 'include'}")
            run("g++", *LINK, "-Wl,--gc-sections", "-s", f"-Wl,--version-script={exported}",
                f"-Wl,-soname,{library.name}", "-o", made, f"@{names}", polly, self.compiled("older_glibc.c"),
                *archives(), *RUNTIME)
        shutil.copyfile(made, library)
        library.chmod(0o755)


def pyopencl(folder):
    """Where the loader in pyopencl's wheel looks, and files for that place: it takes a name of a library that lies
    there. This one has nothing but the path of libclpy.so, so that it is the same library for all loaders. Its file is
    what `clpy icd install --venv` writes."""
    name, options = "libclpy-pyopencl.so", ("-shared", "-s", "-nostdlib")
    target, empty = folder / "libclpy.target.so", write(folder / "empty.c", [])
    run("gcc", *options, "-Wl,-soname,$ORIGIN/../../clpy/libclpy.so", empty, "-o", target)
    run("gcc", *options, f"-Wl,-soname,{name}", empty, "-Wl,--no-as-needed", target, "-o", folder / name)
    # pip removes a folder with all that is below it only if one of the files lies in it.
    note = b"The wheel of clpy has put .libs/clpy.icd here: pyopencl, where it is installed, finds clpy by it.\n"
    return {f"pyopencl/.libs/{name}": folder / name, "pyopencl/.libs/clpy.icd": f"{name}\n".encode(),
            "pyopencl/clpy.txt": note}


def llvm_names(objects):
    """Names of LLVM's and Clang's that the objects want; what one shim wants of another is there."""
    rows = [line.split() for line in run("nm", "--extern-only", "--format=posix", *objects).splitlines()]
    ours = {row[0] for row in rows if row[1:2] == ["T"]}
    return sorted({row[0] for row in rows if row[1:2] == ["U"] and OURS.match(row[0])} - ours)


def archives():
    """The linker's options for LLVM and Clang. Polly is named, but is not among Debian's static libraries."""
    clang = [f"-lclang{name}" for name in CLANG]
    missing = [name for name in clang if not (LLVM / "lib" / f"lib{name[2:]}.a").exists()]
    if missing:
        sys.exit(f"clpy: {LLVM}/lib has no static library for {' '.join(missing)}: install libclang-22-dev")
    llvm = [flag for flag in llvm_config("--link-static", "--libs", *COMPONENTS) if not flag.startswith("-lPolly")]
    return [f"-L{LLVM / 'lib'}", "-Wl,--start-group", *clang, "-Wl,--end-group", *llvm, "-Wl,--as-needed", *COMPRESSION,
            "-lm", "-lxml2", "-ldl", "-lpthread"]


def headers(folder):
    """Copies Clang's own headers that OpenCL C may include."""
    source = next((LLVM / "lib/clang").glob("*/include"))
    folder.mkdir(parents=True)
    for path in sorted(source.glob("*.h")):
        if re.match(r"opencl-c|std(bool|def|int|arg|noreturn|align)\.h|__std|limits|float|__float|iso646", path.name):
            shutil.copyfile(path, folder / path.name)
