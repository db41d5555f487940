# SPDX-License-Identifier: Apache-2.0
"""cl_amd_media_ops2: each function at each width, beside a plain reference, on the CPU device and on models."""
import os
import re
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pytest

from clpy import config
from clpy.compiler import program
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target

WIDTHS = ("", "2", "3", "4", "8", "16")
COUNT = 48 * 10             # a multiple of all widths
UINT, INT, FLOAT, ULONG = np.uint32, np.int32, np.float32, np.uint64
TYPES = {UINT: "uint", INT: "int", FLOAT: "float", ULONG: "ulong"}
ALL = 0xffffffff


def bytes_of(word, count=4):
    return [word >> 8 * i & 0xff for i in range(count)]


def sad(a, b, counts=lambda y: True):
    return sum(abs(x - y) for x, y in zip(a, b, strict=True) if counts(y))


def four_sads(a, b, sums, counts):
    of_a, of_b = bytes_of(a, 8), bytes_of(b)
    found = [(sums >> 16 * i) + sad(of_a[i:i + 4], of_b, counts) & 0xffff for i in range(4)]
    return sum(each << 16 * i for i, each in enumerate(found))


def field(x, offset, width):
    return x >> (offset & 31) & ((1 << (width & 31)) - 1)


def signed_field(x, offset, width):
    """The same, with the sign of its highest bit."""
    width &= 31
    found = field(x & ALL, offset, width)
    sign = min(width, 32 - (offset & 31)) - 1
    return found - (1 << sign + 1) if width and found >> sign else found


def words_of(word):
    return [word & 0xffff, word >> 16]


# name, types of result and arguments -> reference, of Python's numbers
FUNCTIONS = {
    ("amd_msad", (UINT, UINT, UINT, UINT)): lambda a, b, c: c + sad(bytes_of(a), bytes_of(b), bool) & ALL,
    ("amd_qsad", (ULONG, ULONG, UINT, ULONG)): lambda a, b, c: four_sads(a, b, c, lambda y: True),
    ("amd_mqsad", (ULONG, ULONG, UINT, ULONG)): lambda a, b, c: four_sads(a, b, c, bool),
    ("amd_sadw", (UINT, UINT, UINT, UINT)): lambda a, b, c: c + sad(words_of(a), words_of(b)) & ALL,
    ("amd_sadd", (UINT, UINT, UINT, UINT)): lambda a, b, c: c + abs(a - b) & ALL,
    ("amd_bfm", (UINT, UINT, UINT)): lambda a, b: (1 << (a & 31)) - 1 << (b & 31) & ALL,
    ("amd_bfe", (UINT, UINT, UINT, UINT)): field,
    ("amd_bfe", (INT, INT, UINT, UINT)): signed_field,
    **{("amd_median3", (t, t, t, t)): lambda *three: sorted(three)[1] for t in (INT, UINT, FLOAT)},
    **{("amd_min3", (t, t, t, t)): lambda *three: min(three) for t in (INT, UINT, FLOAT)},
    **{("amd_max3", (t, t, t, t)): lambda *three: max(three) for t in (INT, UINT, FLOAT)},
}


def kernel_name(name, types, n):
    return f"k_{name}_{TYPES[types[0]]}_{n}"


def values(type_, seed):
    """Random ones, those at the ends of a byte's range, and equal ones."""
    rng = np.random.default_rng(seed)
    if type_ is FLOAT:
        found = rng.normal(0, 1e6, COUNT).astype(FLOAT)
        found[::5] = rng.choice(np.array([0, -1, 1, np.inf, -np.inf], FLOAT), COUNT // 5)
        return found
    found = rng.integers(0, 256, (COUNT, np.dtype(type_).itemsize)).astype(np.uint8)
    found[::3] = rng.choice(np.array([0, 1, 127, 128, 255], np.uint8), found[::3].shape)
    return found.reshape(-1).view(type_)


def source():
    """A kernel for each function and width, over arrays of values that are not padded."""
    text = ["#pragma OPENCL EXTENSION cl_amd_media_ops2 : enable"]
    for name, (result, *of) in FUNCTIONS:
        for n in WIDTHS:
            load, store = (f"vload{n}(i, %s)", f"vstore{n}(%s, i, o)") if n else ("%s[i]", "o[i] = %s")
            names = "abc"[:len(of)]
            params = "".join(f", global const {TYPES[t]} *{v}" for t, v in zip(of, names, strict=True))
            call = f"{name}({', '.join(load % v for v in names)})"
            text.append(f"kernel void {kernel_name(name, (result,), n)}(global {TYPES[result]} *o{params}) "
                        f"{{ size_t i = get_global_id(0); {store % call}; }}")
    return "\n".join(text)


def check(device):
    """All functions of a device."""
    assert "cl_amd_media_ops2" in device.extensions.split()
    context = cl.Context([device])
    queue, built = cl.CommandQueue(context), cl.Program(context, source()).build(cache_dir=False)
    for (name, types), reference in FUNCTIONS.items():
        arrays = [values(type_, seed) for seed, type_ in enumerate(types[1:])]
        wanted = np.array([reference(*row) for row in zip(*(x.tolist() for x in arrays), strict=True)], types[0])
        ins = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=array) for array in arrays]
        for n in WIDTHS:
            got = np.zeros(COUNT, types[0])
            out = cl.Buffer(context, 0, got.nbytes)
            cl.Kernel(built, kernel_name(name, types, n))(queue, (COUNT // int(n or 1),), None, out, *ins)
            cl.enqueue_copy(queue, got, out)
            np.testing.assert_array_equal(got, wanted, err_msg=f"{name}, {types[0].__name__}, {n or 1} at a time")


def first_device():
    return next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]


def test_on_the_cpu_device():
    check(first_device())


@pytest.mark.parametrize("chip", ["vega20"])
def test_on_a_model(chip):
    """In a process of its own, for the devices are chosen once."""
    done = subprocess.run([sys.executable, "-W", "ignore", __file__], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": f"gpu:{chip}"})
    assert done.returncode == 0, done.stderr


def plain_kernels():
    """Each function at each width, with one value in and one out for a work-item: how vectors in memory are best read
    is none of the functions' business."""
    text = []
    for name, (result, *of) in FUNCTIONS:
        for n in WIDTHS:
            lanes = ", ".join(map(str, range(int(n or 1))))
            given = ", ".join(f"{v}[i] + ({TYPES[t]}{n})({lanes})" for v, t in zip("abc", of, strict=False))
            params = "".join(f", global const {TYPES[t]} *{v}" for v, t in zip("abc", of, strict=False))
            total = " + ".join(f"r.s{lane:x}" for lane in range(int(n or 1))) if n else "r"
            text.append(f"kernel void {kernel_name(name, (result,), n)}(global {TYPES[result]} *o{params}) "
                        f"{{ size_t i = get_global_id(0); {TYPES[result]}{n} r = {name}({given}); o[i] = {total}; }}")
    return "\n".join(text)


def test_no_region_is_scalar():
    with config.override(DEBUG=3, CACHE=False):
        executable = program.build(plain_kernels().encode(), parse_options(""), host_target())
    lines = [line for line in executable.log.splitlines() if ".region." in line]
    assert len(lines) == len(WIDTHS) * len(FUNCTIONS)
    # vectors of 8 and 16 words, or 4 long ones, are as wide as the registers already, or wider
    wide = re.compile(r"k_amd_(\w+_(8|16)|m?qsad_ulong_4)\.region\.0: scalar: ")
    assert [line for line in lines if ": scalar" in line and not wide.match(line)] == []


@pytest.mark.parametrize("name, expression", [
    ("amd_min3", "min(min({0}, {1}), {2})"), ("amd_max3", "max(max({0}, {1}), {2})"),
    ("amd_median3", "max(min({0}, {1}), min(max({0}, {1}), {2}))")])
@pytest.mark.parametrize("type_", ["int", "uint"])
def test_of_three_values_the_code_is_that_of_the_shortest_expression(name, expression, type_):
    """The middle one takes four instructions of registers that have the smaller and the larger of two, and no fewer."""
    def code(text):
        args = ", ".join(f"global {type_} *{v}" for v in "oabc")
        whole = f"kernel void k({args}) {{ size_t i = get_global_id(0); o[i] = {text}; }}"
        return program.build(whole.encode(), parse_options(""), host_target()).objects

    values = [f"{v}[i]" for v in "abc"]
    assert code(f"{name}({', '.join(values)})") == code(expression.format(*values))


def test_a_program_sees_that_it_is_there():
    text = "#ifndef cl_amd_media_ops2\n#error no\n#endif\nkernel void k(global uint *o) { *o = amd_bfm(*o, 3); }"
    for options in ("", "-cl-std=CL1.1 -Werror", "-cl-std=CL3.0"):
        cl.Program(cl.Context([first_device()]), text).build(options, cache_dir=False)


if __name__ == "__main__":          # on a model: each width is compiled anew there, and all are alike
    WIDTHS = ("", "3", "16")
    check(first_device())
