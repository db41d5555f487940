# SPDX-License-Identifier: Apache-2.0
"""What LLVM's code generator for VLIW chips makes wrong, in a form of which it makes right code."""
from clpy.compiler.amdgpu.code import is_kernel
from clpy.errors import CompileError

# Words of private memory that there are registers for: each takes one, of 128, and the code needs some.
MOST_PRIVATE = 110
SIGN = 63
TOP_BIT = 1 << 31
PRIVATE, WORD = 5, 4
GROUP_ID, ITEM_ID, GROUP_SIZE = "llvm.r600.read.tgid.", "llvm.r600.read.tidig.", "llvm.r600.read.local.size."
MAGNITUDE = "llvm.fabs."
MOST_ID = (1 << 31) - 1
DIVISIONS = ("udiv", "urem")


def run(module):
    from clpy.llvm.ir import functions
    for function in functions(module):
        if is_kernel(function):
            refuse_large_arrays(function)
            for fence in function.instructions_of("fence"):
                fence.erase()       # a wavefront's accesses are in the order of its code
            for store in function.instructions_of("store"):
                keep_order(store)
            for call in function.instructions_of("call"):
                if getattr(call.callee, "name", "").startswith((GROUP_ID, ITEM_ID)):
                    keep_apart(module, call)
            for cast in function.instructions_of("sitofp"):
                if cast.operand(0).type.scalar.width == 64:
                    convert_magnitude(module, cast)
            for division in unsigned_divisions(function):
                hide_sign(module, division)
            for negative in beside_magnitudes(function):
                negate_bits(module, negative)


def keep_order(store):
    """A store of less than a word to private memory reads the word, changes it and writes it. Two of those that write
    different bytes are not taken to have anything in common, but that they are volatile."""
    if store.operand(1).type.address_space == PRIVATE and store.operand(0).type.size < WORD:
        store.is_volatile = True


def has_vectors(module):
    """Whether something that is to be corrected works on vectors."""
    from clpy.llvm.ir import functions
    return any(cast.type.is_vector and cast.operand(0).type.scalar.width == 64 for function in functions(module)
               for cast in function.instructions_of("sitofp")) or any(
                   one.type.is_vector for function in functions(module)
                   for one in (*unsigned_divisions(function), *beside_magnitudes(function)))


def keep_apart(module, call):
    """Ids are registers to it, which it cannot put into vectors as they are: for the two words of a number of 64 bits,
    or for stores beside each other. So each is what an instruction makes, the minimum with what none of them reaches:
    it stays, whichever bits are wanted, as it is not known how large a group is."""
    from clpy.llvm.ir import Builder, Types, intrinsic
    users, name = list(call.users), call.callee.name
    t, b = Types(module), Builder(module).before(call.next)
    most = t.i32.const(MOST_ID) if name.startswith(GROUP_ID) else b.call(
        intrinsic(module, name.replace(ITEM_ID, GROUP_SIZE), []), [])
    apart = b.call(intrinsic(module, "llvm.umin", [t.i32]), [call, most])
    for user in users:
        for index, operand in enumerate(user.operands):
            if operand == call:
                user.set_operand(index, apart)


def convert_magnitude(module, cast):
    """It counts the leading zeros of the number's magnitude, and shifts the number itself."""
    from clpy.llvm.ir import Builder, Types, intrinsic
    t, b, value = Types(module), Builder(module).before(cast), cast.operand(0)
    sign = b.binop("ashr", value, t.i64.const(SIGN))
    magnitude = b.binop("xor", b.add(value, sign), sign)
    made = b.cast("uitofp", magnitude, cast.type)
    signed = b.call(intrinsic(module, "llvm.copysign", [cast.type]), [made, b.cast("bitcast", b.cast(
        "trunc", sign, t.i32), t.float)])
    cast.replace_with(signed)
    cast.erase()


def unsigned_divisions(function):
    """Those whose dividend may have its highest bit set."""
    return [division for opcode in DIVISIONS for division in function.instructions_of(opcode)
            if division.type.scalar.width >= 32 and division.operand(0).opcode != "zext"]


def hide_sign(module, division):
    """It divides 32 bits by way of float where both numbers have at most 24 bits with a sign, and takes the dividend's
    copies of the sign for zeros. What it does not know of a number's sign is a bit that no work-group's id has."""
    from clpy.llvm.ir import Builder, Types, intrinsic
    t, b, dividend = Types(module), Builder(module).before(division), division.operand(0)
    hidden = b.binop("and", b.call(intrinsic(module, "llvm.r600.read.tgid.x", []), []), t.i32.const(TOP_BIT))
    if dividend.type.width == 64:
        hidden = b.binop("shl", b.cast("zext", hidden, t.i64), t.i64.const(32))
    division.set_operand(0, b.binop("xor", dividend, hidden))


def beside_magnitudes(function):
    """Negatives of values whose magnitudes are taken, too."""
    return [negative for negative in function.instructions_of("fneg") if any(
        getattr(user.callee, "name", "").startswith(MAGNITUDE) for user in negative.operand(0).users
        if user.opcode == "call")]


def negate_bits(module, negative):
    """It makes the operation before give the negative, and what was to be x is a negative of that; for a magnitude of
    x the chip takes first the magnitude and then the negative. So this is an operation on bits, with a number that it
    does not know: the larger one of the sign's bit and of a group's size."""
    from clpy.llvm.ir import Builder, Types, intrinsic
    t, b, value = Types(module), Builder(module).before(negative), negative.operand(0)
    sign = b.call(intrinsic(module, "llvm.umax", [t.i32]), [
        b.call(intrinsic(module, f"{GROUP_SIZE}x", []), []), t.i32.const(TOP_BIT)])
    bits = b.binop("xor", b.cast("bitcast", value, t.i32), sign)
    negative.replace_with(b.cast("bitcast", bits, negative.type))
    negative.erase()


def refuse_large_arrays(function):
    words = sum(-(-one.allocated_type.size // 4) for one in function.instructions_of("alloca"))
    if words > MOST_PRIVATE:
        raise CompileError(f"error: {function.name}: {4 * words} bytes of private arrays; the code has them in "
                           f"registers, of which there are enough for {4 * MOST_PRIVATE}\n")
