# SPDX-License-Identifier: Apache-2.0
"""A step of a build in a process of its own, as what it reads may be anything: LLVM takes bitcode and assembly on
trust, and may end the process that reads them, or fill its memory.
"""
import os
import pickle

from clpy.compiler import apart, cache
from clpy.errors import CompileError

START = "import sys; from clpy.compiler import served; served.serve(int(sys.argv[1]), int(sys.argv[2]))"
MADE, FAILED = b"made:", b"failed:"       # before what was made, or a build log
MOST_LOG = 1 << 20
MOST_BYTES = 1 << 30


class Ended(Exception):
    """The process did not survive it, or could not be started; the text says why."""


def ask(work, job, seconds, memory):
    """The bytes that `work(job)`, a function of a module, makes in a process that may have so many bytes of memory.
    CompileError where it raises that, Ended where it did not come to its end."""
    python = os.path.join(cache.PACKAGE, "clpy-python")
    limits = {"RLIMIT_AS": memory, "RLIMIT_FSIZE": MOST_BYTES, "RLIMIT_CPU": seconds, "RLIMIT_CORE": 0}
    try:
        with apart.memory_file("job") as asked, apart.memory_file("answer") as answer:
            pickle.dump((work, job), asked)
            asked.flush()
            files = [asked.fileno(), answer.fileno()]
            command = [str(python), START, *map(str, files)]
            end = apart.run(command, files, {"CLPY_CACHE": "0", "CLPY_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}, seconds,
                            limits)
            made = os.pread(files[1], min(os.fstat(files[1]).st_size, MOST_BYTES), 0)
    except OSError as why:
        raise Ended(f"{python}: {why.strerror}") from None
    if made.startswith(FAILED):
        raise CompileError(made.removeprefix(FAILED)[:MOST_LOG].decode("utf-8", "replace"))
    if made.startswith(MADE):
        return made.removeprefix(MADE)
    raise Ended(f"it took longer than {seconds} s" if end.late else
                f"the process that read it ended with {end.status}")


def serve(asked, answer):
    """In the other process: read the job, write the answer."""
    with open(asked, "rb") as file:
        file.seek(0)
        work, job = pickle.load(file)
    try:
        made = MADE + work(job)
    except CompileError as why:
        made = FAILED + why.log.encode("utf-8", "replace")
    with open(answer, "wb") as file:
        file.write(made)
    os._exit(0)             # what LLVM would free now is not worth a crash
