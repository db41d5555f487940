# SPDX-License-Identifier: Apache-2.0
"""Bytes and shorts that some lanes read and write, of processors that have no masked loads and stores of them: nothing
is read on a page of which no lane reads, nothing written that no lane writes."""
import ctypes
import mmap

import numpy as np
import pytest

from tests.kernels import differential

ITEMS = 64
SOURCE = """
kernel void some(global const {0} *a, global {0} *o, int n, int m) {{
    int i = get_global_id(0); if (i < n && i % m != 1) o[i] = a[i] + ({0})1; }}
kernel void until(global const {0} *a, global {0} *o, int n, int m) {{
    int i = get_global_id(0), s = 0;
    for (int k = 0; k <= i % m; k++) {{ if (i + k >= n) break; s += a[i + k]; if (a[i + k] == 3) break; }}
    if (i < n) o[i] = s; }}"""


def guarded(count, kind):
    """(memory to keep, array) that ends where nothing may be read."""
    memory = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CDLL(None, use_errno=True).mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    array = np.frombuffer(memory, kind, count, mmap.PAGESIZE - kind().itemsize * count)
    array[:] = np.random.default_rng(count).integers(0, 9, count)
    return memory, array


@pytest.mark.parametrize("way", ["auto", "avx2-8", "sse4.2"])
@pytest.mark.parametrize("name, kind", [("uchar", np.uint8), ("ushort", np.uint16)])
def test_borders(way, name, kind):
    compiler = differential.Compiler(SOURCE.format(name))
    _keep, observer = differential.blind_observer()
    built = [compiler.build(each) for each in ("scalar", way)]
    for kernel in ("some", "until"):
        for n, m in ((ITEMS, 2), (ITEMS - 1, 7), (ITEMS - 5, 3), (9, 100)):
            out = []
            for executable, loaded in built:
                memory, a = guarded(n, kind)
                out.append(np.full(ITEMS, 77, kind))
                differential.launch(executable, loaded, kernel, [a, out[-1], np.int32(n), np.int32(m)], (ITEMS,),
                                    (ITEMS,), observer=observer)
                del a, memory
            np.testing.assert_array_equal(*out, err_msg=f"{kernel}, {n}, {m}")
