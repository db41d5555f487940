# SPDX-License-Identifier: Apache-2.0
"""Clang in this process: OpenCL C in, an LLVM module and Clang's own text out. Runs no program, writes no file.

The first import loads Clang (about 20 ms). Calls from several threads run at the same time; none holds the GIL while it
compiles, and none can end the process, whatever the source says.
"""
from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset
from clpy.llvm.guard cimport guarded, take
from clpy.llvm.module cimport Module

cdef extern from "frontend_shim.h" nogil:
    ctypedef struct clpy_text:
        const char *name
        const char *data
        size_t size
    ctypedef struct clpy_frontend_job:
        clpy_text source
        const clpy_text *headers
        size_t n_headers
        const char *const *args
        size_t n_args
        void *context
        void *module
        char *log
        size_t log_size
        int reads_files
        char *files
        size_t files_size
    void clpy_frontend_compile(void *) noexcept


class FrontendResult:
    """module (None when there were errors), log, whether files of the machine were looked at, and names of those that
    were read."""
    __slots__ = ("files", "log", "module", "reads_files")

    def __init__(self, module, log, reads_files, files=()):
        self.module = module
        self.log = log
        self.reads_files = reads_files
        self.files = files


def compile(bytes source, list args, dict headers=None, str name="<source>"):
    """Compile `source` with the -cc1 arguments `args` (bytes each) and the header texts {name: bytes}."""
    cdef clpy_frontend_job job
    cdef char *fatal
    cdef bytes source_name = name.encode(), item
    cdef list held = [(key.encode(), text) for key, text in (headers or {}).items()]
    cdef size_t i, n_args = len(args), n_headers = len(held)
    cdef const char **argv = <const char **>calloc(n_args + 1, sizeof(char *))
    cdef clpy_text *texts = <clpy_text *>calloc(n_headers + 1, sizeof(clpy_text))
    if argv == NULL or texts == NULL:
        free(argv)
        free(texts)
        raise MemoryError
    try:
        for i in range(n_args):
            item = args[i]
            argv[i] = item
        for i in range(n_headers):
            fill_text(&texts[i], held[i][0], held[i][1])
        memset(&job, 0, sizeof(job))
        fill_text(&job.source, source_name, source)
        job.headers, job.n_headers = texts, n_headers
        job.args, job.n_args = argv, n_args
        with nogil:
            fatal = guarded(clpy_frontend_compile, &job)
    finally:
        free(argv)
        free(texts)
    if fatal != NULL:
        return FrontendResult(None, f"fatal error: {take(fatal)}\n", True)
    log = job.log[:job.log_size].decode("utf-8", "replace") if job.log != NULL else ""
    files = job.files[:job.files_size].split(b"\0")[:-1] if job.files != NULL else []
    free(job.log)
    free(job.files)
    module = Module.from_ref(<uintptr_t>job.context, <uintptr_t>job.module) if job.module != NULL else None
    return FrontendResult(module, log, bool(job.reads_files), files)


cdef int fill_text(clpy_text *text, bytes name, bytes data) except -1:
    text.name, text.data, text.size = name, data, len(data)
    return 0
