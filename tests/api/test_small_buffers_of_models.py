# SPDX-License-Identifier: Apache-2.0
"""What a kernel writes beyond the end of a small buffer of a model lies in the buffer's own page, as on a chip."""
import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np, pyopencl as cl
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
kernel = cl.Program(context, "kernel void k(global uint *p) { p[get_global_id(0)] = ~0u; }").build().k
small = [cl.Buffer(context, 0, 128) for _ in range(200)]
for each in small[::2]:
    kernel(queue, (1024,), None, each)
queue.finish()
out = np.zeros(32, np.uint32)
for each in small[::2]:
    cl.enqueue_copy(queue, out, each)
    assert (out == 0xFFFFFFFF).all()
more = [bytearray(n) for n in range(100, 5000, 7)]
for each in small:
    each.release()
"""


@pytest.mark.parametrize("chip", ["tahiti", "vega10"])
def test_what_is_written_beyond_the_end(chip):
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=os.environ | {"CLPY_DEVICES": "gpu:" + chip},
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
