/* SPDX-License-Identifier: Apache-2.0
 * Two devices work on one buffer: the CPU device and, where the platform has one, a GPU, in one context. Each writes a
 * sub-buffer of its own; how the frames are split follows from how long the devices took for the last one, on their own
 * clocks. Then the CPU device goes on with what both wrote.
 */
#include "demo.h"

#define MOST 2
#define FRAMES 6
#define PIECE 1024      /* floats: a multiple of what any device wants sub-buffers to begin at */

static const char *source = "kernel void curve(global const float *x, global float *y, float a)\n"
                            "{\n"
                            "    size_t i = get_global_id(0);\n"
                            "    float v = x[i];\n"
                            "    for (int k = 0; k < STEPS; k++)\n"
                            "        v = v * 0.5f + a;\n"
                            "    y[i] = v;\n"
                            "}\n"
                            "kernel void twice(global float *y)\n"
                            "{\n"
                            "    y[get_global_id(0)] *= 2;\n"
                            "}\n";

typedef struct {
    cl_device_id device;
    cl_command_queue queue;
    cl_mem in, out;             /* its parts of the shared buffers */
    size_t first, count;        /* floats */
    double rate;                /* floats a second */
} Worker;

typedef struct {
    Demo demo;
    Worker workers[MOST];
    cl_uint n_workers;
    cl_mem in, out;
    cl_kernel curve;
} Team;

static void find_devices(Team *team)
{
    const cl_device_type types[MOST] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
    cl_device_id devices[MOST];
    char name[100];
    cl_int err;
    for (int i = 0; i < MOST; i++) {
        Worker *worker = &team->workers[team->n_workers];
        if (clGetDeviceIDs(find_platform(), types[i], 1, &worker->device, NULL) != CL_SUCCESS)
            continue;
        check(clGetDeviceInfo(worker->device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
        strcat(strcat(team->demo.name, team->n_workers ? " and " : ""), name);
        worker->rate = 1;
        devices[team->n_workers++] = worker->device;
    }
    team->demo.context = clCreateContext(NULL, team->n_workers, devices, NULL, NULL, &err);
    check(err, "clCreateContext");
    for (cl_uint i = 0; i < team->n_workers; i++) {
        team->workers[i].queue = clCreateCommandQueue(team->demo.context, devices[i], CL_QUEUE_PROFILING_ENABLE, &err);
        check(err, "clCreateCommandQueue");
    }
}

static cl_mem part_of(cl_mem buffer, size_t first, size_t count)
{
    cl_int err;
    cl_buffer_region region = {first * sizeof(float), count * sizeof(float)};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    check(err, "clCreateSubBuffer");
    return part;
}

/* Whole pieces, in proportion to the rates; each gets one at least. */
static void split(Team *team, size_t n)
{
    size_t pieces = n / PIECE, given = 0;
    double all = 0;
    for (cl_uint i = 0; i < team->n_workers; i++)
        all += team->workers[i].rate;
    for (cl_uint i = 0; i < team->n_workers; i++) {
        Worker *worker = &team->workers[i];
        size_t left = pieces - given, others = team->n_workers - 1 - i;
        size_t share = others ? (size_t)(pieces * worker->rate / all) : left;
        share = share < 1 ? 1 : share > left - others ? left - others : share;
        worker->first = given * PIECE;
        worker->count = share * PIECE;
        worker->in = part_of(team->in, worker->first, worker->count);
        worker->out = part_of(team->out, worker->first, worker->count);
        given += share;
    }
}

static void release_parts(Team *team)
{
    for (cl_uint i = 0; i < team->n_workers; i++) {
        check(clReleaseMemObject(team->workers[i].in), "clReleaseMemObject");
        check(clReleaseMemObject(team->workers[i].out), "clReleaseMemObject");
    }
}

/* Seconds of the host. Both queues are flushed before anything is waited for, so that the devices work at once. */
static double frame(Team *team, float a)
{
    cl_event events[MOST];
    double start = now();
    for (cl_uint i = 0; i < team->n_workers; i++) {
        Worker *worker = &team->workers[i];
        demo_argument(team->curve, 0, sizeof worker->in, &worker->in);
        demo_argument(team->curve, 1, sizeof worker->out, &worker->out);
        demo_argument(team->curve, 2, sizeof a, &a);
        check(clEnqueueNDRangeKernel(worker->queue, team->curve, 1, NULL, &worker->count, NULL, 0, NULL, &events[i]),
              "clEnqueueNDRangeKernel");
        check(clFlush(worker->queue), "clFlush");
    }
    check(clWaitForEvents(team->n_workers, events), "clWaitForEvents");
    double spent = now() - start;
    for (cl_uint i = 0; i < team->n_workers; i++) {
        cl_ulong from, to;
        check(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof from, &from, NULL), "profiling");
        check(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof to, &to, NULL), "profiling");
        team->workers[i].rate = team->workers[i].count / ((to - from) * 1e-9 + 1e-9);
        check(clReleaseEvent(events[i]), "clReleaseEvent");
    }
    return spent;
}

/* The CPU device doubles all of it, when the last frame of the others is there; and the host reads that. */
static void finish(Team *team, cl_program program, size_t n, float *y)
{
    cl_event guard[MOST];
    cl_kernel twice = demo_kernel(program, "twice");
    for (cl_uint i = 0; i < team->n_workers; i++) {
        check(clEnqueueMarkerWithWaitList(team->workers[i].queue, 0, NULL, &guard[i]), "clEnqueueMarkerWithWaitList");
        check(clFlush(team->workers[i].queue), "clFlush");
    }
    demo_argument(twice, 0, sizeof team->out, &team->out);
    check(clEnqueueNDRangeKernel(team->workers[0].queue, twice, 1, NULL, &n, NULL, team->n_workers, guard, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(team->workers[0].queue, team->out, CL_TRUE, 0, n * sizeof(float), y, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (cl_uint i = 0; i < team->n_workers; i++)
        check(clReleaseEvent(guard[i]), "clReleaseEvent");
    check(clReleaseKernel(twice), "clReleaseKernel");
}

static int is_right(const float *x, const float *y, size_t n, float a)
{
    for (size_t i = 0; i < n; i++) {
        double v = x[i];
        for (int k = 0; k < 32; k++)
            v = v * 0.5 + a;
        if (!(y[i] > 2 * v - 1e-4 && y[i] < 2 * v + 1e-4))
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    size_t n = size_argument(argc, argv, 1 << 20) / PIECE * PIECE;
    float *x = malloc(n * sizeof(float)), *y = malloc(n * sizeof(float));
    double best = 1e9;
    Team team = {0};
    if (!x || !y || n < MOST * PIECE)
        return 1;
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 1000) / 1000;

    find_devices(&team);
    const char *text = source;
    cl_int err;
    cl_program program = clCreateProgramWithSource(team.demo.context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, "-DSTEPS=32", NULL, NULL), "clBuildProgram");      /* for all its devices */
    team.curve = demo_kernel(program, "curve");
    team.in = demo_buffer(&team.demo, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof(float), x);
    team.out = demo_buffer(&team.demo, CL_MEM_READ_WRITE, n * sizeof(float), NULL);
    for (int k = 0; k < FRAMES; k++) {
        split(&team, n);
        double spent = frame(&team, 0.25f * (k + 1));
        best = spent < best ? spent : best;
        if (k < FRAMES - 1)
            release_parts(&team);
    }
    finish(&team, program, n, y);
    release_parts(&team);

    char size[64];
    snprintf(size, sizeof size, "%zu floats", n);
    int right = is_right(x, y, n, 0.25f * FRAMES);
    demo_row("two devices, one buffer", team.demo.name, size, best, 64.0 * n, "GFLOP/s", right);
    for (cl_uint i = 0; i < team.n_workers; i++)
        check(clReleaseCommandQueue(team.workers[i].queue), "clReleaseCommandQueue");
    check(clReleaseMemObject(team.in), "clReleaseMemObject");
    check(clReleaseMemObject(team.out), "clReleaseMemObject");
    check(clReleaseKernel(team.curve), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseContext(team.demo.context), "clReleaseContext");
    free(x);
    free(y);
    return !right;
}
