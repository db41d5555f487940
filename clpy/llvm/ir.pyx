# SPDX-License-Identifier: Apache-2.0
"""LLVM IR for passes written in Python: thin views of a module's parts, and what makes new ones.

The views are in values, instructions and functions, the maker of instructions is in builder; a pass takes all of
them from here.
"""
from libc.stdlib cimport free, malloc
from clpy.llvm.capi cimport *
from clpy.llvm.module cimport Module
from clpy.llvm.values cimport Type, Value, wrap
from clpy.llvm.builder import Builder
from clpy.llvm.functions import Function, Global
from clpy.llvm.instructions import Block, Inst, control_flow, used_elsewhere
from clpy.llvm.opcodes import FUNCTION, INBOUNDS, NUSW, NUW, RETURN, SPIR_FUNC, SPIR_KERNEL
from clpy.llvm.values import Types

__all__ = ["FUNCTION", "INBOUNDS", "NUSW", "NUW", "RETURN", "SPIR_FUNC", "SPIR_KERNEL", "Block", "Builder", "Function",
           "Global", "Inst", "Type", "Types", "Value", "add_function", "add_global", "called_otherwise", "const_array",
           "const_int_range", "const_vector", "control_flow", "declare", "functions", "get_function", "get_global",
           "global_variables", "intrinsic", "md_distinct", "md_make_distinct", "md_node", "md_operands", "md_scopes",
           "md_text", "used_elsewhere", "with_params"]


def functions(Module module):
    """All functions of the module, declarations too."""
    cdef LLVMValueRef function = LLVMGetFirstFunction(module.module)
    cdef list out = []
    while function != NULL:
        out.append(wrap(function, module))
        function = LLVMGetNextFunction(function)
    return out


def called_otherwise(Module module):
    """A function of the module that a call takes for one of another type, None if there is no such call."""
    cdef LLVMValueRef function = LLVMGetFirstFunction(module.module)
    cdef LLVMUseRef use
    cdef LLVMValueRef user
    while function != NULL:
        use = LLVMGetFirstUse(function)
        while use != NULL:
            user = LLVMGetUser(use)
            if (LLVMIsACallInst(user) != NULL and LLVMGetCalledValue(user) == function
                    and LLVMGetCalledFunctionType(user) != LLVMGlobalGetValueType(function)):
                return wrap(function, module)
            use = LLVMGetNextUse(use)
        function = LLVMGetNextFunction(function)
    return None


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


def with_params(Module module, old, list params, str suffix):
    """A function with parameters of these types, and the name, body, attributes and metadata of `old`, which is left
    empty, its name ending in `suffix`, until what used its parameters uses others. Attributes of parameters stay."""
    name = old.name
    old.name = name + suffix
    made = add_function(module, name, Types(module).function(old.value_type.returns, params))
    made.call_conv = old.call_conv
    made.copy_attributes(old, FUNCTION, FUNCTION)
    made.copy_metadata(old)
    if old.is_internal:
        made.set_internal()
    made.take_blocks(old)
    return made


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


def const_packed(Module module, list values):
    """A constant struct of these, one behind the other."""
    return const_struct(module, values, True)


def const_struct(Module module, list values, bint packed=False):
    cdef LLVMValueRef *buf = <LLVMValueRef *>malloc((len(values) + 1) * sizeof(LLVMValueRef))
    cdef int i
    if buf == NULL:
        raise MemoryError
    try:
        for i in range(len(values)):
            buf[i] = (<Value?>values[i]).ptr
        return wrap(LLVMConstStructInContext(module.context, buf, len(values), packed), module)
    finally:
        free(buf)


def const_splat(type_, value):
    """A constant with each element `value`, of a vector type; just that number of any other type."""
    return const_vector([type_.element.const(value)] * type_.count) if type_.is_vector else type_.const(value)


def const_vector(list values):
    """A constant vector of these scalar constants, one at least."""
    cdef LLVMValueRef *buf
    cdef int i
    if not values:
        raise ValueError("a vector has elements")
    buf = <LLVMValueRef *>malloc(len(values) * sizeof(LLVMValueRef))
    if buf == NULL:
        raise MemoryError
    try:
        for i in range(len(values)):
            buf[i] = (<Value?>values[i]).ptr
        return wrap(LLVMConstVector(buf, len(values)), (<Value>values[0]).owner)
    finally:
        free(buf)


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
