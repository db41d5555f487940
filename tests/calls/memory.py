# SPDX-License-Identifier: Apache-2.0
"""The memory that arguments point to. What a call may use after its return (host pointers of transfers) lives in an
arena for good; what it must copy before it returns lives in a scratch area that the next call overwrites."""
import ctypes

ARENA, SCRATCH = 1 << 21, 1 << 16


class Scratch:
    """Reset before each call: a pointer kept by the callee past its return then leads to other contents."""

    def __init__(self):
        self.buffer = ctypes.create_string_buffer(SCRATCH)
        self.start = ctypes.addressof(self.buffer)
        self.used = 0

    def reset(self):
        self.used = 0

    def room(self, size):
        """The address of `size` zero bytes."""
        at = self.start + self.used
        ctypes.memset(at, 0, size)
        self.used += (size + 63) & ~63
        if self.used > SCRATCH:
            raise OverflowError("the arguments of one call do not fit")
        return at

    def words(self, values, bits=64):
        """An array of 64- or 32-bit integers; zeros follow it."""
        size = bits // 8
        at = self.room(size * len(values) + 64)
        kind = (ctypes.c_uint64 if bits == 64 else ctypes.c_uint32) * len(values)
        kind.from_address(at)[:] = [value & (1 << bits) - 1 for value in values]
        return at

    def data(self, raw):
        at = self.room(len(raw) + 8)
        ctypes.memmove(at, raw, len(raw))
        return at


class Arena:
    def __init__(self):
        self.buffer = ctypes.create_string_buffer(ARENA + 4096)
        self.start = ctypes.addressof(self.buffer) + 4095 & ~4095

    def place(self, rng):
        """Somewhere in its first half, aligned in most cases: a transfer of up to a MiB has room behind it."""
        return self.start + rng.choice((0, 0, 64, 128, 4096, 8192, 1, 65536))


def read_words(address, count):
    return (ctypes.c_uint64 * count).from_address(address)[:]
