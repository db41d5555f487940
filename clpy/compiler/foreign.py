# SPDX-License-Identifier: Apache-2.0
"""Bitcode that this process did not make, from binaries without machine code: it is linked and compiled in a process of
its own. LLVM reads bitcode as if it came from LLVM, and a file that somebody changed may end the process that reads it.
"""
import _thread
from collections import OrderedDict
from hashlib import blake2b

from clpy import config
from clpy.compiler import binary, cache, served
from clpy.errors import CompileError

SECONDS = 300
MEMORY = 16 << 30
MOST_KNOWN = 4096

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
        values = {name: config.get(name) for name in cache.CODE_OPTIONS}
        try:
            blob = served.ask(link_here, (linker, units, options, target, values), SECONDS, MEMORY)
        except served.Ended as why:
            raise CompileError(f"error: the bitcode of a binary: {why}\n") from None
        kind, parts, _ = binary.unpack(blob)
        remember(parts[".llvmir"])
        if key and kind == binary.EXECUTABLE:
            cache.store(key, blob)
    return unpack(blob, target, linker)


def link_here(job):
    """In the other process: the binary of what the linker makes."""
    from clpy.compiler import program
    linker, units, options, target, values = job
    for unit in units:
        unit.foreign = False
    with config.override(**values):
        return program.pack(linker(units, options, target), b"", target)
