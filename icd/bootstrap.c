/* SPDX-License-Identifier: Apache-2.0
 *
 * The first call that needs a device: loads the library with the core, which is beside this one, and starts it. A
 * Python program that has imported clpy's modules may give its own core instead, before that.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "clpy_host_thread.h"

static _Atomic(const struct core *) the_core;
static atomic_int failed;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int in_start;       /* and so is what this thread calls meanwhile */

/* forks.c */
static atomic_int coming_up;        /* threads that bring the core up, or wait for it */
static void forks_are_seen(void);
static void fork_prepare(void);
static void fork_parent(void);
static void fork_child(void);

static const struct core *core_now(void)
{
    return atomic_load_explicit(&the_core, memory_order_acquire);
}

/* Under the lock. */
static void adopt(const struct core *core)
{
    if (!core || pthread_atfork(fork_prepare, fork_parent, fork_child)) {
        atomic_store(&failed, 1);
        return;
    }
    core->begins(&dispatch, &platform);
    dispatch = *core->dispatch;
    atomic_store(&the_core, core);
}

static const struct core *start_core(void)
{
    char folder[PATH_MAX], file[PATH_MAX + 32];
    const void *(*start)(const char *folder, int loud);
    const char *level = secure_getenv("CLPY_DEBUG");
    if (own_folder(folder))
        return NULL;
    snprintf(file, sizeof file, "%s/libclpy-core.so", folder);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&start = dlsym(library, "clpy_core_start");
    if (!library || !start) {
        complain("clpy: no OpenCL device: %s", dlerror());
        return NULL;
    }
    return start(folder, level && strcmp(level, "0"));
}

static void *start_here(void *nothing)
{
    in_start = 1;
    adopt(start_core());
    in_start = 0;
    return nothing;
}

/* The core is started by this thread, or by another where this one's stack is small. */
static void bring_up(void)
{
    pthread_t thread;
    clpy_host_state host = clpy_host_leave_out();
    pthread_mutex_lock(&start_lock);
    if (!core_now() && !atomic_load(&failed)) {
        if (clpy_stack_has(512 << 10) || pthread_create(&thread, NULL, start_here, NULL))
            start_here(NULL);
        else
            pthread_join(thread, NULL);
    }
    pthread_mutex_unlock(&start_lock);
    clpy_host_go_back(host);
}

static const struct core *core_ready(void)
{
    const struct core *core = core_now();
    if (core)
        return core;
    if (atomic_load(&failed) || in_start)
        return NULL;
    forks_are_seen();
    atomic_fetch_add(&coming_up, 1);
    bring_up();
    atomic_fetch_add(&coming_up, -1);
    return core_now();
}

/* By name only, for clpy/api/process.pyx. */
static int take_core(const struct core *core)
{
    int taken = 0;
    fill_dispatch();
    pthread_mutex_lock(&start_lock);
    if (!core_now() && !atomic_load(&failed)) {
        adopt(core);
        taken = core_now() != NULL;
    }
    pthread_mutex_unlock(&start_lock);
    return taken;
}
