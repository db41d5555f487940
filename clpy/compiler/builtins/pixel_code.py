# SPDX-License-Identifier: Apache-2.0
"""Code that first code shares (library_code.py) for four words at a time, of each lane: such are pixels, which lie in
memory lane by lane, and are in registers a vector for each of the four. Vectors call it (spmd/widen_pixels.py), as the
shuffles are what most of a kernel with images would be. It computes nothing, so that it is the same for all processors
with registers of one width, and is made when clpy is built. What it is given: analysis/pixels.py.
"""
from clpy.compiler.analysis.pixels import READ, READ_ROWS, WORDS, WRITE, WRITE_ROWS, lanes_of, name_of

# Bits of a register -> what processors have that have such.
FEATURES = {128: [], 256: ["+avx2"], 512: ["+avx512f", "+avx512bw", "+avx512dq", "+avx512vl"]}


def forms(prefix):
    """(Symbol, features, LLVM's assembly) for each; functions have this prefix."""
    for bits, features in FEATURES.items():
        lanes = lanes_of(bits)
        made = {READ: reading(lanes, columns(lanes)), READ_ROWS: reading(lanes, side_by_side(lanes)),
                WRITE: writing(lanes, turned_back(lanes)), WRITE_ROWS: writing(lanes, cut(lanes))}
        for what, text in made.items():
            symbol = name_of(what, lanes)
            yield symbol, features, text.replace("@FORM", f'@"{prefix}{symbol}"')


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


def columns(lanes):
    """Code that makes %c0 to %c3 of each lane's words, %r0 and so on: the first words of all lanes, and so on."""
    rows, code = [f"%row{k}" if lanes > WORDS else f"%r{k}" for k in range(WORDS)], ""
    if lanes > WORDS:
        code = "".join(joined(rows[k], [f"%r{lane}" for lane in range(k, lanes, WORDS)]) for k in range(WORDS))
    return code + turned(rows, [f"%c{k}" for k in range(WORDS)], lanes)


def side_by_side(lanes):
    """Likewise, %c0 to %c3 being all words in order."""
    each = lanes // WORDS
    if each == 1:
        return "".join(shuffle(f"%c{k}", f"%r{k}", "poison", WORDS, range(WORDS)) for k in range(WORDS))
    return "".join(joined(f"%c{k}", [f"%r{lane}" for lane in range(k * each, k * each + each)]) for k in range(WORDS))


def turned_back(lanes):
    """Code that makes each lane's words, %v0 and so on, of such columns."""
    code = turned([f"%c{k}" for k in range(WORDS)], [f"%row{k}" for k in range(WORDS)], lanes)
    return code + "".join(shuffle(f"%v{lane}", f"%row{lane % WORDS}", "poison", lanes, words_at(lane // WORDS))
                          for lane in range(lanes))


def cut(lanes):
    """Likewise, of all words in order."""
    each = lanes // WORDS
    return "".join(shuffle(f"%v{lane}", f"%c{lane // each}", "poison", lanes, words_at(lane % each))
                   for lane in range(lanes))


def words_at(n):
    return range(n * WORDS, n * WORDS + WORDS)


def near(lanes, otherwise):
    """Code that branches to `side`, with where the lanes' words begin, where they lie side by side, else on."""
    vector = f"<{lanes} x i32>"
    steps = f"<{', '.join(f'i32 {lane}' for lane in range(lanes))}>"
    return f"""
  %n.first = extractelement {vector} %index, i64 0
  %n.one = insertelement {vector} poison, i32 %n.first, i64 0
  %n.ones = shufflevector {vector} %n.one, {vector} poison, {vector} zeroinitializer
  %n.away = sub {vector} %index, {steps}
  %n.same = icmp eq {vector} %n.away, %n.ones
  %n.bits = bitcast <{lanes} x i1> %n.same to i{lanes}
  %n.near = icmp eq i{lanes} %n.bits, -1
  %n.wide = sext i32 %n.first to i64
  %start = getelementptr <4 x float>, ptr addrspace(1) %base, i64 %n.wide
  br i1 %n.near, label %side, label %{otherwise}
side:""" + "".join(f"""
  %s{lane} = getelementptr <4 x float>, ptr addrspace(1) %start, i64 {lane}""" for lane in range(lanes))


def each_lane(code, lanes):
    return "".join(f"\n  {code.format(lane)}" for lane in range(lanes))


def reading(lanes, order):
    """Lanes that do not take part read where the first one does that does. `order`: code that puts the words in the
    order of the form."""
    vector, result = f"<{lanes} x i32>", f"[{WORDS} x <{lanes} x float>]"
    results = "".join(f"""
  %made{k} = insertvalue {result} {f'%made{k - 1}' if k else 'poison'}, <{lanes} x float> %c{k}, {k}"""
                      for k in range(WORDS))
    return f"""
declare i{lanes} @llvm.cttz.i{lanes}(i{lanes}, i1)
define {result} @FORM(ptr addrspace(1) %base, {vector} %index, i32 %mask) nounwind {{
entry:
  %bits = trunc i32 %mask to i{lanes}
  %all = icmp eq i{lanes} %bits, -1
  br i1 %all, label %look, label %some
look:{near(lanes, 'apart')}{each_lane('%t{0} = load <4 x float>, ptr addrspace(1) %s{0}, align 1', lanes)}
  br label %order
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
  br label %apart
apart:
  %at = phi {vector} [ %index, %look ], [ %safe, %first ]{places(lanes, vector + ' %at')}{
      each_lane('%u{0} = load <4 x float>, ptr addrspace(1) %a{0}, align 1', lanes)}
  br label %order
order:{each_lane('%r{0} = phi <4 x float> [ %t{0}, %side ], [ %u{0}, %apart ]', lanes)}{order}{results}
  ret {result} %made{WORDS - 1}
}}
"""


def writing(lanes, order):
    """Where two lanes write to one place, the last one does so last. `order`: code that makes lanes of the words."""
    stores = [f"\n  store <4 x float> %v{lane}, ptr addrspace(1) %a{lane}, align 1" for lane in range(lanes)]
    apart = "".join(f"""
  %m{lane} = and i32 %mask, {1 << lane}
  %b{lane} = icmp eq i32 %m{lane}, 0
  br i1 %b{lane}, label %after{lane}, label %do{lane}
do{lane}:{stores[lane]}
  br label %after{lane}
after{lane}:""" for lane in range(lanes))
    words = ", ".join(f"<{lanes} x float> %c{k}" for k in range(WORDS))
    return f"""
define void @FORM(ptr addrspace(1) %base, <{lanes} x i32> %index, {words}, i32 %mask) nounwind {{
  %bits = trunc i32 %mask to i{lanes}
  %all = icmp eq i{lanes} %bits, -1{order}
  br i1 %all, label %look, label %some
look:{near(lanes, 'some')}{each_lane('store <4 x float> %v{0}, ptr addrspace(1) %s{0}, align 1', lanes)}
  ret void
some:{places(lanes, f'<{lanes} x i32> %index')}{apart}
  ret void
}}
"""
