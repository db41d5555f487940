# SPDX-License-Identifier: Apache-2.0
"""Groups of a sample run ahead of the others (clpy/device/gpu/ahead.pyx)."""
import os
import subprocess
import sys

import pytest

HOST = """
import numpy as np
import pyopencl as cl
SOURCE = '''
kernel void visit(global uint *visits, global uint *numbers, global uint *count) {
    size_t size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    size_t group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    size_t i = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
    visits[group * size + i] += 1;
    if (i == 0 && count) { numbers[group] = *count; *count += 1; }
}
kernel void tell(void) { if (get_local_id(0) == 0 && get_group_id(0) % 100 == 0) printf("%d ", (int)get_group_id(0)); }
kernel void follow(volatile global int *done, global int *out) {
    int group = get_group_id(0);
    while (group && !done[group - 1]);
    out[get_global_id(0)] = group;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) done[group] = 1;
}
'''
[device] = cl.get_platforms()[0].get_devices()
context = cl.Context([device])
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, SOURCE).build()

def buffer(words):
    return cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(words, np.uint32))

def read(of):
    out = np.empty(of.size // 4, np.uint32)
    cl.enqueue_copy(queue, out, of)
    return out
"""


def run(body, **environment):
    """What a host program prints."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", HOST + body], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "CLPY_DEVICES": "gpu:tahiti", **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


VISITS = """
for groups, size in [((1,), 64), ((2000,), 64), ((2003,), 64), ((61, 67), 16), ((7, 1, 311), 4), ((8, 4), 64),
                     ((5, 7), 64)]:
    n = int(np.prod(groups))
    local = (size,) + (1,) * (len(groups) - 1)
    visits = buffer(n * size)
    event = cl.Kernel(program, "visit")(queue, (groups[0] * size, *groups[1:]), local, visits, buffer(n), None)
    assert (read(visits) == 1).all(), groups
    print(event.profile.end - event.profile.start)
"""


def test_each_group_runs_once():
    """And whatever the threads, the time is the same."""
    alone, together = (run(VISITS, CLPY_NUM_THREADS=threads) for threads in ("1", "4"))
    assert alone == together
    assert run(VISITS, CLPY_GPU_DETAIL="full").split()[0] == alone.split()[0]


ORDER = """
n = 3000
numbers = buffer(n)
cl.Kernel(program, "visit")(queue, (n * 64,), (64,), buffer(n * 64), numbers, buffer(1))
print(*np.argsort(read(numbers)))
"""


@pytest.mark.parametrize("detail", ["sample", "off"])
def test_those_of_the_sample_come_first(detail):
    order = [int(word) for word in run(ORDER, CLPY_NUM_THREADS="1", CLPY_GPU_DETAIL=detail).split()]
    steps = [at for at in range(1, len(order)) if order[at] != order[at - 1] + 1]
    assert sorted(order) == list(range(3000))
    if detail == "off":
        assert steps == []
        return
    back = next(at for at in steps if order[at] < order[at - 1])
    ahead, others = order[:back], order[back:]
    assert ahead == sorted(ahead) and others == sorted(others) and ahead[-1] > others[0]


def test_groups_that_print_run_in_order():
    told = run("cl.Kernel(program, 'tell')(queue, (3000 * 64,), (64,)).wait()", CLPY_NUM_THREADS="1")
    assert told.split() == [str(group) for group in range(0, 3000, 100)]


CHAIN = """
n = 2000
out = buffer(n * 64)
cl.Kernel(program, "follow")(queue, (n * 64,), (64,), buffer(n), out).wait()
assert (read(out) == np.repeat(np.arange(n), 64)).all()
"""


@pytest.mark.parametrize("threads", ["1", "3"])
def test_groups_that_wait_for_earlier_ones_do_not_wait_for_ever(threads):
    run(CHAIN, CLPY_NUM_THREADS=threads)
