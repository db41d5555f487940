# SPDX-License-Identifier: Apache-2.0
"""The text of Gen machine code, by Intel's disassembler iga64. What it reads may be anything, so that it works in a
process of its own, with limits."""
import os
from functools import lru_cache

from clpy.compiler import apart
from clpy.compiler.gen import installed

PLATFORMS = {"gen8": "8", "gen9": "9"}
OPTIONS = ("-Xprint-pc", "-Xprint-hex-floats", "--output-on-fail")
SECONDS = 60
MOST_BYTES = 1 << 28
LIMITS = {"RLIMIT_AS": 2 << 30, "RLIMIT_FSIZE": MOST_BYTES, "RLIMIT_CPU": SECONDS, "RLIMIT_CORE": 0}
FEW = 16                # programs whose text is kept


@lru_cache(maxsize=FEW)
def text_of(code, processor):
    """ValueError where the disassembler does not come to an end."""
    why = installed.missing_disassembler()
    if why:
        raise ValueError(why)
    try:
        with apart.memory_file("code") as source, apart.memory_file("text") as result:
            source.write(code)
            source.flush()
            file = source.fileno()
            command = [installed.disassembler(), "-d", f"-p={PLATFORMS[processor]}", *OPTIONS, f"/proc/self/fd/{file}"]
            end = apart.run(command, [file], installed.environment(), SECONDS, LIMITS, result.fileno())
            made = os.pread(result.fileno(), MOST_BYTES, 0)
    except OSError as why:
        raise ValueError(f"{installed.disassembler()}: {why.strerror}") from None
    if end.late or not made:        # it ends with 1 where some of the bytes are no instructions
        raise ValueError(f"Intel's disassembler {'takes too long' if end.late else f'ended with {end.status}'}")
    return made.decode("utf-8", "replace")
