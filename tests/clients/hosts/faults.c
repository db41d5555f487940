/* SPDX-License-Identifier: Apache-2.0
 * A program with handlers of its own for the signals of faults, set before clpy is there (`before`), between two
 * programs (`between`), or not at all (`none`): the faults of kernels are errors, its own are its handler's, or end it.
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "host.h"

static sigjmp_buf out;
static volatile sig_atomic_t handled, with_address;

static void handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    handled++;
    with_address = info->si_addr == (void *)64;
    siglongjmp(out, 1);
}

static void handle(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0);
}

static void own_fault(void)
{
    *(volatile int *)64 = 1;
}

static void kernel_fault(cl_context context, cl_command_queue queue, cl_device_id device, int n)
{
    char source[128];
    const char *text = source;
    cl_int code;
    size_t one = 1;
    cl_mem none = NULL;
    snprintf(source, sizeof source, "kernel void k%d(global int *p) { p[get_global_id(0)] = 1; }", n);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    REQUIRE(!code && !clBuildProgram(program, 1, &device, "", NULL, NULL));
    snprintf(source, sizeof source, "k%d", n);
    cl_kernel kernel = clCreateKernel(program, source, &code);
    REQUIRE(!code && !clSetKernelArg(kernel, 0, sizeof none, &none));
    for (int i = 0; i < 3; i++) {
        REQUIRE(!clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        REQUIRE(clFinish(queue) == CL_OUT_OF_RESOURCES);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(int argc, char **argv)
{
    const char *when = argc > 1 ? argv[1] : "none";
    cl_int code;
    cl_device_id device;
    if (!strcmp(when, "before"))
        handle();
    cl_platform_id platform = find_platform("clpy");
    REQUIRE(platform && !clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    REQUIRE(!code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    REQUIRE(!code);
    kernel_fault(context, queue, device, 0);
    if (!strcmp(when, "between"))
        handle();
    kernel_fault(context, queue, device, 1);
    for (int i = 1; i <= 3; i++) {
        if (sigsetjmp(out, 1) == 0)
            own_fault();
        REQUIRE(handled == i && with_address);
    }
    kernel_fault(context, queue, device, 2);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("ok\n");
    return 0;
}
