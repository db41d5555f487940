# SPDX-License-Identifier: Apache-2.0
"""Kernels of large programs on models: they are translated when somebody needs them."""
import os
import subprocess
import sys

HOST = """
import threading
import numpy as np
import pyopencl as cl
STEPS = "".join(f"x = (x ^ (x >> 7)) * {2 * n + 12345}u;" for n in range(128))
SOURCE = f'''
global int launched;
uint mix(uint x) {{ {STEPS} return x; }}
kernel void plus(global int *a, int b) {{ a[get_global_id(0)] += b > 100 ? mix(b) : b; atomic_add(&launched, 1); }}
kernel void times(global int *a, int b) {{ a[get_global_id(0)] *= b; barrier(CLK_GLOBAL_MEM_FENCE);
                                           if (b > 100) a[0] = mix(b); }}
kernel void tell(global int *a, int b) {{ a[get_global_id(0)] = b > 100 ? mix(b) : launched; }}
kernel void unused(global int *a, int b) {{ a[get_global_id(0)] = mix(b); }}
'''
context = cl.Context([d for p in cl.get_platforms() if p.name == "clpy" for d in p.get_devices()])
program = cl.Program(context, SOURCE).build(["-cl-std=CL3.0"], cache_dir=False)
numbers = np.arange(256, dtype=np.int32)

def run(name, buffer, b, n=1):
    queue, kernel = cl.CommandQueue(context), cl.Kernel(program, name)
    for _ in range(n):
        kernel(queue, (256,), (64,), buffer, np.int32(b))
    out = np.empty_like(numbers)
    cl.enqueue_copy(queue, out, buffer)
    return out

def buffers(n):
    return [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=numbers) for _ in range(n)]

def check():
    made = buffers(8)
    names = ["plus", "times"]
    threads = [threading.Thread(target=run, args=(names[i % 2], made[i], 2, 3)) for i in range(8)]
    for each in threads: each.start()
    for each in threads: each.join()
    wrong = [i for i in range(8)
             if not (run("plus", made[i], 0) == (numbers * 8 if i % 2 else numbers + 6)).all()]
    print(wrong, run("tell", made[0], 0)[0])
check()
program = cl.Program(context, context.devices, program.binaries).build()
check()
"""


def test_kernels_are_translated_when_they_are_needed(tmp_path):
    """By several threads at once, with one variable for all kernels; and from a binary."""
    environment = {"CLPY_DEVICES": "gpu:tahiti", "CLPY_DEBUG": "3", "CLPY_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", HOST], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    launches = 256 * (4 * 3 + 8)
    assert done.stdout.splitlines() == [f"[] {launches}"] * 2
    made = [line.partition("code (")[2].partition(")")[0] for line in done.stderr.splitlines() if "translated:" in line]
    assert made[0] == "variables" and sorted(made[1:]) == ["plus", "tell", "times"]     # and once, with a cache
