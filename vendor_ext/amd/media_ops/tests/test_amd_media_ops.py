# SPDX-License-Identifier: Apache-2.0
"""cl_amd_media_ops: each function at each width, beside a plain reference, on the CPU device and on models."""
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
COUNT = 48 * 40             # a multiple of all widths
THREE = ("amd_bitalign", "amd_bytealign", "amd_lerp", "amd_sad", "amd_sadhi")
UNPACK = tuple(f"amd_unpack{i}" for i in range(4))


def words(seed):
    """Random ones, and bytes at the ends of their range."""
    rng = np.random.default_rng(seed)
    bytes_ = rng.integers(0, 256, (COUNT, 4)).astype(np.uint8)
    bytes_[::3] = rng.choice(np.array([0, 1, 127, 128, 255], np.uint8), bytes_[::3].shape)
    return bytes_.reshape(-1).view(np.uint32)


A, B, C = words(1), words(2), words(3)


def of_bytes(word):
    return [word >> 8 * i & 0xff for i in range(4)]


def reference(name, a, b, c):
    """Of Python's integers."""
    if name == "amd_bitalign":
        return (a << 32 | b) >> (c & 31) & 0xffffffff
    if name == "amd_bytealign":
        return (a << 32 | b) >> 8 * (c & 3) & 0xffffffff
    if name == "amd_lerp":
        sums = zip(of_bytes(a), of_bytes(b), of_bytes(c), strict=True)
        return sum((x + y + (up & 1) >> 1) << 8 * i for i, (x, y, up) in enumerate(sums))
    sad = sum(abs(x - y) for x, y in zip(of_bytes(a), of_bytes(b), strict=True))
    return c + (sad << 16 if name == "amd_sadhi" else sad) & 0xffffffff


def expected(name):
    return np.array([reference(name, *map(int, row)) for row in zip(A, B, C, strict=True)], np.uint32)


def kernels():
    """A kernel for each function and width, over arrays of words that are not padded."""
    text = ["#pragma OPENCL EXTENSION cl_amd_media_ops : enable"]
    for n in WIDTHS:
        load, store = (f"vload{n}(i, %s)", f"vstore{n}(%s, i, o)") if n else ("%s[i]", "o[i] = %s")
        for name in THREE:
            call = f"{name}({', '.join(load % v for v in 'abc')})"
            text.append(f"kernel void k_{name}_{n}(global uint *o, global const uint *a, global const uint *b, "
                        f"global const uint *c) {{ size_t i = get_global_id(0); {store % call}; }}")
        for name in UNPACK:
            text.append(f"kernel void k_{name}_{n}(global float *o, global const uint *a) "
                        f"{{ size_t i = get_global_id(0); {store % f'{name}({load % chr(97)})'}; }}")
    text.append("""
        kernel void k_amd_sad4(global uint *o, global const uint4 *a, global const uint4 *b, global const uint *c)
        { size_t i = get_global_id(0); o[i] = amd_sad4(a[i], b[i], c[i]); }
        kernel void k_amd_pack(global uint *o, global const float4 *a)
        { size_t i = get_global_id(0); o[i] = amd_pack(a[i]); }""")
    return "\n".join(text)


class Machine:
    """A device with the program."""

    def __init__(self, index):
        self.device = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[index]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.program = cl.Program(self.context, kernels()).build(cache_dir=False)

    def run(self, kernel, items, out, *arrays):
        flags = cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(self.context, flags, hostbuf=array) for array in (out, *arrays)]
        cl.Kernel(self.program, kernel)(self.queue, (items,), None, *buffers)
        cl.enqueue_copy(self.queue, out, buffers[0])
        return out


def check(machine):
    """All functions of a device."""
    assert "cl_amd_media_ops" in machine.device.extensions.split()
    for name in THREE:
        wanted = expected(name)
        for n in WIDTHS:
            got = machine.run(f"k_{name}_{n}", COUNT // int(n or 1), np.zeros(COUNT, np.uint32), A, B, C)
            np.testing.assert_array_equal(got, wanted, err_msg=f"{name}, {n or 1} at a time")
    for i, name in enumerate(UNPACK):
        for n in WIDTHS:
            got = machine.run(f"k_{name}_{n}", COUNT // int(n or 1), np.zeros(COUNT, np.float32), A)
            np.testing.assert_array_equal(got, (A >> 8 * i & 0xff).astype(np.float32), err_msg=name)
    got = machine.run("k_amd_sad4", COUNT // 4, np.zeros(COUNT // 4, np.uint32), A, B, C)
    sads = np.array([reference("amd_sad", int(a), int(b), 0) for a, b in zip(A, B, strict=True)], np.uint32)
    np.testing.assert_array_equal(got, C[:COUNT // 4] + sads.reshape(-1, 4).sum(axis=1, dtype=np.uint32))
    floats = A.view(np.uint8).astype(np.float32)
    np.testing.assert_array_equal(machine.run("k_amd_pack", COUNT, np.zeros(COUNT, np.uint32), floats), A)


def test_on_the_cpu_device():
    check(Machine(0))


def test_what_the_text_says_of_packing():
    """Fractions are cut off; of what is more than a byte, the low byte stays."""
    got = Machine(0).run("k_amd_pack", 1, np.zeros(1, np.uint32), np.array([0.9, 254.99, 256.5, 0], np.float32))
    assert got[0] == 0 | 254 << 8 | 0 << 16


@pytest.mark.parametrize("chip", ["tahiti"])
def test_on_a_model(chip):
    """In a process of its own, for the devices are chosen once."""
    done = subprocess.run([sys.executable, "-W", "ignore", __file__], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": f"gpu:{chip}"})
    assert done.returncode == 0, done.stderr


def plain_kernels():
    """Each function at each width, with one word in and one out for a work-item: how vectors in memory are best read is
    none of the functions' business."""
    text = []
    for n in WIDTHS:
        lanes = ", ".join(map(str, range(int(n or 1))))
        words = [f"{v}[i] + (uint{n})({lanes})" for v in "abc"]
        calls = {name: f"{name}({', '.join(words)})" for name in THREE}
        calls.update({name: f"convert_uint{n}({name}({words[0]}))" for name in UNPACK})
        total = " + ".join(f"r.s{lane:x}" for lane in range(int(n or 1))) if n else "r"
        text += [f"kernel void k_{name}_{n}(global uint *o, global const uint *a, global const uint *b, "
                 f"global const uint *c) {{ size_t i = get_global_id(0); uint{n} r = {call}; o[i] = {total}; }}"
                 for name, call in calls.items()]
    text.append("""
        kernel void k_sad4(global uint *o, global const uint *a, global const uint *b)
        { size_t i = get_global_id(0); o[i] = amd_sad4((uint4)(a[i], b[i], 1, 2), (uint4)(b[i]), a[i]); }
        kernel void k_pack(global uint *o, global const float *a)
        { size_t i = get_global_id(0); o[i] = amd_pack((float4)(a[i], 1, a[i], 2)); }""")
    return "\n".join(text)


def test_no_region_is_scalar():
    with config.override(DEBUG=3, CACHE=False):
        executable = program.build(plain_kernels().encode(), parse_options(""), host_target())
    lines = [line for line in executable.log.splitlines() if ".region." in line]
    assert len(lines) == len(WIDTHS) * (len(THREE) + len(UNPACK)) + 2
    # vectors of 8 and 16 words are as wide as the registers already, or wider
    wide = re.compile(r"k_amd_\w+_(8|16)\.region\.0: scalar: ")
    assert [line for line in lines if ": scalar" in line and not wide.match(line)] == []


def test_a_program_sees_that_it_is_there():
    source = "#ifndef cl_amd_media_ops\n#error no\n#endif\nkernel void k(global uint *o) {}"
    for options in ("", "-cl-std=CL1.1 -Werror", "-cl-std=CL3.0"):
        cl.Program(Machine(0).context, source).build(options, cache_dir=False)


if __name__ == "__main__":          # on a model: each width is compiled anew there, and all are alike
    WIDTHS = ("", "3", "16")
    check(Machine(0))
