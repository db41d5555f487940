# SPDX-License-Identifier: Apache-2.0
"""Kernels of vendors' functions of sub-groups beside plain numpy: values that work-items exchange, blocks of memory and
of images. A kernel asks for the size of its sub-groups; groups have two dimensions."""
import numpy as np
import pyopencl as cl

TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
         "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "float": np.float32, "double": np.float64,
         "half": np.float16}
ITEMS, GROUP = (32, 12), (32, 2)
COUNT = ITEMS[0] * ITEMS[1]
SIZES = (8, 16, 32)
HEAD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define ITEM ((get_group_id(1) * get_num_groups(0) + get_group_id(0)) * get_local_size(0) * get_local_size(1) \\
    + get_local_id(1) * get_local_size(0) + get_local_id(0))
#define BLOCK ((int)(ITEM - get_sub_group_local_id()))
"""


class Device:
    """The first device: the CPU device, where the environment does not say another one."""

    def __init__(self):
        self.device = next(d for p in cl.get_platforms() for d in p.get_devices())
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)

    def build(self, source, options=""):
        return cl.Program(self.context, HEAD + source).build(options, cache_dir=False)

    def run(self, source, *args, size=8, options=""):
        """The kernel k; arrays are what it left there. `SIZED kernel` asks for the size of sub-groups."""
        sized = f"-DSIZED=__attribute__((intel_reqd_sub_group_size({size}))) {options}"
        k, flags = self.build(source, sized).k, cl.mem_flags.COPY_HOST_PTR
        memory = [cl.Buffer(self.context, flags, hostbuf=x) if isinstance(x, np.ndarray) else x for x in args]
        k(self.queue, ITEMS, GROUP, *memory)
        for x, mem in zip(args, memory, strict=True):
            if isinstance(x, np.ndarray):
                cl.enqueue_copy(self.queue, x, mem)

    def image(self, data, kind=cl.channel_type.UNSIGNED_INT8):
        """Of the bytes of an array, four to a pixel of RGBA, or one element to a pixel of one channel."""
        order = cl.channel_order.RGBA if data.ndim == 3 else cl.channel_order.R
        return cl.create_image(self.context, cl.mem_flags.COPY_HOST_PTR, cl.ImageFormat(order, kind), data.shape[1::-1],
                               hostbuf=data)

    def contents(self, image, like):
        out = np.empty_like(like)
        cl.enqueue_copy(self.queue, out, image, origin=(0, 0), region=like.shape[1::-1])
        return out


def numbers(type_, *shape):
    rng = np.random.default_rng(5)
    if np.dtype(TYPES[type_]).kind == "f":
        return rng.integers(-1000, 1000, shape).astype(TYPES[type_])
    return rng.integers(0, 256, (*shape, np.dtype(TYPES[type_]).itemsize), np.uint8).view(TYPES[type_])[..., 0]


def check_exchanges(device, type_, width, size):
    """width: "", "2", ..."""
    T, n, room = type_ + width, int(width or 1), {"3": 4, "": 1}.get(width) or int(width)
    a, b = numbers(type_, COUNT, room), numbers(type_, COUNT, room)[::-1].copy()
    by = np.random.default_rng(6).integers(0, size, COUNT).astype(np.uint32)
    out = np.zeros((4, COUNT, room), TYPES[type_])
    device.run(f"""SIZED kernel void k(global {T} *a, global {T} *b, global uint *by, global {T} *out) {{
        size_t i = ITEM;
        out[i] = intel_sub_group_shuffle(a[i], by[i]);
        out[{COUNT} + i] = intel_sub_group_shuffle_xor(a[i], by[i]);
        out[{2 * COUNT} + i] = intel_sub_group_shuffle_down(a[i], b[i], by[i]);
        out[{3 * COUNT} + i] = intel_sub_group_shuffle_up(a[i], b[i], by[i]);
    }}""", a, b, by, out, size=size)
    ids = np.arange(COUNT) % size
    first = np.arange(COUNT) - ids
    down, up = ids + by, ids - by.astype(int)
    expected = (a[first + by], a[first + (ids ^ by)],
                np.where((down < size)[:, None], a[first + down % size], b[first + down % size]),
                np.where((up >= 0)[:, None], b[first + up % size], a[first + up % size]))
    for found, right in zip(out, expected, strict=True):
        assert np.array_equal(found[:, :n], right[:, :n])


REDUCTIONS = {"add": np.add, "min": np.minimum, "max": np.maximum}


def check_short_numbers(device, type_, size):
    """What extensions of narrow types have under names of their own."""
    names = [f"{how}_{what}" for how in ("reduce", "scan_inclusive", "scan_exclusive") for what in REDUCTIONS]
    x, out = numbers(type_, COUNT), np.zeros((len(names) + 1, COUNT), TYPES[type_])
    calls = "".join(f"out[{i * COUNT} + i] = intel_sub_group_{name}(x[i]);" for i, name in enumerate(names))
    device.run(f"""SIZED kernel void k(global {type_} *x, global {type_} *out) {{
        size_t i = ITEM; {calls} out[{len(names) * COUNT} + i] = intel_sub_group_broadcast(x[i], 5);
    }}""", x, out, size=size)
    info = np.iinfo(TYPES[type_])
    nothing = {"add": 0, "min": info.max, "max": info.min}
    rows = x.reshape(-1, size)
    for name, found in zip(names, out, strict=False):
        how, _, what = name.rpartition("_")
        scan = REDUCTIONS[what].accumulate(rows, axis=1, dtype=TYPES[type_])
        if how == "reduce":
            scan = np.repeat(scan[:, -1:], size, 1)
        elif how == "scan_exclusive":
            scan = np.hstack([np.full((len(rows), 1), nothing[what], TYPES[type_]), scan[:, :-1]])
        assert np.array_equal(found, scan.reshape(-1)), name
    assert np.array_equal(out[-1], np.repeat(rows[:, 5], size))


def blocks_of(data, size, n):
    """As work-items have them: (item, value)."""
    return data.reshape(-1, n, size).transpose(0, 2, 1).reshape(-1, n)


def check_memory_blocks(device, type_, name, width, size, local=False):
    """`name`: what stands behind block_read, without the width."""
    n, T = int(width or 1), type_ + width
    source, target = numbers(type_, COUNT * n), np.zeros(COUNT * n, TYPES[type_])
    read = np.zeros((COUNT, n), TYPES[type_])
    per_group = GROUP[0] * GROUP[1] * n
    before = after = ""
    at_source, at_target = f"source + BLOCK * {n}", f"target + BLOCK * {n}"
    if local:
        place = f"BLOCK * {n} % {per_group}"
        at_source, at_target = f"near + {place}", f"far + {place}"
        before = f"""local {type_} near[{per_group}], far[{per_group}];
            for (int j = 0; j < {n}; j++) near[ITEM * {n} % {per_group} + j] = source[ITEM * {n} + j];
            barrier(CLK_LOCAL_MEM_FENCE);"""
        after = f"""barrier(CLK_LOCAL_MEM_FENCE);
            for (int j = 0; j < {n}; j++) target[ITEM * {n} + j] = far[ITEM * {n} % {per_group} + j];"""
    device.run(f"""SIZED kernel void k(global {type_} *source, global {type_} *target, global {T} *read) {{
        {before}
        {T} x = intel_sub_group_block_read{name}{width}({at_source});
        read[ITEM] = x;
        intel_sub_group_block_write{name}{width}({at_target}, ({type_})3 - x);
        {after}
    }}""", source, target, read, size=size)
    assert np.array_equal(read, blocks_of(source, size, n))
    assert np.array_equal(target, TYPES[type_](3) - source)


def check_image_blocks(device, type_, name, width, size, access=("read_only", "write_only")):
    """Each sub-group has rows of its own in images of RGBA, and asks for one place beyond the edges as well."""
    n, T, bytes_ = int(width or 1), type_ + width, np.dtype(TYPES[type_]).itemsize
    columns, rows = size * bytes_ // 4 + 6, COUNT // size * n
    pixels = numbers("uchar", rows, columns, 4)
    blank = np.zeros_like(pixels)
    source, target = device.image(pixels), device.image(blank)
    read = np.zeros((COUNT, n), TYPES[type_])
    device.run(f"""SIZED kernel void k({access[0]} image2d_t source, {access[1]} image2d_t target, global {T} *read) {{
        int2 at = (int2)(8, BLOCK / {size} * {n});
        {T} x = intel_sub_group_block_read{name}{width}(source, at);
        read[ITEM] = x;
        intel_sub_group_block_write{name}{width}(target, at, x);
    }}""", source, target, read, size=size, options="-cl-std=CL3.0")
    middle = pixels[:, 2:2 + size * bytes_ // 4].reshape(rows, -1).view(TYPES[type_])
    assert np.array_equal(read, middle.reshape(-1, n, size).transpose(0, 2, 1).reshape(-1, n))
    blank[:, 2:2 + size * bytes_ // 4] = pixels[:, 2:2 + size * bytes_ // 4]
    assert np.array_equal(device.contents(target, pixels), blank)


def check_image_edges(device, size):
    """Words beyond the edges: of reads the nearest pixel, of writes nothing."""
    pixels = numbers("uchar", 5, size + 3, 4)
    words = pixels.view(np.uint32)[..., 0]
    for x, y in ((-3, 0), (5, 1), (-size - 4, 2), (size + 9, 2), (0, -3), (1, 4), (2, 9), (-1, -7)):
        source, target = device.image(pixels), device.image(np.zeros_like(pixels))
        read = np.zeros((COUNT, 2), np.uint32)
        device.run(f"""SIZED kernel void k(read_only image2d_t source, write_only image2d_t target,
                                           global uint2 *read) {{
            read[ITEM] = intel_sub_group_block_read2(source, (int2)({4 * x}, {y}));
            if (BLOCK == 0)
                intel_sub_group_block_write2(target, (int2)({4 * x}, {y}), (uint2)(7, 8) + get_sub_group_local_id());
        }}""", source, target, read, size=size)
        columns = np.clip(x + np.arange(COUNT) % size, 0, size + 2)
        for row in range(2):
            assert np.array_equal(read[:, row], words[np.clip(y + row, 0, 4), columns])
        expected = np.zeros_like(words)
        for row in range(2):
            for lane in range(size):
                if 0 <= y + row < 5 and 0 <= x + lane < size + 3:
                    expected[y + row, x + lane] = 7 + row + lane
        assert np.array_equal(device.contents(target, pixels).view(np.uint32)[..., 0], expected)
