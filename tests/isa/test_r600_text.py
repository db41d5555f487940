# SPDX-License-Identifier: Apache-2.0
"""The text of a VLIW chip's code beside the assembly that LLVM writes of the same program: names, registers, literals,
addresses."""
import re

import pytest

from clpy.compiler.isa.r600 import decode, text
from clpy.compiler.options import parse_options
from clpy.compiler.r600 import code, facts, installed
from clpy.compiler.r600.program import program
from clpy.compiler.r600.target import VliwTarget
from clpy.llvm import codegen
from clpy.llvm.module import Module

pytestmark = pytest.mark.skipif(bool(installed.missing("cypress")), reason="libclc-22 is not installed")

KERNELS = {
    "scale": "kernel void k(global float *b) { b[get_global_id(0)] *= 2.5f; }",
    "vectors": """kernel void k(global const float4 *a, global float4 *b, float4 c) {
        int i = get_global_id(0); b[i] = fma(a[i], c, a[i + 1].wzyx) * -fabs(a[i + 2]); }""",
    "saturated": """kernel void k(global float *a, float c) { int i = get_global_id(0);
        a[i] = clamp(a[i] + c, 0.0f, 1.0f) * 2.0f; }""",
    "division": "kernel void k(global int *a, int c) { a[0] = a[1] / c; a[2] = (uint)a[3] % (uint)c; }",
    "functions": "kernel void k(global float *a) { a[0] = sqrt(a[1]); a[2] = exp2(a[3]); a[4] = cos(a[5]); }",
    "branches": """kernel void k(global int *a, int n) { int i = get_global_id(0);
        if (a[i] > n) a[i] = 7; else if (a[i] < -n) a[i + 1] += 3; else a[n] = a[i] * 5; }""",
    "loops": """kernel void k(global int *a, int n) { int s = 0;
        for (int i = 0; i < n; i++) { if (a[i] == 5) continue; if (a[i] < 0) break; while (s < a[i]) s += a[s]; }
        a[get_global_id(0)] = s; }""",
    "tiles": """kernel void k(global float *a, local float *more) { local float t[64]; int i = get_local_id(0);
        t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);
        more[i] = t[63 - i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = more[i ^ 1]; }""",
    "bytes": "kernel void k(global uchar *a, global short *b, global uint2 *c) { int i = get_global_id(0); "
             "b[i] = a[i] + 1; a[i + 1] = b[i]; c[i] = c[i + 1].yx; }",
    "atomics": """kernel void k(global int *a, local int *b) { int i = get_global_id(0);
        a[i] = atomic_add(a, i); atomic_max(a + 1, i); atomic_inc(b); a[i + 1] = atomic_cmpxchg(b + 1, i, 3); }""",
    "arrays": """kernel void k(global int *a, int n) { int p[8], i = get_global_id(0);
        for (int j = 0; j < 8; j++) p[j] = a[i * 8 + j];
        for (int j = 0; j < n; j++) p[p[j] & 7] += j; a[i] = p[n & 7]; }""",
    "bits": """kernel void k(global uint *a, global ulong *b) { int i = get_global_id(0);
        a[i] = rotate(popcount(a[i]), 7u) ^ clz(a[i + 1]); b[i] = b[i + 1] * b[i + 2] >> 5; }""",
    "constants": """kernel void k(global float *a, float16 x, float16 y, float16 z, float16 u, float16 v, float16 w,
        float16 q, float16 r, float16 s) { a[get_global_id(0)] = x.s3 + s.sf - w.s5; }""",
}
# What LLVM calls otherwise in its text.
ALIASES = {"MULHI": "MULHI_UINT", "LDS_CMPST*": "LDS_CMPST_RET OQAP"}
LITERALS = re.compile(r"-?\d+\([^)]*\)(?:, -?\d+\([^)]*\))*$")
LISTED = re.compile(r"(?: *\d+)? +([xyzwt]): (.*)$")


@pytest.fixture
def both(monkeypatch):
    """{kind: [line]} of a source's code, as LLVM says it and as we do, both in one form."""
    def make(source, processor):
        last, modules = code.returning.run, []

        def run(module):
            last(module)
            modules.append(module.to_bitcode())

        monkeypatch.setenv("CLPY_CACHE", "0")
        monkeypatch.setattr(code.served, "ask", lambda work, job, *_: work(job))
        monkeypatch.setattr(code.returning, "run", run)
        target = VliwTarget(processor)
        made = program.build(source.encode(), parse_options(""), target)
        read = facts.read_program(made.objects[0], made.kernels, processor)
        with codegen.machine(target, True) as machine:
            assembly = machine.assembly(Module.from_bitcode(modules[-1]))
        kernel = read.kernels["k"]
        flows = decode.Reader(read.text, kernel.entry, kernel.size, read.has_t).read()
        return said(assembly), ours(flows)
    return make


def said(assembly):
    """Of LLVM's assembly."""
    made, kind, bundle = {"flow": [], "alu": [], "fetch": []}, "flow", []
    for line in assembly[assembly.index("\nk:"):assembly.index("\n.Lfunc_end0:")].splitlines():
        line = line.strip()
        if "clause starting at" in line:
            kind = "alu" if line.startswith("ALU") else "fetch"
        elif LITERALS.match(line):
            values = [int(word.split("(")[0]) & 0xFFFFFFFF for word in line.split(", ")]
            for slot in bundle:
                slot.literals += values
        elif line and not line.startswith((".", "k:", "PAD")) and not line.endswith(":"):
            if kind == "alu":
                bundle = bundle if bundle and not bundle[-1].last else []
                bundle.append(Said(line))
                made[kind].append(bundle[-1])
            else:
                made[kind].append(flow_said(line) if kind == "flow" else plain(line))
    made["alu"] = [slot.text() for slot in made["alu"]]
    return made


def flow_said(line):
    """A control flow instruction. What is stored is a register, with the components in LLVM's text or all of it."""
    line = plain(re.sub(r", KC0.*", "", line))
    store = re.match(r"(MEM_RAT\w*) (\w+) (R\d+)(?:\.\w+)?, (R\d+\.x)", line)
    return f"{store[1]}_{store[2]}: {store[4]} {store[3]}" if store else line.replace(",", "")


class Said:
    """An operation in LLVM's assembly, whose literals come behind its bundle."""

    def __init__(self, line):
        self.line, self.literals = re.sub(r"BS:.*", "", line), []
        self.last = " * " in self.line or line.startswith("GROUP_BARRIER")

    def text(self):
        name, _, rest = self.line.replace(" * ", " ", 1).partition(" ")
        rest = re.sub(r"[A-Za-z0-9_,.]+ \(MASKED\)", "____", rest)
        rest, predicate = re.subn(r"Pred_sel_(zero|one)", "", rest)
        for at, letter in enumerate("xyzw"):
            if f"literal.{letter}" in rest:
                rest = rest.replace(f"literal.{letter}", f"{self.literals[at]:#010x}")
        words = [plain(word.strip()) for word in rest.split(",") if word.strip()]
        return " ".join([ALIASES.get(name, name), *words, *["predicate"] * predicate])


def plain(operand):
    """Registers and numbers as we name them."""
    operand = re.sub(r"\bT(\d+)", r"R\1", operand)
    operand = re.sub(r"\bT\((\d+) \+ AR\.x\)(\.\w)\+?", r"R[AR.x+\1]\2", operand)
    operand = re.sub(r"\.([XYZW]+)", lambda match: "." + match[1].lower(), operand)
    return {"0.0": "0", "-0.0": "-0"}.get(operand, operand)


def ours(flows):
    made = {"flow": [], "alu": [], "fetch": []}
    bundles, fetches = {}, {}
    for flow in flows:
        made["flow"].append(flow_as_said(flow))
        for part in flow.clause if flow.name != "RAT" else ():
            (fetches if isinstance(part, tuple) else bundles)[part.at] = part, flow.locks
    for at in sorted(bundles):
        bundle, locks = bundles[at]
        made["alu"] += [slot_as_said(slot, locks) for slot in bundle.slots]
    for at in sorted(fetches):
        words = re.sub(r"[_,]+(?= |$)", "", text.fetch_text(fetches[at][0])).replace("FC", "#").split()
        offset = words.pop()[7:-1] if words[-1].startswith("OFFSET") else "0"
        made["fetch"].append(f"{words[0]} {words[1]}, {words[2]}, {offset}, {words[3]}")
    return made


def flow_as_said(flow):
    words = text.flow_text(flow).removesuffix(" END_OF_PROGRAM")
    if flow.clause and flow.name != "RAT":
        name, address, count = re.match(r"(\w+): ADDR\((\d+)\) CNT\((\d+)\)", words).groups()
        return f"{name} {int(count) - 1} @{address}"
    if flow.name == "RAT":
        return re.sub(r"(_RTN)?: RAT\[(.*)\], (R\d+)\.\w+", r": \2 \3", words)
    name, *rest = words.split()
    at = {word.split("(")[0]: word.split("(")[1][:-1] for word in rest}
    return name + (f" @{at['ADDR']}" if "ADDR" in at else "") + (f" POP:{at['POP_CNT']}" if "POP_CNT" in at else "")


def slot_as_said(slot, locks):
    name, *operands = re.split(r",?  +", text.slot_text(slot, 1, locks).replace("_sat", ""))
    operands = [word.replace("PV0", "PV").replace("PS0", "PS").replace("1.0f", "1.0").replace("0.5f", "0.5")
                for word in operands if not word.startswith(("UPDATE", "OFFSET"))]
    operands = ["predicate" if word.startswith("PRED_SEL") else word for word in operands]
    operands = [re.sub(r"\((0x[0-9A-F]+), [^)]*\)", lambda match: match[1].lower(), word) for word in operands]
    return " ".join([name, *operands])


@pytest.mark.parametrize("processor", ["cypress", "cayman"])
@pytest.mark.parametrize("name", KERNELS)
def test_as_llvm_says_it(both, name, processor):
    theirs, mine = both(KERNELS[name], processor)
    if len(theirs["flow"]) > len(mine["flow"]):     # the instruction before has the end
        assert theirs["flow"].pop() == "CF_END"
    theirs["flow"] = ["NOP" if line == "CF_END" and processor != "cayman" else line for line in theirs["flow"]]
    for kind in theirs:
        assert mine[kind] == theirs[kind]
    assert len(mine["flow"]) >= 2 and len(mine["alu"]) > 2


def test_clauses_of_more_words_than_their_count_says():
    """LLVM makes such clauses of what becomes four operations on a VLIW4 chip, and counts modulo 128."""
    count = 130
    bundle = (0x19 << 7 | 1 << 4) << 32 | 1 << 31 | 253      # R0.x = a literal
    words = [(8 << 26 | (count - 1 & 127) << 18) << 32 | 2, (32 << 22) << 32]
    words += [word for number in range(count // 2) for word in (bundle, number)]
    blob = b"".join(word.to_bytes(8, "little") for word in words)
    flows = decode.Reader(blob, 0, len(blob), has_t=False).read()
    assert [flow.name for flow in flows] == ["ALU", "CF_END"]
    assert [bundle.slots[0].sources[0].at for bundle in flows[0].clause] == list(range(count // 2))


def test_each_byte_is_in_one_line(both):
    source = KERNELS["loops"]
    target = VliwTarget("cypress")
    made = program.build(source.encode(), parse_options(""), target)
    read = facts.read_program(made.objects[0], made.kernels, "cypress")
    kernel = read.kernels["k"]
    flows = decode.Reader(read.text, kernel.entry, kernel.size, read.has_t).read()
    rows = sorted(text.listing(flows, lambda at: at), key=lambda row: row.offset)
    free = {at for row in rows for at in range(row.offset, row.offset + row.size)}
    assert len(free) == sum(row.size for row in rows) >= kernel.size - 16      # the rest is padding
    assert rows[0].text.startswith("00 ") and all(row.line == row.offset or ": " in row.text for row in rows)
