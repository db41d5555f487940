# SPDX-License-Identifier: Apache-2.0
"""What a device may do that is not the CPU: its own toolchain and facts of kernels, its own time, observers for each
thread. tests/unit/clocked is one, built here."""
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/unit/clocked"

BEGIN = """if 1:
    import sys
    import clpy.device
    clpy.device.__path__.append(sys.argv[1])
    from clpy.api.process import lend
    lend()
    import numpy as np
    import pyopencl as cl
    platform = next(p for p in cl.get_platforms() if p.name == "clpy")
    device = platform.get_devices(cl.device_type.ACCELERATOR)[0]
    from clpy.device.clocked.device import told, threads
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    def times(event):
        return event.profile.start - 1000000, event.profile.end - 1000000
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the package `clocked` is, built."""
    home = tmp_path_factory.mktemp("devices")
    package = home / "clocked"
    package.mkdir()
    (package / "__init__.py").write_text((SOURCE / "__init__.py").read_text())
    subprocess.run([sys.executable, "-m", "cython", "-3", "-I", ROOT, "--module-name", "clpy.device.clocked.device",
                    SOURCE / "device.pyx", "-o", package / "device.c"], check=True, cwd=ROOT)
    subprocess.run([os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-O1", "-w", "-I", ROOT / "include", "-I",
                    sysconfig.get_path("include"), package / "device.c", "-o",
                    package / f"device{sysconfig.get_config_var('EXT_SUFFIX')}"], check=True)
    return home


def run(folder, script, devices="clocked:slow"):
    """What the script prints."""
    done = subprocess.run([sys.executable, "-c", BEGIN + script, folder], capture_output=True, text=True, timeout=120,
                          cwd=ROOT, env={**os.environ, "CLPY_DEVICES": devices, "CLPY_CACHE": "0"})
    assert done.returncode == 0, done.stderr
    return done.stdout


KERNEL = """
    kernel = cl.Kernel(cl.Program(context, "kernel void k(global int *a, int n) { a[get_global_id(0)] += n; }").build(),
                       "k")
    a = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
    zeros = np.zeros(1024, np.int32)
    told()
"""


def test_a_kernel_takes_the_time_that_its_facts_say(folder):
    """Two arguments: 14 ns a group. Threads attach and detach, and the result is right."""
    assert run(folder, KERNEL + """
    cl.enqueue_copy(queue, a, zeros)
    first = kernel(queue, (1024,), (64,), a, np.int32(3))
    second = kernel(queue, (512,), (64,), a, np.int32(4), wait_for=[first])
    queue.finish()
    print(times(first), times(second))
    now, ever, alive = threads()
    print(now, ever > 1, alive)
    out = np.empty_like(zeros)
    cl.enqueue_copy(queue, out, a)
    print(set(out[:512]) == {7}, set(out[512:]) == {3})
    """) == "(4096, 4320) (4320, 4432)\n0 True 1\nTrue True\n"


def test_all_that_moves_bytes_is_told(folder):
    """Copies done where they are enqueued, maps, and which way they go."""
    out = run(folder, KERNEL + """
    cl.enqueue_copy(queue, a, zeros)                         # blocking, nothing ahead
    print(told())
    mapped, event = cl.enqueue_map_buffer(queue, a, cl.map_flags.READ | cl.map_flags.WRITE, 0, (256,), np.int32)
    mapped.base.release(queue).wait()
    cl.enqueue_fill_buffer(queue, a, np.int32(1), 0, 400).wait()
    cl.enqueue_copy(queue, zeros[:10], a, is_blocking=False).wait()
    print([row[:3] + row[4:] for row in told()])
    """)
    first, rest = map(eval, out.splitlines())
    assert first == [(0x11F4, 1, 4096, 0, 0, 4096)]
    assert rest == [(0x11FB, 2, 1024, 4096, 5120), (0x11FD, 1, 1024, 5120, 6144), (0x1207, 3, 400, 6144, 6544),
                    (0x11F3, 2, 40, 6544, 6584)]


def test_a_command_knows_when_what_it_waits_for_ends(folder):
    """Out of order, through a marker too, which has its place in the device's time."""
    assert run(folder, KERNEL + """
    free = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE
                           | cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    gate = cl.UserEvent(context)
    one = cl.enqueue_fill_buffer(free, a, np.int32(1), 0, 100, wait_for=[gate])
    two = cl.enqueue_marker(free, wait_for=[one])
    three = cl.enqueue_fill_buffer(free, a, np.int32(1), 0, 200, wait_for=[two])
    gate.set_status(cl.command_execution_status.COMPLETE)
    free.finish()
    print([row[2:] for row in told() if row[2]])
    print(times(one), times(two), times(three))
    """) == "[(100, 0, 0, 100), (200, 1000100, 100, 300)]\n(0, 100) (100, 100) (100, 300)\n"


def test_facts_go_with_the_code(folder):
    assert run(folder, KERNEL + """
    print(threads()[2])
    del kernel
    import gc
    gc.collect()
    print(threads()[2])
    """) == "1\n0\n"


def test_which_of_a_kind(folder):
    out = run(folder, "    print(len(platform.get_devices()))\n", "clocked:slow,cpu,clocked:fast")
    assert out == "2\n"
