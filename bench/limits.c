/* SPDX-License-Identifier: Apache-2.0
 * What this machine can do at most, measured on all its cores: a line of JSON with stream_gbs (c = a + b with stores
 * that bypass the caches, counted as three streams), read_gbs, fma_gflops (single precision), int_gops (additions,
 * shifts and exclusive ors of 32 bits) and gather_gitems (loads of 32 bits anywhere in 4 MiB).
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define WIDTH 16 /* floats of a vector, split by the compiler where the machine has narrower ones */
#define CHAINS 12
typedef float vec __attribute__((vector_size(4 * WIDTH)));

static const size_t N = (size_t)1 << 22; /* vectors of an array: 256 MiB, beyond any cache */

static vec *array(float value)
{
    vec *data = aligned_alloc(2 << 20, N * sizeof(vec));
    if (!data)
        exit(1);
    madvise(data, N * sizeof(vec), MADV_HUGEPAGE);
#pragma omp parallel for
    for (size_t i = 0; i < N; i++)
        data[i] = (vec){0} + value;
    return data;
}

static double stream(const vec *a, const vec *b, vec *c)
{
    double start = omp_get_wtime();
#pragma omp parallel for
    for (size_t i = 0; i < N; i++) {
        vec sum = a[i] + b[i];
#ifdef __clang__
        __builtin_nontemporal_store(sum, &c[i]);
#elif defined(__x86_64__)
        typedef float quarter __attribute__((vector_size(16)));
        for (int q = 0; q < WIDTH / 4; q++)
            __builtin_ia32_movntps((float *)&c[i] + 4 * q, ((quarter *)&sum)[q]);
#else
        c[i] = sum;
#endif
    }
    return 3.0 * N * sizeof(vec) / (omp_get_wtime() - start) / 1e9;
}

static double read_all(const vec *a, volatile float *sink)
{
    double start = omp_get_wtime();
#pragma omp parallel
    {
        vec sums[4] = {{0}};
#pragma omp for
        for (size_t i = 0; i < N; i += 4)
            for (int k = 0; k < 4; k++)
                sums[k] += a[i + k];
        *sink = (sums[0] + sums[1] + sums[2] + sums[3])[0];
    }
    return (double)N * sizeof(vec) / (omp_get_wtime() - start) / 1e9;
}

static double fma_rate(volatile float *sink)
{
    const long turns = 20000000;
    double start = omp_get_wtime();
#pragma omp parallel
    {
        vec x[CHAINS], factor = (vec){0} + 0.999f, add = (vec){0} + *sink * 1e-30f;
        for (int k = 0; k < CHAINS; k++)
            x[k] = add + (float)k;
        for (long i = 0; i < turns; i++)
#pragma GCC unroll 12
            for (int k = 0; k < CHAINS; k++)
                x[k] = x[k] * factor + add;
        vec all = x[0];
        for (int k = 1; k < CHAINS; k++)
            all += x[k];
        *sink = all[0];
    }
    return 2.0 * WIDTH * CHAINS * turns * omp_get_max_threads() / (omp_get_wtime() - start) / 1e9;
}

static double int_rate(volatile unsigned *sink)
{
    typedef unsigned ints __attribute__((vector_size(4 * WIDTH)));
    const long turns = 10000000;
    double start = omp_get_wtime();
#pragma omp parallel
    {
        ints x[CHAINS / 2], add = (ints){0} + *sink;
        for (int k = 0; k < CHAINS / 2; k++)
            x[k] = add + (unsigned)k;
        for (long i = 0; i < turns; i++)
#pragma GCC unroll 6
            for (int k = 0; k < CHAINS / 2; k++)
                x[k] = ((x[k] >> 3) ^ x[k]) + add;
        ints all = x[0];
        for (int k = 1; k < CHAINS / 2; k++)
            all += x[k];
        *sink = all[0];
    }
    return 3.0 * WIDTH * (CHAINS / 2) * turns * omp_get_max_threads() / (omp_get_wtime() - start) / 1e9;
}

static double gather_rate(const float *table, volatile float *sink)
{
    const unsigned entries = 1 << 20, turns = 1 << 24;
    double start = omp_get_wtime();
#pragma omp parallel
    {
        unsigned at[4] = {1, 2, 3, (unsigned)omp_get_thread_num()};
        float sums[4] = {0};
        for (unsigned i = 0; i < turns; i += 4)
            for (int k = 0; k < 4; k++) {
                at[k] = at[k] * 1664525u + 1013904223u;
                sums[k] += table[at[k] >> 12 & (entries - 1)];
            }
        *sink = sums[0] + sums[1] + sums[2] + sums[3];
    }
    return (double)turns * omp_get_max_threads() / (omp_get_wtime() - start) / 1e9;
}

static double larger(double x, double y) { return x > y ? x : y; }

int main(void)
{
    volatile float sink = 1;
    volatile unsigned bits = 1;
    double best_stream = 0, best_read = 0, best_fma = 0, best_int = 0, best_gather = 0;
    vec *a = array(1), *b = array(2), *c = array(3);
    for (int round = 0; round < 5; round++) {
        best_stream = larger(best_stream, stream(a, b, c));
        best_read = larger(best_read, read_all(a, &sink));
    }
    for (int round = 0; round < 2; round++) {
        best_fma = larger(best_fma, fma_rate(&sink));
        best_int = larger(best_int, int_rate(&bits));
        best_gather = larger(best_gather, gather_rate((const float *)a, &sink));
    }
    printf("{\"stream_gbs\": %.2f, \"read_gbs\": %.2f, \"fma_gflops\": %.1f, \"int_gops\": %.1f, "
           "\"gather_gitems\": %.3f, \"threads\": %d}\n",
           best_stream, best_read, best_fma, best_int, best_gather, omp_get_max_threads());
    return 0;
}
