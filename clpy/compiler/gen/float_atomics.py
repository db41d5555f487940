# SPDX-License-Identifier: Apache-2.0
"""Atomic operations on floating-point numbers, which SPIR-V of this version has not: loops of compare and exchange of
integers. A half is a part of a word of 32 bits there; loads and stores of one are those of 16 bits, between fences."""
import re

OPERATION = re.compile(r"atomicrmw (?:volatile )?(\w+) ")
NEW = {"fadd": "fadd", "fsub": "fsub", "fmin": "llvm.minnum", "fmax": "llvm.maxnum", "xchg": ""}
EXCHANGE = {32: "_Z14atomic_cmpxchgPU3AS{}Vjjj", 64: "_Z12atom_cmpxchgPU3AS{}Vmmm"}
WORD, HALF = 32, 16


def run(module):
    from clpy.llvm.ir import functions
    for function in functions(module):
        for change in function.instructions_of("atomicrmw"):
            if change.type.is_float or is_half(change.type):
                replace_change(module, change)
        for opcode in ("load", "store"):
            for access in function.instructions_of(opcode):
                if access.is_atomic and is_half(access.type if opcode == "load" else access.operand(0).type):
                    replace_access(module, access)


def is_half(type_):
    """As a number of that kind, or as Clang has it at times, an integer."""
    return str(type_) in ("half", "i16")


def replace_change(module, change):
    """By a call of a function that does it."""
    from clpy.llvm.ir import Builder, Types, add_function, get_function
    t, pointer = Types(module), change.operand(0)
    operation = OPERATION.search(str(change))[1]
    name = f"clpy.atomic.{operation}.{change.type}.{pointer.type.address_space}"
    function = get_function(module, name)
    if function is None:
        function = add_function(module, name, t.function(change.type, [pointer.type, change.type]))
        function.set_internal()
        write_change(module, function, operation)
    made = Builder(module).before(change).call(function, [pointer, change.operand(1)])
    change.replace_with(made)
    change.erase()


def write_change(module, function, operation):
    from clpy.llvm.ir import Builder, Types, declare
    t, (pointer, value) = Types(module), function.params
    bits = 8 * value.type.size
    width = max(bits, WORD)
    word, space = t.int(width), pointer.type.address_space
    b = Builder(module).at_end(function.append_block())
    start, loop, end = b.block, function.append_block(), function.append_block()
    place, shift = (pointer, None) if bits == width else word_of_half(t, b, pointer)
    first = b.load(word, place)
    first.is_volatile = True
    b.br(loop)
    b.at_end(loop)
    seen = b.phi(word)
    seen.add_incoming(first, start)
    old = bitcast(b, part(t, b, seen, shift), value.type)
    new = whole(t, b, seen, shift, bitcast(b, changed(module, b, operation, old, value), t.int(bits)))
    exchange = declare(module, EXCHANGE[width].format(space), t.function(word, [pointer.type, word, word]))
    found = b.call(exchange, [place, seen, new])
    seen.add_incoming(found, loop)
    b.cond_br(b.icmp("eq", found, seen), end, loop)
    b.at_end(end)
    b.ret(old)


def word_of_half(t, b, pointer):
    """(its word, by how many bits it is shifted there)"""
    within = b.binop("and", b.cast("ptrtoint", pointer, t.i64), t.i64.const(2))
    shift = b.cast("trunc", b.mul(within, t.i64.const(8)), t.i32)
    return b.gep(t.i8, pointer, [b.sub(t.i64.const(0), within)], flags=0), shift


def part(t, b, word, shift):
    return word if shift is None else b.cast("trunc", b.binop("lshr", word, shift), t.int(HALF))


def whole(t, b, word, shift, value):
    """A word with another part."""
    if shift is None:
        return value
    ones = b.binop("shl", t.i32.const((1 << HALF) - 1), shift)
    kept = b.binop("and", word, b.binop("xor", ones, t.i32.const(-1)))
    return b.binop("or", kept, b.binop("shl", b.cast("zext", value, t.i32), shift))


def changed(module, b, operation, old, value):
    from clpy.llvm.ir import intrinsic
    name = NEW[operation]
    if not name:
        return value
    return b.call(intrinsic(module, name, [value.type]), [old, value]) if "." in name else b.binop(name, old, value)


def bitcast(b, value, type_):
    return value if value.type == type_ else b.cast("bitcast", value, type_)


def replace_access(module, access):
    from clpy.llvm.ir import Builder, Types
    t, b = Types(module), Builder(module).before(access)
    half = t.int(HALF)
    b.fence()
    if access.opcode == "load":
        made = b.load(half, access.operand(0))
        access.replace_with(bitcast(b, made, access.type))
    else:
        made = b.store(bitcast(b, access.operand(0), half), access.operand(1))
    made.is_volatile = True
    made.align = HALF // 8
    b.fence()
    access.erase()
