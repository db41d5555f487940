/* SPDX-License-Identifier: Apache-2.0
 * For limits.pyx: limits of processes, as one number each.
 */
#ifndef CLPY_PROCESS_LIMITS_H
#define CLPY_PROCESS_LIMITS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <sys/types.h>
#include <sys/resource.h>

extern int prlimit(pid_t, enum __rlimit_resource, const struct rlimit *, struct rlimit *);

static int clpy_limit(int pid, int kind, unsigned long long most) {
    struct rlimit both = {most, most};
    return prlimit(pid, kind, &both, NULL);
}

static unsigned long long clpy_limit_of(int kind) {
    struct rlimit both;
    return getrlimit(kind, &both) ? RLIM_INFINITY : both.rlim_cur;
}

#endif
