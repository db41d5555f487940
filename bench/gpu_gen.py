# SPDX-License-Identifier: Apache-2.0
"""Programs like clpeak's on the model of a Gen chip, compiled by Intel's compiler and run: a line for each kind and
width, with GFLOP/s, GOP/s or GB/s by the model's clock. Called by gpu_figures.py."""
import numpy as np
import pyopencl as cl

WIDTHS = (1, 2, 4, 8, 16)
KINDS = {"float": np.float32, "half": np.float16, "double": np.float64, "int": np.int32}
EXTENSIONS = {"half": "cl_khr_fp16", "double": "cl_khr_fp64"}
TURNS, PAIRS = 64, 8             # of multiply-adds that depend on each other
ITEMS = 1 << 20
BYTES, FETCHES, GROUP = 64 << 20, 16, 256


def vector(kind, width):
    return kind if width == 1 else f"{kind}{width}"


def total(name, width):
    return name if width == 1 else " + ".join(f"{name}.s{i:x}" for i in range(width))


def arithmetic(kind, width):
    pragma = f"#pragma OPENCL EXTENSION {EXTENSIONS[kind]} : enable\n" if kind in EXTENSIONS else ""
    begin = f"({vector(kind, width)})({', '.join(map(str, range(1, width + 1)))})"
    return f"""{pragma}kernel void k(global {kind} *o, {kind} a) {{
        {vector(kind, width)} x = {begin} + a, y = ({kind})get_local_id(0);
        for (int i = 0; i < {TURNS}; i++) {{ {"x = y * x + y; y = x * y + x; " * PAIRS} }}
        x += y;
        o[get_global_id(0)] = {total("x", width)};
    }}"""


def reading(width):
    return f"""kernel void k(global const {vector("float", width)} *a, global float *o) {{
        uint first = get_group_id(0) * get_local_size(0) * {FETCHES} + get_local_id(0);
        {vector("float", width)} sum = 0;
        for (int i = 0; i < {FETCHES}; i++)
            sum += a[first + i * get_local_size(0)];
        o[get_global_id(0)] = {total("sum", width)};
    }}"""


class Board:
    def __init__(self):
        [device] = [each for platform in cl.get_platforms() if platform.name == "clpy"
                    for each in platform.get_devices()]
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)

    def kinds(self):
        """Those that the chip has."""
        [device] = self.context.devices
        return [kind for kind in KINDS if EXTENSIONS.get(kind, "") in device.extensions]

    def ns(self, source, items, *arguments):
        kernel = cl.Kernel(cl.Program(self.context, source).build(), "k")
        buffers = [cl.Buffer(self.context, 0, each) if isinstance(each, int) else each for each in arguments]
        event = kernel(self.queue, (items,), (GROUP,), *buffers)
        event.wait()
        return event.profile.end - event.profile.start

    def rate(self, kind, width):
        """Operations a nanosecond: a multiply-add is two."""
        items = max(ITEMS // width, 1 << 16)
        done = 4 * PAIRS * TURNS * width * items
        return done / self.ns(arithmetic(kind, width), items, 8 * items, KINDS[kind](1))

    def bandwidth(self, width):
        items = BYTES // FETCHES // 4 // width
        return BYTES / self.ns(reading(width), items, BYTES, 4 * items)


if __name__ == "__main__":
    board = Board()
    for kind in board.kinds():
        for width in WIDTHS:
            print(kind, width, board.rate(kind, width), flush=True)
    for width in WIDTHS:
        print("bandwidth", width, board.bandwidth(width), flush=True)
