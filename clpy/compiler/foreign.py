# SPDX-License-Identifier: Apache-2.0
"""Bitcode that this process did not make, from binaries without machine code: it is linked and compiled in a process of
its own. LLVM reads bitcode as if it came from LLVM, and a file that somebody changed may end the process that reads it.
"""
import _thread
import os
import pickle
from collections import OrderedDict
from hashlib import blake2b

from clpy import config
from clpy.compiler import apart, binary, cache
from clpy.errors import CompileError

SECONDS = 300
LIMITS = {"RLIMIT_AS": 16 << 30, "RLIMIT_FSIZE": 1 << 30, "RLIMIT_CORE": 0}
START = "import sys; from clpy.compiler import foreign; foreign.serve(int(sys.argv[1]), int(sys.argv[2]))"
MADE, FAILED = b"made:", b"failed:"       # before a binary, or a build log
MOST_KNOWN = 4096
MOST_LOG = 1 << 20

_known = OrderedDict()      # digests of bitcode that this process made and handed out in binaries
_known_lock = _thread.allocate_lock()


def digest(ir):
    return blake2b(ir, digest_size=16).digest()


def remember(ir):
    """This process made the bitcode: it may come back."""
    with _known_lock:
        _known[digest(ir)] = None
        while len(_known) > MOST_KNOWN:
            _known.popitem(last=False)


def is_foreign(ir):
    return digest(ir) not in _known


def link(units, options, target, linker):
    """What `linker`, a program.link, makes of the units. CompileError also where the process did not survive it."""
    from clpy.compiler.program import unpack
    parts = [part for unit in units for part in (unit.ir, unit.options.key().encode())]
    key = None if options.create_library else cache.key(b"", {}, [b"foreign", *parts], options, target)
    blob = cache.load(key) if key else None
    if blob is None:
        made = ask((linker, units, options, target, {name: config.get(name) for name in cache.CODE_OPTIONS}))
        if not made.startswith(MADE):
            log = made.removeprefix(FAILED)[:MOST_LOG].decode("utf-8", "replace")
            raise CompileError(log if made.startswith(FAILED) else f"error: the bitcode of a binary: {log}\n")
        blob = made.removeprefix(MADE)
        kind, parts, _ = binary.unpack(blob)
        remember(parts[".llvmir"])
        if key and kind == binary.EXECUTABLE:
            cache.store(key, blob)
    return unpack(blob, target, linker)


def ask(job):
    """The answer of `serve` in a process of its own, or why there is none."""
    python = cache.PACKAGE / "clpy-python"
    try:
        with apart.memory_file("job") as asked, apart.memory_file("answer") as answer:
            pickle.dump(job, asked)
            asked.flush()
            files = [asked.fileno(), answer.fileno()]
            command = [str(python), START, *map(str, files)]
            end = apart.run(command, files, {"CLPY_CACHE": "0", "CLPY_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}, SECONDS,
                            LIMITS)
            made = os.pread(files[1], min(os.fstat(files[1]).st_size, LIMITS["RLIMIT_FSIZE"]), 0)
    except OSError as why:
        return f"{python}: {why.strerror}".encode()
    if made.startswith((MADE, FAILED)):
        return made
    if end.late:
        return f"it took longer than {SECONDS} s".encode()
    return f"the process that read it ended with {end.status}".encode()


def serve(asked, answer):
    """In the other process: read the job, write the answer."""
    from clpy.compiler import program
    with open(asked, "rb") as file:
        file.seek(0)
        linker, units, options, target, values = pickle.load(file)
    for unit in units:
        unit.foreign = False
    try:
        with config.override(**values):
            made = MADE + program.pack(linker(units, options, target), b"", target)
    except CompileError as why:
        made = FAILED + why.log.encode("utf-8", "replace")
    with open(answer, "wb") as file:
        file.write(made)
    os._exit(0)             # what LLVM would free now is not worth a crash
