# SPDX-License-Identifier: Apache-2.0
"""Memory for what the wavefronts of a launch tell: CLPY_GPU_TRACE_MB is of all threads together."""
import os
import subprocess
import sys

HOST = """
import resource
import numpy as np
import pyopencl as cl
[device] = cl.get_platforms()[0].get_devices()
context = cl.Context([device])
queue = cl.CommandQueue(context)
kernel = cl.Kernel(cl.Program(context, '''
kernel void scatter(global uint *o, int n) {
    uint at = get_global_id(0) * 97;
    for (int k = 0; k < n; k++, at += 4099)
        o[at & 0xfffff] = k;
}
''').build(), "scatter")
O = cl.Buffer(context, 0, 4 << 20)

def most_memory(turns):
    kernel(queue, (1 << 16,), (64,), O, np.int32(turns)).wait()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

before = most_memory(1)
print(most_memory(600) - before)
"""


def test_threads_share_the_room():
    """Eight threads, and a launch that tells 300 MiB."""
    environment = {"CLPY_DEVICES": "gpu:tahiti", "CLPY_GPU_DETAIL": "full", "CLPY_GPU_TRACE_MB": "8",
                   "CLPY_NUM_THREADS": "8"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", HOST], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 40
