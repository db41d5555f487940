/* SPDX-License-Identifier: Apache-2.0
 * A C program that embeds the same version of Python: clpy joins its interpreter, outlives it, and is not confused by
 * the next one.
 */
#include <Python.h>

#include "host.h"

int main(void)
{
    struct job job;
    cl_int code;
    cl_platform_id platform;
    Py_InitializeEx(0);
    REQUIRE(!PyRun_SimpleString("import sys; before = list(sys.path), set(sys.builtin_module_names)"));
    PyErr_SetString(PyExc_KeyError, "of the host");
    platform = find_platform("clpy");
    REQUIRE(platform);
    REQUIRE(PyErr_ExceptionMatches(PyExc_KeyError));
    PyErr_Clear();
    REQUIRE(!PyRun_SimpleString("assert before[0] == sys.path, sys.path"));
    job_make(&job, platform);
    job_launch(&job, 5);
    job_check(&job, 5);
    REQUIRE(Py_FinalizeEx() == 0);
    /* What needs no Python goes on. */
    job_launch(&job, 6);
    job_check(&job, 6);
    /* What needs it says so. */
    for (int i = 0; i < 2; i++) {
        clCreateProgramWithSource(job.context, 1, (const char **)&SOURCE, NULL, &code);
        REQUIRE(code == CL_OUT_OF_RESOURCES);
        Py_InitializeEx(0);
    }
    job_release(&job);
    printf("ok\n");
    return 0;
}
