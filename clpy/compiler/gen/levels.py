# SPDX-License-Identifier: Apache-2.0
"""Reads of levels of images. LLVM's code generator for SPIR-V reads the first one, whatever a program says; it writes
SPIR-V's own instruction as it is told to."""
import re

# Mangled reads of an image at a level: kind of the result, kind of the image, and of the coordinates.
READ = re.compile(r"_Z\d+read_image(f|i|ui)\d+ocl_image(\w+?)_ro11ocl_sampler(\w+?)f$")
RESULTS = {"f": ("<4 x float>", "float4"), "i": ("<4 x i32>", "int4"), "ui": ("<4 x i32>", "uint4")}
BY_LEVEL = 2                # among SPIR-V's image operands
TEXT = """
declare spir_func {sampled} @_Z20__spirv_SampledImage{mangled}11ocl_sampler({image}, {sampler})
declare spir_func {color} @_Z{length}{sample}{mangled}{of}if({sampled}, {at}, i32, float)
define spir_func {result} @{name}({image} %i, {sampler} %s, {at} %c, float %level) alwaysinline {{
  %both = call spir_func {sampled} @_Z20__spirv_SampledImage{mangled}11ocl_sampler({image} %i, {sampler} %s)
  %color = call spir_func {color} @_Z{length}{sample}{mangled}{of}if({sampled} %both, {at} %c, i32 {operands},
                                                                     float %level)
  {end}
}}
"""


def write_read(module, function):
    """Of a function that is a read of a level the one with a body that takes its place; else None."""
    from clpy.llvm.ir import get_function
    name = function.name
    read = READ.match(name)
    if not read or len(function.params) != 4:
        return None
    image, sampler, at, _ = (str(param.type) for param in function.params)
    color, in_name = RESULTS[read[1]]
    result = str(function.value_type.returns)
    kind, sample = f"ocl_image{read[2]}_ro", f"__spirv_ImageSampleExplicitLod_R{in_name}"
    text = TEXT.format(
        name=name, image=image, sampler=sampler, at=at, color=color, result=result, of=read[3],
        sampled=image.replace("spirv.Image", "spirv.SampledImage"), mangled=f"{len(kind)}{kind}", sample=sample,
        length=len(sample), operands=BY_LEVEL,
        end=f"ret {color} %color" if result == color else  # of a depth
        f"%depth = extractelement {color} %color, i32 0\n  ret {result} %depth")
    head = f'target datalayout = "{module.datalayout}"\ntarget triple = "{module.triple}"\n'
    module.link_bitcode((head + text).encode())
    return get_function(module, name)
