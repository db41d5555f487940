# SPDX-License-Identifier: Apache-2.0
"""Work-group functions: each group packs the values that it keeps, at places that a scan gives, and sums up the rest
with reductions, a broadcast and votes."""
import random

import numpy as np
import pyopencl as cl
from example import GROUP_FUNCTIONS, Outcome, build, main

GROUP = 64

SOURCE = """
kernel void pack(global const int *values, int limit, global int *kept, global int8 *facts)
{
    size_t group = get_group_id(0), first = group * get_local_size(0);
    int value = values[get_global_id(0)];
    int keep = value < limit;

    int place = work_group_scan_exclusive_add(keep);
    if (keep)
        kept[first + place] = value;

    int8 fact;
    fact.s0 = work_group_reduce_add(keep);
    fact.s1 = work_group_reduce_min(value);
    fact.s2 = work_group_reduce_max(value);
    fact.s3 = work_group_broadcast(value, get_local_size(0) / 2);
    fact.s4 = work_group_all(keep) != 0;
    fact.s5 = work_group_any(keep) != 0;
    int highest = work_group_scan_inclusive_max(value);    // of the work-items up to this one
    fact.s6 = work_group_reduce_add(highest == value);     // how often there was a new highest value, or it again
    fact.s7 = 0;
    if (get_local_id(0) == 0)
        facts[group] = fact;
}
"""


def facts_of(values, limit):
    keep = [value < limit for value in values]
    highest = sum(value == max(values[:i + 1]) for i, value in enumerate(values))
    return [sum(keep), min(values), max(values), values[len(values) // 2], int(all(keep)), int(any(keep)), highest, 0]


def run(queue, groups):
    limit = 300
    rng = random.Random(1)
    # Every third group keeps all, every third keeps none, the others some.
    ranges = [(0, limit - 1), (limit, 1000), (0, 1000)]
    values = [rng.randint(*ranges[group % 3]) for group in range(groups) for _ in range(GROUP)]
    flags = cl.mem_flags
    values_mem = cl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.array(values, np.int32))
    kept = np.full(len(values), -1, np.int32)
    kept_mem = cl.Buffer(queue.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=kept)
    facts = np.empty((groups, 8), np.int32)
    facts_mem = cl.Buffer(queue.context, flags.WRITE_ONLY, facts.nbytes)

    build(queue, SOURCE).pack(queue, (len(values),), (GROUP,), values_mem, np.int32(limit), kept_mem, facts_mem)
    cl.enqueue_copy(queue, kept, kept_mem)
    cl.enqueue_copy(queue, facts, facts_mem)

    right = True
    for group in range(groups):
        mine = values[group * GROUP:(group + 1) * GROUP]
        packed = [value for value in mine if value < limit]
        right &= kept[group * GROUP:(group + 1) * GROUP].tolist() == packed + [-1] * (GROUP - len(packed))
        right &= facts[group].tolist() == facts_of(mine, limit)
    return Outcome(f"{groups} groups packed {facts[:, 0].sum()} of {len(values)} values", right)


if __name__ == "__main__":
    main("work-group functions", run, 256, __doc__, GROUP_FUNCTIONS)
