/* SPDX-License-Identifier: Apache-2.0
 * A C program that embeds the same version of Python: clpy leaves its interpreter alone, outlives it, and is not
 * confused by the next one.
 */
#include <Python.h>

#include "host.h"

int main(void)
{
    struct job job;
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
    for (unsigned i = 0; i < 2; i++) {
        job_launch(&job, 6 + i);
        job_check(&job, 6 + i);
        job_release(&job);
        job_make(&job, platform);
        Py_InitializeEx(0);
    }
    job_launch(&job, 8);
    job_check(&job, 8);
    job_release(&job);
    printf("ok\n");
    return 0;
}
