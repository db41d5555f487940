# SPDX-License-Identifier: Apache-2.0
"""Views of global variables and functions."""
cimport cython
from clpy.llvm.capi cimport *
from clpy.llvm.instructions cimport add_instructions_of, instructions_in, wrap_block
from clpy.llvm.values cimport Type, Value, register_view, wrap, wrap_type
from clpy.llvm.module import LLVMError
from clpy.llvm.opcodes import NUMBERS

cdef dict OPCODE_OF = NUMBERS
cdef unsigned DEBUG_KIND = 0     # !dbg, the first of LLVM's fixed kinds
cdef unsigned FUNCTION_INDEX = 0xFFFFFFFF      # among the places of attributes


@cython.no_gc
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

    def set_once(self):
        """Other modules may have it too, and it goes where nobody refers to it."""
        LLVMSetLinkage(self.ptr, LLVMLinkOnceODRLinkage)

    def set_fixed(self, bint fixed=True):
        """Nothing writes the variable."""
        LLVMSetGlobalConstant(self.ptr, fixed)

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
        """The attached metadata node of this kind (reqd_work_group_size, kernel_arg_type, ...), None without one."""
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


@cython.no_gc
cdef class Function(Global):
    @property
    def params(self):
        cdef unsigned i
        return [wrap(LLVMGetParam(self.ptr, i), self.owner) for i in range(LLVMCountParams(self.ptr))]

    @property
    def n_params(self):
        return LLVMCountParams(self.ptr)

    def name_params(self, names):
        """A name for each parameter."""
        cdef bytes text
        cdef unsigned i
        if len(names) != LLVMCountParams(self.ptr):
            raise ValueError("not a name for each parameter")
        for i, name in enumerate(names):
            text = (<str?>name).encode()
            LLVMSetValueName2(LLVMGetParam(self.ptr, i), text, len(text))

    @property
    def blocks(self):
        cdef LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self.ptr)
        cdef list out = []
        while block != NULL:
            out.append(wrap_block(block, self.owner))
            block = LLVMGetNextBasicBlock(block)
        return out

    @property
    def n_instructions(self):
        cdef LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self.ptr)
        cdef LLVMValueRef inst
        cdef size_t n = 0
        while block != NULL:
            inst = LLVMGetFirstInstruction(block)
            while inst != NULL:
                n += 1
                inst = LLVMGetNextInstruction(inst)
            block = LLVMGetNextBasicBlock(block)
        return n

    @property
    def entry(self):
        return wrap_block(LLVMGetEntryBasicBlock(self.ptr), self.owner)

    @property
    def instructions(self):
        """All instructions, in the order of the blocks, as a list: safe while instructions are added or erased."""
        cdef LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self.ptr)
        cdef list out = []
        while block != NULL:
            out += instructions_in(block, self.owner)
            block = LLVMGetNextBasicBlock(block)
        return out

    def instructions_of(self, *opcodes):
        """The instructions with one of these opcodes, as a list."""
        cdef set wanted = {OPCODE_OF[o] for o in opcodes}
        cdef LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(self.ptr)
        cdef list out = []
        while block != NULL:
            add_instructions_of(out, block, self.owner, wanted)
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

    def copy_texts(self, Function source, names):
        """Those of the string attributes that `source` has."""
        cdef bytes text
        cdef LLVMAttributeRef attribute
        for name in names:
            text = (<str?>name).encode()
            attribute = LLVMGetStringAttributeAtIndex(source.ptr, FUNCTION_INDEX, text, len(text))
            if attribute != NULL:
                LLVMAddAttributeAtIndex(self.ptr, FUNCTION_INDEX, attribute)

    def set_metadata(self, str kind, Value constant):
        """A node of one constant: as a value, that would be the constant itself."""
        cdef bytes text = kind.encode()
        cdef LLVMMetadataRef operand = LLVMValueAsMetadata(constant.ptr)
        LLVMGlobalSetMetadata(self.ptr, LLVMGetMDKindIDInContext(self.owner.context, text, len(text)),
                              LLVMMDNodeInContext2(self.owner.context, &operand, 1))

    def copy_metadata(self, Global source):
        """Copy the metadata attached to `source`, but for its place in debug information, which is one function's."""
        cdef size_t i, n = 0
        cdef LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(source.ptr, &n)
        for i in range(n):
            if LLVMValueMetadataEntriesGetKind(entries, i) != DEBUG_KIND:
                LLVMGlobalSetMetadata(self.ptr, LLVMValueMetadataEntriesGetKind(entries, i),
                                      LLVMValueMetadataEntriesGetMetadata(entries, i))
        LLVMDisposeValueMetadataEntries(entries)

    def erase(self):
        LLVMDeleteFunction(self.ptr)

    def run_passes(self, str passes):
        """A textual pipeline of function passes on this function alone."""
        run_on_function(self, passes)


cdef run_on_function(Function function, str passes):
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


cdef Value new_global():
    return Global.__new__(Global)


cdef Value new_function():
    return Function.__new__(Function)


register_view(LLVMGlobalVariableValueKind, new_global)
register_view(LLVMFunctionValueKind, new_function)
