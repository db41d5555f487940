# SPDX-License-Identifier: Apache-2.0
"""What LLVM's code generator for SPIR-V makes nothing of, or what is wrong, in a form of which it makes right code."""
import re

from clpy.compiler.analysis.builtin_table import base_name
from clpy.compiler.gen import float_atomics, levels
from clpy.llvm.ir import const_splat

SCOPE, ORDER = "12memory_scope", "12memory_order"       # as mangled types
DEVICE, SEQUENTIAL = 2, 5
DATA_TYPE, FIRST_DATA_TYPE = "get_image_channel_data_type", 0x10D0
MAD_SAT = re.compile(r"_Z7mad_sat((?:Dv\d+_)?)([lm])")     # mangled ones of long numbers
# Mangled functions that rotate -> the type of what they do.
ROTATE = re.compile(r"_Z\d+sub_group_(clustered_)?rotate(.+?)i(j?)$")
BITWISE = "_bitwise_"           # in names of functions of a group, which OpenCL C has without
MEDIA_BLOCK = "intel_sub_group_media_block_"
LONG_BLOCKS = ("intel_sub_group_block_read_us16", "intel_sub_group_block_write_us16")
REVERSE = "llvm.bitreverse."
TRAP = "llvm.trap"
CLOCK, INTELS_CLOCK = "llvm.readcyclecounter", "__builtin_IB_read_cycle_counter"
FENCE, BARRIER = "atomic_work_item_fence", "work_group_barrier"
# Of LLVM's text of a load or store -> bits of SPIR-V's memory semantics: the order, and all memory that it is about.
SEMANTICS = {"monotonic": 0, "acquire": 0x302, "release": 0x304, "seq_cst": 0x310}
ORDERS = re.compile(rf" ({'|'.join(SEMANTICS)}),? ")
ATOMIC = {"load": "_Z18__spirv_AtomicLoadPU3AS{}{}ii", "store": "_Z19__spirv_AtomicStorePU3AS{}{}iiS_"}
LETTERS = {"i8": "c", "i16": "s", "i32": "i", "i64": "l", "half": "Dh", "float": "f", "double": "d"}
ON_DEVICE = 1           # SPIR-V's scope
GLOBAL = 1              # address space


def run(module):
    from clpy.llvm.ir import functions
    if any(True for function in functions(module) for _ in function.instructions_of("insertvalue")):
        module.run_passes("function(instsimplify,dce)")     # whole structures end LLVM's code generator
    float_atomics.run(module)
    for function in functions(module):
        for opcode, name in ATOMIC.items():
            for access in function.instructions_of(opcode):
                if access.is_atomic:
                    say_atomic(module, access, name)
        if function.is_declaration:
            correct(module, function)


def lower_bits(module):
    """Of numbers that are cut and made longer again: LLVM makes operations of them whose operands have other types."""
    from clpy.llvm.ir import Builder, functions
    for function in functions(module):
        for longer in function.instructions_of("zext"):
            cut = longer.operand(0)
            if getattr(cut, "opcode", "") != "trunc":
                continue
            b, value, to = Builder(module).before(longer), cut.operand(0), longer.type
            mask = (1 << cut.type.scalar.width) - 1
            if value.type.scalar.width > to.scalar.width:
                value = b.cast("trunc", value, to)
            made = b.binop("and", value, const_splat(value.type, mask))
            longer.replace_with(made if made.type == to else b.cast("zext", made, to))
            longer.erase()


def pass_addresses(module):
    """A variable of the program that a function of the library is given by its own address goes through a place in
    private memory, from which Intel's compiler takes it again: of what is an instruction LLVM makes a pointer to what
    the function wants, of the variable itself one to the whole of it, which no function is for."""
    from clpy.llvm.functions import Function, Global
    from clpy.llvm.ir import Builder, functions
    for function in functions(module):
        for call in list(function.instructions_of("call")):
            callee = call.callee
            if not isinstance(callee, Function) or callee.intrinsic or not callee.is_declaration:
                continue
            for index, value in enumerate(call.args):
                if isinstance(value, Global) and not isinstance(value, Function):
                    place = Builder(module).before(function.entry.first).alloca(value.type)
                    b = Builder(module).before(call)
                    b.store(value, place)
                    call.set_operand(index, b.load(value.type, place))


def name_members(module):
    """A pointer that is the first thing in a private variable is told of as a member: LLVM takes a variable that is
    accessed as a pointer for one that has nothing else in it, and makes it too small."""
    from clpy.llvm.ir import Builder, Types, functions
    zero = Types(module).i32.const(0)
    for function in functions(module):
        for variable in function.instructions_of("alloca"):
            path, type_ = [zero], variable.allocated_type
            while inner := [type_.element] if type_.is_array else type_.fields if type_.is_struct else []:
                path, type_ = [*path, zero], inner[0]
            if len(path) == 1 or not type_.is_pointer:
                continue
            for user in list(variable.users):
                if user.opcode in ("load", "store") and user.operands[-1] == variable:
                    place = Builder(module).before(user).gep(variable.allocated_type, variable, path)
                    user.set_operand(user.n_operands - 1, place)


def correct(module, function):
    """What calls of a function that the program does not have mean."""
    from clpy.llvm.ir import Types
    name = base_name(function.name)
    rotates = ROTATE.match(function.name)
    if name in (FENCE, BARRIER):
        say_order(Types(module), function)
    elif name == DATA_TYPE:
        say_data_type(module, function)
    elif rotates:
        write_rotate(module, function, rotates[2], bool(rotates[1]))
    elif sums := MAD_SAT.match(function.name):
        write_mad_sat(module, function, sums[1], sums[2])
    elif name in LONG_BLOCKS:
        write_long_block(module, function, name)
    elif name.startswith(MEDIA_BLOCK):
        order_media_block(module, function)
    elif BITWISE in name:       # as SPIR-V's translator has them
        rename(module, function, name, name.replace(BITWISE, "_"))
    elif name.startswith(REVERSE):
        write_reverse(module, function)
    elif name == TRAP:
        write_trap(module, function)
    elif name == CLOCK:
        write_clock(module, function)
    elif written := levels.write_read(module, function):
        take_over(written)


def take_over(function):
    """It is the program's own: Intel's compiler might call its own one by that name."""
    function.set_internal()
    function.name = f"clpy.{function.name}"


def rename(module, function, old, new):
    """A mangled function gets the name of another one."""
    from clpy.llvm.ir import get_function
    mangled = function.name.replace(f"{len(old)}{old}", f"{len(new)}{new}")
    found = get_function(module, mangled)
    if found is None:
        function.name = mangled
    else:
        function.replace_with(found)
        function.erase()


def say_order(t, function):
    """LLVM has to know order and scope: where it does not, they are the strictest order and the device's scope."""
    known = {1: SEQUENTIAL, 2: DEVICE} if ORDER in function.name else {1: DEVICE} if SCOPE in function.name else {}
    for call in function.users:
        for index, value in known.items():
            if call.opcode == "call" and not call.args[index].is_const_int:
                call.set_operand(index, t.i32.const(value))


def say_atomic(module, access, name):
    """Loads and stores would be plain ones."""
    from clpy.llvm.ir import Builder, Types, declare
    t, stored = Types(module), access.operands[:-1]
    pointer = access.operands[-1]
    value = stored[0].type if stored else access.type
    bits = SEMANTICS[ORDERS.search(str(access))[1]]
    number = [t.i32.const(ON_DEVICE), t.i32.const(bits)]
    function = declare(module, name.format(pointer.type.address_space, LETTERS[str(value)]), t.function(
        t.void if stored else value, [pointer.type, t.i32, t.i32, *(value for _ in stored)]))
    made = Builder(module).before(access).call(function, [pointer, *number, *stored])
    if not stored:
        access.replace_with(made)
    access.erase()


def say_data_type(module, function):
    """SPIR-V counts the types of channels from 0."""
    from clpy.llvm.ir import Builder, Types
    for call in list(function.users):
        builder, first = Builder(module).before(call.next), Types(module).i32.const(FIRST_DATA_TYPE)
        made = builder.add(call, first)
        call.replace_with(made)
        made.set_operand(0, call)


def write_rotate(module, function, type_name, is_clustered):
    """The value of the work-item so many behind, within the sub-group or a cluster. SPIR-V has that in a later
    version."""
    from clpy.llvm.ir import Builder, Types, declare
    value, delta = function.params[:2]
    t, b = Types(module), Builder(module).at_end(function.append_block())
    number, most = (b.call(declare(module, f"_Z{len(name)}{name}v", t.function(t.i32, [])), [])
                    for name in ("get_sub_group_local_id", "get_max_sub_group_size"))
    mask = b.sub(function.params[2] if is_clustered else most, t.i32.const(1))     # sizes are powers of two
    within = b.binop("and", b.add(number, delta), mask)
    start = b.binop("and", number, b.binop("xor", mask, t.i32.const(-1)))
    shuffle = declare(module, f"_Z17sub_group_shuffle{type_name}j", t.function(value.type, [value.type, t.i32]))
    shuffle.add_attribute("convergent")
    b.ret(b.call(shuffle, [value, b.binop("or", start, within)]))
    take_over(function)


def write_long_block(module, function, name):
    """Sixteen short numbers of each work-item are two blocks of eight."""
    from clpy.llvm.ir import Builder, Types, const_vector, declare
    half_name = name.replace("16", "8")
    half_name = function.name.replace(f"{len(name)}{name}", f"{len(half_name)}{half_name}").replace("Dv16_", "Dv8_")
    t, b = Types(module), Builder(module).at_end(function.append_block())
    place, *stored = function.params
    half = t.vector(t.int(16), 8)
    size = b.call(declare(module, "_Z22get_max_sub_group_sizev", t.function(t.i32, [])), [])
    second = b.gep(half, place, [b.cast("zext", size, t.i64)])
    block = declare(module, half_name, t.function(t.void if stored else half, [place.type, *(half for _ in stored)]))
    block.add_attribute("convergent")
    parts = [const_vector([t.i32.const(first + i) for i in range(8)]) for first in (0, 8)]
    if stored:
        for at, part in zip((place, second), parts, strict=True):
            b.call(block, [at, b.shuffle(stored[0], stored[0].type.poison, part)])
        b.ret()
    else:
        both = const_vector([t.i32.const(i) for i in range(16)])
        b.ret(b.shuffle(b.call(block, [place]), b.call(block, [second]), both))
    take_over(function)


def order_media_block(module, function):
    """SPIR-V has the image first, and what is written last. LLVM has the arguments of this name as OpenCL C has them,
    of SPIR-V's as they are given."""
    from clpy.llvm.ir import Builder, Types, declare
    *rest, image = [param.type for param in function.params]
    returns = function.value_type.returns
    name = f"__spirv_SubgroupImageMediaBlock{'Write' if returns.is_void else 'Read'}INTEL"
    made = declare(module, f"_Z{len(name)}{name}{function.name.partition(MEDIA_BLOCK)[2]}", Types(module).function(
        returns, [image, *rest]))
    made.add_attribute("convergent")
    for call in list(function.users):
        *others, pixels = call.args
        new = Builder(module).before(call).call(made, [pixels, *others])
        if not returns.is_void:
            call.replace_with(new)
        call.erase()


def write_trap(module, function):
    """SPIR-V has none: a store to where nothing is ends the kernel as well."""
    from clpy.llvm.ir import Builder, Types, add_function
    t = Types(module)
    made = add_function(module, "clpy.trap", function.value_type)
    made.set_internal()
    b = Builder(module).at_end(made.append_block())
    b.store(t.i32.const(0), t.pointer(GLOBAL).null).is_volatile = True
    b.ret()
    function.replace_with(made)


def write_clock(module, function):
    """Intel's compiler has a counter of two words."""
    from clpy.llvm.ir import Builder, Types, declare
    t = Types(module)
    counter = declare(module, INTELS_CLOCK, t.function(t.vector(t.i32, 2), []))
    for call in list(function.users):
        b = Builder(module).before(call)
        call.replace_with(b.cast("bitcast", b.call(counter, []), t.i64))
        call.erase()


def write_reverse(module, function):
    """SPIR-V of OpenCL reverses no bits: neighbours change places, then pairs of them, and so on."""
    from clpy.llvm.ir import Builder, Types, add_function
    type_ = function.value_type.returns
    width, t = type_.scalar.width, Types(module)
    made = add_function(module, f"clpy.{function.name}", t.function(type_, [type_]))
    made.set_internal()
    made.add_attribute("alwaysinline")
    b, value = Builder(module).at_end(made.append_block()), made.params[0]
    step = 1
    while step < width:
        mask = sum(((1 << step) - 1) << at for at in range(0, width, 2 * step))
        by, low = (const_splat(type_, number) for number in (step, mask))
        high = b.binop("and", b.binop("lshr", value, by), low)
        value = b.binop("or", b.binop("shl", b.binop("and", value, low), by), high)
        step *= 2
    b.ret(value)
    function.replace_with(made)
    function.erase()


def write_mad_sat(module, function, vector, letter):
    """Intel's is wrong for some large numbers."""
    from clpy.llvm.ir import Builder, Types, declare
    t, b = Types(module), Builder(module).at_end(function.append_block())
    (x, y, z), is_signed = function.params, letter == "l"
    type_ = x.type
    sign, most = (const_splat(type_, number) for number in (63, (1 << 63) - 1 if is_signed else (1 << 64) - 1))
    mul_hi = f"_Z6mul_hi{vector}{letter}{'S_' if vector else letter}"
    high = b.call(declare(module, mul_hi, t.function(type_, [type_, type_])), [x, y])
    low = b.mul(x, y)
    total = b.add(low, z)
    high = b.add(high, b.cast("zext", b.icmp("ult", total, low), type_))
    if is_signed:
        high = b.add(high, b.binop("ashr", z, sign))
        most = b.binop("xor", b.binop("ashr", high, sign), most)
    fits = b.icmp("eq", high, b.binop("ashr", total, sign) if is_signed else type_.null)
    b.ret(b.select(fits, total, most))
    take_over(function)
