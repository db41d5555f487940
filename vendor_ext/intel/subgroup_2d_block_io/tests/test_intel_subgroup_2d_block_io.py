# SPDX-License-Identifier: Apache-2.0
"""cl_intel_subgroup_2d_block_io beside plain numpy: every kind of function, inside of the region and across its
borders. How many rows a block has is a number in one macro: few are tried of each kind, and all of one."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

SIZE, WIDTH, HEIGHT, PITCH = 16, 100, 37, 112       # work-items; bytes, rows, bytes
TYPES = {"uchar": np.uint8, "ushort": np.uint16, "uint": np.uint32}
ELEMENTS = {8: np.uint8, 16: np.uint16, 32: np.uint32}
FEW, SOME, ALL = (1, 8), (1, 4), (1, 2, 4, 8, 16, 32)
# (bits of an element, columns, blocks, rows, type of what a work-item gets)
READS = ((8, 32, 1, SOME, "ushort"), (8, 32, 2, SOME, "ushort"), (8, 16, 4, (8,), "uchar"),
         (16, 16, 1, ALL, "ushort"), (16, 16, 2, SOME, "ushort"), (32, 8, 1, SOME, "uint"), (32, 8, 2, SOME, "uint"),
         (32, 16, 1, SOME, "uint"))
TRANSFORMS = ((8, 16, 1, (32,)), (8, 16, 2, (32,)), (8, 16, 4, (32,)), (16, 16, 1, (16, 32)), (16, 16, 2, (16, 32)))
WRITES = ((8, 16, FEW, "uchar"), (8, 32, FEW, "ushort"), (16, 16, FEW, "ushort"), (32, 16, FEW, "uint"))
CORNERS = ((0, 0), (4, 3), (-8, -5), (20, 30), (92, 36), (400, 2), (0, 99))


@pytest.fixture(scope="module")
def device():
    device = next(d for p in cl.get_platforms() for d in p.get_devices(cl.device_type.CPU))
    return cl.Context([device])


def region(rng):
    """Rows of bytes, of which the last of each are no part of it."""
    return rng.integers(0, 256, (HEIGHT, PITCH), np.uint8)


def block(memory, bits, columns, rows, x, y):
    """Elements of a block at a place, zero outside of the region."""
    elements = memory[:, :WIDTH].reshape(HEIGHT, -1).view(ELEMENTS[bits])
    found = np.zeros((rows, columns), ELEMENTS[bits])
    for r in range(rows):
        for c in range(columns):
            if 0 <= y + r < HEIGHT and 0 <= x + c < elements.shape[1]:
                found[r, c] = elements[y + r, x + c]
    return found


def shared_out(rows, type_):
    """What each work-item gets of rows that belong to the sub-group one after the other."""
    columns = rows.shape[1]
    if columns < SIZE:
        if len(rows) % 2:
            rows = np.concatenate([rows, np.zeros((1, columns), rows.dtype)])
        rows = rows.reshape(-1, SIZE)
    return np.ascontiguousarray(rows).view(TYPES[type_]).reshape(len(rows), SIZE, -1)


def packed(rows, bits):
    """Rows of a column in a word, the first in its low bits."""
    n = 32 // bits
    parts = rows.reshape(-1, n, SIZE).astype(np.uint32)
    return sum(parts[:, i] << np.uint32(i * bits) for i in range(n))


class Kernel:
    """A sub-group that does something for each of some places `at`, the n-th of them; `m` is the memory."""

    def __init__(self, context, type_, body):
        self.context, self.queue = context, cl.CommandQueue(context)
        self.kernel = cl.Program(context, f"""__attribute__((intel_reqd_sub_group_size(16)))
            kernel void k(global void *m, global {type_} *out, global int2 *places, int count) {{
                uint lane = get_sub_group_local_id();
                for (int n = 0; n < count; n++) {{
                    int2 at = places[n];
                    {body}
                }}
            }}""").build(cache_dir=False).k

    def __call__(self, memory, out, places):
        flags, places = cl.mem_flags.COPY_HOST_PTR, np.array(places, np.int32)
        buffers = [cl.Buffer(self.context, flags, hostbuf=each) for each in (memory, out, places)]
        self.kernel(self.queue, (SIZE,), (SIZE,), *buffers, np.int32(len(places)))
        for each, buffer in zip((memory, out), buffers, strict=False):
            cl.enqueue_copy(self.queue, each, buffer)


def reads(context, name, type_, values, expected):
    """All of CORNERS with one function, beside what is expected of each: (value, work-item)."""
    memory = region(np.random.default_rng(3))
    out = np.full((len(CORNERS), SIZE, values), 77, TYPES[type_])
    Kernel(context, type_, f"""{type_} a[{values}];
        intel_sub_group_2d_block_read_{name}(m, {WIDTH}, {HEIGHT}, {PITCH}, at, a);
        for (int i = 0; i < {values}; i++)
            out[(n * 16 + lane) * {values} + i] = a[i];""")(memory, out, CORNERS)
    for n, (x, y) in enumerate(CORNERS):
        assert np.array_equal(out[n].T, expected(memory, x, y)), (name, x, y)


def test_is_listed(device):
    assert "cl_intel_subgroup_2d_block_io" in device.devices[0].extensions.split()


@pytest.mark.parametrize("bits, columns, blocks, rows, type_", READS)
def test_reads(device, bits, columns, blocks, rows, type_):
    for n in rows:
        def expected(memory, x, y, n=n):
            each = [shared_out(block(memory, bits, columns, n, x + b * columns, y), type_) for b in range(blocks)]
            return np.concatenate([one[:, :, 0] for one in each])
        values = blocks * (n if columns >= SIZE else -(-n // 2))
        reads(device, f"{bits}b_{n}r{columns}x{blocks}c", type_, values, expected)


@pytest.mark.parametrize("bits, columns, blocks, rows", TRANSFORMS)
def test_transforms(device, bits, columns, blocks, rows):
    for n in rows:
        def expected(memory, x, y, n=n):
            return np.concatenate([packed(block(memory, bits, columns, n, x + b * columns, y), bits)
                                   for b in range(blocks)])
        reads(device, f"transform_{bits}b_{n}r{columns}x{blocks}c", "uint", blocks * n * bits // 32, expected)


@pytest.mark.parametrize("rows", [16, 32])
def test_transposes(device, rows):
    def expected(memory, x, y):
        turned = shared_out(np.ascontiguousarray(block(memory, 32, 8, rows, x, y).T), "uint")
        return turned.transpose(0, 2, 1).reshape(-1, SIZE)
    reads(device, f"transpose_32b_{rows}r8x1c", "uint", 8 * rows // 16, expected)


@pytest.mark.parametrize("bits, columns, rows, type_", WRITES)
def test_writes(device, bits, columns, rows, type_):
    for n in rows:
        k = Kernel(device, type_, f"""{type_} a[{n}];
            for (int i = 0; i < {n}; i++)
                a[i] = out[i * 16 + lane];
            intel_sub_group_2d_block_write_{bits}b_{n}r{columns}x1c(m, {WIDTH}, {HEIGHT}, {PITCH}, at, a);""")
        for x, y in CORNERS:
            rng = np.random.default_rng(4)
            memory, given = region(rng), rng.integers(0, 256, (n, SIZE), np.uint8).astype(TYPES[type_])
            expected = memory.copy()
            elements = expected[:, :WIDTH].copy().view(ELEMENTS[bits])
            values = given.view(ELEMENTS[bits])
            for r, c in np.ndindex(values.shape):
                if 0 <= y + r < HEIGHT and 0 <= x + c < elements.shape[1]:
                    elements[y + r, x + c] = values[r, c]
            expected[:, :WIDTH] = elements.view(np.uint8)
            k(memory, given, [(x, y)])
            assert np.array_equal(memory, expected), (n, x, y)


def test_prefetches(device):
    """Each can be called, and changes nothing."""
    memory, out = region(np.random.default_rng(5)), np.zeros(SIZE, np.uint32)
    before = memory.copy()
    shapes = [(bits, columns, blocks, n) for bits, columns, blocks, rows, _ in READS for n in rows]
    shapes += [(8, 16, 1, 32), (8, 16, 2, 32)]
    Kernel(device, "uint", "\n".join(
        f"intel_sub_group_2d_block_prefetch_{bits}b_{n}r{columns}x{blocks}c(m, {WIDTH}, {HEIGHT}, {PITCH}, at);"
        for bits, columns, blocks, n in shapes))(memory, out, CORNERS)
    assert np.array_equal(memory, before)


# One of each kind: what the compiler makes instructions of SPIR-V of, and the functions that these become.
OF_SPIRV = """
#define REGION global void *, int, int, int, int2
#define F(NAME) void __attribute__((overloadable, convergent)) __spirv_Subgroup2DBlock##NAME##INTEL
F(Load)(int, int, int, int, REGION, private void *);
F(LoadTransform)(int, int, int, int, REGION, private void *);
F(LoadTranspose)(int, int, int, int, REGION, private void *);
F(Prefetch)(int, int, int, int, REGION);
F(Store)(int, int, int, int, private void *, REGION);
#define PREFETCH(...) __spirv_Subgroup2DBlockPrefetchINTEL(1, 32, 2, 1, __VA_ARGS__)
#define READ(TO, ...) __spirv_Subgroup2DBlockLoadINTEL(1, 32, 2, 1, __VA_ARGS__, TO)
#define TRANSFORM(TO, ...) __spirv_Subgroup2DBlockLoadTransformINTEL(1, 16, 32, 1, __VA_ARGS__, TO)
#define TRANSPOSE(TO, ...) __spirv_Subgroup2DBlockLoadTransposeINTEL(4, 8, 16, 1, __VA_ARGS__, TO)
#define WRITE(FROM, ...) __spirv_Subgroup2DBlockStoreINTEL(1, 16, 2, 1, FROM, __VA_ARGS__)
"""
OF_C = """
#define PREFETCH(...) intel_sub_group_2d_block_prefetch_8b_2r32x1c(__VA_ARGS__)
#define READ(TO, ...) intel_sub_group_2d_block_read_8b_2r32x1c(__VA_ARGS__, TO)
#define TRANSFORM(TO, ...) intel_sub_group_2d_block_read_transform_8b_32r16x1c(__VA_ARGS__, TO)
#define TRANSPOSE(TO, ...) intel_sub_group_2d_block_read_transpose_32b_16r8x1c(__VA_ARGS__, TO)
#define WRITE(FROM, ...) intel_sub_group_2d_block_write_8b_2r16x1c(__VA_ARGS__, FROM)
"""
ALL_KINDS = """
__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(global uchar *m, global uint *out, int w, int h, int p, int2 at) {
    uint i = get_global_id(0), b[8], c[8];
    ushort a[2];
    uchar d[2];
    PREFETCH(m, w, h, p, at);
    READ(a, m, w, h, p, at);
    TRANSFORM(b, m, w, h, p, at);
    TRANSPOSE(c, m, w, h, p, at);
    for (int n = 0; n < 2; n++)
        out[i + n * 16] = d[n] = a[n];
    for (int n = 0; n < 8; n++) {
        out[i + 32 + n * 16] = b[n];
        out[i + 160 + n * 16] = c[n];
    }
    WRITE(d, m, w, h, p, at + 5);
}
"""


def test_spirv(device):
    """Modules have what OpenCL C has."""
    if "cl_khr_il_program" not in device.devices[0].extensions.split():
        pytest.skip("the device takes no SPIR-V")
    options = ("-cl-std=CL3.0", "-mllvm", "-spirv-ext=+SPV_INTEL_2d_block_io")
    module = spirv_source.compiled(OF_SPIRV + ALL_KINDS, options)
    from_il = cl._cl._create_program_with_il(device, module)
    from_il._build(b"", None)
    from_c = cl.Program(device, OF_C + ALL_KINDS).build("-cl-std=CL3.0", cache_dir=False)
    queue = cl.CommandQueue(device)
    for at in CORNERS:
        results = []
        for kernel in (cl._cl.Kernel(from_il, "k"), cl._cl.Kernel(from_c._get_prg(), "k")):
            memory, out = region(np.random.default_rng(1)), np.zeros(288, np.uint32)
            buffers = [cl.Buffer(device, cl.mem_flags.COPY_HOST_PTR, hostbuf=each) for each in (memory, out)]
            kernel.set_args(*buffers, np.int32(WIDTH), np.int32(HEIGHT), np.int32(PITCH), np.array(at, np.int32))
            cl.enqueue_nd_range_kernel(queue, kernel, (SIZE,), (SIZE,))
            for each, buffer in zip((memory, out), buffers, strict=True):
                cl.enqueue_copy(queue, each, buffer)
            results.append((memory, out))
        assert np.array_equal(results[0][0], results[1][0]) and np.array_equal(results[0][1], results[1][1]), at
        assert at != CORNERS[0] or results[0][1].any()
