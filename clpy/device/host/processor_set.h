/* SPDX-License-Identifier: Apache-2.0
 * A set of processors of any size, for units.pyx.
 */
#ifndef CLPY_PROCESSOR_SET_H
#define CLPY_PROCESSOR_SET_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
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
#define clpy_cpus_has(cpus, i) CPU_ISSET_S(i, (cpus)->size, (cpu_set_t *)(cpus)->bits)
#define clpy_cpus_add(cpus, i) CPU_SET_S(i, (cpus)->size, (cpu_set_t *)(cpus)->bits)
#define clpy_cpus_count(cpus) CPU_COUNT_S((cpus)->size, (cpu_set_t *)(cpus)->bits)
#define clpy_cpus_room(cpus) ((int)(cpus)->size * 8)
#define clpy_stay_on(cpus) (void)sched_setaffinity(0, (cpus)->size, (cpu_set_t *)(cpus)->bits)

#endif
