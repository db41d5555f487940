/* SPDX-License-Identifier: Apache-2.0
 * A C program whose signals are its own: `signals MODE FILE` with a SPIR-V module that has a kernel `k`.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "host.h"

static unsigned char module[1 << 20];
static size_t module_size;
static cl_platform_id platform;
static cl_context context;

struct signals {
    struct sigaction actions[65];
    sigset_t blocked;
};

static void take_signals(struct signals *taken)
{
    memset(taken, 0, sizeof *taken);
    for (int i = 1; i <= 64; i++)
        sigaction(i, NULL, &taken->actions[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &taken->blocked);
}

static struct signals before;

static void compare(const char *after_what)
{
    static struct signals now;
    take_signals(&now);
    for (int i = 1; i <= 64; i++)
        if (!is_of_faults(i) && (before.actions[i].sa_handler != now.actions[i].sa_handler ||
                                 before.actions[i].sa_flags != now.actions[i].sa_flags ||
                                 memcmp(&before.actions[i].sa_mask, &now.actions[i].sa_mask, 8))) {
            fprintf(stderr, "signal %d has another handler after %s\n", i, after_what);
            exit(1);
        }
    REQUIRE(!memcmp(&before.blocked, &now.blocked, sizeof now.blocked));
}

/* With an option that is in no cache when `number` is new. */
static cl_program program_from_source(unsigned number)
{
    char options[64];
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&SOURCE, NULL, &code);
    CHECK(code);
    snprintf(options, sizeof options, "-DROUND=%u%u", (unsigned)getpid(), number);
    CHECK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    return program;
}

static cl_program program_from_il(const char *options)
{
    cl_int code;
    cl_program program = clCreateProgramWithIL(context, module, module_size, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    return program;
}

static volatile int called;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    called++;
}

static void launch(void)
{
    struct job job;
    cl_event event;
    cl_int code;
    job_make(&job, platform);
    job_launch(&job, 5);
    code = clEnqueueMarkerWithWaitList(job.queue, 0, NULL, &event);
    CHECK(code);
    called = 0;
    CHECK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
    job_check(&job, 5);
    while (!called)
        usleep(1000);
    CHECK(clReleaseEvent(event));
    job_release(&job);
}

static void *use_all(void *start)
{
    static unsigned number;
    unsigned i = number++;
    (void)start;
    compare("listing platforms");
    CHECK(clReleaseProgram(program_from_source(i)));
    compare("a build");
    CHECK(clReleaseProgram(program_from_source(i)));
    compare("a build from the cache");
    CHECK(clReleaseProgram(program_from_il(i ? "-DB" : "-DA")));
    compare("a build from SPIR-V");
    CHECK(clReleaseProgram(program_from_il(i ? "-DB" : "-DA")));
    compare("a build from SPIR-V from the cache");
    launch();
    compare("a launch");
    return NULL;
}

static void mode_unchanged(void)
{
    pthread_t thread;
    use_all(NULL);
    REQUIRE(!pthread_create(&thread, NULL, use_all, NULL));
    pthread_join(thread, NULL);
    compare("all of it in another thread");
}

static volatile sig_atomic_t interrupts;
static volatile int finished;

static void on_interrupt(int number)
{
    (void)number;
    interrupts++;
}

/* Interrupts the process group, as a terminal does, while the other thread builds. */
static void *interrupt_now_and_then(void *unused)
{
    (void)unused;
    while (!finished) {
        usleep(20000);
        kill(0, SIGINT);
    }
    return NULL;
}

static void build_and_interrupt(void)
{
    pthread_t thread;
    sigset_t interrupt, old;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    REQUIRE(!setpgid(0, 0));
    pthread_sigmask(SIG_BLOCK, &interrupt, &old); /* so that the thread that builds gets them */
    REQUIRE(!pthread_create(&thread, NULL, interrupt_now_and_then, NULL));
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    for (unsigned i = 0; i < 4; i++) {
        CHECK(clReleaseProgram(program_from_source(i)));
        CHECK(clReleaseProgram(program_from_il(i % 2 ? "-DC" : "-DD")));
    }
    finished = 1;
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    cl_device_id device;
    cl_int code;
    FILE *file = argc > 2 ? fopen(argv[2], "rb") : NULL;
    if (!file)
        return 2;
    module_size = fread(module, 1, sizeof module, file);
    fclose(file);
    take_signals(&before);
    REQUIRE((platform = find_platform("clpy")));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    if (!strcmp(argv[1], "unchanged"))
        mode_unchanged();
    else if (!strcmp(argv[1], "handled")) {
        signal(SIGINT, on_interrupt);
        build_and_interrupt();
        REQUIRE(interrupts > 0);
    } else if (!strcmp(argv[1], "default"))
        build_and_interrupt();
    else
        return 2;
    printf("ok\n");
    return 0;
}
