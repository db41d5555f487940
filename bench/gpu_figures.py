# SPDX-License-Identifier: Apache-2.0
"""What the models of GPUs predict beside what was measured on boards: writes docs/gpu-accuracy.md.

usage: gpu_figures.py [--board NAME ...] [--print] [--opendwarfs FOLDER]

The kernels are those of clpeak and PerfTest as streams of instructions made by hand, so that nothing but the timing is
judged. gpu_measured.toml has the measurements, gpu_boards/ the boards as chips. With a copy of OpenDwarfs there are
also two applications, compiled and run (gpu_applications.py); without one the page keeps what it says of them. For
Intel's chips programs like clpeak's are compiled by Intel's compiler and run (gpu_gen.py); where that is not installed
the page keeps what it says of them, too.
"""
import argparse
import math
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from clpy import config
from clpy.device.gpu.chip import load as load_chip
from clpy.device.gpu.timing import access
from clpy.device.gpu.timing.simulation import simulate

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "gpu-accuracy.md"

LANES = np.arange(64)
GROUP = 256                      # work-items
HEADER = 0xffffffff
ANY = 255
NARROW, WIDE = (1, 2, 4), (8, 16)
SIZES = ("tiny", "small", "medium", "large")
FETCHES = 16                     # of a work-item of clpeak's bandwidth kernel
L1_CASES = {                     # bytes of a work-item, and where it reads
    "words": (4, "linear"), "words scattered": (4, "random"), "pairs": (8, "linear"), "pairs scattered": (8, "random"),
    "triples": (12, "linear"), "quads": (16, "linear"), "quads scattered": (16, "random"),
    "one word for all": (4, "uniform")}
LAST_OF_OLD = 2000               # drivers before that have AMD's first compiler for these chips
OF_WIDE = (
    "memory.efficiency of each family is fitted on these and those of wider vectors, which depend on the order in",
    "which the compiler leaves the loads of a vector's parts. Side by side, the second finds its line in a cache. But",
    "the parts of a sum of vectors are sums of their own: where the compiler does one after the other, all lines have",
    "left the caches, the largest too, when the next part wants them. Compilers of drivers before 2000 are taken to",
    "do that, later ones not; nobody has told what they did, it is from these figures, which are half and a quarter",
    "of those above on all boards with such drivers, whatever their caches.")
OF_VLIW = (
    "The same program on VLIW chips. Its bundles are counted by hand: an operation of each component in one, where",
    "they do not depend on each other; of VLIW5 one product of integers in each, with additions beside it, of VLIW4 a",
    "bundle for each. memory.efficiency is fitted on float1. No one has told why float4 is so much slower than float1,",
    "while the guide's copy of float4 reaches 127 GB/s on an HD 5870; the model makes it as fast.", "")
GEN = "## Gen chips"
OF_GEN = (
    f"{GEN} (clpeak, GFLOP/s, GOP/s, GB/s)", "",
    "Programs like clpeak's, compiled by Intel's compiler and run on the models, so that its code is judged too.",
    "Cycles of arithmetic are Mesa's, but for those of half, which are from these figures. The HD 530 had 23 EUs, and",
    "its arithmetic here is 23/24 of the model's. Of memory nobody said what it was: the UHD 620 is taken to have two",
    "channels of DDR4-2133, the HD 530 one, as its figures are half of the other's. That the UHD 620's half is no more",
    "than 1.7 times its float may be its power.", "",
    "haswell-gt2 (HD 4600) and haswell-gt3e (Iris Pro 5200) are of Gen7.5, for which there is no compiler: what is run",
    "is Gen8's code. Their clocks are the data sheets' highest, as clpeak printed others (400 and 1200 MHz), and the",
    "Iris Pro's 901 GFLOP/s are more than the 832 it has then. No one has told why one float at a time was half as",
    "fast as two on both: threads of 32 work-items, as they are here, hide a mad's 18 cycles, those of 8 would not.",
    "")
OF_PORT = (
    "## The data port of Gen chips (PerfTest, a load by one of words side by side)", "",
    "That the port takes 64 bytes of work-items at once, and each line that these touch, is from these figures; for",
    "words it is the guide's rule.", "")
APPLICATIONS = "## Applications"
OF_APPLICATIONS = (
    f"{APPLICATIONS} (OpenDwarfs, microseconds)", "",
    "Kernels of the suite, compiled for the chip and run with the sizes that the suite gives, by",
    "`make gpu-figures OPENDWARFS=folder`. The study took the host's time from enqueuing a kernel until it was",
    "finished, so dispatch.launch_us is added. All groups are followed. The compiler was another one.", "",
    "What bounds them: crc is one wavefront, and its time that of two loads a step, one after the other. srad's large",
    "pictures are bound by memory: groups of 16 x 16 pixels read and write pieces of 64 bytes in six arrays, and most",
    "are in a row of memory that has to be opened for them. Small pictures are the launch, and code that comes from",
    "memory line by line: the first kernel's is twice as long. What no model of a chip can have: the R9 295X2 is",
    "twice as fast at srad as the R9 290X, and more than that as the FirePro S9150, with the same chip and nearly",
    "the same clocks; and on these two and the RX 480 medium pictures take more time by pixel than large ones, as if",
    "clocks were still on their way up.", "")
FITTED = (
    "## What is fitted", "",
    "Nothing but these, for families of chips and not for boards. What they are fitted on is on this page too, and GCN",
    "1, 3 and 4 have one board each among the applications.", "",
    "| value | for | on |", "|---|---|---|",
    "| memory.efficiency | each family | clpeak's streams of one to sixteen floats |",
    "| memory.row_ns | GDDR5; HBM | the largest picture of srad |",
    "| latency.l1_hit, latency.l2_hit, latency.dram: the same more in each | GCN 1 to 4; GCN 5 has those of 3 | the "
    "largest page of crc |",
    "| caches.fast_elements, caches.complete_elements | VLIW | copies of AMD's guide on an HD 5870: gpu-rules.md |",
    "| dispatch.launch_us | GCN 1 to 4; other chips have what clpeak measured | srad and crc |",
    "| issue.half | Gen9 | clpeak's half: twice its float |",
    "| how many work-items the data port takes at once | Gen | PerfTest's loads of several words |",
    "| memory.efficiency | Gen | clpeak on an HD 4600, 21.3 of 25.6 GB/s |",
    "| memory.efficiency | Iris Pro 5200 | clpeak on one, 47.5 of its eDRAM's 50 GB/s |", "")


class Step(NamedTuple):
    unit: str
    kind: str = ""
    count: int = 1
    cycles: int = 4
    bytes: int = 0
    vm: int = ANY
    lgkm: int = ANY
    exp: int = ANY
    line: int = 0
    mix: dict | None = None


END = Step("END")


def held(vgprs, group=GROUP):
    return SimpleNamespace(vgprs=vgprs, sgprs=16, lds_bytes=0, scratch_bytes=0, group_size=group, lanes=64,
                           has_barriers=True)


def waves(n_groups, body, bases=None):
    """The trace of all wavefronts: the same words behind each header. `bases`: what is added to each line number of a
    wavefront, of which `body` has the words as (words, places of line numbers)."""
    words, places = body
    n = n_groups * GROUP // 64
    table = np.empty((n, 6 + len(words)), np.uint32)
    number = np.arange(n)
    table[:, 0], table[:, 1], table[:, 2:4] = HEADER, number // 4, 0
    table[:, 4], table[:, 5] = number % 4, 64
    table[:, 6:] = words
    if bases is not None:
        table[:, 6 + np.array(places)] += bases[:, None].astype(np.uint32)
    return memoryview(table).cast("B")


def memory_words(chip, addresses, size):
    """(words of one load, places of its line numbers)"""
    lines = access.lines(list(addresses), size)
    cycles = access.vector_memory_cycles(chip, list(addresses), size)
    words = [len(lines) | cycles << 16]
    for line in lines:
        words += [line, 0]
    return words, [1 + 2 * at for at in range(len(lines))]


def rate(chip, cycles_of_instructions, instructions=1024):
    """How often a second all work-items of the device do an instruction that keeps its SIMD busy for so long."""
    n = chip.compute.units * 10 * 4
    blocks = [[Step("VALU", count=instructions, cycles=cycles_of_instructions), END]]
    result = simulate(chip, blocks, [waves(n, ([0], []))], (n, 1, 1), held(24))
    return n * GROUP * instructions / result.cycles * chip.clock.core_mhz * 1e6


def load_order(width, apart):
    """Each fetch and part of clpeak's bandwidth kernel in the order of the loads, and after each None where the
    work-item waits: for as many as 32 registers hold. `apart`: all fetches of a part come before those of the next, as
    many at once as 64 registers hold."""
    parts = range(max(width // 4, 1))
    ahead = 8 if apart else max(32 // width, 1)
    for some in [[part] for part in parts] if apart else [parts]:
        for first in range(0, FETCHES, ahead):
            yield from [(fetch, part) for fetch in range(first, min(first + ahead, FETCHES)) for part in some]
            yield None


def bandwidth(chip, width, apart=False):
    """GB/s of clpeak's kernel: work-items side by side read vectors of `width` floats, 16 each, groups apart."""
    size = min(4 * width, 16)
    words, places, block, loaded = [0], [], [], 0
    for place in load_order(width, apart):
        if place is None:
            # Additions one after the other, as the loads come.
            block += [step for left in reversed(range(loaded)) for step in (
                Step("WAIT", cycles=0, vm=min(left, 15)), Step("VALU", count=size // 4 if chip.is_gcn else 1))]
            loaded = 0
            continue
        fetch, part = place
        more, at = memory_words(chip, (fetch * GROUP + LANES) * 4 * width + part * size, size)
        places += [len(words) + place for place in at]
        words += more
        block.append(Step("VMEM", "LOAD", bytes=size))
        loaded += 1
    n = chip.compute.units * 5 * 4
    number = np.arange(n * GROUP // 64)
    bases = (number // 4 * FETCHES * GROUP + number % 4 * 64) * 4 * width // 64
    moved = n * GROUP * FETCHES * 4 * width
    registers = 48 if chip.is_gcn else 48 // 4
    result = simulate(chip, [[*block, END]], [waves(n, (words, places), bases)], (n, 1, 1), held(registers),
                      [(0, moved)])
    return moved / (result.cycles * 1000 / chip.clock.core_mhz)


def l1_cycles(chip, size, where):
    """Cycles of a compute unit for a load of a wavefront, of 64 loads from 4 KB."""
    draw = np.random.default_rng(1)
    words, places, block = [0], [], []
    for number in range(64):
        if where == "linear":
            addresses = LANES * size
        elif where == "uniform":
            addresses = LANES * 0 + 4 * number
        else:      # PerfTest's places are in a few lines
            addresses = draw.integers(0, 256 // size, 64) * size
        more, at = memory_words(chip, [int(address) for address in addresses], size)
        places += [len(words) + place for place in at]
        words += more
        block.append(Step("VMEM", "LOAD", bytes=size))
        if number % 8 == 7:
            block.append(Step("WAIT", cycles=0, vm=0))
    n = chip.compute.units * 10 * 2
    result = simulate(chip, [[*block, END]], [waves(n, (words, places))], (n, 1, 1), held(24), [(0, 8192)])
    return result.cycles * chip.compute.units / (n * GROUP / 64 * 64)


def port_cycles(chip):
    """Of a Gen chip's data port, of PerfTest's loads by their names: 16 work-items read elements side by side, or each
    one of 16, and then those behind, so that lines begin everywhere in them. By those of words side by side."""
    draw = np.random.default_rng(1)
    found = {}
    for name, size in (("words", 4), ("pairs", 8), ("triples", 12), ("quads", 16)):
        for case, elements in ((name, [np.arange(16)]), (f"{name} random", draw.integers(0, 16, (256, 16)))):
            cycles = [access.vector_memory_cycles(chip, [int(element + i) * size for element in row], size)
                      for row in elements for i in range(16)]
            found[case] = sum(cycles) / len(cycles)
    return {case: cycles / found["words"] for case, cycles in found.items()}


def peaks(chip):
    """clpeak's GFLOP/s of floats and doubles, and GOP/s of integers: a multiply-add is two."""
    issue = chip.issue
    return {"float": 2 * rate(chip, issue.valu) / 1e9, "double": 2 * rate(chip, issue.fp64_mul) / 1e9,
            "int": 2 * rate(chip, issue.int32_mul + issue.valu) / 1e9}


def vliw_peaks(chip):
    """Likewise GFLOP/s and GOP/s of one, two and four components at once."""
    once = rate(chip, chip.issue.bundle) / 1e9
    is_five = chip.identity.architecture == "vliw5"
    return [*(2 * width * once for width in NARROW),
            *(2 * width * once / (max(width, 2) if is_five else width + 1) for width in NARROW)]


# ---- the page

def cell(predicted, measured):
    return f"{predicted:.4g} / {measured:.4g} ({predicted / measured:.2f})"


def summary(ratios):
    errors = [abs(ratio - 1) for ratio in ratios]
    geometric = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    return (f"{len(ratios)} figures: mean error {100 * sum(errors) / len(errors):.1f} %, largest "
            f"{100 * max(errors):.1f} %, geometric mean of predicted by measured {geometric:.3f}.")


def table(title, head, rows, measured_of, predicted_of):
    """`predicted_of` is given what a row is of."""
    lines = [f"| {title} | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
    ratios = []
    for name in rows:
        predicted, measured = predicted_of(name), measured_of(name)
        lines.append(f"| {name} | " + " | ".join(map(cell, predicted, measured)) + " |")
        ratios += [a / b for a, b in zip(predicted, measured, strict=True)]
        print(lines[-1], file=sys.stderr)
    return [*lines, "", summary(ratios), ""] if rows else []


def wide_table(measured, boards):
    def predicted(name):
        old = float(measured[name]["driver"]) < LAST_OF_OLD
        return [bandwidth(load_chip(name), width, old) for width in WIDE]
    return table("board", [f"float{width}" for width in WIDE], boards,
                 lambda name: measured[name]["bandwidth"][3:], predicted)


def vliw_tables(measured):
    if not measured:
        return []
    operations, floats = [f"{kind}{width}" for kind in ("float", "int") for width in NARROW], (*NARROW, *WIDE)
    return ["## VLIW chips (clpeak, GFLOP/s, GOP/s, GB/s)", "", *OF_VLIW,
            *table("board", operations, measured, lambda name: measured[name]["operations"],
                   lambda name: vliw_peaks(load_chip(name))),
            *table("board", [f"float{width}" for width in floats], measured, lambda name: measured[name]["bandwidth"],
                   lambda name: [bandwidth(load_chip(name), width) for width in floats])]


def run_applications(chip, folder):
    """{(kernel, size): microseconds} of a board, in a process that sees no other device."""
    rows = on_board(chip, "gpu_applications.py", folder, CLPY_GPU_DETAIL="full")
    return {(kernel, size): chip.dispatch.launch_us + float(time) for kernel, size, time in rows}


def on_board(chip, script, *arguments, **more):
    """Lines of what a script prints, in a process that sees no other device."""
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "clpy.icd").write_text(f"{HERE.parent / 'clpy' / 'libclpy.so'}\n")
        env = {**os.environ, "CLPY_DEVICES": f"gpu:{chip.name}", "CLPY_GPU_CHIPS": str(HERE / "gpu_boards"),
               "OCL_ICD_VENDORS": scratch, "PYTHONWARNINGS": "ignore", "PYOPENCL_NO_CACHE": "1", **more}
        done = subprocess.run([sys.executable, HERE / script, *arguments], env=env, check=True, text=True,
                              stdout=subprocess.PIPE)
    return [line.split() for line in done.stdout.splitlines()]


def gen_tables(measured, boards):
    """Of boards with Intel's compiler; what the page says of them where that is not there."""
    from clpy.compiler.gen import installed
    if installed.missing():
        return [] if boards else kept(GEN)
    lines = list(OF_GEN) if measured else []
    for name, row in measured.items():
        chip = load_chip(name)
        part = row["eus"] / chip.compute_units          # boards may have some EUs less
        found = {(kind, int(width)): float(value) * (1 if kind == "bandwidth" else part)
                 for kind, width, value in on_board(chip, "gpu_gen.py")}
        kinds = [kind for kind in row if kind != "eus"]
        lines += table(name, [f"width {width}" for width in (*NARROW, *WIDE)], kinds, row.get,
                       lambda kind, found=found: [found[kind, width] for width in (*NARROW, *WIDE)])
    return lines


def port_table(measured):
    cases = [key for key in next(iter(measured.values()), ()) if key != "chip"]
    return [*OF_PORT, *table("board", cases, measured, lambda name: [measured[name][case] for case in cases],
                             lambda name: list(port_cycles(load_chip(measured[name]["chip"])).values()))
            ] if measured else []


def application_tables(measured, boards, folder):
    found = {name: run_applications(load_chip(name), folder) for name in boards}
    return [line for kernel in next(iter(measured.values()))
            for line in (f"### {kernel}", "", *kernel_table(measured, found, kernel))]


def kernel_table(measured, found, kernel):
    return table("board", SIZES, found, lambda name: measured[name][kernel],
                 lambda name: [found[name][kernel, size] for size in SIZES])


def kept(title):
    """What the page says under a title."""
    text = PAGE.read_text()
    if title not in text:
        return []
    part, _, _ = text[text.index(title) + len(title):].partition("\n## ")
    return (title + part).splitlines()


def page(measured, boards, opendwarfs):
    clpeak = [name for name in measured["clpeak"] if not boards or name in boards]
    l1 = [name for name in measured["l1"] if not boards or name in boards]
    lines = ["# How near the models of GPUs come", "",
             "Predicted / measured (ratio). This page is printed by `make gpu-figures`; [gpu.md](gpu.md) tells how the "
             "models work.", "The measurements are others': clpeak's published results and PerfTest's. The kernels are "
             "streams of instructions made", "by hand, so that these figures judge the timing alone, not the code that "
             "is compiled; those of Gen chips and the", "applications are compiled.", ""]
    lines += ["## Arithmetic (clpeak, GFLOP/s and GOP/s)", "",
              *table("board", ["float", "double", "int"], clpeak,
                     lambda name: [measured["clpeak"][name][key] for key in ("float", "double", "int")],
                     lambda name: list(peaks(load_chip(name)).values()))]
    lines += ["## Device memory (clpeak, GB/s, by floats that a work-item reads at once)", "",
              *table("board", [f"float{width}" for width in NARROW], clpeak,
                     lambda name: measured["clpeak"][name]["bandwidth"][:3],
                     lambda name: [bandwidth(load_chip(name), width) for width in NARROW]),
              *OF_WIDE, "",
              *wide_table(measured["clpeak"], clpeak)]
    lines += vliw_tables({name: row for name, row in measured["vliw"].items() if not boards or name in boards})
    lines += gen_tables({name: row for name, row in measured["gen"].items() if not boards or name in boards}, boards)
    lines += ["## L1 (PerfTest, cycles of a wavefront's load)", "",
              *table("board", list(L1_CASES), l1, lambda name: [measured["l1"][name][case] for case in L1_CASES],
                     lambda name: [l1_cycles(load_chip(name), *case) for case in L1_CASES.values()])]
    lines += port_table({name: row for name, row in measured["port"].items() if not boards or name in boards})
    lines += [] if boards else FITTED
    applications = [name for name in measured["applications"] if not boards or name in boards]
    if opendwarfs and applications:
        lines += [*OF_APPLICATIONS, *application_tables(measured["applications"], applications, opendwarfs)]
    elif not boards:
        lines += kept(APPLICATIONS)
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", nargs="+", default=[], help="only these, to stdout")
    parser.add_argument("--print", action="store_true", help="write to stdout")
    parser.add_argument("--opendwarfs", default="", metavar="FOLDER", help="a copy of OpenDwarfs, for two applications")
    options = parser.parse_args()
    measured = tomllib.loads((HERE / "gpu_measured.toml").read_text())
    with config.override(GPU_CHIPS=str(HERE / "gpu_boards")):
        text = page(measured, options.board, options.opendwarfs)
    if options.print or options.board:
        print(text)
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
