# SPDX-License-Identifier: Apache-2.0
"""From SPIR-V to a chip's program by Intel's compiler: the program ocloc, in a process with limits. Files in memory are
what it reads and writes."""
import os

from clpy.compiler import apart
from clpy.compiler.gen import installed
from clpy.errors import CompileError

SECONDS = 300
MOST_BYTES, MOST_LOG = 1 << 28, 1 << 20
LIMITS = {"RLIMIT_AS": 6 << 30, "RLIMIT_FSIZE": MOST_BYTES, "RLIMIT_CPU": SECONDS, "RLIMIT_CORE": 0}
INTERNAL = "-cl-intel-allow-zebin"
# Line tables of several kernels are joined by LLVM's linker, which is part of Intel's compiler: that asks it to use no
# threads, by an option it does not know any more. Its files are in a folder that nobody can choose, and one more is
# where the process begins; all are gone when it ends. An arena for each thread would be more memory than there may be.
FOLDER = "/tmp"
JOINING = {"IGC_UseMTInLLD": "1", "MALLOC_ARENA_MAX": "1"}
BEGIN_THERE = ("/usr/bin/env", "-C", FOLDER)
# What it says where nothing is wrong, or of itself alone.
NOISE = ("Compilation from IR", "Build succeeded", "Command was:", "Build failed with error code")


def compile(spirv, device, options, has_lines=False):
    """The program, with line tables where the SPIR-V says of lines. CompileError where the compiler refuses it; what it
    warns of is said of code that nobody wrote."""
    why = installed.missing()
    if why:
        raise CompileError(f"error: {why}\n")
    try:
        with (apart.memory_file("spirv") as source, apart.memory_file("program") as result,
              apart.memory_file("log") as log):
            source.write(spirv)
            source.flush()
            files = [source.fileno(), result.fileno()]
            begin, more = (BEGIN_THERE, JOINING) if has_lines else ((), {})
            end = apart.run([*begin, *command(*files, device, options)], files, installed.environment() | more, SECONDS,
                            LIMITS, log.fileno())
            made = os.pread(files[1], min(os.fstat(files[1]).st_size, MOST_BYTES), 0)
            said = os.pread(log.fileno(), MOST_LOG, 0) + end.said
    except OSError as why:
        raise CompileError(f"error: {installed.path()}: {why.strerror}\n") from None
    text = worth_saying(said)
    if end.late:
        raise CompileError(f"error: Intel's compiler took longer than {SECONDS} s\n")
    if end.status not in (0, None) or not made.startswith(b"\x7fELF"):
        raise CompileError(text or f"error: Intel's compiler ended with {end.status}\n")
    return made


def command(source, result, device, options):
    return [installed.path(), "compile", "-spirv_input", "-file", f"/proc/self/fd/{source}", "-device", device,
            "-output", f"/proc/self/fd/{result}", "-output_no_suffix", "-internal_options", INTERNAL,
            *(["-options", " ".join(options)] if options else [])]


def worth_saying(said):
    lines = [line for line in said.decode("utf-8", "replace").replace("\0", "").splitlines()
             if line.strip() and not line.startswith(NOISE)]
    return "".join(f"{line}\n" for line in lines)
