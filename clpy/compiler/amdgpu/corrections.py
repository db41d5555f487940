# SPDX-License-Identifier: Apache-2.0
"""Where AMD's library, or LLVM's code for AMD's chips, gives wrong results: something else is taken in its place."""
import re

WHOLE = re.compile(r"llvm\.(floor|ceil|rint|nearbyint|roundeven)\.(?:v\d+)?f64")
LINEAR_ID = "_Z19get_local_linear_idv"
NATIVE_TAN, TAN = "_Z10native_tan", "_Z3tan"
HALF, FLOAT = "Dh", "f"
EQUAL, UNORDERED = 1, 8     # LLVM's numbers of comparisons
BY_FLOATS = re.compile(r"_Z(3sin|5atan2|7atan2pi)(Dv\d+_)?Dh(Dh|S_)?")
ALIGNED = re.compile(r"_Z\d+vstorea_half3(\w*?)(Dv3_[fd]mP\w+)")
# Rounded to half where a mode is named: the vector's length, the letter of the integer type.
TO_HALF = re.compile(r"(_Z\d+convert_half\d*_rt[zpn])(Dv\d+_)?([csilhtjm])")
SIGNED = "csil"
# A floating-point number to an integer, the nearest that there is.
SATURATED = re.compile(r"_Z\d+convert_u?(?:char|short|int|long)\d*_sat(?:_rt[ezpn])?(?:Dv\d+_)?(?:Dh|f|d)")
ABS_DIFF = re.compile(r"_Z8abs_diff(Dv\d+_)?[il]")
TURNS = re.compile(r"_Z5(sin|cos)pi(?:Dv\d+_)?(?:Dh|f|d)")
REMAINDER = re.compile(r"_Z(?:9remainder|6remquo)(?:Dv\d+_)?f.*")


def before_the_library(module, flushes):
    """native_tan() scales its argument twice, sin() of halves is a NaN for all numbers but infinity, and atan2() and
    atan2pi() of halves are more than two units from what they should be. sinpi() and cospi() have zeros of the other
    sign. get_local_linear_id() takes smaller groups at the edge for whole ones. abs_diff() of int and of long is that
    of a difference that has no overflow. vstorea_half3() writes a fourth half. Conversions of integers to halves round
    to the nearest float on their way. Where denormal floats are zeros (`flushes`) remainder() and remquo() give them
    back as they came."""
    from clpy.llvm.ir import declare, functions
    saturate_nans(module)
    for function in functions(module):
        if not function.is_declaration or not function.has_users:
            continue
        if function.name.startswith(NATIVE_TAN):
            right = declare(module, TAN + function.name.removeprefix(NATIVE_TAN), function.value_type)
            function.replace_with(right)
        elif BY_FLOATS.fullmatch(function.name):
            by_floats(module, function, function.name.replace(HALF, FLOAT))
        elif found := TURNS.fullmatch(function.name):
            sign_of_zero(module, function, found[1] == "sin")
        elif flushes and REMAINDER.fullmatch(function.name):
            as_arithmetic_has_them(module, function)
        elif function.name == LINEAR_ID:
            local_linear_id(module, function)
        elif ABS_DIFF.match(function.name):
            distance(module, function)
        elif found := TO_HALF.fullmatch(function.name):
            by_doubles(module, function, f"{found[1]}{found[2] or ''}d", found[3] in SIGNED)
        elif found := ALIGNED.fullmatch(function.name):
            store_three(module, function, f"vstore_half3{found[1]}", found[2])


def by_floats(module, function, name):
    """A body for a function of halves, or vectors of them, that calls the one of floats."""
    from clpy.llvm.ir import Builder, Types, declare
    types = Types(module)
    half = function.params[0].type
    wide = types.vector(types.float, half.count) if half.is_vector else types.float
    builder = Builder(module).at_end(function.append_block())
    called = declare(module, name, types.function(wide, [wide] * len(function.params)))
    result = builder.call(called, [builder.cast("fpext", param, wide) for param in function.params])
    builder.ret(builder.cast("fptrunc", result, half))
    function.set_internal()
    function.add_attribute("alwaysinline")


def wrapped(module, function):
    """A function, without a body yet, that takes another one's place; it may call that one."""
    from clpy.llvm.ir import add_function
    made = add_function(module, f"clpy.{function.name}", function.value_type)
    function.replace_with(made)
    made.set_internal()
    made.add_attribute("alwaysinline")
    return made


def sign_of_zero(module, function, is_sine):
    """sinpi(n) is a zero of n's sign, cospi(n + 0.5) is +0 (OpenCL C specification, "Additional Requirements Beyond
    C99")."""
    from clpy.llvm.ir import Builder, intrinsic
    made = wrapped(module, function)
    builder = Builder(module).at_end(made.append_block())
    x, = made.params
    result, zero = builder.call(function, [x]), x.type.null
    right = builder.call(intrinsic(module, "llvm.copysign", [x.type]), [zero, x]) if is_sine else zero
    builder.ret(builder.select(builder.fcmp(EQUAL, result, zero), right, result))


def saturate_nans(module):
    """To 0 (OpenCL C specification, "Out-of-Range Behavior and Saturated Conversions"), not to the least integer."""
    from clpy.llvm.ir import Builder, functions
    for function in functions(module):
        if function.is_declaration and function.has_users and SATURATED.fullmatch(function.name):
            made = wrapped(module, function)
            builder = Builder(module).at_end(made.append_block())
            x, = made.params
            builder.ret(builder.call(function, [builder.select(builder.fcmp(UNORDERED, x, x), x.type.null, x)]))


def as_arithmetic_has_them(module, function):
    """The first two arguments are zeros where arithmetic takes them for zeros."""
    from clpy.llvm.ir import Builder, intrinsic
    made = wrapped(module, function)
    builder = Builder(module).at_end(made.append_block())
    seen = intrinsic(module, "llvm.canonicalize", [made.params[0].type])
    builder.ret(builder.call(function, [*(builder.call(seen, [x]) for x in made.params[:2]), *made.params[2:]]))


def by_doubles(module, function, name, is_signed):
    """A body for a conversion of integers to halves: doubles have all integers that are not too large for a half."""
    from clpy.llvm.ir import Builder, Types, declare
    types = Types(module)
    whole = function.params[0].type
    wide = types.vector(types.double, whole.count) if whole.is_vector else types.double
    builder = Builder(module).at_end(function.append_block())
    called = declare(module, name, types.function(function.value_type.returns, [wide]))
    builder.ret(builder.call(called, [builder.cast("sitofp" if is_signed else "uitofp", function.params[0], wide)]))
    function.set_internal()
    function.add_attribute("alwaysinline")


def local_linear_id(module, function):
    from clpy.llvm.ir import Builder, Types, declare
    types = Types(module)
    builder = Builder(module).at_end(function.append_block())
    ask = types.function(types.i64, [types.i32])
    place, size = (declare(module, f"_Z{len(name)}{name}j", ask) for name in ("get_local_id", "get_local_size"))
    total = types.i64.null
    for axis in (2, 1, 0):
        number = [types.i32.const(axis)]
        total = builder.add(builder.mul(total, builder.call(size, number)), builder.call(place, number))
    builder.ret(total)
    function.set_internal()
    function.add_attribute("alwaysinline")


def distance(module, function):
    from clpy.llvm.ir import Builder
    builder = Builder(module).at_end(function.append_block())
    x, y = function.params
    builder.ret(builder.select(builder.icmp("sgt", x, y), builder.sub(x, y), builder.sub(y, x)))
    function.set_internal()
    function.add_attribute("alwaysinline")


def store_three(module, function, name, types_of_arguments):
    """By the function that takes a place that is not aligned."""
    from clpy.llvm.ir import Builder, Types, declare
    types = Types(module)
    builder = Builder(module).at_end(function.append_block())
    value, index, base = function.params
    place = builder.gep(types.half, base, [builder.mul(index, types.i64.const(4))])
    called = declare(module, f"_Z{len(name)}{name}{types_of_arguments}", function.value_type)
    builder.call(called, [value, types.i64.null, place])
    builder.ret()
    function.set_internal()
    function.add_attribute("alwaysinline")


def lower_floor(module):
    """Whole numbers of doubles on the first chips, which have no instructions for them. floor() by way of the fraction
    would be -0.9999999999999999 for small negative numbers; what the code generator writes for ceil() is right, but
    for the sign of zeros, here and in rint()."""
    from clpy.llvm.ir import Builder, functions, intrinsic
    if not any(WHOLE.fullmatch(function.name) for function in functions(module)):
        return
    for function in functions(module):
        for call in function.instructions_of("call"):
            if call.callee is None or not (found := WHOLE.fullmatch(call.callee.name)):
                continue
            builder, x = Builder(module).before(call), call.args[0]
            name = "llvm.ceil" if found[1] == "floor" else f"llvm.{found[1]}"
            value = builder.call(intrinsic(module, name, [x.type]), [builder.fneg(x) if found[1] == "floor" else x])
            call.replace_with(builder.call(intrinsic(module, "llvm.copysign", [x.type]), [value, x]))
            call.erase()
