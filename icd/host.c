/* SPDX-License-Identifier: Apache-2.0
 *
 * The process that loaded the library: which CPython is in it, if any, and where the library itself is.
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One line on stderr, in one write. */
__attribute__((format(printf, 1, 2)))
static void complain(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (n < 0)
        return;
    if (n > (int)sizeof line - 2)
        n = sizeof line - 2;
    line[n++] = '\n';
    ssize_t ignored = write(2, line, n);
    (void)ignored;
}

/* The folder of this library, which is the package's; with symbolic links resolved. */
static int own_folder(char folder[PATH_MAX])
{
    Dl_info info;
    if (!dladdr((void *)own_folder, &info) || !info.dli_fname || !realpath(info.dli_fname, folder))
        return -1;
    char *slash = strrchr(folder, '/');
    if (!slash)
        return -1;
    *slash = 0;
    return 0;
}

static int same_version(const char *version)
{
    size_t n = strlen(CLPY_PYTHON_VERSION);
    return !strncmp(version, CLPY_PYTHON_VERSION, n) && (version[n] < '0' || version[n] > '9');
}

struct foreign {
    char version[32];
};

static void note_version(void *symbol, struct foreign *found)
{
    const char *version = ((const char *(*)(void))symbol)();
    if (same_version(version))
        return;
    snprintf(found->version, sizeof found->version, "%.*s", (int)strcspn(version, " "), version);
}

/* dl_iterate_phdr: a libpython that was loaded without being visible to all, as a plug-in's. */
static int look_at_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *file = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(file, "libpython", 9) || !strncmp(file, "libpython3.so", 13))
        return 0;
    void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return 0;
    void *symbol = dlsym(library, "Py_GetVersion");
    if (symbol)
        note_version(symbol, data);
    dlclose(library);
    return ((struct foreign *)data)->version[0] != 0;
}

/* Two versions of CPython in one process see each other's symbols and break each other. No function of the Python API
 * may be called before this has said 0: it would be the other version's. */
static int other_python(struct foreign *found)
{
    void *all = dlopen(NULL, RTLD_LAZY);
    void *symbol = all ? dlsym(all, "Py_GetVersion") : NULL;
    found->version[0] = 0;
    if (symbol)
        note_version(symbol, found);
    if (all)
        dlclose(all);
    if (!found->version[0])
        dl_iterate_phdr(look_at_library, found);
    return found->version[0] != 0;
}

/* Asked once; the answer stays, and so does the one line. */
static pthread_once_t fit_once = PTHREAD_ONCE_INIT;
static int fit;

static void find_out_if_fit(void)
{
    struct foreign other;
    fit = !other_python(&other);
    if (!fit)
        complain("clpy: no OpenCL platform: this process has Python %s, clpy was built for Python %s", other.version,
                 CLPY_PYTHON_VERSION);
}

static int host_is_fit(void)
{
    pthread_once(&fit_once, find_out_if_fit);
    return fit;
}

/* The platform was listed, and meanwhile a plug-in may have brought another Python. */
static int still_fit(void)
{
    struct foreign other;
    if (!other_python(&other))
        return 1;
    complain("clpy: no OpenCL device: this process has Python %s now, clpy was built for Python %s", other.version,
             CLPY_PYTHON_VERSION);
    return 0;
}

/* Extension modules are not linked to libpython. A C program loads us RTLD_LOCAL, and then they would not find it. */
static int promote_libpython(void)
{
    Dl_info info;
    void *all = dlopen(NULL, RTLD_LAZY);
    void *visible = all ? dlsym(all, "Py_IsInitialized") : NULL;
    if (all)
        dlclose(all);
    if (visible)
        return 0;
    if (!dladdr((void *)Py_IsInitialized, &info) || !dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD)) {
        complain("clpy: no OpenCL device: cannot make libpython visible: %s", dlerror());
        return -1;
    }
    return 0;
}
