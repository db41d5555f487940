# SPDX-License-Identifier: Apache-2.0
"""The part of the LLVM C API that clpy uses. Long calls and pure look-ups alike are nogil."""
from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from "llvm-c/Types.h" nogil:
    ctypedef int LLVMBool
    ctypedef void *LLVMContextRef
    ctypedef void *LLVMModuleRef
    ctypedef void *LLVMTypeRef
    ctypedef void *LLVMValueRef
    ctypedef void *LLVMBasicBlockRef
    ctypedef void *LLVMMetadataRef
    ctypedef void *LLVMBuilderRef
    ctypedef void *LLVMUseRef
    ctypedef void *LLVMAttributeRef
    ctypedef void *LLVMMemoryBufferRef
    ctypedef void *LLVMDiagnosticInfoRef

cdef extern from "llvm-c/Error.h" nogil:
    ctypedef void *LLVMErrorRef
    char *LLVMGetErrorMessage(LLVMErrorRef)
    void LLVMDisposeErrorMessage(char *)

cdef extern from "llvm-c/TargetMachine.h" nogil:
    ctypedef void *LLVMTargetMachineRef
    ctypedef void *LLVMTargetDataRef

cdef extern from "llvm-c/Target.h" nogil:
    LLVMTargetDataRef LLVMGetModuleDataLayout(LLVMModuleRef)
    unsigned long long LLVMABISizeOfType(LLVMTargetDataRef, LLVMTypeRef)
    unsigned long long LLVMStoreSizeOfType(LLVMTargetDataRef, LLVMTypeRef)
    unsigned LLVMABIAlignmentOfType(LLVMTargetDataRef, LLVMTypeRef)
    unsigned LLVMPreferredAlignmentOfType(LLVMTargetDataRef, LLVMTypeRef)
    unsigned long long LLVMOffsetOfElement(LLVMTargetDataRef, LLVMTypeRef, unsigned)

cdef extern from "llvm-c/Transforms/PassBuilder.h" nogil:
    ctypedef void *LLVMPassBuilderOptionsRef
    LLVMErrorRef LLVMRunPasses(LLVMModuleRef, const char *, LLVMTargetMachineRef, LLVMPassBuilderOptionsRef)
    LLVMPassBuilderOptionsRef LLVMCreatePassBuilderOptions()
    void LLVMPassBuilderOptionsSetVerifyEach(LLVMPassBuilderOptionsRef, LLVMBool)
    void LLVMPassBuilderOptionsSetLoopVectorization(LLVMPassBuilderOptionsRef, LLVMBool)
    void LLVMPassBuilderOptionsSetSLPVectorization(LLVMPassBuilderOptionsRef, LLVMBool)
    void LLVMPassBuilderOptionsSetLoopInterleaving(LLVMPassBuilderOptionsRef, LLVMBool)
    void LLVMDisposePassBuilderOptions(LLVMPassBuilderOptionsRef)

cdef extern from "llvm-c/Linker.h" nogil:
    LLVMBool LLVMLinkModules2(LLVMModuleRef, LLVMModuleRef)

cdef extern from "llvm-c/IRReader.h" nogil:
    LLVMBool LLVMParseIRInContext2(LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef *, char **)

cdef extern from "llvm-c/BitReader.h" nogil:
    LLVMBool LLVMParseBitcodeInContext2(LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef *)
    LLVMBool LLVMGetBitcodeModuleInContext2(LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef *)

cdef extern from "llvm-c/BitWriter.h" nogil:
    LLVMMemoryBufferRef LLVMWriteBitcodeToMemoryBuffer(LLVMModuleRef)

cdef extern from "llvm-c/Analysis.h" nogil:
    int LLVMReturnStatusAction
    LLVMBool LLVMVerifyModule(LLVMModuleRef, int, char **)

cdef extern from "llvm-c/Core.h" nogil:
    # Context, diagnostics, memory buffers, messages
    ctypedef void (*LLVMDiagnosticHandler)(LLVMDiagnosticInfoRef, void *) noexcept
    int LLVMDSError
    LLVMContextRef LLVMContextCreate()
    void LLVMContextDispose(LLVMContextRef)
    void LLVMContextSetDiagnosticHandler(LLVMContextRef, LLVMDiagnosticHandler, void *)
    char *LLVMGetDiagInfoDescription(LLVMDiagnosticInfoRef)
    int LLVMGetDiagInfoSeverity(LLVMDiagnosticInfoRef)
    void LLVMDisposeMessage(char *)
    LLVMMemoryBufferRef LLVMCreateMemoryBufferWithMemoryRangeCopy(const char *, size_t, const char *)
    const char *LLVMGetBufferStart(LLVMMemoryBufferRef)
    size_t LLVMGetBufferSize(LLVMMemoryBufferRef)
    void LLVMDisposeMemoryBuffer(LLVMMemoryBufferRef)

    # Modules
    LLVMModuleRef LLVMModuleCreateWithNameInContext(const char *, LLVMContextRef)
    LLVMModuleRef LLVMCloneModule(LLVMModuleRef)
    void LLVMDisposeModule(LLVMModuleRef)
    LLVMContextRef LLVMGetModuleContext(LLVMModuleRef)
    const char *LLVMGetDataLayoutStr(LLVMModuleRef)
    void LLVMSetDataLayout(LLVMModuleRef, const char *)
    const char *LLVMGetTarget(LLVMModuleRef)
    void LLVMSetTarget(LLVMModuleRef, const char *)
    char *LLVMPrintModuleToString(LLVMModuleRef)
