# SPDX-License-Identifier: Apache-2.0
"""Shared code (library_code.py) for four words at a time, of each lane: such are pixels, which lie in memory lane by
lane, and are in registers a vector for each of the four. First code calls it (spmd/widen_pixels.py), as the shuffles
are what most of a kernel with images would be. What it is given: analysis/pixels.py.
"""
from clpy.compiler.analysis.pixels import READ, WORDS, shape_of


def module_of(symbol, name):
    """A module with that form, under this name."""
    from clpy.llvm.module import Module
    what, lanes = shape_of(symbol)
    return Module.from_text((reading if what == READ else writing)(lanes).replace("@FORM", f'@"{name}"'))


def shuffle(name, one, two, size, order):
    """Code for a shuffle of two vectors of `size` floats."""
    places = ", ".join(f"i32 {at}" for at in order)
    return f"\n  {name} = shufflevector <{size} x float> {one}, <{size} x float> {two}, <{len(order)} x i32> <{places}>"


def places(lanes, index):
    """Code for where each lane's four words are."""
    return "".join(f"""
  %i{lane} = extractelement {index}, i64 {lane}
  %n{lane} = sext i32 %i{lane} to i64
  %a{lane} = getelementptr <4 x float>, ptr addrspace(1) %base, i64 %n{lane}""" for lane in range(lanes))


def joined(name, parts):
    """Code for `name`: vectors of four floats, one behind the other."""
    code, size, n = "", WORDS, 0
    while len(parts) > 1:
        made = []
        for one, two in zip(parts[::2], parts[1::2], strict=True):
            n += 1
            made.append(name if len(parts) == 2 else f"{name}.{n}")
            code += shuffle(made[-1], one, two, size, range(2 * size))
        parts, size = made, 2 * size
    return code


def turned(rows, made, size):
    """Code for `made`: what four vectors have in each four elements, as columns, by shuffles that are an instruction
    each."""
    code = ""
    for step in ("zip", None):
        names = [f"%{step}{k}" for k in range(WORDS)] if step else made
        for k, name in enumerate(names):
            half = k % 2 * 2
            order = [which * size + block + half + i for block in range(0, size, WORDS) for i in range(2)
                     for which in (0, 1)]
            code += shuffle(name, rows[k // 2], rows[k // 2 + 2], size, order)
        rows = names
    return code


def reading(lanes):
    """Lanes that do not take part read where the first one does that does."""
    vector, result = f"<{lanes} x i32>", f"[{WORDS} x <{lanes} x float>]"
    code = "".join(f"\n  %r{lane} = load <4 x float>, ptr addrspace(1) %a{lane}, align 1" for lane in range(lanes))
    rows = [f"%row{k}" if lanes > WORDS else f"%r{k}" for k in range(WORDS)]
    if lanes > WORDS:
        code += "".join(joined(rows[k], [f"%r{lane}" for lane in range(k, lanes, WORDS)]) for k in range(WORDS))
    code += turned(rows, [f"%c{k}" for k in range(WORDS)], lanes)
    results = "".join(f"""
  %s{k} = insertvalue {result} {f'%s{k - 1}' if k else 'poison'}, <{lanes} x float> %c{k}, {k}"""
                      for k in range(WORDS))
    return f"""
declare i{lanes} @llvm.cttz.i{lanes}(i{lanes}, i1)
define spir_func {result} @FORM(ptr addrspace(1) %base, {vector} %index, i32 %mask) {{
entry:
  %bits = trunc i32 %mask to i{lanes}
  %all = icmp eq i{lanes} %bits, -1
  br i1 %all, label %read, label %some
some:
  %none = icmp eq i{lanes} %bits, 0
  br i1 %none, label %nothing, label %first
nothing:
  ret {result} poison
first:
  %wanted = bitcast i{lanes} %bits to <{lanes} x i1>
  %number = call i{lanes} @llvm.cttz.i{lanes}(i{lanes} %bits, i1 true)
  %lane = zext i{lanes} %number to i64
  %one = extractelement {vector} %index, i64 %lane
  %ones = insertelement {vector} poison, i32 %one, i64 0
  %same = shufflevector {vector} %ones, {vector} poison, {vector} zeroinitializer
  %safe = select <{lanes} x i1> %wanted, {vector} %index, {vector} %same
  br label %read
read:
  %at = phi {vector} [ %index, %entry ], [ %safe, %first ]{places(lanes, vector + ' %at')}{code}{results}
  ret {result} %s{WORDS - 1}
}}
"""


def writing(lanes):
    """Where two lanes write to one place, the last one does so last."""
    code = turned([f"%c{k}" for k in range(WORDS)], [f"%row{k}" for k in range(WORDS)], lanes)
    code += "".join(shuffle(f"%v{lane}", f"%row{lane % WORDS}", "poison", lanes,
                            range(lane // WORDS * WORDS, lane // WORDS * WORDS + WORDS)) for lane in range(lanes))
    stores = [f"\n  store <4 x float> %v{lane}, ptr addrspace(1) %a{lane}, align 1" for lane in range(lanes)]
    apart = "".join(f"""
  %m{lane} = and i32 %mask, {1 << lane}
  %b{lane} = icmp eq i32 %m{lane}, 0
  br i1 %b{lane}, label %after{lane}, label %do{lane}
do{lane}:{stores[lane]}
  br label %after{lane}
after{lane}:""" for lane in range(lanes))
    columns = ", ".join(f"<{lanes} x float> %c{k}" for k in range(WORDS))
    return f"""
define spir_func void @FORM(ptr addrspace(1) %base, <{lanes} x i32> %index, {columns}, i32 %mask) {{
  %bits = trunc i32 %mask to i{lanes}
  %all = icmp eq i{lanes} %bits, -1{code}{places(lanes, f'<{lanes} x i32> %index')}
  br i1 %all, label %whole, label %some
whole:{''.join(stores)}
  ret void
some:{apart}
  ret void
}}
"""
