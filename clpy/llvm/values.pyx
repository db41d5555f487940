# SPDX-License-Identifier: Apache-2.0
"""Views of LLVM's types and values, and the making of a view from a pointer.

An object is a pointer into LLVM's data and a reference to the Module that owns them; two objects are equal when
they point to the same thing. Nothing is cached, so views never get out of date, but a view of something that has
been erased must not be touched. Opcodes and predicates are LLVM's names as strings ("add", "icmp", "ult").
"""
cimport cython
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from clpy.llvm.capi cimport *
from clpy.llvm.module cimport Module, take_message
from clpy.llvm.opcodes import NAMES

cdef list NAME_OF = NAMES
cdef view_maker makers[LAST_KIND + 1]    # NULL: a plain Value


cdef void register_view(int kind, view_maker make):
    makers[kind] = make


cdef Type wrap_type(LLVMTypeRef ptr, Module owner):
    cdef Type self = Type.__new__(Type)
    self.ptr = ptr
    self.owner = owner
    return self

cdef Value wrap(LLVMValueRef ptr, Module owner):
    cdef Value self
    cdef view_maker make
    if ptr == NULL:
        return None
    make = makers[LLVMGetValueKind(ptr)]
    self = make() if make != NULL else Value.__new__(Value)
    self.ptr = ptr
    self.owner = owner
    return self


@cython.no_gc
@cython.freelist(64)
cdef class Type:
    def __eq__(self, other):
        return isinstance(other, Type) and self.ptr == (<Type>other).ptr

    def __hash__(self):
        return <Py_hash_t>self.ptr >> 3

    def __str__(self):
        return take_message(LLVMPrintTypeToString(self.ptr))

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
    def is_packed(self):
        """Of a struct: there is nothing between its members."""
        return bool(LLVMIsPackedStruct(self.ptr))

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


cdef dict INTEGERS = {f"i{width}": width for width in (1, 8, 16, 32, 64)}


class Types:
    """Constructors of types in the context of one module."""

    def __init__(self, Module module):
        self.module = module

    def __getattr__(self, str name):
        """i1, i8, i16, i32, i64, half, float, double, void and ptr, each when it is first asked for."""
        made = self.simple(name)
        setattr(self, name, made)
        return made

    def simple(self, str name):
        cdef Module module = self.module
        if name == "ptr":
            return self.pointer(0)
        if name in INTEGERS:
            return self.int(INTEGERS[name])
        if name == "float":
            return wrap_type(LLVMFloatTypeInContext(module.context), module)
        if name == "void":
            return wrap_type(LLVMVoidTypeInContext(module.context), module)
        if name == "double":
            return wrap_type(LLVMDoubleTypeInContext(module.context), module)
        if name == "half":
            return wrap_type(LLVMHalfTypeInContext(module.context), module)
        raise AttributeError(name)

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

    def struct(self, list fields, bint packed=False):
        """A struct without a name."""
        cdef Module module = self.module
        cdef LLVMTypeRef *buf = <LLVMTypeRef *>malloc((len(fields) + 1) * sizeof(LLVMTypeRef))
        cdef int i
        if buf == NULL:
            raise MemoryError
        try:
            for i in range(len(fields)):
                buf[i] = (<Type?>fields[i]).ptr
            return wrap_type(LLVMStructTypeInContext(module.context, buf, len(fields), packed), module)
        finally:
            free(buf)

    def target_ext(self, str name, list types=None, list numbers=None):
        """A target extension type such as spirv.Image; at most 8 parameters of each kind."""
        cdef Module module = self.module
        cdef bytes text = name.encode()
        cdef LLVMTypeRef of_types[8]
        cdef unsigned of_numbers[8]
        cdef unsigned i, n_types = len(types or ()), n_numbers = len(numbers or ())
        if n_types > 8 or n_numbers > 8:
            raise ValueError("more than 8 parameters")
        for i in range(n_types):
            of_types[i] = (<Type?>types[i]).ptr
        for i in range(n_numbers):
            of_numbers[i] = numbers[i]
        return wrap_type(LLVMTargetExtTypeInContext(module.context, text, of_types, n_types, of_numbers, n_numbers),
                         module)

    def function(self, Type returns, list params, bint vararg=False):
        cdef LLVMTypeRef buf[MOST_PARAMETERS]
        cdef int i
        if len(params) > MOST_PARAMETERS:
            raise ValueError("too many parameters")
        for i in range(len(params)):
            buf[i] = (<Type?>params[i]).ptr
        return wrap_type(LLVMFunctionType(returns.ptr, buf, len(params), vararg), self.module)


@cython.no_gc
@cython.freelist(1024)
cdef class Value:
    def __eq__(self, other):
        return isinstance(other, Value) and self.ptr == (<Value>other).ptr

    def __hash__(self):
        return <Py_hash_t>self.ptr >> 4

    def __str__(self):
        return take_message(LLVMPrintValueToString(self.ptr))

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

    def name_like(self, Value other):
        """The name of the other, as far as it can be had."""
        cdef size_t size = 0
        cdef const char *text = LLVMGetValueName2(other.ptr, &size)
        if size:
            LLVMSetValueName2(self.ptr, text, size)

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
    def opcode(self):
        """What an instruction does; "" for all other values."""
        return ""

    @property
    def const_opcode(self):
        """Opcode of a constant expression."""
        return NAME_OF[LLVMGetConstOpcode(self.ptr)]

    @property
    def is_fixed(self):
        """Of a global variable: nothing writes it."""
        return LLVMIsGlobalConstant(self.ptr) != 0

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

    def operands_in(self, dict table, default):
        """What the table has for each operand; `default` for those that it has not, and for all constants."""
        cdef LLVMValueRef operand
        cdef list out = []
        cdef int i
        for i in range(LLVMGetNumOperands(self.ptr)):
            operand = LLVMGetOperand(self.ptr, i)
            if LLVMGetValueKind(operand) in (LLVMInstructionValueKind, LLVMArgumentValueKind):
                out.append(table.get(wrap(operand, self.owner), default))
            else:
                out.append(default)
        return out

    def exchange_operands(self, dict other):
        """What `other` has another value for becomes that."""
        cdef int i
        for i in range(LLVMGetNumOperands(self.ptr)):
            value = other.get(wrap(LLVMGetOperand(self.ptr, i), self.owner))
            if value is not None:
                LLVMSetOperand(self.ptr, i, (<Value?>value).ptr)

    def set_operand(self, unsigned index, Value value):
        LLVMSetOperand(self.ptr, index, value.ptr)

    @property
    def gep_source_type(self):
        return wrap_type(LLVMGetGEPSourceElementType(self.ptr), self.owner)

    @property
    def gep_flags(self):
        return LLVMGEPGetNoWrapFlags(self.ptr)
