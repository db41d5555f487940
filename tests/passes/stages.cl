/* SPDX-License-Identifier: Apache-2.0: the kernel of docs/stages.md. */
kernel void turn(global int *data, local int *shared) {
    int i = get_local_id(0);
    shared[i] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (shared[i ^ 1] > 0)
        data[i] = shared[i ^ 1];
}
