/* SPDX-License-Identifier: Apache-2.0
 * A C program that forks while other threads of it use clpy: `forks build|launch|wait|all|vfork`. Children use clpy
 * too: what they ask for is done, or fails at once. With vfork the child, which has the parent's memory, becomes a new
 * process of this program: `forks once`.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

enum { FORKS = 10 };

static cl_platform_id platform;
static volatile int finished;
static unsigned builds;

static cl_int build_new(cl_context context)
{
    char options[64];
    cl_int code;
    snprintf(options, sizeof options, "-DROUND=%u%u", (unsigned)getpid(), __sync_fetch_and_add(&builds, 1));
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&SOURCE, NULL, &code);
    if (code == CL_SUCCESS) {
        code = clBuildProgram(program, 0, NULL, options, NULL, NULL);
        CHECK(clReleaseProgram(program));
    }
    return code;
}

static void *keep_building(void *given)
{
    struct job *job = given;
    while (!finished)
        CHECK(build_new(job->context));
    return NULL;
}

static void *keep_launching(void *given)
{
    struct job *job = given;
    while (!finished)
        job_launch(job, 5);
    CHECK(clFinish(job->queue));
    return NULL;
}

static void *keep_waiting(void *given)
{
    struct job *job = given;
    while (!finished) {
        job_launch(job, 100000);
        CHECK(clFinish(job->queue));
    }
    return NULL;
}

static void child(void)
{
    cl_device_id device;
    cl_int code;
    alarm(20);
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    code = build_new(context);
    if (code == CL_SUCCESS)
        run_kernel(platform);
    else
        REQUIRE(code == CL_OUT_OF_RESOURCES);
    _exit(code == CL_SUCCESS ? 0 : 3);
}

static pid_t new_process(void)
{
    char *const command[] = {"forks", "once", NULL};
    pid_t pid = vfork();
    if (!pid) {
        execv("/proc/self/exe", command);
        _exit(4);
    }
    return pid;
}

/* Whether the child ended well: with the result, or (false) with an error. */
static int ended_well(pid_t pid)
{
    int status = 0;
    REQUIRE(waitpid(pid, &status, 0) == pid);
    if (WIFSIGNALED(status))
        fprintf(stderr, "a child ended with signal %d\n", WTERMSIG(status));
    REQUIRE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3));
    return WEXITSTATUS(status) == 0;
}

static void fork_beside(const char *what)
{
    static struct job jobs[3];
    void *(*const bodies[])(void *) = {keep_building, keep_launching, keep_waiting};
    const char *const names[] = {"build", "launch", "wait"};
    pthread_t threads[3];
    int built = 0, with_vfork = !strcmp(what, "vfork"), all = with_vfork || !strcmp(what, "all");
    for (int i = 0; i < 3; i++) {
        if (!all && strcmp(what, names[i]))
            continue;
        job_make(&jobs[i], platform);
        REQUIRE(!pthread_create(&threads[i], NULL, bodies[i], &jobs[i]));
    }
    for (int i = 0; i < FORKS; i++) {
        usleep(7000 * (unsigned)(i % 8));
        pid_t pid = with_vfork ? new_process() : fork();
        REQUIRE(pid >= 0);
        if (!pid)
            child();
        built += ended_well(pid);
    }
    finished = 1;
    for (int i = 0; i < 3; i++)
        if (jobs[i].context)
            pthread_join(threads[i], NULL);
    REQUIRE(built > 0);
    printf("%d of %d\n", built, FORKS);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2 && (platform = find_platform("clpy")));
    if (strcmp(argv[1], "once"))
        fork_beside(argv[1]);
    else
        run_kernel(platform);
    return 0;
}
