/* SPDX-License-Identifier: Apache-2.0
 * A set of processors of any size, for units.pyx.
 */
#ifndef CLPY_PROCESSOR_SET_H
#define CLPY_PROCESSOR_SET_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cpuid.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
struct clpy_cpus { size_t size; unsigned long bits[]; };

static struct clpy_cpus *clpy_cpus_new(int most) {
    size_t size = CPU_ALLOC_SIZE(most);
    struct clpy_cpus *cpus = (struct clpy_cpus *)calloc(1, sizeof *cpus + size);
    if (cpus) cpus->size = size;
    return cpus;
}
/* What the process may use. The mask of the kernel may be larger than cpu_set_t: grow until it fits. */
static struct clpy_cpus *clpy_cpus_allowed(void) {
    for (int most = 1024; most <= 1 << 20; most *= 4) {
        struct clpy_cpus *cpus = clpy_cpus_new(most);
        if (!cpus) break;
        if (sched_getaffinity(getpid(), cpus->size, (cpu_set_t *)cpus->bits) == 0) return cpus;
        free(cpus);
    }
    return NULL;
}
/* The calling thread, on the i-th processor that the process may use, if those are n. Its number, or -1. */
static int clpy_stay_on_one(int i, int n) {
    struct clpy_cpus *allowed = clpy_cpus_allowed(), *own;
    int at = -1, left = i + 1, most = allowed ? (int)allowed->size * 8 : 0;
    if (allowed && CPU_COUNT_S(allowed->size, (cpu_set_t *)allowed->bits) == n)
        while (left > 0 && ++at < most) left -= CPU_ISSET_S(at, allowed->size, (cpu_set_t *)allowed->bits) != 0;
    own = at >= 0 && left == 0 ? clpy_cpus_new(most) : NULL;
    if (own) CPU_SET_S(at, own->size, (cpu_set_t *)own->bits);
    if (!own || sched_setaffinity(0, own->size, (cpu_set_t *)own->bits) != 0) at = -1;
    free(own);
    free(allowed);
    return at;
}
/* 1 on a virtual machine: its hypervisor says so. */
static inline int clpy_is_virtual(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c >> 31 & 1;
}
#define clpy_cpus_has(cpus, i) CPU_ISSET_S(i, (cpus)->size, (cpu_set_t *)(cpus)->bits)
#define clpy_cpus_add(cpus, i) CPU_SET_S(i, (cpus)->size, (cpu_set_t *)(cpus)->bits)
#define clpy_cpus_count(cpus) CPU_COUNT_S((cpus)->size, (cpu_set_t *)(cpus)->bits)
#define clpy_cpus_room(cpus) ((int)(cpus)->size * 8)
#define clpy_stay_on(cpus) (void)sched_setaffinity(0, (cpus)->size, (cpu_set_t *)(cpus)->bits)

#endif
