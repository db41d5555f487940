/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of the process that loaded the library: where the library lies, and one line on its stderr.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* In one write. */
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
