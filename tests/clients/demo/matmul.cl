// SPDX-License-Identifier: Apache-2.0
// C = A B for square matrices of order N (a build option), each kernel a step up from the one before.

kernel void element(global const float *A, global const float *B, global float *C)
{
    int i = get_global_id(0), j = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < N; k++)
        sum += A[i * N + k] * B[k * N + j];
    C[i * N + j] = sum;
}

// One row per work-item: fewer, longer work-items.
kernel void row(global const float *A, global const float *B, global float *C)
{
    int i = get_global_id(0);
    for (int j = 0; j < N; j++) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++)
            sum += A[i * N + k] * B[k * N + j];
        C[i * N + j] = sum;
    }
}

// The row of A is used N times over: keep it in private memory.
kernel void row_private(global const float *A, global const float *B, global float *C)
{
    int i = get_global_id(0);
    float a[N];
    for (int k = 0; k < N; k++)
        a[k] = A[i * N + k];
    for (int j = 0; j < N; j++) {
        float sum = 0.0f;
        for (int k = 0; k < N; k++)
            sum += a[k] * B[k * N + j];
        C[i * N + j] = sum;
    }
}

// All work-items of a group need the same column of B at the same time: fetch it together into local memory.
kernel void row_private_local(global const float *A, global const float *B, global float *C, local float *b)
{
    int i = get_global_id(0);
    float a[N];
    for (int k = 0; k < N; k++)
        a[k] = A[i * N + k];
    for (int j = 0; j < N; j++) {
        for (int k = get_local_id(0); k < N; k += get_local_size(0))
            b[k] = B[k * N + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum = 0.0f;
        for (int k = 0; k < N; k++)
            sum += a[k] * b[k];
        C[i * N + j] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Rows of B lie in one piece: copy row k + 1 in the background while row k is used, with two halves of local memory.
kernel void row_async(global const float *A, global const float *B, global float *C, local float *b)
{
    int i = get_global_id(0);
    float sum[N];
    for (int j = 0; j < N; j++)
        sum[j] = 0.0f;
    event_t arrival = async_work_group_copy(b, B, N, 0);
    for (int k = 0; k < N; k++) {
        wait_group_events(1, &arrival);
        barrier(CLK_LOCAL_MEM_FENCE); // the other half is free from here on
        if (k + 1 < N)
            arrival = async_work_group_copy(b + (k + 1) % 2 * N, B + (k + 1) * N, N, 0);
        local const float *now = b + k % 2 * N;
        float a = A[i * N + k];
        for (int j = 0; j < N; j++)
            sum[j] += a * now[j];
    }
    for (int j = 0; j < N; j++)
        C[i * N + j] = sum[j];
}
