# SPDX-License-Identifier: Apache-2.0
"""The maker of instructions."""
from clpy.llvm.capi cimport *
from clpy.llvm.functions cimport Function
from clpy.llvm.instructions cimport Block, Inst, wrap_block
from clpy.llvm.module cimport Module
from clpy.llvm.values cimport MOST_PARAMETERS, Type, Value, wrap
from clpy.llvm.opcodes import FIRST_PREDICATE, INBOUNDS, NUMBERS, NUSW, PREDICATES

cdef dict OPCODE_OF = NUMBERS


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

    def comes_from(self, Inst inst):
        """What is made from here on has the place in the source of `inst`."""
        LLVMSetCurrentDebugLocation2(self.ptr, LLVMInstructionGetDebugLoc(inst.ptr))

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
        return wrap(LLVMBuildICmp(self.ptr, FIRST_PREDICATE + PREDICATES.index(predicate), left.ptr, right.ptr, text),
                    self.owner)

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

    def call_address(self, Type type, Value address, list args):
        """A call of a function of this type that is known by its address only."""
        cdef LLVMValueRef buf[MOST_PARAMETERS]
        cdef int i
        if len(args) > MOST_PARAMETERS:
            raise ValueError("too many arguments")
        for i in range(len(args)):
            buf[i] = (<Value?>args[i]).ptr
        return wrap(LLVMBuildCall2(self.ptr, type.ptr, address.ptr, buf, len(args), b""), self.owner)

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

    def fence(self, bint single_thread=False):
        """A sequentially consistent fence between threads, or only for the order of what one thread does."""
        return wrap(LLVMBuildFence(self.ptr, LLVMAtomicOrderingSequentiallyConsistent, single_thread, b""), self.owner)

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
