# SPDX-License-Identifier: Apache-2.0
"""What translated kernels tell of their wavefronts: exact counts, and a trace that goes with the static program."""
from itertools import pairwise

import numpy as np
import pytest

from clpy.compiler.isa.gcn import translate
from clpy.device.gpu import chip as chips
from clpy.device.gpu.timing import access
from clpy.llvm.ir import functions

from .machine import Sink, machine, program_of

CHIP = chips.load("tonga")
BEGINS, PRIVATE, ARGUMENTS, RUN = 0xFFFFFFFF, 1 << 63, 1 << 62, 0x8000
SOURCE = """
kernel void guarded(global float *a, global float *o, int n) { int i = get_global_id(0); if (i < n) o[i] = a[i] * 2; }
kernel void apart(global float *a, global float *o) { int i = get_global_id(0); o[i] = a[i * 16]; }
kernel void banks(global uint *o, local uint *t, int step) {
    int l = get_local_id(0);
    t[l * step] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[(63 - l) * step];
}
kernel void turns(global uint *o, local uint *t, int n) {
    uint l = get_local_id(0), x = l;
    for (int k = 0; k < n; k++) {
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = t[(l + 1) & 127];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = x;
}
kernel void chosen(global uint *a, global uint *o, global uint *which, local uint *t, local uint *u) {
    uint l = get_local_id(0), i = which[l];
    t[l] = l;
    t[l + 64] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = a[i] + atomic_inc(u + (i & 7)) + t[i & 127];
}
kernel void widths(global uint *o, global uchar *a, global ushort *b, global uint *c, global uint2 *d,
                   global uint4 *e) {
    uint l = get_local_id(0);
    uint4 four = e[l];
    uint2 two = d[l];
    o[l] = a[l] + b[l] + c[l] + two.x + two.y + four.x + four.y + four.z + four.w;
}
kernel void count(global uint *o) { atomic_add(o + (get_global_id(0) & 1), 1); }
kernel void own(global uint *o, global uint *which, uint n) {
    uint l = get_local_id(0), own[64];
    for (uint k = 0; k < 64; k++)
        own[k] = l + k * n;
    o[l] = own[n] + own[which[l]];
}
kernel void sums(global uint *o, local uint *t, uint n) {
    uint l = get_local_id(0), own[64], s = 0;
    for (uint k = 0; k < 64; k++)
        own[k] = l + k * n;
    t[l] = 3 * l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < n; k++)
        s += own[k] * t[k] + t[own[k] & 63];
    o[l] = s;
}
"""
TABLES = """
constant uint table[8][256] = {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}};
kernel void steps(global const uint2 *data, global uint *o, uint n) {
    uint crc = 0xFFFFFFFF;
    for (ulong i = get_global_id(0) * n; n > 0; i++, n--) {
        uint one = data[i].x ^ crc, two = data[i].y;
        crc = table[7][one & 0xFF] ^ table[6][one >> 8 & 0xFF] ^ table[5][one >> 16 & 0xFF] ^ table[4][one >> 24]
            ^ table[3][two & 0xFF] ^ table[2][two >> 8 & 0xFF] ^ table[1][two >> 16 & 0xFF] ^ table[0][two >> 24];
    }
    o[get_global_id(0)] = crc;
}
"""


def read(words, blocks):
    """[(header, [(block, [(step, lines, cycles, more)])])] of a trace."""
    waves, at = [], 0
    while at < len(words):
        if words[at] == BEGINS:
            waves.append((words[at + 1:at + 6].tolist(), []))
            at += 6
            continue
        number, steps = int(words[at]), []
        at += 1
        for step in blocks[number]:
            if step.unit not in ("smem", "vmem", "lds"):
                continue
            n, cycles = int(words[at] & 0x7FFF), int(words[at] >> 16)
            is_run = bool(words[at] & RUN)
            pairs = words[at + 1:at + 1 + 2 * (1 if is_run else n)].astype(np.uint64).reshape(-1, 2)
            at += 1 + 2 * len(pairs)
            lines, more = [int(low | high << np.uint64(32)) for low, high in pairs], None
            if is_run:
                lines = list(range(lines[0], lines[0] + n))
            if step.kind.startswith("atomic"):
                more, at = int(words[at]), at + 1
            steps.append((step, lines, cycles, more))
        waves[-1][1].append((number, steps))
    return waves


def traced(name, size, group, args, processor="gfx803"):
    chip = machine(SOURCE, processor, traced=True)
    program = chip.waves[name]
    sink = Sink(len(program.blocks))
    chip.run(name, size, group, args, sink)
    return program, sink, read(sink.trace, program.blocks)


def steps_of(waves, unit, kind):
    return [step for _, blocks in waves for _, steps in blocks for step in steps
            if (step[0].unit, step[0].kind) == (unit, kind)]


def test_steps_have_all_code():
    """From the first instruction to the last, each byte in one step."""
    program = machine(SOURCE, "gfx803").waves["guarded"]
    places = sorted((step.at, step.at + step.size) for steps in program.blocks for step in steps)
    assert all(size > 0 for size in (end - at for at, end in places))
    assert all(end == at for (_, end), (at, _) in pairwise(places))
    assert program.blocks[-1][-1].unit == "end"


@pytest.mark.parametrize("processor", ["gfx600", "gfx701", "gfx803", "gfx900"])
def test_loads_that_need_not_wait_for_each_other_do_not(processor):
    """A step of a CRC: eight words of tables, at places that a load before them told."""
    program = machine(TABLES, processor).waves["steps"]
    blocks = [[step.unit for step in steps] for steps in program.blocks]
    [units] = [units for units in blocks if units.count("vmem") == 9]
    first, *others = (at for at, unit in enumerate(units) if unit == "vmem")
    assert "wait" in units[first:others[0]]
    assert "wait" not in units[others[0]:others[-1]]


def test_counts():
    chip = machine(SOURCE, "gfx803")
    a, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    program = chip.waves["guarded"]
    sink = Sink(len(program.blocks))
    chip.run("guarded", (200,), (100,), [a, out, np.int32(150)], sink)
    store = next(i for i, steps in enumerate(program.blocks) if any(s.kind == "store" for s in steps))
    assert int(sink.counts[0]) == 4
    assert int(sink.lanes[0]) == 200
    assert int(sink.lanes[store]) == 150
    assert int(sink.counts[store]) == 3
    assert len(sink.trace) == 0


def test_traced_kernels_count_the_same():
    a, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    _, sink, waves = traced("guarded", (200,), (100,), [a, out, np.int32(150)])
    assert np.array_equal(out[:150], 2 * a[:150])
    assert [header for header, _ in waves] == [[0, 0, 0, 0, 64], [0, 0, 0, 1, 36], [1, 0, 0, 0, 64], [1, 0, 0, 1, 36]]
    visits = np.zeros(len(sink.counts), np.uint64)
    for _, blocks in waves:
        for number, _ in blocks:
            visits[number] += 1
    assert np.array_equal(visits, sink.counts)


@pytest.mark.parametrize("name", ["guarded", "apart", "turns"])
def test_brief_code_tells_the_same(name):
    """Wavefronts that are all on go through the code for any."""
    args = {"guarded": [np.ones(256, np.float32), np.zeros(256, np.float32), np.int32(150)],
            "apart": [np.ones(4096, np.float32), np.zeros(256, np.float32)],
            "turns": [np.zeros(256, np.uint32), 512, np.int32(3)]}[name]
    told = []
    for is_brief in (False, True):
        chip = machine(SOURCE, "gfx803", traced=True, is_brief=is_brief)
        sink = Sink(len(chip.waves[name].blocks))
        chip.run(name, (256,), (128,), args, sink)
        told.append([args[0].copy(), sink.counts, sink.lanes, sink.trace])
    assert len(told[0][-1]) > 50
    assert all(np.array_equal(one, other) for one, other in zip(*told, strict=True))


@pytest.mark.parametrize("name", ["apart", "turns"])
def test_wavefronts_may_say_nothing(name):
    """In code that tells, for groups of no sample: they count as others do."""
    args = {"apart": [np.arange(4096, dtype=np.float32), np.zeros(256, np.float32)],
            "turns": [np.zeros(256, np.uint32), 512, np.int32(3)]}[name]
    chip, made = machine(SOURCE, "gfx803", traced=True, is_brief=True), []
    for is_silent in (False, True):
        sink = Sink(len(chip.waves[name].blocks), is_silent=is_silent)
        chip.run(name, (256,), (128,), args, sink)
        made.append([sink.counts, sink.lanes, args[0].copy(), *(x.copy() for x in args[1:] if hasattr(x, "copy"))])
        assert bool(len(sink.trace)) is not is_silent
    assert all(np.array_equal(one, other) for one, other in zip(*made, strict=True))


def test_the_first_wavefronts_of_groups_may_speak_for_them():
    a, out = np.arange(4096, dtype=np.float32), np.zeros(256, np.float32)
    told = []
    for most_waves in (0, 1):
        chip = machine(SOURCE, "gfx803", traced=True)
        sink = Sink(len(chip.waves["apart"].blocks), most_waves=most_waves)
        chip.run("apart", (256,), (128,), [a, out], sink)
        told.append((sink.counts, [sink.trace[at + 4] for at in np.flatnonzero(sink.trace == 0xffffffff)]))
    assert np.array_equal(told[0][0], told[1][0])
    assert sorted(told[0][1]) == [0, 0, 1, 1]
    assert told[1][1] == [0, 0]


def test_lines_in_order_of_touch():
    a, out = np.zeros(64 * 16 + 16, np.float32), np.zeros(64 + 16, np.float32)
    a, out = (x[-x.ctypes.data % 64 // 4:] for x in (a, out))
    _, _, waves = traced("apart", (64,), (64,), [a, out])
    (_, lines, cycles, _), = steps_of(waves, "vmem", "load")
    assert lines == [(a.ctypes.data >> 6) + i for i in range(64)]
    assert cycles == 64
    (_, lines, cycles, _), = steps_of(waves, "vmem", "store")
    assert lines == [(out.ctypes.data >> 6) + i for i in range(4)]
    assert cycles == 16
    scalar = steps_of(waves, "smem", "load")
    assert scalar
    assert all(line & ARGUMENTS for _, lines, _, _ in scalar for line in lines)


def test_contiguous_words_take_a_cycle_a_quarter():
    a, out = (x[-x.ctypes.data % 64 // 4:] for x in (np.zeros(80, np.float32), np.zeros(80, np.float32)))
    _, _, waves = traced("guarded", (64,), (64,), [a, out, np.int32(64)])
    (_, lines, cycles, _), = steps_of(waves, "vmem", "load")
    assert (len(lines), cycles) == (4, 4)
    (_, lines, cycles, _), = steps_of(waves, "vmem", "store")      # which take as long as scattered ones
    assert (len(lines), cycles) == (4, 16)


def test_a_wavefront_may_stop_telling():
    """Behind so many instructions, but not at a barrier, where others wait for it; it counts all the same."""
    chip = machine(SOURCE, "gfx803", traced=True)
    program = chip.waves["turns"]
    told, counts = [], []
    for most in (0, 20, 40, 60, 80, 1000):
        sink, out = Sink(len(program.blocks), most=most), np.zeros(128, np.uint32)
        chip.run("turns", (128,), (128,), [out, 128 * 4, np.int32(5)], sink)
        assert np.array_equal(out, (np.arange(128) + 5) % 128)
        waves = read(sink.trace, program.blocks)
        last = {header[3]: blocks[-1][0] for header, blocks in waves}
        assert set(last) == {0, 1}
        assert all(program.blocks[block][-1].unit != "barrier" for block in last.values())
        told.append(sum(len(blocks) for _, blocks in waves))
        counts.append(sink.counts.tolist())
    assert all(each == counts[0] for each in counts)
    assert told == sorted(told) and told[0] < told[1] < told[-1] == sum(counts[0])


def test_conflicts_of_banks():
    def read_cycles(step):
        out = np.zeros(64, np.uint32)
        _, _, waves = traced("banks", (64,), (64,), [out, 64 * 4 * step, np.int32(step)])
        assert np.array_equal(out, np.arange(64)[::-1])
        assert len(waves) == 2      # before the barrier and behind it
        return steps_of(waves, "lds", "load")[0][2]
    assert [read_cycles(step) for step in (1, 2, 4, 32, 33)] == [4, 4, 8, 64, 4]


@pytest.mark.parametrize("processor", ["gfx600", "gfx803", "gfx900"])     # their addresses take other forms
@pytest.mark.parametrize("name", ["rows of eight", "backwards", "far apart", "every other", "one", "anywhere", "near",
                                  "rising", "quarters backwards", "row", "row within lines", "row with a gap"])
def test_any_places(name, processor):
    """Lines, cycles and conflicts are those that the rules of the model say."""
    draw, lanes = np.random.default_rng(5), np.arange(64)
    which = {"rows of eight": lanes % 8 + lanes // 8 * 100, "backwards": 63 - lanes, "far apart": lanes * 37,
             "every other": lanes * 2, "one": lanes * 0 + 5, "anywhere": draw.integers(0, 4000, 64),
             "near": draw.integers(0, 80, 64), "rising": np.sort(draw.integers(0, 600, 64)),
             "quarters backwards": (lanes ^ 48) * 23, "row": lanes, "row within lines": lanes + 5,
             "row with a gap": lanes + lanes // 32}[name].astype(np.uint32)
    a, out = np.arange(4016, dtype=np.uint32), np.zeros(64, np.uint32)
    a = a[-a.ctypes.data % 64 // 4:][:4000]
    _, _, waves = traced("chosen", (64,), (64,), [a, out, which, 128 * 4, 8 * 4], processor)
    addresses = (a.ctypes.data + 4 * which.astype(np.int64)).tolist()
    _, lines, cycles, _ = steps_of(waves, "vmem", "load")[1]
    assert lines == list(access.lines(addresses, 4))
    assert cycles == access.vector_memory_cycles(CHIP, addresses, 4)
    _, _, cycles, _ = steps_of(waves, "lds", "load")[0]
    assert cycles == max(4, access.lds_cycles(CHIP, (4 * (which & 127)).tolist(), 4))
    _, _, _, most = steps_of(waves, "lds", "atomic_return")[0]
    assert most == np.bincount(which & 7).max()


@pytest.mark.parametrize("words", [0, 1, 5, 15])
def test_rows_of_any_width(words):
    """Lanes whose places lie side by side, from the begin of a line on or from so many words behind it."""
    arrays = [np.arange(1024, dtype=np.uint32) for _ in range(5)]
    sizes, args = (1, 2, 4, 8, 16), [a[-a.ctypes.data % 64 // 4 + words:] for a in arrays]
    out = np.zeros(64, np.uint32)
    _, _, waves = traced("widths", (64,), (64,), [out, *args])
    told = {step.bytes: (lines, cycles) for step, lines, cycles, _ in steps_of(waves, "vmem", "load")}
    for size, a in zip(sizes, args, strict=True):
        addresses = (a.ctypes.data + size * np.arange(64)).tolist()
        assert told[size] == (list(access.lines(addresses, size)), access.vector_memory_cycles(CHIP, addresses, size))


@pytest.mark.parametrize("processor", ["gfx600", "gfx803"])
def test_private_memory(processor):
    """A wavefront's lanes have the same word of theirs side by side."""
    lanes = np.arange(64)
    out, which, n = np.zeros(64, np.uint32), (lanes * 5 % 64).astype(np.uint32), 7
    _, _, waves = traced("own", (64,), (64,), [out, which, np.uint32(n)], processor)
    assert np.array_equal(out, lanes + n * n + lanes + which * n)
    told = [(lines, cycles) for _, lines, cycles, _ in steps_of(waves, "vmem", "load") if lines[0] & PRIVATE]
    assert len(told) == 2
    (one, cycles), (many, more) = sorted(told, key=lambda each: len(each[0]))
    assert len(one) == 4 == cycles
    assert one == list(range(one[0], one[0] + 4))
    first = one[0] - 4 * n
    assert many == [first + line for line in dict.fromkeys((4 * which.astype(int) + lanes // 16).tolist())]
    assert more == 64


@pytest.mark.parametrize("processor", ["gfx600", "gfx701", "gfx803", "gfx900"])
def test_places_that_all_lanes_share(processor):
    """Those of a loop over private and local memory: registers have scalar values, one behind the other."""
    told, n, out = [], 61, np.zeros(64, np.uint32)
    for is_brief in (False, True):          # the latter asks the lanes
        chip = machine(SOURCE, processor, traced=True, is_brief=is_brief)
        sink = Sink(len(chip.waves["sums"].blocks))
        chip.run("sums", (64,), (64,), [out, 64 * 4, np.uint32(n)], sink)
        k = np.arange(n)
        assert np.array_equal(out, [np.sum((lane + k * n) * 3 * k + 3 * (lane + k * n & 63)) for lane in range(64)])
        told.append(sink.trace)
    assert np.array_equal(*told)
    program = chip.waves["sums"]
    waves = read(told[0], program.blocks)
    assert sum(lines[0] & PRIVATE > 0 for _, lines, _, _ in steps_of(waves, "vmem", "load")) >= n // 4
    assert {cycles for _, _, cycles, _ in steps_of(waves, "lds", "load")} <= {4, 8}


def test_a_register_that_had_a_scalar_value():
    """A vector instruction has written it since."""
    source = """kernel void f(global uint *o, local uint *t, uint n) {
        uint l = get_local_id(0), x, y;
        t[l * 32] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
        __asm volatile("v_mov_b32 %0, %2\\n ds_read_b32 %1, %0\\n v_lshlrev_b32 %0, 7, %3\\n ds_read_b32 %0, %0\\n"
                       "s_waitcnt lgkmcnt(0)" : "=&v"(x), "=&v"(y) : "s"(n), "v"(l));
        o[l] = x + 100 * y;
    }"""
    chip, out = machine(source, "gfx803", traced=True), np.zeros(64, np.uint32)
    sink = Sink(len(chip.waves["f"].blocks))
    chip.run("f", (64,), (64,), [out, 64 * 128, np.uint32(128 * 9)], sink)
    assert np.array_equal(out, np.arange(64) + 900)
    reads = steps_of(read(sink.trace, chip.waves["f"].blocks), "lds", "load")
    assert [cycles for _, _, cycles, _ in reads] == [4, 64]


def test_atomics_on_one_address():
    out = np.zeros(16, np.uint32)
    program, _, waves = traced("count", (64,), (64,), [out])
    assert out[:2].tolist() == [32, 32]
    found = [step for kind in ("atomic", "atomic_return") for step in steps_of(waves, "vmem", kind)]
    assert found
    assert all(more >= 1 for _, _, _, more in found)
    assert all(sum(s.unit in ("barrier", "end") for s in steps) == 0 or steps[-1].unit in ("barrier", "end")
               for steps in program.blocks)


def test_program_is_plain_data():
    import json

    from clpy.compiler.isa.gcn.steps import WaveProgram
    program = machine(SOURCE, "gfx803").waves["guarded"]
    assert WaveProgram.from_dict(json.loads(json.dumps(program.to_dict()))) == program
    units = {step.unit for steps in program.blocks for step in steps}
    assert {"valu", "salu", "smem", "vmem", "wait", "branch", "end"} <= units


def test_accesses_by_one_address_share_a_run():
    """What an access tells comes from the wavefront's memory, and ends no run that leaves the address as it was."""
    source = """kernel void f(global float *o, local float *t) {
        uint l = get_local_id(0); float s = 0;
        t[l] = l; t[l + 64] = l + 64;
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int k = 0; k < 32; k++) s += t[(l & 1) * 64 + 2 * k];
        o[l] = s;
    }"""
    module, waves = translate.translate(program_of(source, "gfx600")[0], traced=True, is_brief=True)
    [code] = [function for function in functions(module) if function.name == "wave.f"]
    reads = sum(step.unit == "lds" for steps in waves["f"].blocks for step in steps) - 1
    loops = sum(block.name.startswith("parts") for block in code.blocks)
    assert reads >= 16
    assert loops < reads / 2
    out, sink = np.zeros(64, np.float32), Sink(len(waves["f"].blocks))
    machine(source, "gfx600", traced=True, is_brief=True).run("f", (64,), (64,), [out, 4096], sink)
    assert (out == np.arange(64) % 2 * 64 * 32 + 2 * sum(range(32))).all()
