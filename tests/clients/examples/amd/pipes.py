# SPDX-License-Identifier: Apache-2.0
"""Pipes: groups of a producer reserve room for all their work-items and write random numbers; groups of a consumer
take them out, again by reservation, and count them. The host sees the counts alone."""
import numpy as np
import pyopencl as cl
from example import PIPES, Outcome, build, main

GROUP = 64
COUNTS = 32

SOURCE = """
uint scramble(uint x)
{
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    x *= 0x27d4eb2d;
    return x ^ (x >> 15);
}

kernel void produce(write_only pipe uint numbers, uint seed, global uint *left_out)
{
    uint number = scramble(seed + (uint)get_global_id(0));
    reserve_id_t room = work_group_reserve_write_pipe(numbers, get_local_size(0));
    if (!is_valid_reserve_id(room)) {           // for all of the group, or for none
        atomic_inc(left_out);
        return;
    }
    if (write_pipe(numbers, room, get_local_id(0), &number) != 0)
        atomic_inc(left_out);
    work_group_commit_write_pipe(numbers, room);
}

kernel void consume(read_only pipe uint numbers, global uint *counts, global uint *left_out)
{
    uint number;
    reserve_id_t packets = work_group_reserve_read_pipe(numbers, get_local_size(0));
    if (!is_valid_reserve_id(packets)) {
        atomic_inc(left_out);
        return;
    }
    if (read_pipe(numbers, packets, get_local_id(0), &number) == 0)
        atomic_inc(&counts[number % 32]);
    work_group_commit_read_pipe(numbers, packets);
}
"""


def scramble(x):
    x = (x ^ 61) ^ (x >> 16)
    x = x * 9 & 0xFFFFFFFF
    x ^= x >> 4
    x = x * 0x27D4EB2D & 0xFFFFFFFF
    return x ^ (x >> 15)


def run(queue, groups):
    """Twice as many numbers as the pipe has room for, in two rounds; then one group too many."""
    n, rounds = groups * GROUP, 2
    flags = cl.mem_flags
    pipe = cl.Pipe(queue.context, flags.READ_WRITE | flags.HOST_NO_ACCESS, 4, n)
    counts, left_out = np.zeros(COUNTS, np.uint32), np.zeros(1, np.uint32)
    counts_mem = cl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=counts)
    left_out_mem = cl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=left_out)
    program = build(queue, SOURCE)
    produce, consume = program.produce, program.consume

    expected = [0] * COUNTS
    for seed in range(0, rounds * n, n):
        produce(queue, (n,), (GROUP,), pipe, np.uint32(seed), left_out_mem)
        consume(queue, (n,), (GROUP,), pipe, counts_mem, left_out_mem)
        for i in range(n):
            expected[scramble(seed + i) % COUNTS] += 1
    cl.enqueue_copy(queue, counts, counts_mem)
    cl.enqueue_copy(queue, left_out, left_out_mem)
    right = counts.tolist() == expected and not left_out.any()

    # What does not fit is refused, and the pipe stays whole; nobody is left waiting.
    produce(queue, (n + GROUP,), (GROUP,), pipe, np.uint32(0), left_out_mem)
    cl.enqueue_copy(queue, left_out, left_out_mem)
    right = right and left_out[0] == GROUP
    return Outcome(f"{counts.sum()} numbers through a pipe for {n}", right)


if __name__ == "__main__":
    main("pipes", run, 32, __doc__, PIPES)
