# SPDX-License-Identifier: Apache-2.0
"""vgem, the kernel's driver of a device that is not there: dma-bufs and fences for tests (`modprobe vgem`)."""
import fcntl
import os
import struct
from pathlib import Path

CREATE_DUMB, HANDLE_TO_FD, ATTACH, SIGNAL = 0xC02064B2, 0xC00C642D, 0xC0106441, 0x40086442
EXPORT_SYNC_FILE = 0xC0086202


def card():
    """Of the driver, or None where it is not there or this user may not open it."""
    for path in sorted(Path("/sys/class/drm").glob("card[0-9]*")):
        node = Path("/dev/dri", path.name)
        if "vgem" in os.path.realpath(path) and os.access(node, os.R_OK | os.W_OK):
            return os.open(node, os.O_RDWR)
    return None


class Memory:
    """A dma-buf: `fd`, of whole pages."""

    def __init__(self, device, size=4096):
        self.device = device
        data = bytearray(struct.pack("=6IQ", 1, size, 8, 0, 0, 0, 0))
        fcntl.ioctl(device, CREATE_DUMB, data)
        self.handle = struct.unpack("=6IQ", data)[4]
        data = bytearray(struct.pack("=IIi", self.handle, os.O_RDWR | os.O_CLOEXEC, -1))
        fcntl.ioctl(device, HANDLE_TO_FD, data)
        self.fd = struct.unpack("=IIi", data)[2]

    def fence(self):
        """(its number, a sync file)"""
        data = bytearray(struct.pack("=4I", self.handle, 1, 0, 0))
        fcntl.ioctl(self.device, ATTACH, data)
        out = bytearray(struct.pack("=Ii", 3, -1))
        fcntl.ioctl(self.fd, EXPORT_SYNC_FILE, out)
        return struct.unpack("=4I", data)[2], struct.unpack("=Ii", out)[1]

    def signal(self, number):
        fcntl.ioctl(self.device, SIGNAL, struct.pack("=II", number, 0))

    def close(self):
        os.close(self.fd)
        os.close(self.device)
