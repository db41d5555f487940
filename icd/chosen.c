/* SPDX-License-Identifier: Apache-2.0
 *
 * How many devices there will be, where that is known without the core: ocl-icd counts the devices of each platform to
 * sort them, inside its lock. It is known of the default setting, and of the CPU device alone, whether the environment
 * says so or the user's file (clpy/device/chosen.py).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_BYTES 4096
#define SPACE " \t\v\f"

/* Less than 0: there is no file, or none that can be opened. */
static int open_chosen(void)
{
    char path[PATH_MAX];
    const char *folder = secure_getenv("XDG_CONFIG_HOME"), *below = "";
    if (!folder || folder[0] != '/') {
        folder = secure_getenv("HOME");
        below = "/.config";
    }
    if (!folder || folder[0] != '/' ||
        (size_t)snprintf(path, sizeof path, "%s%s/clpy/devices", folder, below) >= sizeof path)
        return -1;
    return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* The names in a text with one on each line, a comma behind each. Changes the text. */
static void join_names(char *text, char *names)
{
    char *left = NULL;
    *names = 0;
    for (char *line = strtok_r(text, "\r\n", &left); line; line = strtok_r(NULL, "\r\n", &left)) {
        line[strcspn(line, "#")] = 0;
        line += strspn(line, SPACE);
        for (char *end = line + strlen(line); end > line && strchr(SPACE, end[-1]);)
            *--end = 0;
        if (*line)
            names = stpcpy(stpcpy(names, line), ",");
    }
}

/* What the user's file says, like the option's text but with a comma at its end; "" where there is no file. 0: the core
 * has to look at it. */
static int read_chosen(char names[2 * MOST_BYTES])
{
    char text[MOST_BYTES + 1];
    int file = open_chosen(), error = errno;
    names[0] = 0;
    if (file < 0)
        return error == ENOENT || error == ENOTDIR;
    ssize_t n = read(file, text, sizeof text);
    close(file);
    if (n < 0 || n == sizeof text || memchr(text, 0, n))
        return 0;
    text[n] = 0;
    join_names(text, names);
    return names[0] != 0;
}

/* A model is left out where what it needs is not on this machine, or its number not in AMD's variable; a chip of the
 * user's may take its name. */
static int has_default_gpu(void)
{
    return !secure_getenv("CLPY_GPU_CHIPS") && !secure_getenv("CLPY_AMD_DEVICE_LIBRARY") &&
           !secure_getenv("GPU_DEVICE_ORDINAL") && !access(CLPY_GPU_NEEDS, R_OK);
}

/* 0: the core has to be asked. */
static int devices_known(cl_uint *cpus, cl_uint *gpus)
{
    char names[2 * MOST_BYTES];
    const char *chosen = secure_getenv("CLPY_DEVICES");
    if (!chosen && !read_chosen(names))
        return 0;
    if (chosen ? !strcmp(chosen, "cpu") : !strcmp(names, "cpu,")) {
        *cpus = 1, *gpus = 0;
        return 1;
    }
    *cpus = CLPY_DEFAULT_CPUS, *gpus = CLPY_DEFAULT_GPUS;
    if (chosen ? strcmp(chosen, CLPY_DEFAULT_DEVICES) : names[0] && strcmp(names, CLPY_DEFAULT_DEVICES ","))
        return 0;
    return !*gpus || has_default_gpu();
}

static int count_only(cl_device_type type, cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices)
{
    cl_uint cpus, gpus;
    if (num_entries || devices || !num_devices ||
        (type != CL_DEVICE_TYPE_ALL && type != CL_DEVICE_TYPE_CPU && type != CL_DEVICE_TYPE_GPU) ||
        !devices_known(&cpus, &gpus))
        return 0;
    *num_devices = (type != CL_DEVICE_TYPE_GPU ? cpus : 0) + (type != CL_DEVICE_TYPE_CPU ? gpus : 0);
    return 1;
}
