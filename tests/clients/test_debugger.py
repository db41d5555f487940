# SPDX-License-Identifier: Apache-2.0
"""Kernels in gdb: programs built with -g stop at lines of the kernel's source and show its variables."""
import os
import re
import shutil
import subprocess

import pytest
from host_build import LIBRARY, compile_host, vendors

SOURCE = """\
typedef struct { int number; float4 four; } Pair;

float twice(float x)
{
    float two = 2.0f;
    return x * two;                         // in twice
}

kernel void scale(global float *out, global const float *in, float by)
{
    local float shared[16];
    int squares[4];
    Pair pair;
    size_t i = get_global_id(0), l = get_local_id(0);
    float value = in[i] * by;
    shared[l] = value;                      // before
    for (int j = 0; j < 4; j++)
        squares[j] = j * (int)i;
    pair.number = (int)i + 7;
    pair.four = (float4)(value);
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = shared[15 - l];             // after
    for (int j = 0; j < 4; j++)
        sum += squares[j];                  // in the loop
    out[i] = sum + twice(value) * (pair.number > 6);
}
"""
PLAIN = "-g -cl-opt-disable"


def line_of(words):
    return next(n for n, line in enumerate(SOURCE.split("\n"), start=1) if line.endswith("// " + words))


@pytest.fixture(scope="module")
def debug(tmp_path_factory):
    """debug(commands, options): what gdb prints of a program that runs the kernel."""
    gdb = shutil.which("gdb")
    assert gdb, "this test needs gdb: apt install gdb (make test does it)"
    folder = tmp_path_factory.mktemp("debugger")
    source = folder / "scale.cl"
    source.write_text(SOURCE)
    program = compile_host(folder, "debugged.c", "-lOpenCL")
    where = vendors(folder / "clpy", LIBRARY)

    def run(commands, options=PLAIN, name=f" -s {source}"):
        script = folder / "commands"
        script.write_text("\n".join(["set breakpoint pending on", "set confirm off", "set debuginfod enabled off",
                                     *commands, ""]))
        done = subprocess.run([gdb, "-batch", "-nx", "-x", script, "--args", program, source, options + name],
                              env=os.environ | {"OCL_ICD_VENDORS": where, "CLPY_NUM_THREADS": "1"},
                              capture_output=True, text=True, timeout=120, check=False)
        return done.stdout
    return run


def values(page):
    """What `print` printed, without gdb's numbers."""
    return re.findall(r"^\$\d+ = (.*)$", page, re.M)


def test_a_line_is_a_breakpoint_and_variables_are_there(debug):
    page = debug([f"break scale.cl:{line_of('before')} if i == 20", "run", "backtrace 2", "print by", "print value",
                  "print in[3]", "print l", "print global_id", "print local_id", "print group_id", "next",
                  "print shared[4]", "kill"])
    assert values(page) == ["3", "60", "3", "4", "{20, 0, 0}", "{4, 0, 0}", "{1, 0, 0}", "60"]
    assert re.search(rf"#0 .*scale \(out=0x\w+, in=0x\w+, by=3\) at \S*/scale.cl:{line_of('before')}", page), page
    assert "shared[l] = value;" in page     # gdb has found the file


def test_variables_outlive_a_barrier(debug):
    """Arrays, structures and vectors as well, each work-item its own; the group's memory is whole."""
    page = debug([f"break scale.cl:{line_of('after')} if global_id[0] == 18", "run", "print i", "print value",
                  "print squares", "print pair", "print shared", "next", "print sum", "kill"])
    shared = ", ".join(str(3 * (16 + k)) for k in range(16))
    assert values(page) == ["18", "54", "{0, 18, 36, 54}", "{number = 25, four = {54, 54, 54, 54}}",
                            "{" + shared + "}", str(3 * (16 + 13))]


def test_steps_into_a_function_that_was_inlined(debug):
    page = debug([f"break scale.cl:{line_of('in twice')} if x == 9", "run", "backtrace 3", "print two", "up",
                  "print i", "print sum", "delete", "continue"])
    assert values(page) == ["2", "3", "54"]
    assert re.search(r"#0 .*twice \(x=9\)[^#]*#1 .*scale \(", page), page
    assert "0 300\n" not in page and re.search(r"^45 \d+$", page, re.M), page       # the program went on to its end


def test_a_kernel_stops_by_its_name_and_a_variable_changes_while_one_looks(debug):
    page = debug(["break scale", "run", "delete", f"break scale.cl:{line_of('in the loop')} if i == 5", "continue",
                  "print j", "continue", "print j", "print sum", "kill"])
    assert values(page) == ["0", "1", "30"]


def test_without_a_file_the_source_has_a_name_all_the_same(debug):
    page = debug([f"break '<source>':{line_of('after')}", "run", "print local_id[0]", "kill"], name="")
    assert values(page) == ["0"]


def test_optimized_code_has_lines(debug):
    page = debug([f"break scale.cl:{line_of('in twice')}", "run", "backtrace 2", "kill"], options="-g")
    assert re.search(r"#\d .*scale .*at \S*/scale.cl:\d+", page), page


def test_a_debugger_is_told_nothing_of_programs_without_g(debug):
    page = debug([f"break scale.cl:{line_of('before')}", "run"], options="-cl-opt-disable", name="")
    assert "hit Breakpoint" not in page and re.search(r"^45 \d+$", page, re.M), page
