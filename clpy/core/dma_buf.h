/* SPDX-License-Identifier: Apache-2.0
 * What the kernel is asked about memory that devices share.
 */
#ifndef CLPY_DMA_BUF_H
#define CLPY_DMA_BUF_H

#include <linux/dma-buf.h>
#include <sys/ioctl.h>

static int clpy_dma_buf_sync(int fd, unsigned long long flags) {
    struct dma_buf_sync sync = { flags };
    return ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

#endif
