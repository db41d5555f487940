# SPDX-License-Identifier: Apache-2.0
"""Thin views of LLVM IR for passes written in Python: Function, Block, Inst, Value, Type, Builder.

An object is a pointer into LLVM's data and a reference to the Module that owns them; two objects are equal when
they point to the same thing. Nothing is cached, so views never get out of date, but a view of something that has
been erased must not be touched. Opcodes and predicates are LLVM's names as strings ("add", "icmp", "ult").
"""
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from clpy.llvm.capi cimport *
from clpy.llvm.module cimport Module

_OPCODE_NAMES = (
    "ret:1 br:2 switch:3 indirectbr:4 invoke:5 unreachable:7 callbr:67 fneg:66 add:8 fadd:9 sub:10 fsub:11 mul:12 "
    "fmul:13 udiv:14 sdiv:15 fdiv:16 urem:17 srem:18 frem:19 shl:20 lshr:21 ashr:22 and:23 or:24 xor:25 alloca:26 "
    "load:27 store:28 getelementptr:29 trunc:30 zext:31 sext:32 fptoui:33 fptosi:34 uitofp:35 sitofp:36 fptrunc:37 "
    "fpext:38 ptrtoint:39 ptrtoaddr:69 inttoptr:40 bitcast:41 addrspacecast:60 icmp:42 fcmp:43 phi:44 call:45 "
    "select:46 va_arg:49 extractelement:50 insertelement:51 shufflevector:52 extractvalue:53 insertvalue:54 "
    "freeze:68 fence:55 cmpxchg:56 atomicrmw:57")
OPCODES = {name: int(code) for name, code in (item.split(":") for item in _OPCODE_NAMES.split())}
_NAME_OF = [""] * 128
for _name, _code in OPCODES.items():
    _NAME_OF[_code] = _name
_RMW = ("xchg add sub and nand or xor max min umax umin fadd fsub fmax fmin uinc_wrap udec_wrap usub_cond usub_sat "
        "fmaximum fminimum").split()
_PREDICATES = "eq ne ugt uge ult ule sgt sge slt sle".split()
INBOUNDS, NUSW, NUW = 1, 2, 4     # no-wrap flags of getelementptr
SPIR_FUNC, SPIR_KERNEL = 75, 76   # calling conventions
RETURN, FUNCTION = 0, 0xFFFFFFFF  # attribute indices; parameter i has index i + 1

cdef enum:
    MOST_PARAMETERS = 4352       # CL_DEVICE_MAX_PARAMETER_SIZE of a byte each, and what the passes add

cdef dict OPCODE_OF = OPCODES
cdef list NAME_OF = _NAME_OF


cdef str text_of(char *message):
    text = message.decode("utf-8", "replace")
    LLVMDisposeMessage(message)
    return text


cdef Type wrap_type(LLVMTypeRef ptr, Module owner):
    cdef Type self = Type.__new__(Type)
    self.ptr = ptr
    self.owner = owner
    return self


cdef Value wrap(LLVMValueRef ptr, Module owner):
    cdef Value self
    cdef int kind
    if ptr == NULL:
        return None
    kind = LLVMGetValueKind(ptr)
    if kind == LLVMInstructionValueKind:
        self = Inst.__new__(Inst)
    elif kind == LLVMFunctionValueKind:
        self = Function.__new__(Function)
    elif kind == LLVMGlobalVariableValueKind:
        self = Global.__new__(Global)
    else:
        self = Value.__new__(Value)
    self.ptr = ptr
    self.owner = owner
    return self


cdef Block wrap_block(LLVMBasicBlockRef ptr, Module owner):
    cdef Block self
    if ptr == NULL:
        return None
    self = Block.__new__(Block)
    self.ptr = ptr
    self.owner = owner
    return self


cdef class Type:
    def __eq__(self, other):
        return isinstance(other, Type) and self.ptr == (<Type>other).ptr

    def __hash__(self):
        return <Py_hash_t>self.ptr >> 3

    def __str__(self):
        return text_of(LLVMPrintTypeToString(self.ptr))

    __repr__ = __str__

    @property
    def kind(self):
        return LLVMGetTypeKind(self.ptr)

    @property
    def is_void(self):
        return LLVMGetTypeKind(self.ptr) == LLVMVoidTypeKind

    @property
    def is_int(self):
        return LLVMGetTypeKind(self.ptr) == LLVMIntegerTypeKind

    @property
    def is_float(self):
        return LLVMGetTypeKind(self.ptr) in (LLVMHalfTypeKind, LLVMFloatTypeKind, LLVMDoubleTypeKind,
                                             LLVMBFloatTypeKind)

    @property
    def is_pointer(self):
        return LLVMGetTypeKind(self.ptr) == LLVMPointerTypeKind

    @property
    def is_vector(self):
        return LLVMGetTypeKind(self.ptr) == LLVMVectorTypeKind

    @property
    def is_array(self):
        return LLVMGetTypeKind(self.ptr) == LLVMArrayTypeKind

    @property
    def is_struct(self):
        return LLVMGetTypeKind(self.ptr) == LLVMStructTypeKind

    @property
    def is_function(self):
        return LLVMGetTypeKind(self.ptr) == LLVMFunctionTypeKind

    @property
    def target_ext_name(self):
        """Name of a target extension type such as spirv.Event, else an empty string."""
        if LLVMGetTypeKind(self.ptr) != LLVMTargetExtTypeKind:
            return ""
        return LLVMGetTargetExtTypeName(self.ptr).decode()

    @property
    def width(self):
        """Bits of an integer type."""
        return LLVMGetIntTypeWidth(self.ptr)

    @property
    def address_space(self):
        return LLVMGetPointerAddressSpace(self.ptr)

    @property
    def element(self):
        return wrap_type(LLVMGetElementType(self.ptr), self.owner)

    @property
    def scalar(self):
        """The element type of a vector, else the type itself."""
        return self.element if self.is_vector else self

    @property
    def count(self):
        """Elements of a vector or an array."""
        if self.is_vector:
            return LLVMGetVectorSize(self.ptr)
        return LLVMGetArrayLength2(self.ptr)

    @property
    def fields(self):
        return [wrap_type(LLVMStructGetTypeAtIndex(self.ptr, i), self.owner)
                for i in range(LLVMCountStructElementTypes(self.ptr))]

    @property
    def returns(self):
        return wrap_type(LLVMGetReturnType(self.ptr), self.owner)

    @property
    def is_vararg(self):
        return bool(LLVMIsFunctionVarArg(self.ptr))

    @property
    def params(self):
        cdef LLVMTypeRef buf[MOST_PARAMETERS]
        cdef unsigned i, n = LLVMCountParamTypes(self.ptr)
        if n > MOST_PARAMETERS:
            raise ValueError("too many parameters")
        LLVMGetParamTypes(self.ptr, buf)
        return [wrap_type(buf[i], self.owner) for i in range(n)]

    @property
    def size(self):
        """Bytes one element takes in an array, by the module's data layout."""
        return LLVMABISizeOfType(LLVMGetModuleDataLayout(self.owner.module), self.ptr)

    @property
    def align(self):
        return LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(self.owner.module), self.ptr)

    def const(self, value):
        """An integer constant, or a floating-point one, of this type."""
        if self.is_float:
            return wrap(LLVMConstReal(self.ptr, value), self.owner)
        return wrap(LLVMConstInt(self.ptr, <unsigned long long>(value & 0xFFFFFFFFFFFFFFFF), value < 0), self.owner)

    @property
    def null(self):
        return wrap(LLVMConstNull(self.ptr), self.owner)

    @property
    def all_ones(self):
        return wrap(LLVMConstAllOnes(self.ptr), self.owner)

    @property
    def poison(self):
        return wrap(LLVMGetPoison(self.ptr), self.owner)


class Types:
    """Constructors of types in the context of one module."""

    def __init__(self, Module module):
        self.module = module
        for width in (1, 8, 16, 32, 64):
            setattr(self, f"i{width}", self.int(width))
        self.float = wrap_type(LLVMFloatTypeInContext(module.context), module)
        self.double = wrap_type(LLVMDoubleTypeInContext(module.context), module)
        self.void = wrap_type(LLVMVoidTypeInContext(module.context), module)
        self.ptr = self.pointer(0)

    def int(self, unsigned width):
        cdef Module module = self.module
        return wrap_type(LLVMIntTypeInContext(module.context, width), module)

    def pointer(self, unsigned address_space):
        cdef Module module = self.module
        return wrap_type(LLVMPointerTypeInContext(module.context, address_space), module)

    def vector(self, Type element, unsigned count):
        return wrap_type(LLVMVectorType(element.ptr, count), self.module)

    def array(self, Type element, uint64_t count):
        return wrap_type(LLVMArrayType2(element.ptr, count), self.module)

    def function(self, Type returns, list params, bint vararg=False):
        cdef LLVMTypeRef buf[MOST_PARAMETERS]
        cdef int i
        if len(params) > MOST_PARAMETERS:
            raise ValueError("too many parameters")
        for i in range(len(params)):
            buf[i] = (<Type?>params[i]).ptr
        return wrap_type(LLVMFunctionType(returns.ptr, buf, len(params), vararg), self.module)


cdef class Value:
    def __eq__(self, other):
        return isinstance(other, Value) and self.ptr == (<Value>other).ptr

    def __hash__(self):
        return <Py_hash_t>self.ptr >> 4

    def __str__(self):
        return text_of(LLVMPrintValueToString(self.ptr))

    def __repr__(self):
        return f"<{type(self).__name__} {str(self).strip()[:200]}>"

    @property
    def type(self):
        return wrap_type(LLVMTypeOf(self.ptr), self.owner)

    @property
    def name(self):
        cdef size_t size = 0
        cdef const char *text = LLVMGetValueName2(self.ptr, &size)
        return text[:size].decode("utf-8", "replace")

    @name.setter
    def name(self, str name):
        cdef bytes text = name.encode()
        LLVMSetValueName2(self.ptr, text, len(text))

    @property
    def is_constant(self):
        return bool(LLVMIsConstant(self.ptr))

    @property
    def is_argument(self):
        return LLVMGetValueKind(self.ptr) == LLVMArgumentValueKind

    @property
    def is_block(self):
        return LLVMGetValueKind(self.ptr) == LLVMBasicBlockValueKind

    @property
    def is_metadata(self):
        return LLVMGetValueKind(self.ptr) == LLVMMetadataAsValueValueKind

    @property
    def is_const_expr(self):
        return LLVMGetValueKind(self.ptr) == LLVMConstantExprValueKind

    @property
    def is_const_int(self):
        return LLVMGetValueKind(self.ptr) == LLVMConstantIntValueKind

    @property
    def is_undef(self):
        return LLVMGetValueKind(self.ptr) in (LLVMUndefValueValueKind, LLVMPoisonValueValueKind)

    @property
    def is_null(self):
        return bool(LLVMIsNull(self.ptr))

    @property
    def zext(self):
        """The value of an integer constant of at most 64 bits, unsigned."""
        return LLVMConstIntGetZExtValue(self.ptr)

    @property
    def sext(self):
        return LLVMConstIntGetSExtValue(self.ptr)

    def const_element(self, unsigned index):
        """Element of a constant vector or aggregate; None when there is none."""
        return wrap(LLVMGetAggregateElement(self.ptr, index), self.owner)

    @property
    def const_opcode(self):
        """Opcode of a constant expression."""
        return NAME_OF[LLVMGetConstOpcode(self.ptr)]

    @property
    def users(self):
        """Every use's user, so one that uses the value twice is there twice."""
        cdef LLVMUseRef use = LLVMGetFirstUse(self.ptr)
        cdef list out = []
        while use != NULL:
            out.append(wrap(LLVMGetUser(use), self.owner))
            use = LLVMGetNextUse(use)
        return out

    @property
    def has_users(self):
        return LLVMGetFirstUse(self.ptr) != NULL

    def replace_with(self, Value other):
        LLVMReplaceAllUsesWith(self.ptr, other.ptr)

    @property
    def n_operands(self):
        return LLVMGetNumOperands(self.ptr)

    def operand(self, unsigned index):
        return wrap(LLVMGetOperand(self.ptr, index), self.owner)

    @property
    def operands(self):
        cdef int i
        return [wrap(LLVMGetOperand(self.ptr, i), self.owner) for i in range(LLVMGetNumOperands(self.ptr))]

    def set_operand(self, unsigned index, Value value):
        LLVMSetOperand(self.ptr, index, value.ptr)

    @property
    def gep_source_type(self):
        return wrap_type(LLVMGetGEPSourceElementType(self.ptr), self.owner)

    @property
    def gep_flags(self):
        return LLVMGEPGetNoWrapFlags(self.ptr)


cdef class Inst(Value):
    @property
    def opcode(self):
        return NAME_OF[LLVMGetInstructionOpcode(self.ptr)]

    @property
    def block(self):
        return wrap_block(LLVMGetInstructionParent(self.ptr), self.owner)

    @property
    def function(self):
        return wrap(LLVMGetBasicBlockParent(LLVMGetInstructionParent(self.ptr)), self.owner)

    @property
    def next(self):
        return wrap(LLVMGetNextInstruction(self.ptr), self.owner)

    @property
    def is_void(self):
        return LLVMGetTypeKind(LLVMTypeOf(self.ptr)) == LLVMVoidTypeKind

    def erase(self):
        LLVMInstructionEraseFromParent(self.ptr)

    def detach(self):
        LLVMInstructionRemoveFromParent(self.ptr)

    def clone(self):
        """A copy that is in no block yet (Builder.insert puts it somewhere)."""
        return wrap(LLVMInstructionClone(self.ptr), self.owner)

    @property
    def predicate(self):
        """Of an icmp."""
        return _PREDICATES[LLVMGetICmpPredicate(self.ptr) - 32]

    @property
    def float_predicate(self):
        """LLVM's number of an fcmp's predicate."""
        return LLVMGetFCmpPredicate(self.ptr)

    @property
    def indices(self):
        """Of an extractvalue or insertvalue."""
        cdef const unsigned *numbers = LLVMGetIndices(self.ptr)
        cdef unsigned i
        return [numbers[i] for i in range(LLVMGetNumIndices(self.ptr))]

    @property
    def rmw_operation(self):
        """Of an atomicrmw."""
        return _RMW[LLVMGetAtomicRMWBinOp(self.ptr)]

    @property
    def shuffle_mask(self):
        """Indices of a shufflevector; negative for a poison element."""
        cdef unsigned i
        return [LLVMGetMaskValue(self.ptr, i) for i in range(LLVMGetNumMaskElements(self.ptr))]

    def set_gep_flags(self, unsigned flags):
        LLVMGEPSetNoWrapFlags(self.ptr, flags)

    @property
    def callee(self):
        """The called Function (or another Value when the call is indirect)."""
        return wrap(LLVMGetCalledValue(self.ptr), self.owner)

    @property
    def n_args(self):
        return LLVMGetNumArgOperands(self.ptr)

    @property
    def args(self):
        cdef unsigned i
        return [wrap(LLVMGetOperand(self.ptr, i), self.owner) for i in range(LLVMGetNumArgOperands(self.ptr))]

    def set_call_conv(self, unsigned convention):
        LLVMSetInstructionCallConv(self.ptr, convention)

    def has_call_attribute(self, str name, unsigned index=0xFFFFFFFF):
        cdef bytes text = name.encode()
        return LLVMGetCallSiteEnumAttribute(self.ptr, index,
                                            LLVMGetEnumAttributeKindForName(text, len(text))) != NULL

    def add_call_attribute(self, str name, uint64_t value=0, unsigned index=0xFFFFFFFF):
        cdef bytes text = name.encode()
        LLVMAddCallSiteAttribute(self.ptr, index, LLVMCreateEnumAttribute(
            self.owner.context, LLVMGetEnumAttributeKindForName(text, len(text)), value))

    def remove_call_attribute(self, str name, unsigned index=0xFFFFFFFF):
        cdef bytes text = name.encode()
        LLVMRemoveCallSiteEnumAttribute(self.ptr, index, LLVMGetEnumAttributeKindForName(text, len(text)))

    @property
    def successors(self):
        cdef unsigned i
        return [wrap_block(LLVMGetSuccessor(self.ptr, i), self.owner) for i in range(LLVMGetNumSuccessors(self.ptr))]

    def set_successor(self, unsigned index, Block block):
        LLVMSetSuccessor(self.ptr, index, block.ptr)

    @property
    def is_conditional(self):
        return bool(LLVMIsConditional(self.ptr))

    @property
    def incoming(self):
        """(value, block) pairs of a phi."""
        cdef unsigned i
        return [(wrap(LLVMGetIncomingValue(self.ptr, i), self.owner),
                 wrap_block(LLVMGetIncomingBlock(self.ptr, i), self.owner))
                for i in range(LLVMCountIncoming(self.ptr))]

    def add_incoming(self, Value value, Block block):
        LLVMAddIncoming(self.ptr, &value.ptr, &block.ptr, 1)

    @property
    def allocated_type(self):
        return wrap_type(LLVMGetAllocatedType(self.ptr), self.owner)

    @property
    def align(self):
        """Of an alloca, load or store."""
        return LLVMGetAlignment(self.ptr)

    @align.setter
    def align(self, unsigned value):
        LLVMSetAlignment(self.ptr, value)

    @property
    def is_volatile(self):
        return bool(LLVMGetVolatile(self.ptr))

    @property
    def is_atomic(self):
        return bool(LLVMIsAtomic(self.ptr))

    @property
    def line(self):
        """Source line, 0 when unknown."""
        return LLVMGetDebugLocLine(self.ptr)

    @property
    def nuw(self):
        return bool(LLVMGetNUW(self.ptr))

    @property
    def nsw(self):
        return bool(LLVMGetNSW(self.ptr))

    def set_wrap(self, bint nuw=False, bint nsw=False):
        LLVMSetNUW(self.ptr, nuw)
        LLVMSetNSW(self.ptr, nsw)
        return self

    @property
    def fast_math(self):
        return LLVMGetFastMathFlags(self.ptr) if LLVMCanValueUseFastMathFlags(self.ptr) else 0

    @fast_math.setter
    def fast_math(self, unsigned flags):
        if LLVMCanValueUseFastMathFlags(self.ptr):
            LLVMSetFastMathFlags(self.ptr, flags)

    def metadata(self, str kind):
        cdef bytes text = kind.encode()
        return wrap(LLVMGetMetadata(self.ptr, LLVMGetMDKindIDInContext(self.owner.context, text, len(text))),
                    self.owner)

    def set_metadata(self, str kind, Value node):
        cdef bytes text = kind.encode()
        LLVMSetMetadata(self.ptr, LLVMGetMDKindIDInContext(self.owner.context, text, len(text)),
                        node.ptr if node is not None else NULL)


cdef class Global(Value):
    @property
    def is_declaration(self):
        return bool(LLVMIsDeclaration(self.ptr))

    @property
    def value_type(self):
        return wrap_type(LLVMGlobalGetValueType(self.ptr), self.owner)

    @property
    def address_space(self):
        return LLVMGetPointerAddressSpace(LLVMTypeOf(self.ptr))

    @property
    def is_internal(self):
        return LLVMGetLinkage(self.ptr) in (LLVMInternalLinkage, LLVMPrivateLinkage)

    def set_internal(self):
        LLVMSetVisibility(self.ptr, LLVMDefaultVisibility)
        LLVMSetLinkage(self.ptr, LLVMInternalLinkage)

    def set_external(self):
        LLVMSetLinkage(self.ptr, LLVMExternalLinkage)

    def set_appending(self):
        LLVMSetLinkage(self.ptr, LLVMAppendingLinkage)

    def set_section(self, str name):
        cdef bytes text = name.encode()
        LLVMSetSection(self.ptr, text)

    @property
    def align(self):
        return LLVMGetAlignment(self.ptr)

    @align.setter
    def align(self, unsigned value):
        LLVMSetAlignment(self.ptr, value)

    @property
    def initializer(self):
        return wrap(LLVMGetInitializer(self.ptr), self.owner)

    @initializer.setter
    def initializer(self, Value value):
        LLVMSetInitializer(self.ptr, value.ptr)

    def metadata(self, str kind):
        """The metadata node of this kind, None when there is none."""
        cdef bytes text = kind.encode()
        cdef unsigned wanted = LLVMGetMDKindIDInContext(self.owner.context, text, len(text))
        cdef size_t i, n = 0
        cdef LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(self.ptr, &n)
        cdef LLVMValueRef found = NULL
        for i in range(n):
            if LLVMValueMetadataEntriesGetKind(entries, i) == wanted:
                found = LLVMMetadataAsValue(self.owner.context, LLVMValueMetadataEntriesGetMetadata(entries, i))
        LLVMDisposeValueMetadataEntries(entries)
        return wrap(found, self.owner)

    def erase(self):
        LLVMDeleteGlobal(self.ptr)


cdef class Function(Global):
    @property
    def params(self):
        cdef unsigned i
        return [wrap(LLVMGetParam(self.ptr, i), self.owner) for i in range(LLVMCountParams(self.ptr))]

    @property
    def blocks(self):
        cdef LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self.ptr)
        cdef list out = []
        while block != NULL:
            out.append(wrap_block(block, self.owner))
            block = LLVMGetNextBasicBlock(block)
        return out

    @property
    def entry(self):
        return wrap_block(LLVMGetEntryBasicBlock(self.ptr), self.owner)

    @property
    def instructions(self):
        """All instructions, in the order of the blocks, as a list: safe while instructions are added or erased."""
        cdef LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self.ptr)
        cdef LLVMValueRef inst
        cdef list out = []
        while block != NULL:
            inst = LLVMGetFirstInstruction(block)
            while inst != NULL:
                out.append(wrap(inst, self.owner))
                inst = LLVMGetNextInstruction(inst)
            block = LLVMGetNextBasicBlock(block)
        return out

    def instructions_of(self, *opcodes):
        """The instructions with one of these opcodes, as a list."""
        cdef set wanted = {OPCODE_OF[o] for o in opcodes}
        cdef LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self.ptr)
        cdef LLVMValueRef inst
        cdef list out = []
        while block != NULL:
            inst = LLVMGetFirstInstruction(block)
            while inst != NULL:
                if LLVMGetInstructionOpcode(inst) in wanted:
                    out.append(wrap(inst, self.owner))
                inst = LLVMGetNextInstruction(inst)
            block = LLVMGetNextBasicBlock(block)
        return out

    @property
    def call_conv(self):
        return LLVMGetFunctionCallConv(self.ptr)

    @call_conv.setter
    def call_conv(self, unsigned convention):
        LLVMSetFunctionCallConv(self.ptr, convention)

    @property
    def intrinsic(self):
        """Whether LLVM knows the function as one of its own."""
        return LLVMGetIntrinsicID(self.ptr) != 0

    def append_block(self, str name=""):
        cdef bytes text = name.encode()
        return wrap_block(LLVMAppendBasicBlockInContext(self.owner.context, self.ptr, text), self.owner)

    def metadata(self, str kind):
        """A metadata node attached to the function (reqd_work_group_size, kernel_arg_type, ...), or None."""
        cdef bytes text = kind.encode()
        cdef unsigned wanted = LLVMGetMDKindIDInContext(self.owner.context, text, len(text))
        cdef size_t i, n = 0
        cdef LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(self.ptr, &n)
        cdef LLVMMetadataRef found = NULL
        for i in range(n):
            if LLVMValueMetadataEntriesGetKind(entries, i) == wanted:
                found = LLVMValueMetadataEntriesGetMetadata(entries, i)
        if entries != NULL:
            LLVMDisposeValueMetadataEntries(entries)
        return None if found == NULL else wrap(LLVMMetadataAsValue(self.owner.context, found), self.owner)

    def take_blocks(self, Function other):
        """Move all blocks of `other` to the end of this function."""
        cdef LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(other.ptr)
        while block != NULL:
            LLVMRemoveBasicBlockFromParent(block)
            LLVMAppendExistingBasicBlock(self.ptr, block)
            block = LLVMGetFirstBasicBlock(other.ptr)

    def has_attribute(self, str name, unsigned index=0xFFFFFFFF):
        cdef bytes text = name.encode()
        cdef unsigned kind = LLVMGetEnumAttributeKindForName(text, len(text))
        if kind != 0:
            return LLVMGetEnumAttributeAtIndex(self.ptr, index, kind) != NULL
        return LLVMGetStringAttributeAtIndex(self.ptr, index, text, len(text)) != NULL

    def attribute_text(self, str name, unsigned index=0xFFFFFFFF):
        """Value of a string attribute, None when it is not there."""
        cdef bytes text = name.encode()
        cdef unsigned size = 0
        cdef const char *value
        cdef LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(self.ptr, index, text, len(text))
        if attribute == NULL:
            return None
        value = LLVMGetStringAttributeValue(attribute, &size)
        return value[:size].decode()

    def attribute_value(self, str name, unsigned index=0xFFFFFFFF):
        """Number of an enum attribute (memory effects, alignment), None when it is not there."""
        cdef bytes text = name.encode()
        cdef LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(
            self.ptr, index, LLVMGetEnumAttributeKindForName(text, len(text)))
        return None if attribute == NULL else LLVMGetEnumAttributeValue(attribute)

    def attribute_type(self, str name, unsigned index):
        """Type of a type attribute such as byval, None when it is not there."""
        cdef bytes text = name.encode()
        cdef LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(
            self.ptr, index, LLVMGetEnumAttributeKindForName(text, len(text)))
        return None if attribute == NULL else wrap_type(LLVMGetTypeAttributeValue(attribute), self.owner)

    def add_attribute(self, str name, value=None, unsigned index=0xFFFFFFFF):
        """An enum attribute (value: None or a number) or, for names LLVM does not know, a string attribute."""
        cdef bytes text = name.encode()
        cdef bytes data
        cdef unsigned kind = LLVMGetEnumAttributeKindForName(text, len(text))
        if kind != 0:
            LLVMAddAttributeAtIndex(self.ptr, index, LLVMCreateEnumAttribute(self.owner.context, kind, value or 0))
        else:
            data = ("" if value is None else str(value)).encode()
            LLVMAddAttributeAtIndex(self.ptr, index, LLVMCreateStringAttribute(
                self.owner.context, text, len(text), data, len(data)))

    def remove_attribute(self, str name, unsigned index=0xFFFFFFFF):
        cdef bytes text = name.encode()
        cdef unsigned kind = LLVMGetEnumAttributeKindForName(text, len(text))
        if kind != 0:
            LLVMRemoveEnumAttributeAtIndex(self.ptr, index, kind)
        else:
            LLVMRemoveStringAttributeAtIndex(self.ptr, index, text, len(text))

    def add_type_attribute(self, str name, Type type, unsigned index):
        """A type attribute such as byval or sret."""
        cdef bytes text = name.encode()
        LLVMAddAttributeAtIndex(self.ptr, index, LLVMCreateTypeAttribute(
            self.owner.context, LLVMGetEnumAttributeKindForName(text, len(text)), type.ptr))

    def copy_attributes(self, Function source, unsigned index, unsigned source_index):
        """Copy the attributes that `source` has at `source_index` to `index`."""
        cdef LLVMAttributeRef buf[64]
        cdef unsigned i, n = LLVMGetAttributeCountAtIndex(source.ptr, source_index)
        if n > 64:
            raise ValueError("more than 64 attributes")
        LLVMGetAttributesAtIndex(source.ptr, source_index, buf)
        for i in range(n):
            LLVMAddAttributeAtIndex(self.ptr, index, buf[i])

    def erase(self):
        LLVMDeleteFunction(self.ptr)

    def run_passes(self, str passes):
        """A textual pipeline of function passes on this function alone."""
        run_on_function(self, passes)


cdef class Block:
    def __eq__(self, other):
        return isinstance(other, Block) and self.ptr == (<Block>other).ptr

    def __hash__(self):
        return <Py_hash_t>self.ptr >> 4

    def __repr__(self):
        return f"<Block {self.name}>"

    @property
    def name(self):
        return LLVMGetBasicBlockName(self.ptr).decode("utf-8", "replace")

    @property
    def as_value(self):
        return wrap(LLVMBasicBlockAsValue(self.ptr), self.owner)

    @property
    def function(self):
        return wrap(LLVMGetBasicBlockParent(self.ptr), self.owner)

    @property
    def terminator(self):
        return wrap(LLVMGetBasicBlockTerminator(self.ptr), self.owner)

    @property
    def first(self):
        return wrap(LLVMGetFirstInstruction(self.ptr), self.owner)

    @property
    def instructions(self):
        cdef LLVMValueRef inst = LLVMGetFirstInstruction(self.ptr)
        cdef list out = []
        while inst != NULL:
            out.append(wrap(inst, self.owner))
            inst = LLVMGetNextInstruction(inst)
        return out

    @property
    def phis(self):
        cdef LLVMValueRef inst = LLVMGetFirstInstruction(self.ptr)
        cdef list out = []
        while inst != NULL and LLVMGetInstructionOpcode(inst) == 44:
            out.append(wrap(inst, self.owner))
            inst = LLVMGetNextInstruction(inst)
        return out

    @property
    def first_non_phi(self):
        cdef LLVMValueRef inst = LLVMGetFirstInstruction(self.ptr)
        while inst != NULL and LLVMGetInstructionOpcode(inst) == 44:
            inst = LLVMGetNextInstruction(inst)
        return wrap(inst, self.owner)

    @property
    def successors(self):
        cdef LLVMValueRef end = LLVMGetBasicBlockTerminator(self.ptr)
        cdef unsigned i
        if end == NULL:
            return []
        return [wrap_block(LLVMGetSuccessor(end, i), self.owner) for i in range(LLVMGetNumSuccessors(end))]

    def split_before(self, Inst inst, str name):
        """Move what stands before `inst` into a new block in front, which takes over all predecessors.

        This block keeps its terminator, so the phis of its successors stay right.
        """
        cdef bytes text = name.encode()
        cdef LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(self.owner.context, self.ptr, text)
        cdef LLVMBuilderRef builder = LLVMCreateBuilderInContext(self.owner.context)
        cdef LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(self.ptr))
        cdef LLVMValueRef user, moved
        cdef unsigned i
        cdef list users = []
        while use != NULL:
            users.append(wrap(LLVMGetUser(use), self.owner))
            use = LLVMGetNextUse(use)
        for branch in users:
            user = (<Value>branch).ptr
            for i in range(LLVMGetNumSuccessors(user)):
                if LLVMGetSuccessor(user, i) == self.ptr:
                    LLVMSetSuccessor(user, i, head)
        LLVMPositionBuilderAtEnd(builder, head)
        moved = LLVMGetFirstInstruction(self.ptr)
        while moved != inst.ptr:
            value = wrap(moved, self.owner)
            name = value.name  # which inserting takes away
            LLVMInstructionRemoveFromParent(moved)
            LLVMInsertIntoBuilder(builder, moved)
            if name:
                value.name = name
            moved = LLVMGetFirstInstruction(self.ptr)
        LLVMBuildBr(builder, self.ptr)
        LLVMDisposeBuilder(builder)
        return wrap_block(head, self.owner)

    def erase(self):
        LLVMDeleteBasicBlock(self.ptr)


cdef class Builder:
    """Makes instructions at a position; the value of an operation may be folded to a constant."""

    def __cinit__(self, Module module):
        self.owner = module
        self.ptr = LLVMCreateBuilderInContext(module.context)

    def __dealloc__(self):
        LLVMDisposeBuilder(self.ptr)

    def at_end(self, Block block):
        LLVMPositionBuilderAtEnd(self.ptr, block.ptr)
        return self

    def before(self, Inst inst):
        LLVMPositionBuilderBefore(self.ptr, inst.ptr)
        return self

    @property
    def block(self):
        return wrap_block(LLVMGetInsertBlock(self.ptr), self.owner)

    def insert(self, Inst inst):
        """Put a clone or a detached instruction here."""
        LLVMInsertIntoBuilder(self.ptr, inst.ptr)
        return inst

    def binop(self, str opcode, Value left, Value right, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildBinOp(self.ptr, OPCODE_OF[opcode], left.ptr, right.ptr, text), self.owner)

    def add(self, Value left, Value right, str name="", *, nuw=False, nsw=False):
        return self.wrapping("add", left, right, name, nuw, nsw)

    def mul(self, Value left, Value right, str name="", *, nuw=False, nsw=False):
        return self.wrapping("mul", left, right, name, nuw, nsw)

    def sub(self, Value left, Value right, str name="", *, nuw=False, nsw=False):
        return self.wrapping("sub", left, right, name, nuw, nsw)

    def wrapping(self, opcode, left, right, name, nuw, nsw):
        value = self.binop(opcode, left, right, name)
        if (nuw or nsw) and isinstance(value, Inst):
            value.set_wrap(nuw, nsw)
        return value

    def cast(self, str opcode, Value value, Type type, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildCast(self.ptr, OPCODE_OF[opcode], value.ptr, type.ptr, text), self.owner)

    def icmp(self, str predicate, Value left, Value right, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildICmp(self.ptr, 32 + _PREDICATES.index(predicate), left.ptr, right.ptr, text), self.owner)

    def fcmp(self, int predicate, Value left, Value right, str name=""):
        """`predicate` as Inst.float_predicate gives it."""
        cdef bytes text = name.encode()
        return wrap(LLVMBuildFCmp(self.ptr, predicate, left.ptr, right.ptr, text), self.owner)

    def fneg(self, Value value, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildFNeg(self.ptr, value.ptr, text), self.owner)

    def select(self, Value condition, Value yes, Value no, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildSelect(self.ptr, condition.ptr, yes.ptr, no.ptr, text), self.owner)

    def freeze(self, Value value, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildFreeze(self.ptr, value.ptr, text), self.owner)

    def alloca(self, Type type, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildAlloca(self.ptr, type.ptr, text), self.owner)

    def load(self, Type type, Value pointer, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildLoad2(self.ptr, type.ptr, pointer.ptr, text), self.owner)

    def store(self, Value value, Value pointer):
        return wrap(LLVMBuildStore(self.ptr, value.ptr, pointer.ptr), self.owner)

    def gep(self, Type type, Value base, list indices, str name="", unsigned flags=INBOUNDS | NUSW):
        cdef bytes text = name.encode()
        cdef LLVMValueRef buf[16]
        cdef int i
        if len(indices) > 16:
            raise ValueError("more than 16 indices")
        for i in range(len(indices)):
            buf[i] = (<Value?>indices[i]).ptr
        return wrap(LLVMBuildGEPWithNoWrapFlags(self.ptr, type.ptr, base.ptr, buf, len(indices), text, flags),
                    self.owner)

    def call(self, Function function, list args, str name=""):
        cdef bytes text = name.encode()
        cdef LLVMValueRef buf[MOST_PARAMETERS]
        cdef int i
        if len(args) > MOST_PARAMETERS:
            raise ValueError("too many arguments")
        for i in range(len(args)):
            buf[i] = (<Value?>args[i]).ptr
        call = wrap(LLVMBuildCall2(self.ptr, LLVMGlobalGetValueType(function.ptr), function.ptr, buf, len(args), text),
                    self.owner)
        call.set_call_conv(function.call_conv)
        return call

    def memcpy(self, Value to, unsigned to_align, Value source, unsigned source_align, Value size):
        return wrap(LLVMBuildMemCpy(self.ptr, to.ptr, to_align, source.ptr, source_align, size.ptr), self.owner)

    def phi(self, Type type, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildPhi(self.ptr, type.ptr, text), self.owner)

    def insert_value(self, Value aggregate, Value element, unsigned index, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildInsertValue(self.ptr, aggregate.ptr, element.ptr, index, text), self.owner)

    def extract_value(self, Value aggregate, unsigned index, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildExtractValue(self.ptr, aggregate.ptr, index, text), self.owner)

    def extract_element(self, Value vector, Value index, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildExtractElement(self.ptr, vector.ptr, index.ptr, text), self.owner)

    def insert_element(self, Value vector, Value element, Value index, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildInsertElement(self.ptr, vector.ptr, element.ptr, index.ptr, text), self.owner)

    def shuffle(self, Value first, Value second, Value mask, str name=""):
        cdef bytes text = name.encode()
        return wrap(LLVMBuildShuffleVector(self.ptr, first.ptr, second.ptr, mask.ptr, text), self.owner)

    def fence(self):
        """A sequentially consistent fence between threads."""
        return wrap(LLVMBuildFence(self.ptr, LLVMAtomicOrderingSequentiallyConsistent, 0, b""), self.owner)

    def br(self, Block to):
        return wrap(LLVMBuildBr(self.ptr, to.ptr), self.owner)

    def cond_br(self, Value condition, Block yes, Block no):
        return wrap(LLVMBuildCondBr(self.ptr, condition.ptr, yes.ptr, no.ptr), self.owner)

    def switch(self, Value value, Block default, list cases):
        """cases: (integer constant, block) pairs."""
        cdef LLVMValueRef inst = LLVMBuildSwitch(self.ptr, value.ptr, default.ptr, len(cases))
        for constant, block in cases:
            LLVMAddCase(inst, (<Value?>constant).ptr, (<Block?>block).ptr)
        return wrap(inst, self.owner)

    def ret(self, Value value=None):
        if value is None:
            return wrap(LLVMBuildRetVoid(self.ptr), self.owner)
        return wrap(LLVMBuildRet(self.ptr, value.ptr), self.owner)

    def unreachable(self):
        return wrap(LLVMBuildUnreachable(self.ptr), self.owner)


def functions(Module module):
    """All functions of the module, declarations too."""
    cdef LLVMValueRef function = LLVMGetFirstFunction(module.module)
    cdef list out = []
    while function != NULL:
        out.append(wrap(function, module))
        function = LLVMGetNextFunction(function)
    return out


def global_variables(Module module):
    cdef LLVMValueRef variable = LLVMGetFirstGlobal(module.module)
    cdef list out = []
    while variable != NULL:
        out.append(wrap(variable, module))
        variable = LLVMGetNextGlobal(variable)
    return out


def get_function(Module module, str name):
    cdef bytes text = name.encode()
    return wrap(LLVMGetNamedFunction(module.module, text), module)


def get_global(Module module, str name):
    cdef bytes text = name.encode()
    return wrap(LLVMGetNamedGlobal(module.module, text), module)


def add_function(Module module, str name, Type type):
    """A new external declaration; LLVM renames it when the name is taken."""
    cdef bytes text = name.encode()
    return wrap(LLVMAddFunction(module.module, text, type.ptr), module)


def declare(Module module, str name, Type type):
    """The function of that name, declared now if it is not there."""
    found = get_function(module, name)
    return found if found is not None else add_function(module, name, type)


def intrinsic(Module module, str name, list overloads):
    """Declaration of an LLVM intrinsic, e.g. intrinsic(m, "llvm.umin", [i64])."""
    cdef bytes text = name.encode()
    cdef LLVMTypeRef buf[8]
    cdef unsigned id = LLVMLookupIntrinsicID(text, len(text))
    cdef int i
    if id == 0 or len(overloads) > 8:
        raise ValueError(f"no intrinsic {name}")
    for i in range(len(overloads)):
        buf[i] = (<Type?>overloads[i]).ptr
    return wrap(LLVMGetIntrinsicDeclaration(module.module, id, buf, len(overloads)), module)


def add_global(Module module, str name, Type type, unsigned address_space=0):
    cdef bytes text = name.encode()
    return wrap(LLVMAddGlobalInAddressSpace(module.module, type.ptr, text, address_space), module)


def const_array(Type element, list values):
    cdef LLVMValueRef one
    cdef list keep = values
    cdef LLVMValueRef *buf = <LLVMValueRef *>malloc((len(keep) + 1) * sizeof(LLVMValueRef))
    cdef int i
    try:
        for i in range(len(keep)):
            buf[i] = (<Value?>keep[i]).ptr
        one = LLVMConstArray2(element.ptr, buf, len(keep))
        return wrap(one, element.owner)
    finally:
        free(buf)


def const_vector(list values):
    """A constant vector of these scalar constants."""
    cdef LLVMValueRef buf[256]
    cdef int i
    if not 0 < len(values) <= 256:
        raise ValueError("a vector has 1 to 256 elements")
    for i in range(len(values)):
        buf[i] = (<Value?>values[i]).ptr
    return wrap(LLVMConstVector(buf, len(values)), (<Value>values[0]).owner)


def md_node(Module module, list items):
    """A metadata node; items are str, constants, nodes, or None for a null operand. Returned as a Value."""
    cdef LLVMMetadataRef buf[64]
    cdef bytes text
    cdef int i
    if len(items) > 64:
        raise ValueError("more than 64 operands")
    for i in range(len(items)):
        if items[i] is None:
            buf[i] = NULL
        elif isinstance(items[i], str):
            text = items[i].encode()
            buf[i] = LLVMMDStringInContext2(module.context, text, len(text))
        else:
            buf[i] = LLVMValueAsMetadata((<Value?>items[i]).ptr)
    return wrap(LLVMMetadataAsValue(module.context, LLVMMDNodeInContext2(module.context, buf, len(items))), module)


def const_int_range(Type type, low, high):
    """The node of !range metadata: from low to high - 1."""
    return md_node(type.owner, [type.const(low), type.const(high)])


def md_distinct(Module module):
    """A new distinct node without operands (an access group). C has no constructor, so it is parsed."""
    cdef LLVMModuleRef parsed = module.parse_here(
        b"define void @f() { ret void, !clpy !0 }\n!0 = distinct !{}", b"<metadata>")
    cdef LLVMValueRef inst = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(LLVMGetFirstFunction(parsed)))
    node = wrap(LLVMGetMetadata(inst, LLVMGetMDKindIDInContext(module.context, b"clpy", 4)), module)
    LLVMDisposeModule(parsed)
    return node


def md_scopes(Module module, str domain, names):
    """Alias scopes in one domain, as !alias.scope and !noalias name them."""
    root = md_make_distinct(md_node(module, [None, domain]))
    return [md_make_distinct(md_node(module, [None, root, name])) for name in names]


def md_text(Value node):
    """The text of a metadata string, None when it is something else."""
    cdef unsigned size = 0
    cdef const char *text = LLVMGetMDString(node.ptr, &size)
    return None if text == NULL else text[:size].decode("utf-8", "replace")


def md_operands(Value node):
    cdef unsigned i, n = LLVMGetMDNodeNumOperands(node.ptr)
    cdef LLVMValueRef *buf = <LLVMValueRef *>malloc((n + 1) * sizeof(LLVMValueRef))
    if buf == NULL:
        raise MemoryError
    try:
        LLVMGetMDNodeOperands(node.ptr, buf)
        return [wrap(buf[i], node.owner) for i in range(n)]
    finally:
        free(buf)


def md_make_distinct(Value node):
    """Make operand 0 of a fresh node the node itself: such a node is distinct, as loop identifiers must be."""
    LLVMReplaceMDNodeOperandWith(node.ptr, 0, LLVMValueAsMetadata(node.ptr))
    return node


cdef run_on_function(Function function, str passes):
    from clpy.llvm.module import LLVMError
    cdef bytes text = passes.encode()
    cdef const char *pipeline = text
    cdef LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions()
    cdef LLVMErrorRef error
    cdef LLVMValueRef ptr = function.ptr
    with nogil:
        error = LLVMRunPassesOnFunction(ptr, pipeline, NULL, options)
        LLVMDisposePassBuilderOptions(options)
    if error != NULL:
        why = LLVMGetErrorMessage(error).decode("utf-8", "replace")
        raise LLVMError(why)
    function.owner.check()
