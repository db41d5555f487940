# SPDX-License-Identifier: Apache-2.0
"""The static program of Gen code: cycles by class, gaps for results, waits for messages, over blocks too."""
from dataclasses import replace
from types import SimpleNamespace

import pytest

from clpy.compiler.isa.gen import decode, flow, steps
from clpy.device.gpu import chip as chips
from clpy.device.gpu.rates import rates

RATES = rates(chips.load("skylake-gt2"))
ANY = steps.ANY
LOAD = "send (16|M0) r{to}:w r{at} 0xC 0x04205E00"                  # a word for each of 16
LOCAL = "send (16|M0) r{to}:w r{at} 0xC 0x04205EFE"
STORE = "sends (16|M0) null:w r{at} r{of} 0x8C 0x04025E02"
ATOMIC = "sends (16|M0) r{to}:w r{at} r{of} 0x8C 0x0420A700"        # an addition that gives what was there
FENCE = "(W) send (8|M0) r{to} r{at} 0xA 0x0219E000"
END = "(W) send (8|M0) null r127 0x27 0x02000010 {EOT}"
MAD = "mad (16|M0) r{0}.0<1>:f r{1}.0<8;1>:f r{2}.0<8;1>:f r{3}.0<1>:f"


def program(*rows, lines=((0, 1),), cycles=RATES):
    """Blocks of steps; each row is 16 bytes."""
    kernel = SimpleNamespace(name="k", entry=0, size=16 * (len(rows) + 1))
    made = decode.parse([(16 * i, row) for i, row in enumerate((*rows, END))], kernel)
    return steps.wave_program(flow.read(made, kernel), cycles, lines).blocks


def arithmetic(row):
    step = program(row)[0][0]
    return step.unit, next(iter(step.mix)), step.cycles


def waits(block):
    return [(step.vm, step.lgkm) for step in block if step.unit == "wait"]


@pytest.mark.parametrize(("row", "expected"), [
    ("add (8|M0) r5.0<1>:d r4.0<8;8,1>:d r6.0<8;8,1>:d", ("valu", "alu", 2)),
    ("add (16|M0) r5.0<1>:d r4.0<0;1,0>:d r1.0<16;16,1>:uw", ("valu", "alu", 4)),
    ("(W) add (1|M0) r5.0<1>:d r4.0<0;1,0>:d 1:w", ("valu", "alu", 2)),
    (MAD.format(8, 10, 12, 14), ("valu", "alu", 4)),
    ("mul (16|M0) r5.0<1>:f r4.0<8;8,1>:f r6.0<8;8,1>:f", ("valu", "alu", 4)),
    ("mul (16|M0) r66.0<1>:d r8.0<8;8,1>:d r5.6<0;1,0>:d", ("valu", "wide", 8)),
    ("mul (16|M0) r66.0<1>:d r8.0<8;8,1>:d r5.6<0;1,0>:uw", ("valu", "alu", 4)),
    ("mul (16|M0) r66.0<1>:d r8.0<8;8,1>:d 3:w", ("valu", "alu", 4)),
    ("add (4|M0) r5.0<1>:df r4.0<4;4,1>:df r6.0<4;4,1>:df", ("valu", "wide", 4)),
    ("add (8|M0) r5.0<1>:df r4.0<4;4,1>:df r6.0<4;4,1>:df", ("valu", "wide", 8)),
    ("add (16|M0) r5.0<1>:hf r4.0<16;16,1>:hf r6.0<16;16,1>:hf", ("valu", "half", 2)),
    ("mov (16|M0) r5.0<1>:f r4.0<16;16,1>:hf", ("valu", "alu", 4)),
    ("math.inv (16|M0) r5.0<1>:f r4.0<8;8,1>:f null<8;8,1>:f", ("salu", "math", 8)),
    ("math.pow (8|M0) r5.0<1>:f r4.0<8;8,1>:f r6.0<8;8,1>:f", ("salu", "pow", 8)),
    ("math.iqot (8|M0) r5.0<1>:d r4.0<8;8,1>:d r6.0<8;8,1>:d", ("salu", "int_div", 26)),
])
def test_cycles_of_arithmetic(row, expected):
    """Of 32 bytes: 2 for most, 4 for what is wide, and on the one FPU that has mathematical functions."""
    assert arithmetic(row) == expected


def test_a_result_is_waited_for():
    """Eight cycles after the begin, twelve of a product and for a flag; others of the thread come between."""
    chain = program(MAD.format(8, 8, 12, 14), MAD.format(8, 8, 12, 14), MAD.format(20, 8, 12, 14))[0]
    assert [(step.count, step.cycles, step.gap) for step in chain[:-1]] == [(2, 4, 4), (1, 4, 0)]
    between = program(MAD.format(8, 8, 12, 14), MAD.format(20, 22, 12, 14), MAD.format(30, 8, 12, 14))[0]
    assert [(step.count, step.gap) for step in between[:-1]] == [(3, 0)]
    product = program("mul (8|M0) r8.0<1>:d r9.0<8;8,1>:d r10.0<8;8,1>:d",
                      "add (8|M0) r8.0<1>:d r8.0<8;8,1>:d r10.0<8;8,1>:d")[0]
    assert product[0].gap == 12 - 4
    flag = program("cmp (8|M0) (gt)f0.0 null<1>:d r5.0<8;8,1>:d 0:w",
                   "(f0.0) sel (8|M0) r8.0<1>:d r9.0<8;8,1>:d r10.0<8;8,1>:d")[0]
    assert flag[0].gap == 12 - 2
    least = program("sel (8|M0) (lt)f0.0 r7.0<1>:d r9.0<8;8,1>:d r10.0<8;8,1>:d",
                    "(f0.0) sel (8|M0) r8.0<1>:d r9.0<8;8,1>:d r10.0<8;8,1>:d")[0]
    assert sum(step.gap for step in least) == 0           # a minimum writes no flag


def test_results_of_haswell():
    """Of mad 18 cycles after the begin, of others 12."""
    cycles, add = rates(chips.load("haswell-gt2")), "add (16|M0) r8.0<1>:f r8.0<8;8,1>:f r10.0<8;8,1>:f"
    chain = program(MAD.format(8, 8, 12, 14), add, add, cycles=cycles)[0]
    assert [step.gap for step in chain[:-1]] == [18 - 4, 12 - 4, 0]


def test_a_message_waits_for_its_addresses():
    block = program("shl (8|M0) r12.0<1>:d r5.0<8;8,1>:d 2:w", LOAD.format(to=16, at=12))[0]
    assert [(step.unit, step.gap) for step in block] == [("valu", 6), ("vmem", 0), ("end", 0)]


def test_long_chains_are_cut():
    """Other threads have their turn."""
    block = program(*[MAD.format(8, 8, 12, 14)] * 20)[0]
    assert [step.count for step in block[:-1]] == [8, 8, 3, 1]      # behind the last nobody waits
    assert sum(step.count for step in block[:-1]) == 20


def test_lines_of_the_source_change_no_steps():
    """Which have what their instructions are of, for who tells of lines."""
    code = [MAD.format(8 + 8 * i, 100, 102, 104) for i in range(6)]
    plain, block = (program(*code, lines=lines)[0] for lines in ([], [(0, 1), (32, 2), (80, 1)]))
    assert [replace(step, line=0, lines=[]) for step in block] == plain
    assert [(step.line, step.count, step.lines) for step in block] == [(1, 6, [[1, 3], [2, 3]]), (1, 1, [])]
    assert program(*code, lines=[(0, 4)])[0][0].lines == []


def test_waits_are_before_the_first_use():
    """And as many may stay under way as were sent behind."""
    block = program(LOAD.format(to=16, at=12), LOAD.format(to=20, at=12), LOAD.format(to=30, at=12),
                    "add (16|M0) r40.0<1>:f r16.0<8;8,1>:f r40.0<8;8,1>:f",
                    "add (16|M0) r40.0<1>:f r31.0<8;8,1>:f r40.0<8;8,1>:f")[0]
    assert [step.unit for step in block] == ["vmem", "vmem", "vmem", "wait", "valu", "wait", "valu", "end"]
    assert waits(block) == [(2, ANY), (0, ANY)]
    assert [step.cycles for step in block if step.unit == "wait"] == [0, 0]


def test_bytes_are_those_of_the_thread():
    """One of 32 work-items has two messages for what each of them loads."""
    halves = ["mov (16|M16) r8.0<1>:f 0x0:f", LOAD.format(to=16, at=12), LOAD.format(to=20, at=14)]
    assert [step.bytes for step in program(*halves)[0] if step.unit == "vmem"] == [2, 2]
    assert [step.bytes for step in program(*halves[1:])[0] if step.unit == "vmem"] == [4, 4]


def test_both_kinds_of_memory_come_back_in_their_own_order():
    block = program(LOAD.format(to=16, at=12), LOCAL.format(to=20, at=12), LOAD.format(to=30, at=12),
                    "add (16|M0) r40.0<1>:f r16.0<8;8,1>:f r20.0<8;8,1>:f")[0]
    assert [step.unit for step in block] == ["vmem", "lds", "vmem", "wait", "valu", "end"]
    assert waits(block) == [(1, 0)]


def test_a_register_is_not_written_before_what_was_asked_for_it_is_there():
    block = program(LOAD.format(to=16, at=12), "mov (8|M0) r17.0<1>:f 0x0:f")[0]
    assert waits(block) == [(0, ANY)]
    assert waits(program(LOAD.format(to=16, at=12), "mov (8|M0) r18.0<1>:f 0x0:f")[0]) == []


def test_stores_wait_for_what_they_send_and_nobody_for_them():
    block = program(LOAD.format(to=16, at=12), STORE.format(at=14, of=16), LOAD.format(to=20, at=14),
                    "mov (8|M0) r16.0<1>:f r20.0<8;8,1>:f")[0]
    assert [(step.unit, step.kind) for step in block][:4] == [("vmem", "load"), ("wait", ""), ("vmem", "store"),
                                                             ("vmem", "load")]
    assert waits(block) == [(0, ANY), (0, ANY)]


def test_atomic_operations_and_fences():
    block = program(ATOMIC.format(to=16, at=12, of=14), "mov (8|M0) r40.0<1>:f r16.0<8;8,1>:f")[0]
    assert block[0].kind == "atomic_return"
    assert waits(block) == [(0, ANY)]
    [fence, _] = program(FENCE.format(to=3, at=0))[0]
    assert (fence.unit, fence.exp, fence.vm, fence.cycles) == ("wait", 0, ANY, 30)


def test_messages_stay_under_way_from_block_to_block():
    """A loop that asks for the next word before it uses this one: both ways to its begin have one under way."""
    first, loop, _ = program(
        LOAD.format(to=16, at=12),
        "add (16|M0) r40.0<1>:f r16.0<8;8,1>:f r40.0<8;8,1>:f",
        LOAD.format(to=16, at=12),
        "(W&f0.0) jmpi L16")
    assert waits(first) == []
    assert waits(loop) == [(0, ANY)]
    assert [step.unit for step in loop] == ["wait", "valu", "vmem", "branch"]


def test_ways_that_meet():
    """One way has sent more than the other: what is wanted is waited for on either."""
    blocks = program(
        LOAD.format(to=16, at=12),
        "(W&f0.0) jmpi L48",
        LOAD.format(to=20, at=12),
        "add (16|M0) r40.0<1>:f r16.0<8;8,1>:f r40.0<8;8,1>:f")
    assert waits(blocks[2]) == [(0, ANY)]
    blocks = program(
        LOAD.format(to=16, at=12),
        "(W&f0.0) jmpi L48",
        LOAD.format(to=20, at=12),
        "add (16|M0) r40.0<1>:f r20.0<8;8,1>:f r40.0<8;8,1>:f")
    assert waits(blocks[2]) == [(0, ANY)]


def test_a_barrier_closes_its_block():
    blocks = program("(W) send (8|M0) null r3 0x3 0x02000004", "(W) wait n0.0<0;1,0>:ud")
    assert [step.unit for step in blocks[0]] == ["message", "barrier"]
    assert [step.unit for step in blocks[1]] == ["end"]
