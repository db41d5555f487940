/* SPDX-License-Identifier: Apache-2.0
 * A C program whose threads are not as most are: `odd_threads MODE`. Each mode builds a program anew and runs a kernel.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

enum { SMALL = 16 << 10, CANCELS = 20 };

static cl_platform_id platform;

static void *find(void *unused)
{
    platform = find_platform("clpy");
    return unused;
}

static void *work(void *unused)
{
    run_kernel(platform);
    return unused;
}

static void on_small_stack(void *(*what)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;
    REQUIRE(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, SMALL));
    REQUIRE(!pthread_create(&thread, &attributes, what, NULL) && !pthread_join(thread, NULL));
}

static void nothing(int signal)
{
    (void)signal;
}

static void interrupt_every(int milliseconds)
{
    struct sigaction action = {.sa_handler = nothing};       /* without SA_RESTART: every call may give EINTR */
    struct itimerval timer = {{0, milliseconds * 1000}, {0, milliseconds * 1000}};
    REQUIRE(!sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &timer, NULL));
}

static void reap(int signal)
{
    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

/* Cancelled at any place: whatever it was doing, the other threads go on. */
static void cancel_threads(void)
{
    for (int i = 0; i < CANCELS; i++) {
        pthread_t thread;
        REQUIRE(!pthread_create(&thread, NULL, work, NULL));
        usleep(1000 + i * 7001);
        pthread_cancel(thread);
        REQUIRE(!pthread_join(thread, NULL));
    }
}

static void limit(int resource, rlim_t value)
{
    struct rlimit limits = {value, value};
    REQUIRE(!setrlimit(resource, &limits));
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT;
    if (!strcmp(mode, "trapping")) {
        feenableexcept(traps);
        find(NULL);
        work(NULL);
        REQUIRE(fegetexcept() == traps);
    } else if (!strcmp(mode, "rounding")) {
        fesetround(FE_UPWARD);
        find(NULL);
        work(NULL);
        REQUIRE(fegetround() == FE_UPWARD);
    } else if (!strcmp(mode, "small-stack")) {
        on_small_stack(find);
        on_small_stack(work);
    } else if (!strcmp(mode, "cancelled")) {
        find(NULL);
        cancel_threads();
        work(NULL);
    } else if (!strcmp(mode, "interrupted")) {
        interrupt_every(1);
        find(NULL);
        work(NULL);
    } else if (!strcmp(mode, "children-ignored")) {
        signal(SIGCHLD, SIG_IGN);
        find(NULL);
        work(NULL);
    } else if (!strcmp(mode, "children-reaped")) {
        signal(SIGCHLD, reap);
        find(NULL);
        work(NULL);
    } else if (!strcmp(mode, "file-size")) {
        limit(RLIMIT_FSIZE, 1000);       /* beyond it a write is a signal, which ends the program */
        find(NULL);
        work(NULL);
    } else if (!strcmp(mode, "stack-limit")) {
        limit(RLIMIT_STACK, 64 << 10);
        find(NULL);
        work(NULL);
    } else {
        fprintf(stderr, "usage: odd_threads MODE\n");
        return 2;
    }
    puts("ok");
    return 0;
}
