# SPDX-License-Identifier: Apache-2.0
"""Two applications of OpenDwarfs on the model of a board, with their own kernels and the sizes that the suite gives.

usage: gpu_applications.py FOLDER      FOLDER: a copy of OpenDwarfs (github BeauJoh/OpenDwarfs)

One line for each launch: kernel, size, microseconds from its start to its end. The study that measured them took the
host's time from the call that enqueues a kernel until clFinish returned: what a launch takes comes to these.
"""
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

SRAD = {"tiny": (80, 16), "small": (128, 80), "medium": (1024, 336), "large": (2048, 1024)}     # rows, columns
CRC = {"tiny": 2000, "small": 16000, "medium": 524000, "large": 4194304}        # bytes, of one work-item
LAMBDA, SPECKLE = np.float32(0.5), np.float32(0.05)


class Board:
    """The only device there is."""

    def __init__(self):
        [self.device] = cl.get_platforms()[0].get_devices()
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)

    def build(self, source, options=()):
        return cl.Program(self.context, source).build(list(options), cache_dir=False)

    def buffer(self, data):
        return cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=data)

    def time(self, kernel, size, group, *args):
        event = kernel(self.queue, size, group, *args)
        event.wait()
        return (event.profile.end - event.profile.start) / 1000


def srad(board, folder):
    program = board.build((folder / "structured-grids/srad/srad_kernel.cl").read_text())
    first, second = (cl.Kernel(program, f"srad_cuda_{n}") for n in (1, 2))
    for name, (rows, columns) in SRAD.items():
        picture = np.exp(np.random.default_rng(1).random(rows * columns + 1, dtype=np.float32))
        sides = [cl.Buffer(board.context, 0, 4 * rows * columns) for _ in range(5)]
        args = *sides[:4], board.buffer(picture), sides[4], np.int32(columns), np.int32(rows)
        size, group = (columns, rows), (16, 16)
        yield "srad_cuda_1", name, board.time(first, size, group, *args, SPECKLE)
        yield "srad_cuda_2", name, board.time(second, size, group, *args, LAMBDA, SPECKLE)


def crc(board, folder):
    """Its file includes the table by a path from another folder, which is left out here."""
    source = (folder / "combinational-logic/crc/src/crc_kernel.cl").read_text().replace("../combinational-logic/", "")
    program = board.build(source, ["-DOPENCL", f"-I{folder / 'combinational-logic'}"])
    kernel = cl.Kernel(program, "crc32_slice8")
    for name, size in CRC.items():
        page = np.random.default_rng(1).integers(0, 1 << 31, size // 4, dtype=np.uint32)
        result = cl.Buffer(board.context, 0, 4)
        yield "crc32_slice8", name, board.time(kernel, (1,), (1,), board.buffer(page), np.uint32(size),
                                               np.uint32(size // 4), result)


def main():
    board, folder = Board(), Path(sys.argv[1])
    for application in (srad, crc):
        for kernel, name, time in application(board, folder):
            print(kernel, name, time, flush=True)


if __name__ == "__main__":
    main()
