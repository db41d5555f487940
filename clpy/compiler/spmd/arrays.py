# SPDX-License-Identifier: Apache-2.0
"""Private arrays whose elements can be laid out lane by lane, so that a uniform index makes a vector access.

An array qualifies when every access goes through plain address arithmetic and has the size of one element: then element
e of work-item i may lie at base + (e * items + i) * step instead of base + i * size + e * step.
"""
from clpy.compiler.analysis.allocas import access_size, element_step, struct_offset
from clpy.llvm.ir import Builder, Types, const_vector, md_node, md_operands

STEP = "clpy.step"   # metadata of a pointer to a work-item's array in context memory: its element size
MAX_INIT = 64        # elements of an array that is cleared at once


def byte_offset(builder, types, gep, value=lambda v: v):
    """The distance a getelementptr moves by, as an i64 value; `value` gives what stands for an index."""
    total, constant, type_ = None, 0, gep.gep_source_type
    for n, index in enumerate(gep.operands[1:]):
        if n and type_.is_struct:
            constant += struct_offset(type_, index.zext)
            type_ = type_.fields[index.zext]
            continue
        type_ = type_.element if n else type_
        if index.is_const_int:
            constant += index.sext * type_.size
            continue
        part = value(index)
        if index.type.width < 64:
            wide = types.i64 if not part.type.is_vector else types.vector(types.i64, part.type.count)
            part = builder.cast("sext", part, wide)
        scale = types.i64.const(type_.size)
        if part.type.is_vector:
            scale = const_vector([scale] * part.type.count)
        part = builder.mul(part, scale)
        total = part if total is None else add(builder, types, total, part)
    if total is None:
        return types.i64.const(constant)
    return add(builder, types, total, types.i64.const(constant)) if constant else total


def add(builder, types, a, b):
    """Sum of scalars or vectors; a scalar constant meets a vector as a splat."""
    if a.type.is_vector and not b.type.is_vector:
        b = const_vector([b] * a.type.count) if b.is_constant else splat(builder, types, b, a.type.count)
    elif b.type.is_vector and not a.type.is_vector:
        return add(builder, types, b, a)
    return builder.add(a, b)


def splat(builder, types, scalar, count):
    vector = types.vector(scalar.type, count)
    one = builder.insert_element(vector.poison, scalar, types.i64.const(0))
    return builder.shuffle(one, vector.poison, types.vector(types.i32, count).null)


def splatted(shuffle):
    """The scalar that all elements of a shuffle are, as `splat` makes it; None for other shuffles."""
    inserted = shuffle.operand(0)
    if inserted.opcode != "insertelement" or any(shuffle.shuffle_mask):
        return None
    _, scalar, at = inserted.operands
    return scalar if at.is_const_int and at.zext == 0 else None


def mark(module, pointer, step):
    pointer.set_metadata(STEP, md_node(module, [Types(module).i64.const(step)]))


def interleave(module, function, items):
    """Rewrite address arithmetic on marked pointers: they lead to element 0, and elements are `items` apart."""
    types, builder = Types(module), Builder(module)
    for base in function.instructions_of("getelementptr"):
        if base.metadata(STEP) is None:
            continue
        step = md_operands(base.metadata(STEP))[0].zext
        pending = [base]
        while pending:
            pointer = pending.pop()
            for user in pointer.users:
                if user.opcode in ("load", "store"):
                    user.align = min(user.align, step)
                elif user.opcode == "addrspacecast":
                    pending.append(user)
                elif user.opcode == "getelementptr":
                    builder.before(user)
                    offset = builder.mul(byte_offset(builder, types, user), items)
                    moved = builder.gep(types.i8, pointer, [offset], flags=0)
                    user.replace_with(moved)
                    user.erase()
                    pending.append(moved)
        base.set_metadata(STEP, None)


def spell_out_clears(module, function):
    """A small private array that is cleared as a block is cleared element by element, where that makes it qualify."""
    types, builder = Types(module), Builder(module)
    for call in function.instructions_of("call"):
        name = call.callee.name
        if not name.startswith("llvm.memset.") or call.args[0].opcode != "alloca":
            continue
        array, value, size = call.args[:3]
        if not value.is_const_int or not size.is_const_int or value.zext or call.args[3].zext:
            continue
        step = step_without(array, call)
        if not step or size.zext % step or size.zext // step > MAX_INIT:
            continue
        element = types.int(8 * step) if step <= 8 else types.vector(types.i64, step // 8)
        builder.before(call)
        for at in range(0, size.zext, step):
            builder.store(element.null, builder.gep(types.i8, array, [types.i64.const(at)])).align = min(step, 8)
        call.erase()


def step_without(array, call):
    """element_step as if `call` were not there."""
    others = [u for u in array.users if u != call]
    if any(u.opcode == "call" and not u.callee.name.startswith("llvm.lifetime.") for u in others):
        return 0
    sizes = set()
    for user in others:
        if user.opcode == "getelementptr":
            sizes.add(element_step(user))
        elif user.opcode in ("load", "store"):
            sizes.add(access_size(user.type if user.opcode == "load" else user.operand(0).type))
    step = sizes.pop() if len(sizes) == 1 else 0
    return step if step in (1, 2, 4, 8, 16, 32, 64) else 0
