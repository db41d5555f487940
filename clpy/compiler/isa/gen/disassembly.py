# SPDX-License-Identifier: Apache-2.0
"""The text of Gen machine code, by Intel's IGA (libiga64, which comes with IGC). What it reads may be anything, so that
it works in a process of its own."""
import ctypes
from functools import lru_cache

from clpy.compiler import served

PLATFORMS = {"gen8": 8 << 16, "gen9": 9 << 16}
HEX_FLOATS, PRINT_PC = 4, 8
SECONDS, MEMORY = 60, 2 << 30
FEW = 64                # programs whose text is kept


class ContextOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("platform", ctypes.c_int)]


class DisassembleOptions(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("size", "format", "zero", "zero_too", "decoder", "base")]


@lru_cache(maxsize=FEW)
def texts(codes, processor, library):
    """The text of each piece of code. ValueError where IGA does not come to an end."""
    try:
        made = served.ask(work, (codes, PLATFORMS[processor], library), SECONDS, MEMORY)
    except served.Ended as why:
        raise ValueError(f"Intel's disassembler fails: {why}") from None
    return made.decode("utf-8", "replace").split("\0")


def work(job):
    """In the other process."""
    from clpy.errors import CompileError
    codes, platform, path = job
    try:
        library = ctypes.CDLL(path)
    except OSError as why:
        raise CompileError(f"error: {why}\n") from None
    return "\0".join(disassemble(library, code, platform) for code in codes).encode()


def disassemble(library, code, platform):
    context, text = ctypes.c_void_p(), ctypes.c_char_p()
    options = ContextOptions(ctypes.sizeof(ContextOptions), platform)
    if library.iga_context_create(ctypes.byref(options), ctypes.byref(context)):
        return ""
    how = DisassembleOptions(ctypes.sizeof(DisassembleOptions), HEX_FLOATS | PRINT_PC)
    library.iga_context_disassemble(context, ctypes.byref(how), code, len(code), None, None, ctypes.byref(text))
    made = (text.value or b"").decode("utf-8", "replace")
    library.iga_context_release(context)
    return made
