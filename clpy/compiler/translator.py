# SPDX-License-Identifier: Apache-2.0
"""SPIR-V to bitcode by Khronos' translator, llvm-spirv, in a process of its own.

Any version does: LLVM reads the bitcode of its older ones. It is a process because distributions have the translator
for other versions of LLVM than ours, and because a module it does not like may end it. What it may take of the machine
is limited.
"""
import os

from clpy import config
from clpy.compiler import companion

PACKAGE = "llvm-spirv-15"
WHEEL = ("clpy_spirv", "llvm-spirv")
# The newest first; the name without a number is what a build from source installs.
NAMES = ("llvm-spirv", *(f"llvm-spirv-{version}" for version in range(22, 14, -1)))
MISSING = (f"SPIR-V needs the translator llvm-spirv: install the package {PACKAGE} (or another version), or "
           "clpy-spirv with pip, or name the program in CLPY_SPIRV_TRANSLATOR")
# Builtins by the names that OpenCL C has for them, and the names and types of arguments.
ARGUMENTS = ("-r", "--spirv-target-env=CL2.0", "--spirv-gen-kernel-arg-name-md",
             "--preserve-ocl-kernel-arg-type-metadata-through-string")
SECONDS = 60
LIMITS = {"RLIMIT_AS": 4 << 30, "RLIMIT_FSIZE": 1 << 30, "RLIMIT_CPU": SECONDS, "RLIMIT_CORE": 0}
LOG_LINES = 100
NOISE = r"^ *#\d|\[0x[0-9a-f]+\]$|^PLEASE submit|^Stack dump|^\d+\.\t"      # the addresses of a crash


found = {}          # path by name and folders


class TranslationError(Exception):
    """The translator is missing or did not make bitcode; the text is for the build log."""


def path():
    """Of the translator, "" where there is none."""
    given = config.get("SPIRV_TRANSLATOR")
    return (not given and companion.path(*WHEEL)) or find(given, config.variable("PATH", os.defpath))


def find(name, folders):
    """(No functools.cache: who lists devices waits for this, and importing that takes longer than all else here.)"""
    if (name, folders) not in found:
        found[name, folders] = next(filter(is_program, candidates(name, folders)), "")
    return found[name, folders]


def candidates(name, folders):
    folders = [folder for folder in dict.fromkeys(folders.split(os.pathsep)) if os.path.isdir(folder)]
    for each in [name] if name else NAMES:
        if "/" in each:
            yield each
        else:
            yield from [f"{folder}/{each}" for folder in folders]


def is_program(file):
    return os.access(file, os.X_OK) and os.path.isabs(file) and os.path.isfile(file)


def stamp():
    """Changes with the translator."""
    try:
        info = os.stat(path())
    except OSError:
        return b"none"
    return f"{path()} {info.st_size} {info.st_mtime_ns}".encode()


def translate(module):
    """Bitcode of a SPIR-V module."""
    from clpy.compiler import apart
    program = path()
    if not program:
        raise TranslationError(MISSING)
    try:
        with apart.memory_file("spirv") as source, apart.memory_file("bitcode") as result:
            why, bitcode = translate_files(program, module, source, result)
    except OSError as error:
        why, bitcode = f"the translator cannot be handed the module: {error.strerror}", b""
    if why or bitcode[:2] != b"BC":
        raise TranslationError(why or "the translator made no module")
    return bitcode


def translate_files(program, module, source, result):
    """(What is wrong, the bitcode)."""
    source.write(module)
    source.flush()
    files = [source.fileno(), result.fileno()]
    paths = [f"/proc/self/fd/{fd}" for fd in files]
    why = run([program, *ARGUMENTS, "-o", paths[1], paths[0]], files)
    size = os.fstat(files[1]).st_size
    return why, os.pread(files[1], min(size, LIMITS["RLIMIT_FSIZE"]), 0)


def run(command, files):
    """Run the translator; what is wrong, "" where nothing is."""
    from clpy.compiler import apart
    quiet = {"LLVM_DISABLE_SYMBOLIZATION": "1", "LLVM_DISABLE_CRASH_REPORT": "1", "PATH": os.defpath, "LC_ALL": "C"}
    try:
        end = apart.run(command, files, quiet, SECONDS, LIMITS)
    except OSError as why:
        return f"{command[0]}: {why.strerror}"
    if end.late:
        return f"the translator took longer than {SECONDS} s"
    if end.status == 0:
        return ""
    said = complaint(end.said)
    return said if end.status is None else said or f"the translator ended with {end.status}"


def complaint(said):
    """What the translator wrote, without noise."""
    import re
    lines = said.decode("utf-8", "replace").splitlines()
    useful = [line for line in lines if not re.search(NOISE, line)]
    return "\n".join(useful[:LOG_LINES]).strip()
