/* SPDX-License-Identifier: Apache-2.0
 *
 * clpy-python TEXT [ARGUMENT...]: the private interpreter as a program, for what is done in a process of its own. Runs
 * the text; sys.argv is [TEXT, ARGUMENT...].
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char folder[PATH_MAX], library[PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[n > 0 ? n : 0] = 0;
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    snprintf(library, sizeof library, "%s/libclpy-core.so", folder);
    void *core = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    int (*run)(const char *, int, char **) = NULL;
    if (core)
        *(void **)&run = dlsym(core, "clpy_core_run");
    if (!run || argc < 2) {
        fprintf(stderr, "clpy-python: %s\n", run ? "TEXT [ARGUMENT...]" : dlerror());
        return 1;
    }
    _exit(run(folder, argc - 1, argv + 1));
}
