# SPDX-License-Identifier: Apache-2.0
"""LLVM's assembler for AMD's chips (assembler_shim.cpp)."""
from libc.stdlib cimport free
from libc.string cimport memset
from clpy.llvm.guard cimport guarded, take

cdef extern from "llvm-c/Target.h" nogil:
    void LLVMInitializeAMDGPUTargetInfo()
    void LLVMInitializeAMDGPUTargetMC()
    void LLVMInitializeAMDGPUAsmParser()

cdef extern from "assembler_shim.h" nogil:
    struct clpy_assembler_job:
        const char *text
        size_t size
        const char *name
        const char *processor
        char *object
        size_t object_size
        char *log
        size_t log_size
    void clpy_assemble(void *) noexcept

LLVMInitializeAMDGPUTargetInfo()
LLVMInitializeAMDGPUTargetMC()
LLVMInitializeAMDGPUAsmParser()


def assemble(bytes text, str processor, str name="<source>"):
    """(code object, log) of assembly text; None in place of the object where the text is wrong."""
    cdef clpy_assembler_job job
    cdef bytes c_processor = processor.encode(), c_name = name.encode()
    cdef char *fatal
    memset(&job, 0, sizeof(job))
    job.text, job.size, job.name, job.processor = text, len(text), c_name, c_processor
    with nogil:
        fatal = guarded(clpy_assemble, &job)
    if fatal != NULL:
        return None, f"fatal error: {take(fatal)}\n"
    object = job.object[:job.object_size] if job.object != NULL else None
    log = job.log[:job.log_size].decode("utf-8", "replace") if job.log != NULL else ""
    free(job.object)
    free(job.log)
    return object, log
