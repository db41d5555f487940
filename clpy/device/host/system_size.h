/* SPDX-License-Identifier: Apache-2.0
 * How many processors a process may use and how much memory the machine has, as the system tells.
 */
#ifndef CLPY_SYSTEM_SIZE_H
#define CLPY_SYSTEM_SIZE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <unistd.h>
/* The mask of the kernel may be larger than cpu_set_t: grow until it fits. */
static unsigned clpy_affinity_count(void) {
    for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set) break;
        int ok = sched_getaffinity(0, CPU_ALLOC_SIZE(cpus), set) == 0;
        unsigned n = ok ? CPU_COUNT_S(CPU_ALLOC_SIZE(cpus), set) : 0;
        CPU_FREE(set);
        if (ok) return n ? n : 1;
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}
static unsigned long long clpy_ram(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (unsigned long long)pages * (unsigned long long)size : 1ull << 30;
}

#endif
