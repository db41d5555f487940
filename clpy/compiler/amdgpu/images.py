# SPDX-License-Identifier: Apache-2.0
"""What AMD's library does otherwise for images than is wanted here.

Queries of formats, which it takes from a table of fewer than there are, and of mip levels, of which it knows of 15, are
words behind the image's descriptor (compiler/isa/library/launch.c). Samplers in the source are as those that the
runtime makes: of one that takes the nearest pixel the library would round coordinates itself, and to pixels of the
first level.
"""
import re

QUERY = re.compile(r"_Z\d+(get_image_channel_data_type|get_image_channel_order|get_image_num_mip_levels)\d+ocl_image")
WORDS = {"get_image_channel_data_type": 8, "get_image_channel_order": 9, "get_image_num_mip_levels": 11}
LITERAL = "__translate_sampler_initializer"
CONSTANT = 4
NORMALIZED, LINEAR = 0x01, 0x20
# By addressing mode (CLK_ADDRESS_* / 2): the chip's word for it.
LAST_TEXEL, BORDER, WRAP, MIRROR = 2, 6, 0, 1
MODES = (LAST_TEXEL, LAST_TEXEL, BORDER, WRAP, MIRROR)
NOT_NORMALIZED, FILTERS, MAGNIFIES, ALL_LEVELS = 1 << 15, 1 << 22, 1 << 20, 0xFFF << 12


def replace(module):
    """In a module that has not been linked with the library."""
    from clpy.llvm.ir import functions
    for function in functions(module):
        if not function.is_declaration or not function.has_users:
            continue
        found = QUERY.match(function.name)
        if found:
            answer(module, function, WORDS[found[1]])
    for function in functions(module):
        for call in function.instructions_of("call"):
            if getattr(call.callee, "name", "") == LITERAL and call.args[0].is_const_int:
                call.replace_with(sampler(module, call.args[0].zext))
                call.erase()


def answer(module, function, word):
    """A body that reads a word of the descriptor."""
    from clpy.llvm.ir import Builder, Types
    types = Types(module)
    builder = Builder(module).at_end(function.append_block())
    place = builder.gep(types.i32, function.params[0], [types.i64.const(word)])
    builder.ret(builder.load(types.i32, place))
    function.set_internal()
    function.add_attribute("alwaysinline")


def sampler(module, bits):
    """A constant for the number that OpenCL C gives a sampler."""
    from clpy.llvm.ir import Types, add_global, const_array, get_global
    name = f"sampler.{bits}"
    types = Types(module)
    made = get_global(module, name)
    if made is None:
        made = add_global(module, name, types.array(types.i32, 4), CONSTANT)
        made.initializer = const_array(types.i32, [types.i32.const(word) for word in sampler_words(bits)])
        made.align = 16
        made.set_internal()
    return made


def sampler_words(bits):
    """As put_sampler of launch.c."""
    mode = MODES[min(bits >> 1 & 7, len(MODES) - 1)]
    return (mode * 0o111 | (0 if bits & NORMALIZED else NOT_NORMALIZED), ALL_LEVELS,
            MAGNIFIES | (FILTERS if bits & LINEAR else 0), 0)
