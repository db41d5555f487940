# SPDX-License-Identifier: Apache-2.0
"""Assembly of a chip: LLVM's assembler makes a code object of it, in a process of its own, as the text may be anything.
What kernels take is in the object's metadata."""
from clpy.compiler import served
from clpy.errors import CompileError

SECONDS = 30
MEMORY = 1 << 30
MOST_OBJECT = 64 << 20
LENGTH = 8              # bytes of the object's size, before the object and the log


def assemble(text, processor):
    """(code object, warnings) of assembly (bytes); CompileError with the assembler's messages."""
    try:
        made = served.ask(assemble_here, (text, processor), SECONDS, MEMORY)
    except served.Ended as why:
        raise CompileError(f"error: the assembler: {why}\n") from None
    size = int.from_bytes(made[:LENGTH], "little")
    return made[LENGTH:LENGTH + size], made[LENGTH + size:].decode("utf-8", "replace")


def assemble_here(job):
    """In the other process."""
    from clpy.llvm import assembler
    made, log = assembler.assemble(*job)
    if made is None:
        raise CompileError(log or "error: the text is not assembly of this chip\n")
    if len(made) > MOST_OBJECT:
        raise CompileError(f"error: {len(made)} bytes of code: there may be {MOST_OBJECT}\n")
    return len(made).to_bytes(LENGTH, "little") + made + log.encode("utf-8", "replace")
