// SPDX-License-Identifier: Apache-2.0
// The least of many numbers: private minimum, then a local atomic per group, then a global atomic for all groups.
#pragma OPENCL EXTENSION cl_khr_local_int32_extended_atomics : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_extended_atomics : enable

// stride 1: each work-item walks a piece of its own; otherwise neighbours read neighbouring vectors.
kernel void minimum(global const uint4 *in, global uint *group_least, local uint *least, uint per_item, uint strided)
{
    size_t at = strided ? get_global_id(0) : get_global_id(0) * per_item;
    size_t step = strided ? get_global_size(0) : 1;
    uint4 mine = (uint4)(UINT_MAX);
    for (uint i = 0; i < per_item; i++, at += step)
        mine = min(mine, in[at]);
    uint2 half_way = min(mine.lo, mine.hi);

    if (get_local_id(0) == 0)
        *least = UINT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_min(least, min(half_way.x, half_way.y));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        group_least[get_group_id(0)] = *least;
}

kernel void least_of_groups(global uint *group_least)
{
    atom_min(group_least, group_least[get_global_id(0)]);
}
