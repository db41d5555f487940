# SPDX-License-Identifier: Apache-2.0
"""Whole vectors to memory, past the caches where the launch says so. A part of widening (widen.py)."""
from clpy.compiler import frame as fr
from clpy.compiler.analysis.intrinsics import intrinsic_base
from clpy.compiler.analysis.memory import base_of
from clpy.compiler.spmd.lanes import CACHE_LINE, Part, common_align
from clpy.llvm.ir import intrinsic, md_node

HALF_LINE = CACHE_LINE // 2
SHORT = 32               # instructions: so soon after the one half of a cache line comes the other
# Functions of LLVM that are an instruction, or a few.
INSTRUCTIONS = {"abs", "copysign", "fabs", "fma", "fmuladd", "fshl", "fshr", "smax", "smin", "umax", "umin"}


class Stores(Part):
    """`streams`: parameters whose memory nobody reads who might find it in a cache."""

    def __init__(self, forms, launch, streams):
        super().__init__(forms)
        self.launch, self.streams = launch, streams
        # A line that is written past the caches in two halves waits for the second in one of few buffers.
        self.least = HALF_LINE if len(streams) == 1 and is_short(forms.source) else CACHE_LINE

    def plain_store(self, chunks, at, mask, align, n=1):
        """Vectors of one type, one behind the other; a mask of the lanes, which have n elements each, goes with a
        single one."""
        wide = chunks[0]
        if mask is None and wide.type.size % self.least == 0 and base_of(at) in self.streams:
            self.streaming_store(chunks, at, align)
        elif mask is None:
            self.store_chunks(chunks, at, align)
        else:
            words, each = self.forms.in_whole_words(wide.type, n)
            if words != wide.type:       # an element that is nothing must not take its neighbours along
                wide = self.b.cast("bitcast", self.b.freeze(wide), words)
            if self.forms.in_registers(words, each):
                self.store_registers(wide, at, mask, each, align)
            else:
                self.store_masked(wide, at, self.forms.widen_mask(mask, each), align)

    def store_masked(self, value, at, mask, align):
        made = self.b.call(intrinsic(self.module, "llvm.masked.store", [value.type, at.type]), [value, at, mask])
        made.add_call_attribute("align", max(align, 1), 2)

    def store_registers(self, wide, at, mask, n, align):
        size = self.forms.register(wide.type.element)
        pieces = self.forms.cut(wide, size)
        for k, each in enumerate(self.forms.masks_of_registers(mask, n, size, len(pieces))):
            distance = k * pieces[0].type.size
            self.store_masked(pieces[k], self.forms.moved(at, distance), each, common_align(align, distance))

    def store_chunks(self, chunks, at, align):
        made = []
        for n, chunk in enumerate(chunks):
            made.append(self.b.store(chunk, self.forms.moved(at, n * chunk.type.size)))
            made[-1].align = common_align(align, n * chunk.type.size)
        return made

    def streaming_store(self, chunks, at, align):
        """Past the caches where the launch says that its buffers do not fit them, and the place is aligned."""
        b, t = self.b, self.t
        whole = min(CACHE_LINE, chunks[0].type.size)
        offset = b.binop("and", b.cast("ptrtoint", at, t.i64), t.i64.const(whole - 1))
        past = b.binop("and", self.stream_flag(), b.icmp("eq", offset, t.i64.const(0)))
        stream, usual, after = self.forms.new_block(), self.forms.new_block(), self.forms.new_block()
        b.cond_br(past, stream, usual)
        b.at_end(stream)
        for made in self.store_chunks(chunks, at, whole):
            made.set_metadata("nontemporal", md_node(self.module, [t.i32.const(1)]))
        b.br(after)
        b.at_end(usual)
        self.store_chunks(chunks, at, align)
        b.br(after)
        self.forms.go(after)

    def stream_flag(self):
        b, t = self.b, self.t
        flags = b.load(t.i32, b.gep(t.i8, self.launch, [t.i64.const(fr.LAUNCH_FLAGS)]))
        flags.set_metadata("invariant.load", md_node(self.module, []))
        return b.icmp("ne", b.binop("and", flags, t.i32.const(fr.STREAMS)), t.i32.const(0))


def is_short(function):
    """Nothing in it takes long: no functions are called but those that stand for memory or for an instruction."""
    code = function.instructions
    called = [inst.callee.name for inst in code if inst.opcode == "call"]
    return len(code) <= SHORT and all(name.startswith("clpy.m") or intrinsic_base(name) in INSTRUCTIONS
                                      for name in called)


def is_written_only(param):
    """A pointer to global memory that the function stores through and does nothing else with."""
    if not param.type.is_pointer or param.type.address_space != 1:
        return False
    pending, stores = [param], 0
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            if user.opcode == "getelementptr":
                pending.append(user)
            elif user.opcode == "call" and user.callee.name.startswith("clpy.mstore") and user.args[1] == pointer:
                stores += 1
            else:
                return False
    return stores > 0
