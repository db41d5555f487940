/* SPDX-License-Identifier: Apache-2.0
 * Many threads use the platform at once, for a while, at random: contexts, queues, builds, launches, copies, maps,
 * user events, callbacks, releases in any order. Every result is checked. Ends with one line of JSON.
 * usage: soak SECONDS THREADS SEED [leak]    (leak: leaves one buffer, so that a census can be seen to find it)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "demo/demo.h"

#define MAX_THREADS 64
#define MAX_SAMPLES 4096
#define GROUP 64

static const char *source =
    "uint mix(uint x, uint i) { return x * K + i; }\n"
    "kernel void turn(global const uint *in, global uint *out, local uint *tile)\n"
    "{\n"
    "    uint l = get_local_id(0), n = get_local_size(0);\n"
    "    tile[l] = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint sum = 0;\n"
    "    for (uint r = 0; r < ROUNDS; r++) {\n"
    "        sum += tile[(l + r) % n];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    out[get_global_id(0)] = mix(sum, get_global_id(0));\n"
    "}\n"
    "kernel void count(global uint *total, uint step) { atomic_add(total, step); }\n";

static Demo shared; /* a context and a queue that all threads use */
static double deadline;
static atomic_long wrong, rounds, builds, commands, callbacks_due, callbacks_seen, unique;

typedef struct {
    unsigned seed;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_uint k, turns;
    int owns;
} World;

static unsigned roll(World *w, unsigned below)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 8) % below;
}

static void expect(int truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "wrong: %s\n", what);
        wrong++;
    }
}

static cl_mem new_buffer(World *w, size_t bytes, void *host)
{
    cl_int err;
    cl_mem buffer = clCreateBuffer(w->context, host ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                                   bytes, host, &err);
    check(err, "clCreateBuffer");
    return buffer;
}

static cl_program new_program(World *w)
{
    char text[4096], options[64];
    cl_int err;
    w->k = 1 + roll(w, 8);
    w->turns = 1 + roll(w, 4);
    /* Most programs are of a few kinds; some are new, so that nothing is ready for them. */
    int fresh = roll(w, 8) == 0;
    snprintf(text, sizeof text, "%s// %ld\n", source, fresh ? atomic_fetch_add(&unique, 1) + 1 : 0L);
    snprintf(options, sizeof options, "-D K=%uu -D ROUNDS=%u", w->k, w->turns);
    const char *lines = text;
    cl_program program = clCreateProgramWithSource(w->context, 1, &lines, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, options, NULL, NULL), "clBuildProgram");
    builds++;
    return program;
}

static void open_world(World *w)
{
    cl_int err;
    w->owns = roll(w, 2);
    w->context = shared.context;
    w->queue = shared.queue;
    if (w->owns) {
        w->context = clCreateContext(NULL, 1, &shared.device, NULL, NULL, &err);
        check(err, "clCreateContext");
        w->queue = clCreateCommandQueue(w->context, shared.device,
                                        roll(w, 2) ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &err);
        check(err, "clCreateCommandQueue");
    }
    w->program = new_program(w);
}

static void close_world(World *w)
{
    /* Whatever is released first, the others still hold what they need. */
    int context_first = roll(w, 2);
    if (w->owns && context_first)
        check(clReleaseContext(w->context), "clReleaseContext");
    if (roll(w, 2)) {
        check(clReleaseProgram(w->program), "clReleaseProgram");
        if (w->owns)
            check(clReleaseCommandQueue(w->queue), "clReleaseCommandQueue");
    } else {
        if (w->owns)
            check(clReleaseCommandQueue(w->queue), "clReleaseCommandQueue");
        check(clReleaseProgram(w->program), "clReleaseProgram");
    }
    if (w->owns && !context_first)
        check(clReleaseContext(w->context), "clReleaseContext");
}

/* in -> kernel -> out, the steps linked by events; the inputs are released before the results are there. */
static void launch_and_check(World *w)
{
    size_t n = GROUP * (1 + roll(w, 256)), group = GROUP, bytes = n * sizeof(cl_uint);
    cl_uint *in = malloc(bytes), *out = malloc(bytes);
    cl_event written, done;
    for (size_t i = 0; i < n; i++)
        in[i] = roll(w, 1000);
    cl_mem in_buffer = new_buffer(w, bytes, NULL), out_buffer = new_buffer(w, bytes, NULL);
    cl_kernel kernel = demo_kernel(w->program, "turn");
    demo_argument(kernel, 0, sizeof in_buffer, &in_buffer);
    demo_argument(kernel, 1, sizeof out_buffer, &out_buffer);
    demo_argument(kernel, 2, GROUP * sizeof(cl_uint), NULL);
    check(clEnqueueWriteBuffer(w->queue, in_buffer, CL_FALSE, 0, bytes, in, 0, NULL, &written), "clEnqueueWriteBuffer");
    check(clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &n, &group, 1, &written, &done), "clEnqueueNDRangeKernel");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseMemObject(in_buffer), "clReleaseMemObject");
    check(clEnqueueReadBuffer(w->queue, out_buffer, CL_TRUE, 0, bytes, out, 1, &done, NULL), "clEnqueueReadBuffer");
    commands += 3;
    int right = 1;
    for (size_t i = 0; i < n; i++) {
        cl_uint sum = 0;
        for (cl_uint r = 0; r < w->turns; r++)
            sum += in[i / GROUP * GROUP + (i % GROUP + r) % GROUP];
        right &= out[i] == sum * w->k + (cl_uint)i;
    }
    expect(right, "launch");
    check(clReleaseEvent(written), "clReleaseEvent");
    check(clReleaseEvent(done), "clReleaseEvent");
    check(clReleaseMemObject(out_buffer), "clReleaseMemObject");
    free(in);
    free(out);
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    (void)event;
    expect(status == CL_COMPLETE, "status in a callback");
    *(atomic_int *)data += 1;
    callbacks_seen++;
}

/* Launches behind a user event run only when it is set; their callbacks all come. */
static void gate(World *w)
{
    cl_int err;
    cl_uint zero = 0, total = 0, launches = 1 + roll(w, 20), step = 1 + roll(w, 5);
    size_t items = 1 + roll(w, 100);
    atomic_int called = 0;
    cl_event start = clCreateUserEvent(w->context, &err), events[21];
    check(err, "clCreateUserEvent");
    cl_mem sum = new_buffer(w, sizeof total, &zero);
    cl_kernel kernel = demo_kernel(w->program, "count");
    demo_argument(kernel, 0, sizeof sum, &sum);
    demo_argument(kernel, 1, sizeof step, &step);
    for (cl_uint i = 0; i < launches; i++) {
        check(clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &items, NULL, 1, &start, &events[i]),
              "clEnqueueNDRangeKernel");
        check(clSetEventCallback(events[i], CL_COMPLETE, on_complete, &called), "clSetEventCallback");
    }
    commands += launches + 1;
    callbacks_due += launches;
    check(clFlush(w->queue), "clFlush");
    check(clSetUserEventStatus(start, CL_COMPLETE), "clSetUserEventStatus");
    check(clEnqueueReadBuffer(w->queue, sum, CL_TRUE, 0, sizeof total, &total, launches, events, NULL),
          "clEnqueueReadBuffer");
    expect(total == launches * step * items, "launches behind a user event");
    for (double limit = now() + 20; called < (int)launches && now() < limit;)
        usleep(50);
    expect(called == (int)launches, "callbacks");
    for (cl_uint i = 0; i < launches; i++)
        check(clReleaseEvent(events[i]), "clReleaseEvent");
    check(clReleaseEvent(start), "clReleaseEvent");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseMemObject(sum), "clReleaseMemObject");
}

/* Fill, copy, a sub-buffer, a map: no kernel. */
static void move_data(World *w)
{
    size_t n = 4096 * (1 + roll(w, 16)), bytes = n * sizeof(cl_uint);
    cl_uint pattern = roll(w, 1u << 20);
    cl_int err;
    cl_event filled, copied;
    cl_mem from = new_buffer(w, bytes, NULL), to = new_buffer(w, bytes, NULL);
    cl_buffer_region half = {bytes / 2, bytes / 2};
    cl_mem part = clCreateSubBuffer(to, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
    check(err, "clCreateSubBuffer");
    check(clEnqueueFillBuffer(w->queue, from, &pattern, sizeof pattern, 0, bytes, 0, NULL, &filled),
          "clEnqueueFillBuffer");
    check(clEnqueueCopyBuffer(w->queue, from, part, 0, 0, bytes / 2, 1, &filled, &copied), "clEnqueueCopyBuffer");
    cl_uint *seen = clEnqueueMapBuffer(w->queue, to, CL_TRUE, CL_MAP_READ, bytes / 2, bytes / 2, 1, &copied, NULL,
                                       &err);
    check(err, "clEnqueueMapBuffer");
    expect(seen[0] == pattern && seen[n / 4] == pattern && seen[n / 2 - 1] == pattern, "fill, copy, map");
    check(clEnqueueUnmapMemObject(w->queue, to, seen, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clFinish(w->queue), "clFinish");
    commands += 4;
    check(clReleaseMemObject(to), "clReleaseMemObject");
    check(clReleaseMemObject(part), "clReleaseMemObject");
    check(clReleaseMemObject(from), "clReleaseMemObject");
    check(clReleaseEvent(filled), "clReleaseEvent");
    check(clReleaseEvent(copied), "clReleaseEvent");
}

static void share_handles(World *w)
{
    for (int i = 0; i < 200; i++) {
        check(clRetainContext(shared.context), "clRetainContext");
        check(clRetainCommandQueue(shared.queue), "clRetainCommandQueue");
        check(clReleaseContext(shared.context), "clReleaseContext");
        check(clReleaseCommandQueue(shared.queue), "clReleaseCommandQueue");
    }
    expect(clReleaseEvent((cl_event)shared.queue) == CL_INVALID_EVENT, "the error for a handle of another kind");
}

static void *work(void *argument)
{
    World w = {.seed = (unsigned)(size_t)argument * 7919u + 1};
    while (now() < deadline) {
        open_world(&w);
        for (unsigned i = 0, n = 1 + roll(&w, 6); i < n; i++) {
            switch (roll(&w, 4)) {
            case 0: launch_and_check(&w); break;
            case 1: gate(&w); break;
            case 2: move_data(&w); break;
            default: share_handles(&w); break;
            }
        }
        close_world(&w);
        rounds++;
    }
    return NULL;
}

static double resident_mib(void)
{
    long total, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static double most(const double *samples, int from, int to)
{
    double best = 0;
    for (int i = from; i < to; i++)
        best = samples[i] > best ? samples[i] : best;
    return best;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    double seconds = atof(argv[1]);
    int n_threads = atoi(argv[2]), n_samples = 0;
    static double samples[MAX_SAMPLES];
    pthread_t threads[MAX_THREADS];
    n_threads = n_threads < MAX_THREADS ? n_threads : MAX_THREADS;
    shared = demo_open();
    deadline = now() + seconds;
    for (int i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)((size_t)atoi(argv[3]) + i)))
            return 1;
    while (now() < deadline && n_samples < MAX_SAMPLES) {
        usleep((useconds_t)(seconds * 1e6 / 240));
        samples[n_samples++] = resident_mib();
    }
    for (int i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    if (argc > 4 && !strcmp(argv[4], "leak"))
        demo_buffer(&shared, CL_MEM_READ_WRITE, 1024, NULL);
    demo_close(&shared);
    printf("{\"seconds\": %.1f, \"threads\": %d, \"rounds\": %ld, \"builds\": %ld, \"commands\": %ld, \"wrong\": %ld, "
           "\"callbacks_due\": %ld, \"callbacks_seen\": %ld, \"rss_middle_mib\": %.1f, \"rss_end_mib\": %.1f}\n",
           seconds, n_threads, (long)rounds, (long)builds, (long)commands, (long)wrong, (long)callbacks_due,
           (long)callbacks_seen, most(samples, n_samples / 3, 2 * n_samples / 3),
           most(samples, 2 * n_samples / 3, n_samples));
    return wrong != 0;
}
