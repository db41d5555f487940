# SPDX-License-Identifier: Apache-2.0
"""Variables of a program: they begin with values, keep what kernels leave in them from launch to launch, and are each
program's own; the host sees them where a kernel copies them to a buffer."""
import random

import numpy as np
import pyopencl as cl
from example import Outcome, build, main

LAUNCHES = 3
COUNTS = 16

SOURCE = """
global int weights[4] = {1, 10, 100, 1000};
global uint counts[16];          // zero at first
global uint sum = 5;
global int launches;

kernel void gather(global const uint *values)
{
    uint value = values[get_global_id(0)];
    atomic_inc(&counts[value % 16]);
    atomic_add(&sum, value * weights[launches]);
}

kernel void end_launch(void) { launches++; }

kernel void look(global uint *to)
{
    for (int i = 0; i < 16; i++)
        to[i] = counts[i];
    to[16] = sum;
    to[17] = launches;
}
"""


def look(queue, kernel):
    seen = np.empty(COUNTS + 2, np.uint32)
    buffer = cl.Buffer(queue.context, cl.mem_flags.WRITE_ONLY, seen.nbytes)
    kernel(queue, (1,), None, buffer)
    cl.enqueue_copy(queue, seen, buffer)
    return seen.tolist()


def run(queue, n):
    rng = random.Random(2)
    program = build(queue, SOURCE)
    gather, end_launch, copy = program.gather, program.end_launch, program.look
    copy_other = build(queue, SOURCE).look
    untouched = [0] * COUNTS + [5, 0]
    right = look(queue, copy) == untouched
    counts, total = [0] * COUNTS, 5
    for launch in range(LAUNCHES):
        values = [rng.randrange(1 << 16) for _ in range(n)]
        buffer = cl.Buffer(queue.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR,
                           hostbuf=np.array(values, np.uint32))
        gather(queue, (n,), None, buffer)
        end_launch(queue, (1,), None)
        for value in values:
            counts[value % COUNTS] += 1
            total += value * 10 ** launch
        right &= look(queue, copy) == [*counts, total % (1 << 32), launch + 1]
    right &= look(queue, copy_other) == untouched
    return Outcome(f"{LAUNCHES} launches counted {sum(counts)} values", right)


if __name__ == "__main__":
    main("program-scope variables", run, 4096, __doc__)
