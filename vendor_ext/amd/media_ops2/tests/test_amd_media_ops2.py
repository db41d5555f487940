# SPDX-License-Identifier: Apache-2.0
"""cl_amd_media_ops2 on models: every function is there at every width; those that are simple give what they should."""
import os
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pytest

WIDTHS = ("", "2", "3", "4", "8", "16")
# Expression of words a, b, c -> its reference, of Python's integers; None: that it can be executed is all.
FUNCTIONS = {
    "amd_bfm(b & 31u, c & 15u)": lambda a, b, c: ((1 << (b & 31)) - 1) << (c & 15) & 0xffffffff,
    "amd_bfe(a, b & 31u, c & 31u)": lambda a, b, c: a >> (b & 31) & ((1 << (c & 31)) - 1),
    "amd_min3(a, b, c)": lambda *words: min(words),
    "amd_max3(a, b, c)": lambda *words: max(words),
    "amd_median3(a, b, c)": lambda *words: sorted(words)[1],
    "amd_sadd(a, b, c)": lambda a, b, c: abs(a - b) + c & 0xffffffff,
    "amd_sadw(a, b, c)": lambda a, b, c: abs((a & 0xffff) - (b & 0xffff)) + abs((a >> 16) - (b >> 16)) + c & 0xffffffff,
    "amd_msad(a, b, c)": lambda a, b, c: sum(abs((a >> i & 255) - (b >> i & 255)) for i in (0, 8, 16, 24)
                                             if b >> i & 255) + c & 0xffffffff,
    "amd_max3(as_int(a), as_int(b), as_int(c))": None,
    "amd_max3(as_float(a & 0x3fffffffu), as_float(b & 0x3fffffffu), as_float(c & 0x3fffffffu))": None,
    "amd_qsad(convert_ulong(a), b, convert_ulong(c))": None,
    "amd_mqsad(convert_ulong(a), b, convert_ulong(c))": None,
}


def source():
    text = []
    for at, call in enumerate(FUNCTIONS):
        for n in WIDTHS:
            one = call.replace("as_int", f"as_int{n}").replace("as_float", f"as_float{n}")
            one = one.replace("convert_ulong", f"convert_ulong{n}")
            word = f"convert_uint{n}({one})" if "float" not in one else f"as_uint{n}({one})"
            text.append(f"kernel void k{at}_{n}(global uint{n} *o, global const uint *x, global const uint *y, "
                        f"global const uint *z) {{ size_t i = get_global_id(0); "
                        f"uint{n} a = x[i], b = y[i], c = z[i]; o[i] = {word}; }}")
    return "\n".join(text)


def check():
    device = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]
    assert "cl_amd_media_ops2" in device.extensions.split()
    context = cl.Context([device])
    queue, program = cl.CommandQueue(context), cl.Program(context, source()).build(cache_dir=False)
    count = 64
    words = np.random.default_rng(5).integers(0, 2**32, (3, count), dtype=np.uint32)
    ins = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=word) for word in words]
    for at, (call, reference) in enumerate(FUNCTIONS.items()):
        for n in WIDTHS:
            width = {"": 1, "3": 4}.get(n) or int(n)
            out = np.zeros((count, width), np.uint32)
            to = cl.Buffer(context, 0, out.nbytes)
            cl.Kernel(program, f"k{at}_{n}")(queue, (count,), None, to, *ins)
            cl.enqueue_copy(queue, out, to)
            if reference is not None:
                wanted = [reference(*map(int, row)) for row in zip(*words, strict=True)]
                for lane in range(int(n or 1)):
                    np.testing.assert_array_equal(out[:, lane], np.array(wanted, np.uint32), err_msg=f"{call} {n}")


@pytest.mark.parametrize("chip", ["tahiti", "vega20"])
def test_on_a_model(chip):
    """In a process of its own, for the devices are chosen once."""
    done = subprocess.run([sys.executable, "-W", "ignore", __file__], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": f"gpu:{chip}"})
    assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    check()
