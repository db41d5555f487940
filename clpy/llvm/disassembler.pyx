# SPDX-License-Identifier: Apache-2.0
"""LLVM's disassembler: machine code of an AMD GPU as text, an instruction at a time."""
from libc.stdint cimport uint8_t, uint64_t

from clpy.llvm.module import LLVMError

cdef extern from "llvm-c/Target.h" nogil:
    void LLVMInitializeAMDGPUTargetInfo()
    void LLVMInitializeAMDGPUTargetMC()
    void LLVMInitializeAMDGPUDisassembler()

cdef extern from "llvm-c/Disassembler.h" nogil:
    ctypedef void *LLVMDisasmContextRef
    LLVMDisasmContextRef LLVMCreateDisasmCPU(const char *, const char *, void *, int, void *, void *)
    size_t LLVMDisasmInstruction(LLVMDisasmContextRef, uint8_t *, uint64_t, uint64_t, char *, size_t)
    void LLVMDisasmDispose(LLVMDisasmContextRef)

# Processors of encodings that LLVM can write but not read: asking it for them would end the process.
UNREADABLE = ("gfx6", "gfx7")

LLVMInitializeAMDGPUTargetInfo()
LLVMInitializeAMDGPUTargetMC()
LLVMInitializeAMDGPUDisassembler()


cdef class Disassembler:
    """For one processor; for one thread at a time."""
    cdef LLVMDisasmContextRef context

    def __cinit__(self, str processor):
        cdef bytes name = processor.encode()
        if processor.startswith(UNREADABLE):
            raise LLVMError(f"LLVM does not disassemble for {processor}")
        self.context = LLVMCreateDisasmCPU(b"amdgcn-amd-amdhsa", name, NULL, 0, NULL, NULL)
        if self.context == NULL:
            raise LLVMError(f"no disassembler for {processor}")

    def __dealloc__(self):
        if self.context != NULL:
            LLVMDisasmDispose(self.context)

    def one(self, const uint8_t[::1] code, size_t offset):
        """(size, text) of the instruction at this offset; (0, "") if there is none. Spaces may surround the text."""
        cdef char text[256]
        cdef size_t size
        if offset >= <size_t>code.shape[0]:
            return 0, ""
        size = LLVMDisasmInstruction(self.context, <uint8_t *>&code[offset], code.shape[0] - offset, offset,
                                     text, sizeof(text))
        return (size, text.decode()) if size else (0, "")
