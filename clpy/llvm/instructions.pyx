# SPDX-License-Identifier: Apache-2.0
"""Views of instructions, and of the blocks they stand in."""
cimport cython
from libc.stdint cimport uint64_t
from clpy.llvm.capi cimport *
from clpy.llvm.module cimport Module
from clpy.llvm.values cimport Value, register_view, wrap, wrap_type
from clpy.llvm.opcodes import FIRST_PREDICATE, NAMES, NUMBERS, PREDICATES, RMW_OPERATIONS

cdef list NAME_OF = NAMES
cdef unsigned PHI = NUMBERS["phi"]
cdef unsigned OR = NUMBERS["or"]
cdef unsigned ZEXT = NUMBERS["zext"]


cdef Block wrap_block(LLVMBasicBlockRef ptr, Module owner):
    cdef Block self
    if ptr == NULL:
        return None
    self = Block.__new__(Block)
    self.ptr = ptr
    self.owner = owner
    return self


cdef list instructions_in(LLVMBasicBlockRef ptr, Module owner):
    cdef LLVMValueRef inst = LLVMGetFirstInstruction(ptr)
    cdef list out = []
    while inst != NULL:
        out.append(wrap(inst, owner))
        inst = LLVMGetNextInstruction(inst)
    return out


cdef int add_instructions_of(list out, LLVMBasicBlockRef ptr, Module owner, set wanted) except -1:
    """Those whose opcodes have one of the wanted numbers."""
    cdef LLVMValueRef inst = LLVMGetFirstInstruction(ptr)
    while inst != NULL:
        if LLVMGetInstructionOpcode(inst) in wanted:
            out.append(wrap(inst, owner))
        inst = LLVMGetNextInstruction(inst)
    return 0


@cython.no_gc
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
        return PREDICATES[LLVMGetICmpPredicate(self.ptr) - FIRST_PREDICATE]

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
        return RMW_OPERATIONS[LLVMGetAtomicRMWBinOp(self.ptr)]

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
    def calls_assembly(self):
        return LLVMIsAInlineAsm(LLVMGetCalledValue(self.ptr)) != NULL

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

    def call_attribute_value(self, str name, unsigned index=0xFFFFFFFF):
        """Number of an enum attribute of a call, None when it is not there."""
        cdef bytes text = name.encode()
        cdef LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(
            self.ptr, index, LLVMGetEnumAttributeKindForName(text, len(text)))
        return None if attribute == NULL else LLVMGetEnumAttributeValue(attribute)

    def add_call_attribute(self, str name, uint64_t value=0, unsigned index=0xFFFFFFFF):
        cdef bytes text = name.encode()
        LLVMAddCallSiteAttribute(self.ptr, index, LLVMCreateEnumAttribute(
            self.owner.context, LLVMGetEnumAttributeKindForName(text, len(text)), value))

    def remove_call_attribute(self, str name, unsigned index=0xFFFFFFFF):
        cdef bytes text = name.encode()
        LLVMRemoveCallSiteEnumAttribute(self.ptr, index, LLVMGetEnumAttributeKindForName(text, len(text)))

    def copy_call_attributes(self, Inst source, unsigned index):
        """Those that the call `source` has at `index` (of a parameter i: i + 1), to the same place."""
        cdef LLVMAttributeRef buf[64]
        cdef unsigned i, n = LLVMGetCallSiteAttributeCount(source.ptr, index)
        if n > 64:
            raise ValueError("more than 64 attributes")
        LLVMGetCallSiteAttributes(source.ptr, index, buf)
        for i in range(n):
            LLVMAddCallSiteAttribute(self.ptr, index, buf[i])

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

    @is_volatile.setter
    def is_volatile(self, bint value):
        LLVMSetVolatile(self.ptr, value)

    @property
    def is_atomic(self):
        return bool(LLVMIsAtomic(self.ptr))

    @property
    def line(self):
        """Source line, 0 when unknown."""
        return LLVMGetDebugLocLine(self.ptr)

    @property
    def place(self):
        """'file:line' of the source, '' when unknown."""
        cdef unsigned size = 0, line = LLVMGetDebugLocLine(self.ptr)
        cdef const char *name
        if line == 0:
            return ""
        name = LLVMGetDebugLocFilename(self.ptr, &size)
        return f"{name[:size].decode('utf-8', 'replace')}:{line}"

    @property
    def nuw(self):
        return bool(LLVMGetNUW(self.ptr))

    @property
    def nsw(self):
        return bool(LLVMGetNSW(self.ptr))

    @property
    def is_disjoint(self):
        """An `or` of numbers that have no bit in common: their sum."""
        return LLVMGetInstructionOpcode(self.ptr) == OR and bool(LLVMGetIsDisjoint(self.ptr))

    @property
    def is_nneg(self):
        """A `zext` of what is not below zero: a `sext` as well."""
        return LLVMGetInstructionOpcode(self.ptr) == ZEXT and bool(LLVMGetNNeg(self.ptr))

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


@cython.no_gc
@cython.freelist(256)
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
        return instructions_in(self.ptr, self.owner)

    def instructions_of(self, *opcodes):
        """The instructions with one of these opcodes, as a list."""
        cdef list out = []
        add_instructions_of(out, self.ptr, self.owner, {NUMBERS[o] for o in opcodes})
        return out

    @property
    def phis(self):
        cdef LLVMValueRef inst = LLVMGetFirstInstruction(self.ptr)
        cdef list out = []
        while inst != NULL and LLVMGetInstructionOpcode(inst) == PHI:
            out.append(wrap(inst, self.owner))
            inst = LLVMGetNextInstruction(inst)
        return out

    @property
    def first_non_phi(self):
        cdef LLVMValueRef inst = LLVMGetFirstInstruction(self.ptr)
        while inst != NULL and LLVMGetInstructionOpcode(inst) == PHI:
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


def control_flow(list blocks):
    """The blocks of this list, in its order, then the others that they lead to; and for each of them the numbers of
    those that it leads to, each once."""
    cdef dict number = {}
    cdef list out = list(blocks), succs = []
    cdef LLVMValueRef end
    cdef LLVMBasicBlockRef to
    cdef Block block
    cdef dict targets
    cdef unsigned i
    for block in out:
        number[<size_t>block.ptr] = len(number)
    for block in out:     # which grows
        targets = {}
        end = LLVMGetBasicBlockTerminator(block.ptr)
        for i in range(LLVMGetNumSuccessors(end) if end != NULL else 0):
            to = LLVMGetSuccessor(end, i)
            place = number.get(<size_t>to)
            if place is None:
                number[<size_t>to] = place = len(out)
                out.append(wrap_block(to, block.owner))
            targets[place] = None
        succs.append(list(targets))
    return out, succs


def used_elsewhere(list blocks):
    """(Number of its block, the instruction, [(user, number of that one's block)]) of each instruction in the blocks of
    this list, in their order, that is used in another one of them."""
    cdef dict number = {}
    cdef list out = [], users
    cdef LLVMValueRef inst, user
    cdef LLVMBasicBlockRef here, there
    cdef LLVMUseRef use
    cdef Block block
    for block in blocks:
        number[<size_t>block.ptr] = len(number)
    for block in blocks:
        here = block.ptr
        inst = LLVMGetFirstInstruction(here)
        while inst != NULL:
            users = None
            use = LLVMGetFirstUse(inst)
            while use != NULL:
                user = LLVMGetUser(use)
                there = LLVMGetInstructionParent(user)
                if there != here and <size_t>there in number:
                    users = [] if users is None else users
                    users.append((wrap(user, block.owner), number[<size_t>there]))
                use = LLVMGetNextUse(use)
            if users is not None:
                out.append((number[<size_t>here], wrap(inst, block.owner), users))
            inst = LLVMGetNextInstruction(inst)
    return out


cdef Value new_inst():
    return Inst.__new__(Inst)


register_view(LLVMInstructionValueKind, new_inst)
