# SPDX-License-Identifier: Apache-2.0
"""The instructions of the loop that a kernel of the CPU device spends its time in, out of what CLPY_DEBUG=6 writes."""
import re
import subprocess
import sys

LINE = re.compile(r"^clpy: (.*)$", re.M)
MARK = "hot_loops: "
ISAS = ("sse4.2", "avx2", "avx512")


def innermost_loops(listing):
    """Lists of instructions, one for each loop that has no other in it."""
    found, at, code = [], {}, []
    for line in LINE.findall(listing):
        label = re.match(r"(\.L\w+):", line)
        if label:
            at[label[1]] = len(code)
        elif re.match(r"\t[a-z]", line):
            code.append(line.strip())
            jump = re.match(r"j\w+\s+(\.L\w+)$", code[-1])
            if jump and jump[1] in at:
                found.append((at[jump[1]], len(code)))
    inner = [a for a in found if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in found)]
    return [code[start:end] for start, end in inner]


def hot_loop(listing):
    """Of the loops the one with most instructions on vectors: what a kernel of bench/functions.py repeats."""
    return max(innermost_loops(listing), key=lambda loop: sum("mm" in each for each in loop), default=[])


def mnemonics(loop):
    return sorted(each.split()[0] for each in loop)


def of_each(script, args, isa, environment):
    """{name: loop} of a script that prints MARK and a name before each build."""
    done = subprocess.run([sys.executable, "-W", "ignore", script, *args], capture_output=True, text=True, check=True,
                          env=environment | {"CLPY_CPU_ISA": isa, "CLPY_CACHE": "0", "CLPY_DEBUG": "6",
                                             "PYOPENCL_NO_CACHE": "1"})
    parts = done.stderr.split(MARK)[1:]
    return {name: hot_loop(text) for name, _, text in (part.partition("\n") for part in parts)}
