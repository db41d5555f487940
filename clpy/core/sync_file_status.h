/* SPDX-License-Identifier: Apache-2.0
 * What the kernel is asked about a sync file.
 */
#ifndef CLPY_SYNC_FILE_STATUS_H
#define CLPY_SYNC_FILE_STATUS_H

#include <linux/sync_file.h>
#include <string.h>
#include <sys/ioctl.h>

/* 1 signaled, 0 not yet, negative after an error; -1000000 where it is no sync file. */
static int clpy_sync_file_status(int fd) {
    struct sync_file_info info;
    memset(&info, 0, sizeof info);
    return ioctl(fd, SYNC_IOC_FILE_INFO, &info) == 0 ? info.status : -1000000;
}

#endif
