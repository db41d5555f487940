/* SPDX-License-Identifier: Apache-2.0
 * A C program as a host: `host MODE ...` does one thing, says "ok" and ends with 0, or says what is wrong and ends
 * with 1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

extern char **environ;

static cl_platform_id clpy(void)
{
    cl_platform_id platform = find_platform("clpy");
    REQUIRE(platform);
    return platform;
}

static void mode_platforms(void)
{
    cl_platform_id list[32];
    cl_uint n = 0;
    clGetPlatformIDs(32, list, &n);
    for (cl_uint i = 0; i < n; i++) {
        char name[256];
        CHECK(clGetPlatformInfo(list[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        printf("%s\n", name);
    }
}

/* A kernel on each platform in the order in which the loader lists them, then once more. */
static void mode_all(void)
{
    cl_platform_id list[32];
    cl_uint n = 0;
    CHECK(clGetPlatformIDs(32, list, &n));
    REQUIRE(n >= 2);
    for (int round = 0; round < 2; round++)
        for (cl_uint i = 0; i < n; i++)
            run_kernel(list[i]);
}

struct state {
    char locale[512];
    struct sigaction handlers[32];
    unsigned mxcsr;
    unsigned short x87;
    sigset_t blocked;
    char folder[4096];
    size_t environment;
};

static size_t hash_environment(void)
{
    size_t hash = 5381;
    for (char **entry = environ; *entry; entry++)
        for (const char *c = *entry; *c; c++)
            hash = hash * 33 + (unsigned char)*c;
    return hash;
}

static void take_state(struct state *state)
{
    memset(state, 0, sizeof *state);
    snprintf(state->locale, sizeof state->locale, "%s", setlocale(LC_ALL, NULL));
    for (int i = 1; i < 32; i++)
        sigaction(i, NULL, &state->handlers[i]);
    state->mxcsr = __builtin_ia32_stmxcsr();
    __asm__ volatile("fnstcw %0" : "=m"(state->x87));
    pthread_sigmask(SIG_SETMASK, NULL, &state->blocked);
    REQUIRE(getcwd(state->folder, sizeof state->folder));
    state->environment = hash_environment();
}

static void on_signal(int number)
{
    (void)number;
}

/* What belongs to the host program stays as it was. */
static void mode_state(void)
{
    static struct state before, after;
    setlocale(LC_NUMERIC, "C");
    signal(SIGUSR1, on_signal);
    signal(SIGPIPE, SIG_DFL);
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* flush to zero */
    take_state(&before);
    run_kernel(clpy());
    take_state(&after);
    REQUIRE(!strcmp(before.locale, after.locale));
    for (int i = 1; i < 32; i++)
        REQUIRE(is_of_faults(i) || (before.handlers[i].sa_handler == after.handlers[i].sa_handler &&
                                    before.handlers[i].sa_flags == after.handlers[i].sa_flags));
    REQUIRE((before.mxcsr & ~0x3f) == (after.mxcsr & ~0x3f)); /* the low bits are flags of past operations */
    REQUIRE(before.x87 == after.x87);
    REQUIRE(!memcmp(&before.blocked, &after.blocked, sizeof before.blocked));
    REQUIRE(!strcmp(before.folder, after.folder));
    REQUIRE(before.environment == after.environment);
}

/* The child uses clpy anew; the objects of its parent are dead there, and harmless. */
static void child_of_fork(struct job *old)
{
    cl_event event;
    size_t global = N;
    alarm(60);
    REQUIRE(clRetainContext(old->context) == CL_INVALID_CONTEXT);
    REQUIRE(clReleaseMemObject(old->a) == CL_INVALID_MEM_OBJECT);
    REQUIRE(clFinish(old->queue) == CL_INVALID_COMMAND_QUEUE);
    REQUIRE(clEnqueueNDRangeKernel(old->queue, old->kernel, 1, NULL, &global, NULL, 0, NULL, &event) != CL_SUCCESS);
    run_kernel(clpy());
}

static void wait_for(pid_t child)
{
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status))
        fprintf(stderr, "the child ended with signal %d\n", WTERMSIG(status));
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void mode_fork(void)
{
    struct job job;
    job_make(&job, clpy());
    job_launch(&job, 5);
    job_check(&job, 5);
    for (int i = 0; i < 3; i++) {
        job_launch(&job, 1000); /* in flight while the process forks */
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (!child) {
            child_of_fork(&job);
            if (i == 2) { /* a grandchild */
                pid_t grandchild = fork();
                if (!grandchild) {
                    alarm(60);
                    run_kernel(clpy());
                    exit(0);
                }
                wait_for(grandchild);
            }
            exit(0);
        }
        wait_for(child);
        job_check(&job, 1000);
    }
    job_release(&job);
}

/* Ends while commands run and nothing is released. */
static void mode_exit(void)
{
    static struct job job;
    job_make(&job, clpy());
    for (int i = 0; i < 20; i++)
        job_launch(&job, 20u * 1000 * 1000);
    CHECK(clFlush(job.queue));
}

static void *build_for_ever(void *arg)
{
    struct job *job = arg;
    char options[64];
    for (unsigned i = 0;; i++) {
        snprintf(options, sizeof options, "-DROUND=%u%u", (unsigned)getpid(), i); /* not in the cache */
        cl_int code;
        cl_program program = clCreateProgramWithSource(job->context, 1, (const char **)&SOURCE, NULL, &code);
        if (code == CL_SUCCESS)
            clBuildProgram(program, 0, NULL, options, NULL, NULL);
    }
    return NULL;
}

/* Ends while another thread builds. */
static void mode_exit_while_building(const char *milliseconds)
{
    static struct job job;
    pthread_t thread;
    job_make(&job, clpy());
    REQUIRE(!pthread_create(&thread, NULL, build_for_ever, &job));
    usleep(1000 * (unsigned)atoi(milliseconds));
}

static pthread_barrier_t gate;

static void *first_call(void *kernel)
{
    pthread_barrier_wait(&gate);
    cl_platform_id platform = clpy();
    if (kernel)
        run_kernel(platform);
    return platform;
}

/* The first call comes from many threads at once. */
static void mode_threads(void)
{
    pthread_t threads[8];
    void *first = NULL;
    pthread_barrier_init(&gate, NULL, 8);
    for (int i = 0; i < 8; i++)
        REQUIRE(!pthread_create(&threads[i], NULL, first_call, i % 2 ? "kernel" : NULL));
    for (int i = 0; i < 8; i++) {
        void *platform;
        pthread_join(threads[i], &platform);
        REQUIRE(i == 0 || platform == first);
        first = platform;
    }
}

/* The thread that brought clpy up is gone; the others go on. */
static void mode_thread_ends(void)
{
    pthread_t thread;
    pthread_barrier_init(&gate, NULL, 1);
    REQUIRE(!pthread_create(&thread, NULL, first_call, "kernel"));
    pthread_join(thread, NULL);
    run_kernel(clpy());
}

/* Without a loader: opened, used, closed, opened again. */
static void mode_dlclose(const char *path)
{
    for (int i = 0; i < 3; i++) {
        cl_platform_id platform = NULL;
        cl_uint n = 0;
        void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            fprintf(stderr, "%s\n", dlerror());
        REQUIRE(library);
        void *(*find)(const char *) = (void *(*)(const char *))dlsym(library, "clGetExtensionFunctionAddress");
        REQUIRE(find);
        cl_int (*ids)(cl_uint, cl_platform_id *, cl_uint *) =
            (cl_int (*)(cl_uint, cl_platform_id *, cl_uint *))find("clIcdGetPlatformIDsKHR");
        REQUIRE(ids);
        CHECK(ids(1, &platform, &n));
        REQUIRE(n == 1 && platform);
        dlclose(library);
    }
}

/* A library of another CPython comes into the process before clpy does ("before"), when its platform was listed
 * ("listed"), when its core is up ("core"), or when it has built a kernel ("kernel"): kernels are built and run. */
static void mode_foreign(const char *path, const char *how, const char *when)
{
    const char *const moments[] = {"before", "listed", "core", "kernel"};
    cl_platform_id platform = NULL;
    cl_device_id device;
    for (int i = 0; i < 4; i++) {
        if (!strcmp(when, moments[i]))
            REQUIRE(dlopen(path, RTLD_NOW | (strcmp(how, "global") ? RTLD_LOCAL : RTLD_GLOBAL)));
        if (i == 0)
            platform = clpy();
        if (i == 1)
            CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
        if (i >= 2)
            run_kernel(platform);
    }
}

static void mode_closed_stdio(void)
{
    close(0);
    close(1);
    close(2);
    cl_platform_id platform = find_platform("clpy");
    if (!platform)
        _exit(3);
    run_kernel(platform);
    _exit(0);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "kernel"))
        run_kernel(clpy());
    else if (!strcmp(mode, "platforms"))
        mode_platforms();
    else if (!strcmp(mode, "all"))
        mode_all();
    else if (!strcmp(mode, "state"))
        mode_state();
    else if (!strcmp(mode, "fork"))
        mode_fork();
    else if (!strcmp(mode, "exit"))
        mode_exit();
    else if (!strcmp(mode, "exit-while-building"))
        mode_exit_while_building(argv[2]);
    else if (!strcmp(mode, "threads"))
        mode_threads();
    else if (!strcmp(mode, "thread-ends"))
        mode_thread_ends();
    else if (!strcmp(mode, "dlclose"))
        mode_dlclose(argv[2]);
    else if (!strcmp(mode, "foreign"))
        mode_foreign(argv[2], argv[3], argv[4]);
    else if (!strcmp(mode, "closed-stdio"))
        mode_closed_stdio();
    else
        return 2;
    printf("ok\n");
    return 0;
}
