/* SPDX-License-Identifier: Apache-2.0
 * A C program whose plug-ins bring Pythons: `plug_in global|local LIBPYTHON... [clpy LIBPYTHON...]` loads each, for all
 * to see or not, starts its interpreter and goes on using it. Kernels are built first where "clpy" stands, else at the
 * end.
 */
#include <dlfcn.h>

#include "host.h"

enum { MOST = 8 };

struct python {
    int (*run)(const char *text);
    int (*finalize)(void);
};

static struct python load(const char *path, int seen)
{
    struct python python;
    void (*initialize)(int);
    void *library = dlopen(path, RTLD_NOW | seen);
    REQUIRE(library);
    *(void **)&initialize = dlsym(library, "Py_InitializeEx");
    *(void **)&python.run = dlsym(library, "PyRun_SimpleString");
    *(void **)&python.finalize = dlsym(library, "Py_FinalizeEx");
    REQUIRE(initialize && python.run && python.finalize);
    initialize(0);
    REQUIRE(!python.run("import json, collections; squares = {n: n * n for n in range(1000)}"));
    return python;
}

static void use_all(const struct python *pythons, int n, struct job *job)
{
    for (int i = 0; i < n; i++)
        REQUIRE(!pythons[i].run("assert json.loads(json.dumps(list(squares.values())))[999] == 998001"));
    job_launch(job, 5);
    job_check(job, 5);
}

int main(int argc, char **argv)
{
    struct python pythons[MOST];
    struct job first, second;
    int n = 0, has_job = 0;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "clpy")) {
            job_make(&first, find_platform("clpy"));
            has_job = 1;
        } else {
            pythons[n++] = load(argv[i], strcmp(argv[1], "global") ? RTLD_LOCAL : RTLD_GLOBAL);
        }
        if (has_job)
            use_all(pythons, n, &first);
    }
    job_make(&second, find_platform("clpy"));
    use_all(pythons, n, &second);
    for (int i = 0; i < n; i++)
        REQUIRE(pythons[i].finalize() == 0);
    job_release(&second);
    job_make(&second, find_platform("clpy"));
    use_all(pythons, 0, &second);
    job_release(&second);
    printf("ok\n");
    return 0;
}
