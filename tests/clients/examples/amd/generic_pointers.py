# SPDX-License-Identifier: Apache-2.0
"""The generic address space: one function convolves, whether pixels and filter are in global, local or private memory,
and one walks a list whose nodes are in all three."""
import random

import numpy as np
import pyopencl as cl
from example import GENERIC_POINTERS, Outcome, build, main

GROUP = 16
TAPS = 5
FILTER = [1, -3, 7, -2, 4]

SOURCE = """
#define GROUP 16
#define TAPS 5

int convolve(const int *pixels, const int *filter)      // pointers to any memory
{
    int sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += pixels[i] * filter[i];
    return sum;
}

kernel void from_global(global const int *pixels, global const int *filter, global int *to)
{
    size_t i = get_global_id(0);
    to[i] = convolve(pixels + i, filter);
}

kernel void from_local(global const int *pixels, global const int *filter, global int *to)
{
    local int tile[GROUP + TAPS - 1];
    size_t first = get_group_id(0) * GROUP, at = get_local_id(0);
    for (size_t i = at; i < GROUP + TAPS - 1; i += GROUP)
        tile[i] = pixels[first + i];
    int mine[TAPS];
    for (int i = 0; i < TAPS; i++)
        mine[i] = filter[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[first + at] = convolve(tile + at, mine);
}

struct node { int value; struct node *next; };

int sum_of(const struct node *node)
{
    int sum = 0;
    for (; node; node = node->next)
        sum = sum * 10 + node->value;
    return sum;
}

global struct node in_global;

kernel void list(global int *to)
{
    local struct node in_local;
    struct node in_private = {1, &in_local};
    in_local.value = 2;
    in_local.next = &in_global;
    in_global.value = 3;
    in_global.next = 0;
    to[0] = sum_of(&in_private);
    to[1] = to_local(in_private.next) != 0 && to_global(in_private.next) == 0;
}
"""


def run(queue, groups):
    n = groups * GROUP
    rng = random.Random(3)
    pixels = [rng.randrange(256) for _ in range(n + TAPS - 1)]
    expected = [sum(pixels[i + tap] * FILTER[tap] for tap in range(TAPS)) for i in range(n)]
    flags = cl.mem_flags
    given = [cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.array(numbers, np.int32))
             for numbers in (pixels, FILTER)]
    to = np.empty(n, np.int32)
    to_mem = cl.Buffer(queue.context, flags.READ_WRITE, to.nbytes)
    program = build(queue, SOURCE)

    right = True
    for kernel in (program.from_global, program.from_local):
        cl.enqueue_fill_buffer(queue, to_mem, np.int32(-1), 0, to.nbytes)
        kernel(queue, (n,), (GROUP,), *given, to_mem)
        cl.enqueue_copy(queue, to, to_mem)
        right &= to.tolist() == expected
    program.list(queue, (1,), (1,), to_mem)
    cl.enqueue_copy(queue, to, to_mem)
    right &= to[:2].tolist() == [123, 1]
    return Outcome(f"{n} pixels from global and from local memory, a list through three", right)


if __name__ == "__main__":
    main("generic address space", run, 256, __doc__, GENERIC_POINTERS)
