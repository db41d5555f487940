# SPDX-License-Identifier: Apache-2.0
"""Static __local variables become places in the group's local memory.

The front end makes module-level variables of them, in address space 3; a kernel gets room for those that it or what
it calls uses. They lie in front of the storage of __local arguments.
"""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.memory import LOCAL
from clpy.llvm.ir import Builder, Inst, Types, functions, global_variables, md_node


def users_in_functions(constant):
    """Instructions that use a constant directly or inside constant expressions, with the operand's index."""
    out, pending, seen = [], [constant], set()
    while pending:
        value = pending.pop()
        for user in value.users:
            if isinstance(user, Inst):
                out += [(user, i) for i, o in enumerate(user.operands) if o == value]
            elif user.is_constant and user not in seen:
                seen.add(user)
                pending.append(user)
    return list(dict.fromkeys(out))


def expand(builder, value, variable, replacement):
    """`value` with `variable` replaced: a constant expression becomes instructions at `builder`."""
    if value == variable:
        return replacement
    if not value.is_const_expr:
        return value
    op = value.const_opcode
    operands = [expand(builder, o, variable, replacement) for o in value.operands]
    if operands == value.operands:
        return value
    if op == "getelementptr":
        return builder.gep(value.gep_source_type, operands[0], operands[1:], flags=value.gep_flags)
    if len(operands) == 1:
        return builder.cast(op, operands[0], value.type)
    return builder.binop(op, *operands)


def position(builder, inst, index):
    """Stand where an operand of `inst` has to be computed: for a phi, at the end of the predecessor."""
    if inst.opcode == "phi":
        return builder.before(inst.incoming[index][1].terminator)
    return builder.before(inst)


def by_function(variable):
    """Function -> its uses of a variable."""
    out = {}
    for inst, index in users_in_functions(variable):
        out.setdefault(inst.function, []).append((inst, index))
    return out


def replace(module, item, variable, offset, uses):
    types, builder = Types(module), Builder(module)
    builder.before(item.entry.first)
    place = builder.gep(types.i8, fr.frame_of(item)["local"], [types.i64.const(offset)], variable.name)
    place.set_metadata(fr.VARIABLE, md_node(module, []))
    at_edge = {}
    for inst, index in uses:
        operand = inst.operand(index)
        if inst.opcode != "phi":
            inst.set_operand(index, expand(builder.before(inst), operand, variable, place))
            continue
        key = (inst.incoming[index][1], operand)  # equal for all entries of one predecessor
        if key not in at_edge:
            at_edge[key] = expand(position(builder, inst, index), operand, variable, place)
        inst.set_operand(index, at_edge[key])


def run(module, lowering):
    variables = [v for v in global_variables(module) if v.address_space == LOCAL]
    variables.sort(key=lambda v: -v.value_type.align)
    end = {item: 0 for item in fr.of_role(functions(module), fr.ITEM)}
    for variable in variables:
        align = max(variable.align, variable.value_type.align)
        for item, uses in by_function(variable).items():
            offset = -(-end[item] // align) * align
            end[item] = offset + variable.value_type.size
            replace(module, item, variable, offset, uses)
        if not by_function(variable):
            variable.replace_with(variable.type.poison)  # dead constant expressions may be left
            variable.erase()
    for item, size in end.items():
        item.add_attribute(fr.LOCAL_BYTES, size)
