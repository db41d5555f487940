# SPDX-License-Identifier: Apache-2.0
"""Variables of the program that begin with addresses of others. LLVM's SPIR-V has wrong ones for places in a variable,
and Intel's compiler forgets some. So that these variables are empty for both of them, and what they begin with is known
beside the code: their bytes, and which of them are addresses.

What is written there later is nobody's to know: they are in global memory, also those that were in constant memory.
"""
from clpy.errors import CompileError

GLOBAL, CONSTANT = 1, 2         # address spaces
POINTER = 8
CASTS = ("addrspacecast", "bitcast", "inttoptr", "ptrtoint")


def take(module):
    """[[name, its bytes in hexadecimal digits, [[where in it, name of a variable, how far into that]]]] of those
    variables, which are cleared, and of those that they have addresses of, which Intel's compiler may leave out."""
    from clpy.llvm.ir import global_variables
    found, pending = {}, [variable for variable in global_variables(module) if variable.initializer is not None
                          and variable.address_space in (GLOBAL, CONSTANT) and holds_address(variable.initializer)]
    while pending:
        variable = pending.pop()
        if variable not in found:
            found[variable] = bytearray(variable.value_type.size), []
            write(module, variable.initializer, found[variable][0], 0, found[variable][1])
            pending += [target for _, target, _ in found[variable][1]]
    for variable, (_, addresses) in found.items():
        if addresses:
            variable.initializer = variable.value_type.null
    names = {variable: in_global_memory(module, variable, f"clpy.variable.{number}").name
             for number, variable in enumerate(found)}
    return [[names[variable], data.hex(), [[at, names[target], more] for at, target, more in addresses]]
            for variable, (data, addresses) in found.items()]


def holds_address(value):
    """Whether a constant has one in it; what has none may be large."""
    if value.type.is_pointer or value.is_const_expr:
        return not value.is_null
    if not (value.type.is_array or value.type.is_struct or value.type.is_vector) or value.is_null:
        return False
    return any(holds_address(value.const_element(i)) for i in range(value.n_operands))


def write(module, value, data, at, addresses):
    """The bytes of a constant, and the addresses in it: (where, variable, how far into it)."""
    type_ = value.type
    if value.is_null or value.is_undef:
        return
    if type_.is_pointer or value.is_const_expr:
        if type_.size != POINTER:
            raise CompileError("error: a variable of the program begins with a part of an address\n")
        target, more = target_of(value)
        if not target.is_null:
            addresses.append((at, target, more))
    elif type_.is_array or type_.is_vector:
        for i in range(type_.count):
            write(module, value.const_element(i), data, at + i * type_.element.size, addresses)
    elif type_.is_struct:
        for i, start in enumerate(starts(type_)):
            write(module, value.const_element(i), data, at + start, addresses)
    else:
        size = type_.size
        data[at:at + size] = number(module, value).to_bytes(size, "little")


def number(module, value):
    """The bits of a number."""
    from clpy.llvm.ir import Builder, Types
    if value.type.is_float:
        value = Builder(module).cast("bitcast", value, Types(module).int(8 * value.type.size))
    return value.zext & (1 << 8 * value.type.size) - 1


def starts(struct_type):
    """Where the fields of a structure begin."""
    at, made = 0, []
    is_packed = struct_type.align < max((field.align for field in struct_type.fields), default=1)
    for field in struct_type.fields:
        at = at if is_packed else -(-at // field.align) * field.align
        made.append(at)
        at += field.size
    return made


def target_of(value):
    """(variable, how far into it) of an address."""
    more = 0
    while value.is_const_expr:
        opcode = value.const_opcode
        if opcode == "getelementptr":
            more += offset_of(value)
        elif opcode not in CASTS:
            raise CompileError("error: a variable of the program begins with an address that is worked out\n")
        value = value.operand(0)
    if value.is_null:
        return value, more
    if getattr(value, "address_space", None) not in (GLOBAL, CONSTANT) or value.value_type.is_function:
        raise CompileError("error: a variable of the program begins with the address of what is no such variable\n")
    return value, more


def offset_of(place):
    """How far a getelementptr goes."""
    type_, at = place.gep_source_type, place.operand(1).sext * place.gep_source_type.size
    for i in range(2, place.n_operands):
        index = place.operand(i).sext
        if type_.is_struct:
            at += starts(type_)[index]
            type_ = type_.fields[index]
        else:
            type_ = type_.element
            at += index * type_.size
    return at


def in_global_memory(module, variable, name):
    """The variable where everybody might write it, so that nobody takes it to have what it begins with."""
    from clpy.llvm.ir import Builder, Types, add_global
    if variable.address_space == GLOBAL and not variable.is_fixed:
        variable.name = name
        variable.set_external()
        return variable
    made = add_global(module, name, variable.value_type, GLOBAL)
    made.initializer = variable.initializer
    made.align = max(variable.align, 1)
    t, b = Types(module), Builder(module)
    variable.replace_with(made if variable.address_space == GLOBAL else
                          b.cast("inttoptr", b.cast("ptrtoint", made, t.i64), variable.type))
    variable.erase()
    return made
