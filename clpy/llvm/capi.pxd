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
    LLVMErrorRef LLVMRunPassesOnFunction(LLVMValueRef, const char *, LLVMTargetMachineRef, LLVMPassBuilderOptionsRef)
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
    int LLVMModuleFlagBehaviorWarning
    void LLVMAddModuleFlag(LLVMModuleRef, int, const char *, size_t, LLVMMetadataRef)
    LLVMTypeRef LLVMInt32TypeInContext(LLVMContextRef)
    # Context, diagnostics, memory buffers, messages
    ctypedef void (*LLVMDiagnosticHandler)(LLVMDiagnosticInfoRef, void *) noexcept
    int LLVMDSError
    LLVMContextRef LLVMContextCreate()
    void LLVMContextDispose(LLVMContextRef)
    void LLVMContextSetDiagnosticHandler(LLVMContextRef, LLVMDiagnosticHandler, void *)
    void LLVMContextSetDiscardValueNames(LLVMContextRef, LLVMBool)
    char *LLVMGetDiagInfoDescription(LLVMDiagnosticInfoRef)
    int LLVMGetDiagInfoSeverity(LLVMDiagnosticInfoRef)
    void LLVMDisposeMessage(char *)
    LLVMMemoryBufferRef LLVMCreateMemoryBufferWithMemoryRange(const char *, size_t, const char *, LLVMBool)
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
    LLVMValueRef LLVMGetFirstFunction(LLVMModuleRef)
    LLVMValueRef LLVMGetNextFunction(LLVMValueRef)
    LLVMValueRef LLVMGetNamedFunction(LLVMModuleRef, const char *)
    LLVMValueRef LLVMAddFunction(LLVMModuleRef, const char *, LLVMTypeRef)
    LLVMValueRef LLVMGetFirstGlobal(LLVMModuleRef)
    LLVMValueRef LLVMGetNextGlobal(LLVMValueRef)
    LLVMValueRef LLVMGetNamedGlobal(LLVMModuleRef, const char *)
    LLVMValueRef LLVMAddGlobalInAddressSpace(LLVMModuleRef, LLVMTypeRef, const char *, unsigned)

    # Types
    int LLVMVoidTypeKind, LLVMHalfTypeKind, LLVMFloatTypeKind, LLVMDoubleTypeKind, LLVMLabelTypeKind
    int LLVMIntegerTypeKind, LLVMFunctionTypeKind, LLVMStructTypeKind, LLVMArrayTypeKind, LLVMPointerTypeKind
    int LLVMVectorTypeKind, LLVMMetadataTypeKind, LLVMTokenTypeKind, LLVMBFloatTypeKind, LLVMTargetExtTypeKind
    int LLVMGetTypeKind(LLVMTypeRef)
    LLVMBool LLVMTypeIsSized(LLVMTypeRef)
    char *LLVMPrintTypeToString(LLVMTypeRef)
    LLVMTypeRef LLVMIntTypeInContext(LLVMContextRef, unsigned)
    LLVMTypeRef LLVMFloatTypeInContext(LLVMContextRef)
    LLVMTypeRef LLVMDoubleTypeInContext(LLVMContextRef)
    LLVMTypeRef LLVMHalfTypeInContext(LLVMContextRef)
    LLVMTypeRef LLVMVoidTypeInContext(LLVMContextRef)
    LLVMTypeRef LLVMPointerTypeInContext(LLVMContextRef, unsigned)
    LLVMTypeRef LLVMVectorType(LLVMTypeRef, unsigned)
    LLVMTypeRef LLVMArrayType2(LLVMTypeRef, uint64_t)
    LLVMTypeRef LLVMFunctionType(LLVMTypeRef, LLVMTypeRef *, unsigned, LLVMBool)
    LLVMTypeRef LLVMStructTypeInContext(LLVMContextRef, LLVMTypeRef *, unsigned, LLVMBool)
    LLVMBool LLVMIsPackedStruct(LLVMTypeRef)
    LLVMValueRef LLVMConstStructInContext(LLVMContextRef, LLVMValueRef *, unsigned, LLVMBool)
    unsigned LLVMGetIntTypeWidth(LLVMTypeRef)
    LLVMTypeRef LLVMGetReturnType(LLVMTypeRef)
    LLVMBool LLVMIsFunctionVarArg(LLVMTypeRef)
    unsigned LLVMCountParamTypes(LLVMTypeRef)
    void LLVMGetParamTypes(LLVMTypeRef, LLVMTypeRef *)
    unsigned LLVMCountStructElementTypes(LLVMTypeRef)
    LLVMTypeRef LLVMStructGetTypeAtIndex(LLVMTypeRef, unsigned)
    LLVMTypeRef LLVMGetElementType(LLVMTypeRef)
    uint64_t LLVMGetArrayLength2(LLVMTypeRef)
    unsigned LLVMGetVectorSize(LLVMTypeRef)
    unsigned LLVMGetPointerAddressSpace(LLVMTypeRef)
    const char *LLVMGetTargetExtTypeName(LLVMTypeRef)
    LLVMTypeRef LLVMTargetExtTypeInContext(LLVMContextRef, const char *, LLVMTypeRef *, unsigned, unsigned *, unsigned)

    # Values
    int LLVMArgumentValueKind, LLVMBasicBlockValueKind, LLVMFunctionValueKind, LLVMGlobalVariableValueKind
    int LLVMConstantExprValueKind, LLVMConstantIntValueKind, LLVMConstantFPValueKind, LLVMInstructionValueKind
    int LLVMUndefValueValueKind, LLVMPoisonValueValueKind, LLVMMetadataAsValueValueKind, LLVMGlobalAliasValueKind
    int LLVMConstantAggregateZeroValueKind
    LLVMTypeRef LLVMTypeOf(LLVMValueRef)
    int LLVMGetValueKind(LLVMValueRef)
    const char *LLVMGetValueName2(LLVMValueRef, size_t *)
    void LLVMSetValueName2(LLVMValueRef, const char *, size_t)
    char *LLVMPrintValueToString(LLVMValueRef)
    void LLVMReplaceAllUsesWith(LLVMValueRef, LLVMValueRef)
    LLVMBool LLVMIsConstant(LLVMValueRef)
    LLVMUseRef LLVMGetFirstUse(LLVMValueRef)
    LLVMUseRef LLVMGetNextUse(LLVMUseRef)
    LLVMValueRef LLVMGetUser(LLVMUseRef)
    LLVMValueRef LLVMGetOperand(LLVMValueRef, unsigned)
    void LLVMSetOperand(LLVMValueRef, unsigned, LLVMValueRef)
    int LLVMGetNumOperands(LLVMValueRef)
    LLVMValueRef LLVMConstNull(LLVMTypeRef)
    LLVMValueRef LLVMConstAllOnes(LLVMTypeRef)
    LLVMValueRef LLVMGetPoison(LLVMTypeRef)
    LLVMBool LLVMIsNull(LLVMValueRef)
    LLVMValueRef LLVMConstInt(LLVMTypeRef, unsigned long long, LLVMBool)
    LLVMValueRef LLVMConstReal(LLVMTypeRef, double)
    unsigned long long LLVMConstIntGetZExtValue(LLVMValueRef)
    long long LLVMConstIntGetSExtValue(LLVMValueRef)
    LLVMValueRef LLVMConstArray2(LLVMTypeRef, LLVMValueRef *, uint64_t)
    LLVMValueRef LLVMConstVector(LLVMValueRef *, unsigned)
    LLVMValueRef LLVMGetAggregateElement(LLVMValueRef, unsigned)
    int LLVMGetConstOpcode(LLVMValueRef)

    # Globals and functions
    LLVMBool LLVMIsDeclaration(LLVMValueRef)
    int LLVMExternalLinkage, LLVMInternalLinkage, LLVMPrivateLinkage, LLVMAppendingLinkage
    int LLVMLinkOnceODRLinkage
    int LLVMGetLinkage(LLVMValueRef)
    void LLVMSetLinkage(LLVMValueRef, int)
    void LLVMSetVisibility(LLVMValueRef, int)
    int LLVMHiddenVisibility, LLVMDefaultVisibility
    void LLVMSetSection(LLVMValueRef, const char *)
    LLVMTypeRef LLVMGlobalGetValueType(LLVMValueRef)
    LLVMValueRef LLVMGetInitializer(LLVMValueRef)
    void LLVMSetInitializer(LLVMValueRef, LLVMValueRef)
    void LLVMDeleteGlobal(LLVMValueRef)
    void LLVMDeleteFunction(LLVMValueRef)
    unsigned LLVMGetIntrinsicID(LLVMValueRef)
    unsigned LLVMLookupIntrinsicID(const char *, size_t)
    LLVMValueRef LLVMGetIntrinsicDeclaration(LLVMModuleRef, unsigned, LLVMTypeRef *, size_t)
    unsigned LLVMGetFunctionCallConv(LLVMValueRef)
    void LLVMSetFunctionCallConv(LLVMValueRef, unsigned)
    unsigned LLVMGetAlignment(LLVMValueRef)
    void LLVMSetAlignment(LLVMValueRef, unsigned)
    unsigned LLVMCountParams(LLVMValueRef)
    LLVMValueRef LLVMGetParam(LLVMValueRef, unsigned)

    # Attributes
    unsigned LLVMGetEnumAttributeKindForName(const char *, size_t)
    LLVMAttributeRef LLVMCreateEnumAttribute(LLVMContextRef, unsigned, uint64_t)
    LLVMAttributeRef LLVMCreateStringAttribute(LLVMContextRef, const char *, unsigned, const char *, unsigned)
    LLVMAttributeRef LLVMCreateTypeAttribute(LLVMContextRef, unsigned, LLVMTypeRef)
    void LLVMAddAttributeAtIndex(LLVMValueRef, unsigned, LLVMAttributeRef)
    unsigned LLVMGetAttributeCountAtIndex(LLVMValueRef, unsigned)
    void LLVMGetAttributesAtIndex(LLVMValueRef, unsigned, LLVMAttributeRef *)
    LLVMAttributeRef LLVMGetEnumAttributeAtIndex(LLVMValueRef, unsigned, unsigned)
    LLVMAttributeRef LLVMGetStringAttributeAtIndex(LLVMValueRef, unsigned, const char *, unsigned)
    void LLVMRemoveEnumAttributeAtIndex(LLVMValueRef, unsigned, unsigned)
    void LLVMRemoveStringAttributeAtIndex(LLVMValueRef, unsigned, const char *, unsigned)
    uint64_t LLVMGetEnumAttributeValue(LLVMAttributeRef)
    LLVMTypeRef LLVMGetTypeAttributeValue(LLVMAttributeRef)
    const char *LLVMGetStringAttributeValue(LLVMAttributeRef, unsigned *)
    void LLVMAddCallSiteAttribute(LLVMValueRef, unsigned, LLVMAttributeRef)
    unsigned LLVMGetCallSiteAttributeCount(LLVMValueRef, unsigned)
    void LLVMGetCallSiteAttributes(LLVMValueRef, unsigned, LLVMAttributeRef *)
    LLVMAttributeRef LLVMGetCallSiteEnumAttribute(LLVMValueRef, unsigned, unsigned)
    void LLVMRemoveCallSiteEnumAttribute(LLVMValueRef, unsigned, unsigned)

    # Metadata
    unsigned LLVMGetMDKindIDInContext(LLVMContextRef, const char *, unsigned)
    LLVMValueRef LLVMGetMetadata(LLVMValueRef, unsigned)
    void LLVMSetMetadata(LLVMValueRef, unsigned, LLVMValueRef)
    void LLVMGlobalEraseMetadata(LLVMValueRef, unsigned)
    LLVMMetadataRef LLVMMDStringInContext2(LLVMContextRef, const char *, size_t)
    LLVMMetadataRef LLVMMDNodeInContext2(LLVMContextRef, LLVMMetadataRef *, size_t)
    unsigned LLVMGetNamedMetadataNumOperands(LLVMModuleRef, const char *)
    void LLVMGetNamedMetadataOperands(LLVMModuleRef, const char *, LLVMValueRef *)
    LLVMValueRef LLVMMetadataAsValue(LLVMContextRef, LLVMMetadataRef)
    LLVMMetadataRef LLVMValueAsMetadata(LLVMValueRef)
    const char *LLVMGetMDString(LLVMValueRef, unsigned *)
    unsigned LLVMGetMDNodeNumOperands(LLVMValueRef)
    void LLVMGetMDNodeOperands(LLVMValueRef, LLVMValueRef *)
    void LLVMReplaceMDNodeOperandWith(LLVMValueRef, unsigned, LLVMMetadataRef)
    unsigned LLVMGetDebugLocLine(LLVMValueRef)
    void LLVMSetCurrentDebugLocation2(LLVMBuilderRef, LLVMMetadataRef)
    const char *LLVMGetDebugLocFilename(LLVMValueRef, unsigned *)

    ctypedef struct LLVMValueMetadataEntry:
        pass
    LLVMValueMetadataEntry *LLVMGlobalCopyAllMetadata(LLVMValueRef, size_t *)
    void LLVMDisposeValueMetadataEntries(LLVMValueMetadataEntry *)
    unsigned LLVMValueMetadataEntriesGetKind(LLVMValueMetadataEntry *, unsigned)
    LLVMMetadataRef LLVMValueMetadataEntriesGetMetadata(LLVMValueMetadataEntry *, unsigned)
    void LLVMGlobalSetMetadata(LLVMValueRef, unsigned, LLVMMetadataRef)

    # Blocks
    LLVMValueRef LLVMBasicBlockAsValue(LLVMBasicBlockRef)
    LLVMBasicBlockRef LLVMValueAsBasicBlock(LLVMValueRef)
    const char *LLVMGetBasicBlockName(LLVMBasicBlockRef)
    LLVMValueRef LLVMGetBasicBlockParent(LLVMBasicBlockRef)
    LLVMValueRef LLVMGetBasicBlockTerminator(LLVMBasicBlockRef)
    LLVMBasicBlockRef LLVMGetFirstBasicBlock(LLVMValueRef)
    LLVMBasicBlockRef LLVMGetNextBasicBlock(LLVMBasicBlockRef)
    LLVMBasicBlockRef LLVMGetEntryBasicBlock(LLVMValueRef)
    LLVMBasicBlockRef LLVMAppendBasicBlockInContext(LLVMContextRef, LLVMValueRef, const char *)
    LLVMBasicBlockRef LLVMInsertBasicBlockInContext(LLVMContextRef, LLVMBasicBlockRef, const char *)
    void LLVMAppendExistingBasicBlock(LLVMValueRef, LLVMBasicBlockRef)
    void LLVMRemoveBasicBlockFromParent(LLVMBasicBlockRef)
    void LLVMDeleteBasicBlock(LLVMBasicBlockRef)
    LLVMValueRef LLVMGetFirstInstruction(LLVMBasicBlockRef)
    LLVMValueRef LLVMGetLastInstruction(LLVMBasicBlockRef)

    # Instructions
    LLVMBasicBlockRef LLVMGetInstructionParent(LLVMValueRef)
    LLVMValueRef LLVMGetNextInstruction(LLVMValueRef)
    LLVMValueRef LLVMGetPreviousInstruction(LLVMValueRef)
    void LLVMInstructionRemoveFromParent(LLVMValueRef)
    void LLVMInstructionEraseFromParent(LLVMValueRef)
    int LLVMGetInstructionOpcode(LLVMValueRef)
    int LLVMGetICmpPredicate(LLVMValueRef)
    LLVMValueRef LLVMInstructionClone(LLVMValueRef)
    LLVMValueRef LLVMIsACallInst(LLVMValueRef)
    LLVMValueRef LLVMGetCalledValue(LLVMValueRef)
    LLVMValueRef LLVMIsAInlineAsm(LLVMValueRef)
    LLVMTypeRef LLVMGetCalledFunctionType(LLVMValueRef)
    unsigned LLVMGetNumArgOperands(LLVMValueRef)
    void LLVMSetInstructionCallConv(LLVMValueRef, unsigned)
    void LLVMSetTailCall(LLVMValueRef, LLVMBool)
    unsigned LLVMGetNumSuccessors(LLVMValueRef)
    LLVMBasicBlockRef LLVMGetSuccessor(LLVMValueRef, unsigned)
    void LLVMSetSuccessor(LLVMValueRef, unsigned, LLVMBasicBlockRef)
    LLVMBool LLVMIsConditional(LLVMValueRef)
    LLVMValueRef LLVMGetCondition(LLVMValueRef)
    LLVMTypeRef LLVMGetAllocatedType(LLVMValueRef)
    LLVMTypeRef LLVMGetGEPSourceElementType(LLVMValueRef)
    unsigned LLVMGEPGetNoWrapFlags(LLVMValueRef)
    void LLVMAddIncoming(LLVMValueRef, LLVMValueRef *, LLVMBasicBlockRef *, unsigned)
    unsigned LLVMCountIncoming(LLVMValueRef)
    LLVMValueRef LLVMGetIncomingValue(LLVMValueRef, unsigned)
    LLVMBasicBlockRef LLVMGetIncomingBlock(LLVMValueRef, unsigned)
    LLVMBool LLVMGetVolatile(LLVMValueRef)
    void LLVMSetVolatile(LLVMValueRef, LLVMBool)
    LLVMBool LLVMIsAtomic(LLVMValueRef)
    void LLVMSetNUW(LLVMValueRef, LLVMBool)
    LLVMBool LLVMGetNUW(LLVMValueRef)
    LLVMBool LLVMGetIsDisjoint(LLVMValueRef)
    unsigned LLVMGetNumIndices(LLVMValueRef)
    const unsigned *LLVMGetIndices(LLVMValueRef)
    int LLVMGetAtomicRMWBinOp(LLVMValueRef)
    LLVMBool LLVMGetNNeg(LLVMValueRef)
    LLVMBool LLVMGetNSW(LLVMValueRef)
    void LLVMGEPSetNoWrapFlags(LLVMValueRef, unsigned)
    int LLVMGetFCmpPredicate(LLVMValueRef)
    unsigned LLVMGetNumMaskElements(LLVMValueRef)
    int LLVMGetMaskValue(LLVMValueRef, unsigned)
    void LLVMSetNSW(LLVMValueRef, LLVMBool)
    void LLVMSetNNeg(LLVMValueRef, LLVMBool)
    LLVMBool LLVMCanValueUseFastMathFlags(LLVMValueRef)
    unsigned LLVMGetFastMathFlags(LLVMValueRef)
    void LLVMSetFastMathFlags(LLVMValueRef, unsigned)

    # Builder
    LLVMBuilderRef LLVMCreateBuilderInContext(LLVMContextRef)
    void LLVMDisposeBuilder(LLVMBuilderRef)
    void LLVMPositionBuilderBefore(LLVMBuilderRef, LLVMValueRef)
    void LLVMPositionBuilderAtEnd(LLVMBuilderRef, LLVMBasicBlockRef)
    LLVMBasicBlockRef LLVMGetInsertBlock(LLVMBuilderRef)
    void LLVMInsertIntoBuilder(LLVMBuilderRef, LLVMValueRef)
    LLVMValueRef LLVMBuildRetVoid(LLVMBuilderRef)
    LLVMValueRef LLVMBuildRet(LLVMBuilderRef, LLVMValueRef)
    LLVMValueRef LLVMBuildBr(LLVMBuilderRef, LLVMBasicBlockRef)
    LLVMValueRef LLVMBuildCondBr(LLVMBuilderRef, LLVMValueRef, LLVMBasicBlockRef, LLVMBasicBlockRef)
    LLVMValueRef LLVMBuildSwitch(LLVMBuilderRef, LLVMValueRef, LLVMBasicBlockRef, unsigned)
    void LLVMAddCase(LLVMValueRef, LLVMValueRef, LLVMBasicBlockRef)
    LLVMValueRef LLVMBuildUnreachable(LLVMBuilderRef)
    LLVMValueRef LLVMBuildBinOp(LLVMBuilderRef, int, LLVMValueRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildAlloca(LLVMBuilderRef, LLVMTypeRef, const char *)
    LLVMValueRef LLVMBuildLoad2(LLVMBuilderRef, LLVMTypeRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildStore(LLVMBuilderRef, LLVMValueRef, LLVMValueRef)
    LLVMValueRef LLVMBuildGEP2(LLVMBuilderRef, LLVMTypeRef, LLVMValueRef, LLVMValueRef *, unsigned, const char *)
    LLVMValueRef LLVMBuildGEPWithNoWrapFlags(LLVMBuilderRef, LLVMTypeRef, LLVMValueRef, LLVMValueRef *, unsigned,
                                             const char *, unsigned)
    LLVMValueRef LLVMBuildMemCpy(LLVMBuilderRef, LLVMValueRef, unsigned, LLVMValueRef, unsigned, LLVMValueRef)
    LLVMValueRef LLVMBuildCast(LLVMBuilderRef, int, LLVMValueRef, LLVMTypeRef, const char *)
    LLVMValueRef LLVMBuildFCmp(LLVMBuilderRef, int, LLVMValueRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildFNeg(LLVMBuilderRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildICmp(LLVMBuilderRef, int, LLVMValueRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildPhi(LLVMBuilderRef, LLVMTypeRef, const char *)
    LLVMValueRef LLVMBuildCall2(LLVMBuilderRef, LLVMTypeRef, LLVMValueRef, LLVMValueRef *, unsigned, const char *)
    LLVMValueRef LLVMBuildSelect(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildFreeze(LLVMBuilderRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildInsertValue(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, unsigned, const char *)
    LLVMValueRef LLVMBuildExtractValue(LLVMBuilderRef, LLVMValueRef, unsigned, const char *)
    LLVMValueRef LLVMBuildExtractElement(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildInsertElement(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildShuffleVector(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, LLVMValueRef, const char *)
    LLVMValueRef LLVMBuildFence(LLVMBuilderRef, int, LLVMBool, const char *)
    int LLVMAtomicOrderingSequentiallyConsistent

cdef extern from "llvm-c/Core.h" nogil:
    LLVMBool LLVMIsGlobalConstant(LLVMValueRef global_variable)
    void LLVMSetGlobalConstant(LLVMValueRef global_variable, LLVMBool)
    # Metadata of functions and global variables
    ctypedef struct LLVMValueMetadataEntry:
        pass
    LLVMValueMetadataEntry *LLVMGlobalCopyAllMetadata(LLVMValueRef, size_t *)
    unsigned LLVMValueMetadataEntriesGetKind(LLVMValueMetadataEntry *, unsigned)
    LLVMMetadataRef LLVMValueMetadataEntriesGetMetadata(LLVMValueMetadataEntry *, unsigned)
    void LLVMDisposeValueMetadataEntries(LLVMValueMetadataEntry *)

cdef extern from "llvm-c/DebugInfo.h" nogil:
    ctypedef void *LLVMDIBuilderRef
    int LLVMDWARFSourceLanguageC99, LLVMDWARFEmissionLineTablesOnly, LLVMDIFlagZero
    LLVMMetadataRef LLVMInstructionGetDebugLoc(LLVMValueRef)
    unsigned LLVMDebugMetadataVersion()
    LLVMDIBuilderRef LLVMCreateDIBuilder(LLVMModuleRef)
    void LLVMDIBuilderFinalize(LLVMDIBuilderRef)
    void LLVMDisposeDIBuilder(LLVMDIBuilderRef)
    LLVMMetadataRef LLVMDIBuilderCreateCompileUnit(
        LLVMDIBuilderRef, int, LLVMMetadataRef, const char *, size_t, LLVMBool, const char *, size_t, unsigned,
        const char *, size_t, int, unsigned, LLVMBool, LLVMBool, const char *, size_t, const char *, size_t)
    LLVMMetadataRef LLVMDIBuilderCreateFile(LLVMDIBuilderRef, const char *, size_t, const char *, size_t)
    LLVMMetadataRef LLVMDIBuilderCreateSubroutineType(LLVMDIBuilderRef, LLVMMetadataRef, LLVMMetadataRef *, unsigned,
                                                      int)
    LLVMMetadataRef LLVMDIBuilderCreateFunction(
        LLVMDIBuilderRef, LLVMMetadataRef, const char *, size_t, const char *, size_t, LLVMMetadataRef, unsigned,
        LLVMMetadataRef, LLVMBool, LLVMBool, unsigned, int, LLVMBool)
    LLVMMetadataRef LLVMDIBuilderCreateLexicalBlockFile(LLVMDIBuilderRef, LLVMMetadataRef, LLVMMetadataRef, unsigned)
    LLVMMetadataRef LLVMDIBuilderCreateDebugLocation(LLVMContextRef, unsigned, unsigned, LLVMMetadataRef,
                                                     LLVMMetadataRef)
    void LLVMSetSubprogram(LLVMValueRef, LLVMMetadataRef)
    LLVMMetadataRef LLVMDIScopeGetFile(LLVMMetadataRef)
    const char *LLVMDIFileGetFilename(LLVMMetadataRef, unsigned *)
