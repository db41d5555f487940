/* SPDX-License-Identifier: Apache-2.0
 * A C program that forks while other threads of it use clpy: `forks build|launch|wait|all`. Children use clpy too: what
 * they ask for is done, or fails at once.
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

int main(int argc, char **argv)
{
    static struct job jobs[3];
    void *(*const bodies[])(void *) = {keep_building, keep_launching, keep_waiting};
    const char *const names[] = {"build", "launch", "wait"};
    pthread_t threads[3];
    int built = 0;
    REQUIRE(argc == 2 && (platform = find_platform("clpy")));
    for (int i = 0; i < 3; i++) {
        if (strcmp(argv[1], "all") && strcmp(argv[1], names[i]))
            continue;
        job_make(&jobs[i], platform);
        REQUIRE(!pthread_create(&threads[i], NULL, bodies[i], &jobs[i]));
    }
    for (int i = 0; i < FORKS; i++) {
        int status = 0;
        usleep(7000 * (unsigned)(i % 8));
        pid_t pid = fork();
        REQUIRE(pid >= 0);
        if (!pid)
            child();
        REQUIRE(waitpid(pid, &status, 0) == pid);
        if (WIFSIGNALED(status))
            fprintf(stderr, "child %d ended with signal %d\n", i, WTERMSIG(status));
        REQUIRE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3));
        built += WEXITSTATUS(status) == 0;
    }
    finished = 1;
    for (int i = 0; i < 3; i++)
        if (jobs[i].context)
            pthread_join(threads[i], NULL);
    REQUIRE(built > 0);
    printf("%d of %d\n", built, FORKS);
    return 0;
}
