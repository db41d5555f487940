/* SPDX-License-Identifier: Apache-2.0
 *
 * What the distribution's static hwloc needs in a library. It asks libudev what disks are called, which clpy does not
 * ask hwloc: here it hears that there is no udev, as in a container. And it is made for programs, not for libraries, so
 * that variables of the C library have to be near its code: it gets its own (private_python.py changes the names).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN FILE *clpy_stdout, *clpy_stderr;
HIDDEN char *clpy_program_invocation_name;

__attribute__((constructor))
static void fill_in(void)
{
    clpy_stdout = stdout;
    clpy_stderr = stderr;
    clpy_program_invocation_name = program_invocation_name;
}

struct udev;
struct udev_device;

struct udev *udev_new(void);
struct udev *udev_unref(struct udev *udev);
struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem, const char *name);
const char *udev_device_get_property_value(struct udev_device *device, const char *key);
struct udev_device *udev_device_unref(struct udev_device *device);

struct udev *udev_new(void)
{
    return NULL;
}

struct udev *udev_unref(struct udev *udev)
{
    return udev;
}

struct udev_device *udev_device_new_from_subsystem_sysname(struct udev *udev, const char *subsystem, const char *name)
{
    (void)udev, (void)subsystem, (void)name;
    return NULL;
}

const char *udev_device_get_property_value(struct udev_device *device, const char *key)
{
    (void)device, (void)key;
    return NULL;
}

struct udev_device *udev_device_unref(struct udev_device *device)
{
    return device;
}
