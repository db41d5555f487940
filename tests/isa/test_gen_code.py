# SPDX-License-Identifier: Apache-2.0
"""Gen machine code as the translator reads it: instructions of IGA's text, messages of their descriptors, and where all
channels of a thread are together."""
from types import SimpleNamespace

import pytest

from clpy.compiler.isa.gcn.flow import UnknownInstruction
from clpy.compiler.isa.gen import decode, flow, messages

KERNEL = SimpleNamespace(name="k", entry=64, size=0)


def one(text):
    return decode.instruction(0, 16, text, "k")


def kernel(*lines):
    """Instructions of 16 bytes."""
    rows = [(16 * i, line) for i, line in enumerate(lines)]
    return decode.parse(rows, SimpleNamespace(name="k", entry=KERNEL.entry, size=16 * len(lines)))


def test_an_instruction():
    made = one("(~f0.1) add (16|M16) (gt)f1.0 (sat)r10.0<1>:d  -r4.3<0;1,0>:d  (abs)r2.0<16;16,1>:uw {Compacted}")
    assert (made.name, made.width, made.offset, made.nomask) == ("add", 16, 16, False)
    assert made.predicate == (True, "f0.1", "") and made.condition == ("gt", "f1.0")
    assert made.saturates and made.dst.byte == 320 and made.options == {"Compacted"}
    left, right = made.sources
    assert (left.byte, left.neg, left.is_scalar, right.abs, right.size) == (140, True, True, True, 2)


def test_no_mask_and_groups_of_flags():
    made = one("(W&f1.0.any16h) jmpi L48")
    assert made.nomask and made.predicate == (False, "f1.0", "any16h") and made.targets == (48,)


@pytest.mark.parametrize(("text", "value"), [
    ("0x3F800000:f", 0x3F800000), ("1.5:df", 0x3FF8000000000000), ("-1:w", 0xFFFF), ("qnan(0x1):f", 0x7FC00001),
    ("0x76543210:v", 0x76543210), ("1.0:hf", 0x3C00)])
def test_literals(text, value):
    assert one(f"mov (1|M0) r1.0<1>:d {text}").sources[0].value == value


@pytest.mark.parametrize(("region", "offsets"), [
    ("<8;8,1>", [0, 1, 2, 3, 4, 5, 6, 7]), ("<0;1,0>", [0] * 8), ("<2;1,0>", [0, 2, 4, 6, 8, 10, 12, 14]),
    ("<4;2,1>", [0, 1, 4, 5, 8, 9, 12, 13]), ("<0;2,1>", [0, 1, 0, 1, 0, 1, 0, 1])])
def test_regions(region, offsets):
    assert one(f"mov (8|M0) r1.0<1>:d r2.0{region}:d").sources[0].offsets(8) == offsets


def test_what_is_no_instruction():
    with pytest.raises(UnknownInstruction, match="what is this"):
        one("(W) mov (1|M0) r1.0<1>:d what is this")


def sent(desc, extended, name="send", width=16):
    return messages.read(decode.Instruction(0, 16, name, width, desc=desc, exdesc=extended))


@pytest.mark.parametrize(("desc", "extended", "is_"), [
    (0x04205E01, 0xC, {"kind": "load", "space": "global", "surface": 1, "lanes": 16, "elements": (0,), "response": 2}),
    (0x048050FE, 0xC, {"kind": "load", "space": "local", "elements": (0, 1, 2, 3), "response": 8}),
    (0x04025E02, 0x8C, {"kind": "store", "surface": 2, "length": 2, "more": 2}),
    (0x021108FE, 0xA, {"kind": "load", "space": "local", "bytes": 4, "lanes": 8}),
    (0x040301FE, 0x8A, {"kind": "store", "bytes": 1, "lanes": 16}),
    (0x040680FF, 0x4C, {"kind": "store", "far": True, "bytes": 1, "lanes": 8}),
    (0x020097FE, 0x4C, {"kind": "atomic", "operation": "add", "lanes": 8, "space": "local"}),
    (0x040487FF, 0x4C, {"kind": "atomic", "operation": "add", "far": True, "bytes": 4}),
    (0x021D0AFF, 0xC, {"kind": "block_load", "far": True, "count": 2, "header": True}),
    (0x02484402, 0xA, {"kind": "block_load", "count": 8, "surface": 2, "in_bytes": True}),
    (0x021FF000, 0x2, {"kind": "fence"}),
    (0x02000004, 0x3, {"kind": "barrier"})])
def test_messages(desc, extended, is_):
    made = sent(desc, extended)
    assert {name: getattr(made, name) for name in is_} == is_


def test_a_message_whose_descriptor_is_in_a_register():
    assert sent(None, 0xC) is None


END = "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}"


def starts(made):
    return {pc - KERNEL.entry for pc in made}


def test_channels_meet_behind_both_ways():
    made = flow.read(kernel(
        "cmp (16|M0) (gt)f0.0 null<1>:d r1.0<8;8,1>:d 0:w",     # 0
        "(f0.0) if (16|M0) L64 L80",                            # 16
        "mov (16|M0) r2.0<1>:d 1:w",                            # 32
        "else (16|M0) L80 L80",                                 # 48
        "mov (16|M0) r2.0<1>:d 2:w",                            # 64
        "endif (16|M0) L96",                                    # 80
        END), KERNEL)                                           # 96
    assert starts(made.blocks) == {0, 32, 64, 80, 96}
    assert starts(made.converged) == {0, 80, 96}
    assert starts(made.meets) == {64, 80}


def test_a_loop_that_channels_leave_one_by_one():
    made = flow.read(kernel(
        "mov (16|M0) r2.0<1>:d 0:w",                            # 0
        "add (16|M0) r2.0<1>:d r2.0<8;8,1>:d 1:w",              # 16
        "cmp (16|M0) (lt)f0.0 null<1>:d r2.0<8;8,1>:d r1.0<8;8,1>:d",
        "(f0.0) while (16|M0) L16",                             # 48
        END), KERNEL)                                           # 64
    assert starts(made.converged) == {0, 64} and starts(made.meets) == {64}


def test_a_loop_of_the_whole_thread():
    made = flow.read(kernel(
        "mov (1|M0) r2.0<1>:d 0:w",
        "(W) add (1|M0) r2.0<1>:d r2.0<0;1,0>:d 1:w",           # 16
        "(W) cmp (16|M0) (lt)f0.0 null<1>:d r2.0<0;1,0>:d 9:w",
        "(W&f0.0) jmpi L16",                                    # 48
        END), KERNEL)
    assert starts(made.converged) == {0, 16, 64}


def test_where_a_thread_passes_without_its_channels():
    """All channels may wait for the last place: those on the way there are not where they meet."""
    made = flow.read(kernel(
        "(W&f1.0) jmpi L64",                                    # 0
        "(f0.0) goto (16|M0) L64 L96",                          # 16: those without f0.0 go to 96, by 64
        "mov (16|M0) r2.0<1>:d 1:w",                            # 32
        "mov (16|M0) r3.0<1>:d 1:w",                            # 48
        "join (16|M0) L96",                                     # 64
        "mov (16|M0) r4.0<1>:d 1:w",                            # 80
        "join (16|M0) L112",                                    # 96
        END), KERNEL)
    assert starts(made.converged) == {0, 16, 96, 112}


def test_channels_of_a_forward_goto_stay_where_they_have_the_predicate():
    made = kernel("(f0.0) goto (16|M0) L32 L48")[0]
    assert flow.waits_at(made, {}) == {KERNEL.entry + 48: "others"}


@pytest.mark.parametrize("lines", [
    ("(W) jmpi L512", END), ("(W) jmpi r2.0", END), ("illegal", END), ("(f0.0) if (16|M0) L4 L4", END)])
def test_code_that_leads_nowhere(lines):
    with pytest.raises(UnknownInstruction):
        flow.read(kernel(*lines), KERNEL)
