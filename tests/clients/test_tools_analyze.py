# SPDX-License-Identifier: Apache-2.0
"""`clpy analyze`: kernels on chips that are not here."""
import csv
import io
import json
import os
import subprocess
import sys

import pytest

from clpy.compiler.amdgpu import instruction_mix
from clpy.compiler.gen import installed as gen
from clpy.compiler.r600 import installed as r600
from clpy.device.gpu import chip
from clpy.tools import cli

SOURCE = """#include "scale.h"
kernel void scale(global const float *a, global float *b) {
    int i = get_global_id(0);
    b[i] = SCALE * a[i];
}

kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void turn(global float *p, local float *more) {
    local float tile[2048];
    tile[get_local_id(0)] = p[get_global_id(0)] + more[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = tile[127 - get_local_id(0)];
}
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "scale.h").write_text("#ifndef SCALE\n#define SCALE 2.0f\n#endif\n")
    path = tmp_path / "kernels.cl"
    path.write_text(SOURCE)
    return str(path)


@pytest.fixture
def analyze(capsys):
    def run(*args, code=0):
        assert cli.main(["analyze", *args]) == code
        captured = capsys.readouterr()
        return captured.err if code else captured.out
    return run


def test_a_table(analyze, file):
    lines = analyze(file, "--device", "tahiti,fiji,vega20").splitlines()
    assert lines[0].split()[:4] == ["kernel", "device", "VGPRs", "SGPRs"]
    assert [line.split()[:2] for line in lines[1:]] == [
        [kernel, name] for kernel in ("scale", "turn") for name in ("tahiti", "fiji", "vega20")]
    assert "8192+args" in lines[4]


def test_numbers(analyze, file):
    rows = json.loads(analyze(file, "--device", "tahiti, hawaii", "--json"))
    scale, turn = rows[0], rows[2]
    assert (scale["kernel"], scale["device"], scale["processor"]) == ("scale", "tahiti", "gfx600")
    assert (scale["vmem_load"], scale["vmem_store"], scale["lds"], scale["lds_bytes"]) == (1, 1, 0, 0)
    assert scale["smem"] >= 2 and scale["valu"] >= 3 and scale["branch"] == 1
    assert (scale["waves_per_simd"], scale["limiter"], scale["group_size"]) == (10, "waves", 256)
    # Tiles of 8 KiB: eight groups of two wavefronts fill the local memory of 64 KiB, on four SIMDs.
    assert (turn["group_size"], turn["lds_bytes"], turn["local_arguments"]) == (128, 8192, 1)
    assert (turn["waves_per_simd"], turn["limiter"], turn["occupancy"]) == (4, "lds", 0.4)
    assert turn["lds"] >= 3 and "isa" not in turn


def test_all_devices_as_csv(analyze, file):
    rows = list(csv.DictReader(io.StringIO(analyze(file, "--csv", "--kernel", "turn"))))
    assert [row["device"] for row in rows] == chip.compiled_for()
    assert {row["kernel"] for row in rows} == {"turn"}


def test_instructions_beside_the_source(analyze, file):
    text = analyze(file, "--device", "tahiti,pitcairn,fiji", "--isa")
    assert text.count("\nkernel scale, gfx600\n") == text.count("\nkernel scale, gfx803\n") == 1
    assert "; 4: b[i] = SCALE * a[i];" in text and "s_barrier" in text
    assert text.count("s_endpgm") == 6
    rows = json.loads(analyze(file, "--device", "tahiti", "--isa", "--json", "--kernel", "turn"))
    barrier = next(i for i in rows[0]["isa"] if i["text"] == "s_barrier")
    assert (barrier["line"], barrier["size"]) == (11, 4)
    kinds = [instruction_mix.kind_of(i["text"]) for i in rows[0]["isa"]]
    assert all(kinds.count(kind) == rows[0][kind] for kind in instruction_mix.KINDS)


def test_functions_that_are_called_are_shown(analyze, tmp_path):
    path = tmp_path / "call.cl"
    path.write_text("__attribute__((noinline)) float f(float x) { return sin(x); }\n"
                    "kernel void k(global float *p) { *p = f(*p); }\n")
    text = analyze(str(path), "--device", "fiji", "--isa")
    assert "function f, gfx803" in text and text.index("kernel k") < text.index("function f")


def test_programs_know_their_chip(analyze, tmp_path):
    """By the macros that the device has: chips with one processor may have code of their own."""
    path = tmp_path / "own.cl"
    path.write_text("kernel void k(global int *p) {\n#ifdef __Pitcairn__\n*p = 4321;\n#else\n*p = 1234;\n#endif\n}\n")
    text = analyze(str(path), "--device", "cape-verde,pitcairn", "--isa")
    assert text.index("kernel k, gfx601\n") < text.index("0x4d2") < text.index("kernel k, gfx601 (pitcairn)\n") < (
        text.index("0x10e1"))


def test_options(analyze, file):
    plain = analyze(file, "--device", "fiji", "--isa", "--kernel", "scale")
    assert plain != analyze(file, "--device", "fiji", "--isa", "--kernel", "scale", "--options=-DSCALE=3.5f")
    small, large = (json.loads(analyze(file, "--device", "fiji", "--json", "--kernel", "scale", "--group-size", size))
                    for size in ("64", "256"))
    assert (small[0]["group_size"], large[0]["group_size"]) == (64, 256)


def test_names_as_other_commands_have_them(analyze, file):
    named = analyze(file, "--device", "fiji,tahiti")
    assert analyze(file, "--device", "gpu:fiji, gpu") == named
    assert "there is no chip voodoo" in analyze(file, "--device", "gpu:voodoo", code=1)


def test_what_is_wrong_is_said_in_a_line(analyze, file, tmp_path):
    assert analyze("missing.cl", code=1) == "clpy: missing.cl: No such file or directory\n"
    unknown = analyze(file, "--device", "tahiti,voodoo", code=1)
    assert "voodoo" in unknown and "tahiti" in unknown and unknown.count("\n") == 1
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x7fELF\0\0\xff\n" * 1000)
    assert analyze(str(binary), code=1) == (
        f"clpy: {binary} is no text: the source of a program is wanted, in OpenCL C\n")
    assert "-nonsense" in analyze(file, "--options=-nonsense", code=1)
    assert analyze(file, "--kernel", "none", code=1) == "clpy: there is no kernel none, only scale, turn\n"
    assert "--group-size" in analyze(file, "--group-size", "5000", code=1)
    assert "tahiti" in analyze(file, "--device", ",", code=1)
    empty = tmp_path / "empty.cl"
    empty.write_text("int f(int x) { return x; }\n")
    assert analyze(str(empty), "--device", "fiji", code=1) == "clpy: there are no kernels\n"


def test_the_build_log(analyze, tmp_path):
    wrong = tmp_path / "wrong.cl"
    wrong.write_text("kernel void k(global int *p) { *p = q; }\n")
    log = analyze(str(wrong), "--device", "hawaii", code=1)
    assert log.startswith(f"clpy: {wrong} cannot be built for hawaii (gfx701):\n")
    assert f"{wrong}:1:37: error: use of undeclared identifier 'q'" in log


def test_chips_that_a_program_is_not_for(capsys, tmp_path):
    """The others are shown, and the exit code says that something is wrong."""
    path = tmp_path / "some.cl"
    path.write_text("#ifndef cl_khr_fp16\nkernel void old(global int *p) { *p = 1; }\n#endif\n"
                    "kernel void any(global int *p) { *p = 2; }\n"
                    "#if defined(OLD) && !defined(cl_khr_fp16)\n#error too old\n#endif\n")
    devices = ["--device", "tahiti,hawaii,fiji"]
    assert cli.main(["analyze", str(path), *devices]) == 0
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [["old", "tahiti"], ["old", "hawaii"], ["any", "tahiti"], ["any", "hawaii"], ["any", "fiji"]]
    assert cli.main(["analyze", str(path), *devices, "--kernel", "old", "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert cli.main(["analyze", str(path), *devices, "--options=-DOLD", "--json"]) == 1
    said = capsys.readouterr()
    assert [row["device"] for row in json.loads(said.out)] == ["fiji"]
    for name in ("tahiti (gfx600)", "hawaii (gfx701)"):
        assert f"clpy: {path} cannot be built for {name}:\n" in said.err
    assert said.err.count("error: too old") == 2 and "1 error generated" in said.err
    assert cli.main(["analyze", str(path), "--device", "tahiti", "--options=-DOLD", "--json"]) == 1
    assert not capsys.readouterr().out


def test_the_command_runs(file):
    done = subprocess.run([sys.executable, "-m", "clpy.tools.cli", "analyze", file, "--device", "fiji"],
                          capture_output=True, text=True)
    assert done.returncode == 0 and "turn" in done.stdout
    done = subprocess.run([sys.executable, "-m", "clpy.tools.cli", "analyze", file, "--json", "--csv"],
                          capture_output=True, text=True)
    assert done.returncode == 2


def test_kinds_of_instructions():
    for text, kind in (("v_mad_f32 v0, v1, v2, v3", "valu"), ("s_add_u32 s0, s1, s2", "salu"), ("s_endpgm", "branch"),
                       ("s_load_dwordx2 s[0:1], s[4:5], 0x0", "smem"), ("s_cbranch_execz 0x10", "branch"),
                       ("s_waitcnt vmcnt(0)", "other"), ("s_barrier", "other"), ("s_getpc_b64 s[0:1]", "salu"),
                       ("buffer_load_dword v0, off, s[0:3], 0", "vmem_load"),
                       ("flat_store_dword v[0:1], v2", "vmem_store"),
                       ("global_atomic_add v[0:1], v2, off", "vmem_atomic"), ("ds_add_u32 v0, v1", "lds"),
                       ("image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf", "vmem_load"),
                       ("image_store v[0:3], v4, s[0:7] dmask:0xf unorm", "vmem_store"),
                       ("exp mrt0 v0, v0, v0, v0", "export")):
        assert instruction_mix.kind_of(text) == kind, text


# VLIW chips

VLIW = pytest.mark.skipif(bool(r600.missing("cypress")), reason="libclc-22 is not installed")


@VLIW
def test_vliw_chips_have_a_table_of_their_own(analyze, file):
    lines = analyze(file, "--device", "tahiti,cypress,cayman").splitlines()
    gap = lines.index("")
    assert [line.split()[:2] for line in lines[1:gap]] == [["scale", "tahiti"], ["turn", "tahiti"]]
    assert lines[gap + 1].split()[:4] == ["kernel", "device", "GPRs", "stack"]
    assert [line.split()[:2] for line in lines[gap + 2:]] == [
        [kernel, name] for kernel in ("scale", "turn") for name in ("cypress", "cayman")]
    assert "8192+args" in lines[-1]


@VLIW
def test_numbers_of_vliw_chips(analyze, file):
    rows = json.loads(analyze(file, "--device", "cypress,cayman,tahiti", "--json"))
    scale, turn = rows[0], rows[4]
    assert (scale["kernel"], scale["device"], turn["kernel"], turn["device"]) == ("scale", "cypress", "turn", "cayman")
    assert (scale["loads"], scale["stores"], scale["atomics"], scale["lds"], scale["path"]) == (1, 1, 0, 0, "fast")
    assert (scale["alu_clauses"], scale["fetch_clauses"]) == (2, 1) and scale["flow"] <= 1
    for row, slots in ((scale, 5), (turn, 4)):
        assert row["bundles"] < row["operations"] <= slots * row["bundles"]
        assert row["packing"] == pytest.approx(100 * row["operations"] / (slots * row["bundles"]), abs=0.1)
        assert 2 <= row["gprs"] < 20
    # 496 wavefronts for 20 units; tiles of 8 KiB: four groups of two wavefronts fill the local memory of 32 KiB.
    assert (scale["waves_per_simd"], scale["wave_slots"], scale["limiter"]) == (24, 24, "waves")
    assert (turn["waves_per_simd"], turn["limiter"], turn["local_arguments"]) == (8, "lds", 1)
    assert turn["lds"] >= 3 and "vgprs" not in turn and "gprs" not in rows[2] and rows[2]["device"] == "tahiti"


@VLIW
def test_small_wavefronts(analyze, file):
    """Those of Cedar have 32 work-items, and its groups 128."""
    scale, turn = json.loads(analyze(file, "--device", "cedar", "--json"))
    assert (scale["group_size"], scale["waves_per_simd"], scale["wave_slots"]) == (128, 32, 32)
    # Tiles of 8 KiB, and groups of 128: four of four wavefronts.
    assert (turn["waves_per_simd"], turn["limiter"]) == (16, "lds")


@VLIW
def test_what_makes_memory_slow(analyze, tmp_path):
    path = tmp_path / "slow.cl"
    path.write_text("kernel void bytes(global char *p) { p[get_global_id(0)] = 1; }\n"
                    "kernel void count(global int *p) { p[1] = atomic_add(p, 2); }\n"
                    "kernel void words(global int2 *p) { p[get_global_id(0)] = 1; }\n")
    rows = {row["kernel"]: row for row in json.loads(analyze(str(path), "--device", "juniper", "--json"))}
    assert [rows[name]["path"] for name in ("bytes", "count", "words")] == ["complete", "complete", "fast"]
    assert [rows["count"][name] for name in ("atomics", "stores", "loads")] == [1, 1, 0]


@VLIW
def test_commas_of_both(analyze, file):
    rows = list(csv.DictReader(io.StringIO(analyze(file, "--csv", "--device", "cypress,tahiti", "--kernel", "turn"))))
    assert [(row["device"], bool(row["gprs"]), bool(row["vgprs"])) for row in rows] == [
        ("cypress", True, False), ("tahiti", False, True)]


@VLIW
def test_the_code_of_vliw_chips(analyze, file):
    text = analyze(file, "--device", "cypress,cayman", "--isa", "--kernel", "turn")
    assert text.count("\nkernel turn, cypress\n") == text.count("\nkernel turn, cayman\n") == 1
    assert text.count("GROUP_BARRIER") == 2 and "; 11: barrier(CLK_LOCAL_MEM_FENCE);" in text
    assert "  00 ALU: ADDR(" in text and " t: MULLO_INT " in text and " KCACHE0(CB0:0-31)" in text
    rows = json.loads(analyze(file, "--device", "cypress", "--isa", "--json", "--kernel", "turn"))
    barrier = next(i for i in rows[0]["isa"] if "GROUP_BARRIER" in i["text"])
    assert (barrier["line"], barrier["size"]) == (11, 8)
    assert sum("LDS_" in i["text"] for i in rows[0]["isa"]) == rows[0]["lds"]
    assert sum("VTX_READ" in i["text"] for i in rows[0]["isa"]) == rows[0]["loads"]


@VLIW
def test_packing_is_the_counter(analyze, tmp_path):
    """Of code without branches the listing and the model's counters say the same."""
    path = tmp_path / "straight.cl"
    path.write_text("kernel void k(global float4 *p, float x) { int i = get_global_id(0);\n"
                    "p[i] = fma(p[i], x, p[i + 1]) * native_exp2(p[i + 2]); }\n")
    host = tmp_path / "host.py"
    host.write_text(f"""import sys
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, open({str(path)!r}).read()).build()
program.k(queue, (64,), (64,), cl.Buffer(context, 0, 16 * 80), __import__("numpy").float32(2)).wait()
""")
    row, = json.loads(analyze(str(path), "--device", "cypress", "--json"))
    done = subprocess.run([sys.executable, "-m", "clpy.tools.cli", "profile", "--device", "cypress", "--json", "--",
                           sys.executable, str(host)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    counters = json.loads(done.stdout)[0]["counters"]
    assert counters["ALUPacking"] == pytest.approx(row["packing"], abs=0.1)
    assert (counters["ALUInsts"], counters["FetchInsts"], counters["WriteInsts"]) == (
        row["bundles"], row["loads"], row["stores"])


@VLIW
def test_what_vliw_chips_do_not_build(capsys, tmp_path):
    path = tmp_path / "double.cl"
    path.write_text("kernel void k(global double *p) { *p *= 2; }\n")
    assert cli.main(["analyze", str(path), "--device", "tahiti,cypress", "--csv"]) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 2 and f"clpy: {path} cannot be built for cypress (cypress):" in said.err


def test_without_the_library_of_vliw_chips(file, tmp_path):
    """All chips are those that there is a compiler for; who asks for one by name is told what is missing."""
    def run(*args):
        return subprocess.run([sys.executable, "-m", "clpy.tools.cli", "analyze", file, *args], capture_output=True,
                              text=True, env={**os.environ, "CLPY_CLC_LIBRARY": str(tmp_path)})
    done = run("--csv", "--kernel", "scale")
    assert done.returncode == 0 and "cypress" not in done.stdout and "tahiti" in done.stdout
    done = run("--device", "cypress")
    assert done.returncode == 1 and "CLPY_CLC_LIBRARY" in done.stderr


# Gen chips

GEN = pytest.mark.skipif(bool(gen.missing()), reason="Intel's compiler is not installed")


@GEN
def test_gen_chips_have_a_table_of_their_own(analyze, file):
    lines = analyze(file, "--device", "tahiti,skylake-gt2,broadwell-gt2").splitlines()
    gap = lines.index("")
    assert lines[gap + 1].split()[:6] == ["kernel", "device", "SIMD", "GRFs", "SLM", "scratch"]
    assert [line.split()[:2] for line in lines[gap + 2:]] == [
        [kernel, name] for kernel in ("scale", "turn") for name in ("skylake-gt2", "broadwell-gt2")]
    assert "8192+args" in lines[-1] and "math" not in lines[gap + 1].split()


@GEN
def test_numbers_of_gen_chips(analyze, file):
    scale, turn = json.loads(analyze(file, "--device", "skylake-gt2", "--json", "--isa"))
    assert (scale["kernel"], turn["kernel"], scale["processor"]) == ("scale", "turn", "gen9")
    messages = 32 // 16 if scale["simd"] == 32 else 1
    assert (scale["loads"], scale["stores"], scale["atomics"], scale["slm"]) == (messages, messages, 0, 0)
    assert (scale["wave_slots"], scale["grfs"], scale["scratch_bytes"]) == (7, 128, 0) and scale["simd"] in (8, 16, 32)
    # 64 KiB hold eight groups of 8 KiB.
    assert (turn["limiter"], turn["local_arguments"], turn["group_size"]) == ("slm", 1, 128)
    assert turn["occupancy"] == pytest.approx(8 * 128 / turn["simd"] / 56) and turn["slm"] >= 2
    kinds = ("fpu", "math", "loads", "stores", "atomics", "slm", "flow", "other")
    for row in (scale, turn):
        assert len(row["isa"]) == sum(row[kind] for kind in kinds)
        assert "end of thread" in row["isa"][-1]["text"] and not any(i["text"] == "illegal" for i in row["isa"])


@GEN
def test_gen_chips_have_lines(analyze, file):
    text = analyze(file, "--device", "skylake-gt2", "--isa")
    assert "; 4: b[i] = SCALE * a[i];" in text
    _, turn = json.loads(analyze(file, "--device", "skylake-gt2", "--isa", "--json"))
    assert {i["line"] for i in turn["isa"] if "signal barrier" in i["text"]} == {11}


@GEN
def test_jumps_of_gen_chips_name_where_they_go(analyze, tmp_path):
    path = tmp_path / "loop.cl"
    path.write_text("kernel void first(global float *p) { p[get_global_id(0)] = sqrt(p[0]); }\n"
                    "kernel void loop(global float *p, int n) { for (; n; n >>= p[n] > 1) p[n] *= 2; }\n")
    rows = json.loads(analyze(str(path), "--device", "skylake-gt2", "--json", "--isa"))
    assert rows[0]["math"] and rows[1]["flow"]
    places = {i["offset"] for i in rows[1]["isa"]}
    jumps = [i["text"] for i in rows[1]["isa"] if "jmpi" in i["text"] or " while" in i["text"]]
    assert jumps and all(int(text.split("{")[0].split()[-1], 16) in places for text in jumps)
