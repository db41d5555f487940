# SPDX-License-Identifier: Apache-2.0
"""Pipes in kernels: packets come out as they went in, none is lost or doubled, whoever writes and reads at once."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

SOURCE = """
typedef struct { int a; uchar3 b; double c; } big;
kernel void put(write_only pipe T p, global const T *in, global int *err) {
    size_t i = get_global_id(0); T v = in[i]; err[i] = write_pipe(p, &v); }
kernel void take(read_only pipe T p, global T *out, global int *err) {
    size_t i = get_global_id(0); T v = (T)(0); err[i] = read_pipe(p, &v); out[i] = v; }
kernel void put_reserved(write_only pipe T p, global const T *in, global int *err, int n) {
    size_t i = get_global_id(0);
    reserve_id_t r = reserve_write_pipe(p, n);
    err[i] = !is_valid_reserve_id(r);
    if (is_valid_reserve_id(r)) {
        for (int k = n - 1; k >= 0; k--) { T v = in[i * n + k]; err[i] |= write_pipe(p, r, k, &v); }
        err[i] |= (write_pipe(p, r, n, in) == 0) << 1;
        commit_write_pipe(p, r);
    } }
kernel void take_reserved(read_only pipe T p, global T *out, global int *err, int n) {
    size_t i = get_global_id(0);
    reserve_id_t r = reserve_read_pipe(p, n);
    err[i] = !is_valid_reserve_id(r);
    if (!is_valid_reserve_id(r)) return;
    for (int k = 0; k < n; k++) { T v; err[i] |= read_pipe(p, r, k, &v); out[i * n + k] = v; }
    commit_read_pipe(p, r); }
kernel void count(read_only pipe T p, global uint *n) {
    n[0] = get_pipe_num_packets(p); n[1] = get_pipe_max_packets(p); }
kernel void refill(read_only pipe T p, write_only pipe T q, global const T *in, global int *lost) {
    T v;
    if (read_pipe(p, &v) == 0) { if (write_pipe(q, &v)) atomic_inc(lost); } }
"""
TYPES = {"int": np.int32, "float4": np.dtype((np.float32, 4)), "uchar": np.uint8, "long": np.int64}


class OfSpirv:
    """A machine whose programs Clang makes SPIR-V of."""

    def __init__(self, machine):
        machine.needs_il()
        self.machine, self.programs = machine, {}

    def __getattr__(self, name):
        return getattr(self.machine, name)

    def build(self, source, options):
        if source not in self.programs:
            module = spirv_source.compiled(source, (options,))
            self.programs[source] = cl.Program(self.context, module).build(cache_dir=False)
        return self.programs[source]


@pytest.fixture
def with_pipes(machine):
    if "__opencl_c_pipes" not in machine.features:
        pytest.skip(f"{machine.device.name} has no pipes")
    return machine


@pytest.fixture(params=["source", "spirv"])
def able(with_pipes, request):
    return with_pipes if request.param == "source" else OfSpirv(with_pipes)


def program(machine, name):
    return machine.build(SOURCE.replace("T", name), "-cl-std=CL3.0")


def launch(machine, kernel, n, args, local=None):
    machine.launch(kernel, (n,), local, args)


def count(machine, built, pipe):
    n = np.zeros(2, np.uint32)
    launch(machine, cl.Kernel(built, "count"), 1, [pipe, n])
    return n.tolist()


def values(name, n):
    kind = TYPES[name]
    numbers = np.random.default_rng(1).integers(0, 100, (n, *kind.shape) if isinstance(kind, np.dtype) else n)
    return np.ascontiguousarray(numbers.astype(kind.base if isinstance(kind, np.dtype) else kind))


@pytest.mark.parametrize("name", TYPES)
def test_in_and_out(able, name):
    """More is written than there is room for, twice round an odd ring."""
    built, packets = program(able, name), 77
    data = values(name, 100)
    pipe = cl.Pipe(able.context, 0, data[0].nbytes, packets, ())
    for _ in range(3):
        wrong, got = np.zeros(100, np.int32), np.zeros_like(data)
        launch(able, cl.Kernel(built, "put"), 100, [pipe, data, wrong], (1,))
        assert np.count_nonzero(wrong == 0) == packets and (wrong[wrong != 0] < 0).all()
        assert count(able, built, pipe) == [packets, packets]
        empty = np.zeros(100, np.int32)
        launch(able, cl.Kernel(built, "take"), 100, [pipe, got, empty], (1,))
        assert np.count_nonzero(empty == 0) == packets and count(able, built, pipe) == [0, packets]
        key = lambda rows: sorted(map(bytes, rows))     # noqa: E731
        assert key(got[empty == 0]) == key(data[wrong == 0])


@pytest.mark.parametrize("n", [1, 3, 7])
def test_reservations(able, n):
    built, work = program(able, "int"), 1000
    pipe = cl.Pipe(able.context, 0, 4, work * n, ())
    data, got = np.arange(work * n, dtype=np.int32), np.zeros(work * n, np.int32)
    for _ in range(2):
        errors = np.ones(work, np.int32)
        launch(able, cl.Kernel(built, "put_reserved"), work, [pipe, data, errors, np.int32(n)])
        assert not errors.any() and count(able, built, pipe) == [work * n, work * n]
        launch(able, cl.Kernel(built, "take_reserved"), work, [pipe, got, errors, np.int32(n)])
        assert not errors.any() and count(able, built, pipe)[0] == 0
        np.testing.assert_array_equal(np.sort(got), data)
        starts = got.reshape(work, n)
        np.testing.assert_array_equal(starts - starts[:, :1], np.tile(np.arange(n), (work, 1)))   # in order


def test_no_room_for_a_reservation(able):
    built = program(able, "int")
    pipe = cl.Pipe(able.context, 0, 4, 5, ())
    data, errors = np.arange(60, dtype=np.int32), np.zeros(10, np.int32)
    launch(able, cl.Kernel(built, "put_reserved"), 10, [pipe, data, errors, np.int32(6)])
    assert errors.all()                                        # more than the pipe has
    launch(able, cl.Kernel(built, "put_reserved"), 10, [pipe, data, errors, np.int32(2)])
    assert np.count_nonzero(errors == 0) == 2 and count(able, built, pipe) == [4, 5]
    got = np.zeros(60, np.int32)
    launch(able, cl.Kernel(built, "take_reserved"), 10, [pipe, got, errors, np.int32(3)])
    assert np.count_nonzero(errors == 0) == 1 and count(able, built, pipe) == [1, 5]


def test_many_at_once(able):
    """From one pipe to another, by all threads, many times round."""
    built, n = program(able, "long"), 1 << 14
    first, second = (cl.Pipe(able.context, 0, 8, n, ()) for _ in range(2))
    data, got = np.arange(n, dtype=np.int64), np.zeros(n, np.int64)
    errors, lost = np.zeros(n, np.int32), np.zeros(1, np.int32)
    for _ in range(3):
        launch(able, cl.Kernel(built, "put"), n, [first, data, errors])
        assert not errors.any()
        launch(able, cl.Kernel(built, "refill"), n, [first, second, data, lost])
        assert lost[0] == 0 and count(able, built, first)[0] == 0
        launch(able, cl.Kernel(built, "take"), n, [second, got, errors])
        assert not errors.any()
        np.testing.assert_array_equal(np.sort(got), data)


def test_structures(able):
    source = SOURCE.split("kernel")[0] + """
        kernel void put(write_only pipe big p) { big v = {7, (uchar3)(1, 2, 3), 2.5}; write_pipe(p, &v); }
        kernel void take(read_only pipe big p, global double *o) { big v; read_pipe(p, &v);
            o[0] = v.a; o[1] = v.b.z; o[2] = v.c; }"""
    built = able.build(source, "-cl-std=CL3.0")
    pipe, out = cl.Pipe(able.context, 0, 16, 2, ()), np.zeros(3)
    launch(able, cl.Kernel(built, "put"), 1, [pipe])
    launch(able, cl.Kernel(built, "take"), 1, [pipe, out])
    assert out.tolist() == [7, 3, 2.5]


@pytest.mark.parametrize("scope", ["work_group", "sub_group"])
@pytest.mark.parametrize("shape", [((96,), (32,)), ((30, 6), (10, 3)), ((14,), (7,))])
def test_reservations_together(able, scope, shape):
    """Each group, or sub-group, has neighbours in the pipe, and all of its work-items the same reservation."""
    if scope == "sub_group" and "__opencl_c_subgroups" not in able.features:
        pytest.skip(f"{able.device.name} has no sub-groups")
    size, place, one = {"work_group": ("get_local_size(0) * get_local_size(1)", "get_local_linear_id()",
                                       "(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 1024"),
                        "sub_group": ("get_sub_group_size()", "get_sub_group_local_id()",
                                      "(int)(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 1024"
                                      " + get_sub_group_id() * 64")}[scope]
    source = f"""
        kernel void put(write_only pipe int p, global int *wrong) {{
            uint n = {size}; int v = {one} + {place};
            reserve_id_t r = {scope}_reserve_write_pipe(p, n);
            if (!is_valid_reserve_id(r)) {{ atomic_inc(wrong); return; }}
            if (write_pipe(p, r, {place}, &v)) atomic_inc(wrong);
            {scope}_commit_write_pipe(p, r); }}
        kernel void take(read_only pipe int p, global int *out, global int *wrong) {{
            uint n = {size}; int v = -1;
            reserve_id_t r = {scope}_reserve_read_pipe(p, n);
            if (!is_valid_reserve_id(r)) {{ atomic_inc(wrong); return; }}
            if (read_pipe(p, r, {place}, &v)) atomic_inc(wrong);
            {scope}_commit_read_pipe(p, r);
            out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = v; }}"""
    built, items = able.build(source, "-cl-std=CL3.0"), int(np.prod(shape[0]))
    pipe, wrong, out = cl.Pipe(able.context, 0, 4, items, ()), np.zeros(1, np.int32), np.zeros(items, np.int32)
    able.launch(cl.Kernel(built, "put"), *shape, [pipe, wrong])
    able.launch(cl.Kernel(built, "take"), *shape, [pipe, out, wrong])
    assert wrong[0] == 0
    group = int(np.prod(shape[1]))
    if scope == "work_group":
        expected = sorted(g * 1024 + k for g in range(items // group) for k in range(group))
    else:
        width = int(np.max(out % 64)) + 1
        expected = sorted(g * 1024 + k // width * 64 + k % width for g in range(items // group) for k in range(group))
    assert sorted(out.tolist()) == expected


TOGETHER = """
kernel void put(write_only pipe int p, global const int *in, global int *err) {
    size_t i = get_global_id(0); uint lane = get_sub_group_local_id();
    reserve_id_t r = sub_group_reserve_write_pipe(p, get_sub_group_size());
    err[i] = !is_valid_reserve_id(r);
    if (is_valid_reserve_id(r)) {
        int v = in[i]; err[i] |= write_pipe(p, r, lane, &v) << 1; sub_group_commit_write_pipe(p, r); } }
kernel void take(read_only pipe int p, global int *out, global int *err) {
    size_t i = get_global_id(0); uint lane = get_sub_group_local_id();
    reserve_id_t r = sub_group_reserve_read_pipe(p, get_sub_group_size());
    err[i] = !is_valid_reserve_id(r);
    if (is_valid_reserve_id(r)) {
        int v; err[i] |= read_pipe(p, r, lane, &v) << 1; out[i] = v; sub_group_commit_read_pipe(p, r); } }
"""


def test_sub_groups_reserve_together(able, size):
    """Packets of a sub-group lie side by side; one that finds no room for all of its packets gets none."""
    built = able.build(TOGETHER, "-cl-std=CL3.0")
    data, errors, got = np.arange(96, dtype=np.int32), np.full(96, 9, np.int32), np.full(96, -1, np.int32)
    pipe = cl.Pipe(able.context, 0, 4, 80, ())
    launch(able, cl.Kernel(built, "put"), 96, [pipe, data, errors], (48,))
    went, width = errors == 0, min(size, 48)
    assert went.sum() == 80 // width * width and set(errors) <= {0, 1}
    launch(able, cl.Kernel(built, "take"), 96, [pipe, got, errors], (48,))
    came = got[errors == 0].reshape(-1, width)
    assert sorted(came.ravel()) == data[went].tolist()
    assert (np.diff(came, axis=1) == 1).all() and (came[:, 0] % width == 0).all()


def test_reservations_in_memory(able):
    """A work-group's in local memory, a work-item's in global memory from one kernel to the next."""
    source = """
        kernel void put(write_only pipe int p, global const int *in, global int *wrong) {
            local reserve_id_t r;
            r = work_group_reserve_write_pipe(p, get_local_size(0));
            if (!is_valid_reserve_id(r)) { atomic_inc(wrong); return; }
            write_pipe(p, r, get_local_id(0), &in[get_global_id(0)]);
            work_group_commit_write_pipe(p, r); }
        kernel void reserve(read_only pipe int p, global char *memory) {
            global reserve_id_t *r = (global reserve_id_t *)memory; size_t i = get_global_id(0);
            r[i] = reserve_read_pipe(p, 3); }
        kernel void take(read_only pipe int p, global char *memory, global int *out, global int *wrong) {
            global reserve_id_t *r = (global reserve_id_t *)memory; size_t i = get_global_id(0);
            if (!is_valid_reserve_id(r[i])) { atomic_inc(wrong); return; }
            for (int k = 0; k < 3; k++) read_pipe(p, r[i], k, &out[3 * i + k]);
            commit_read_pipe(p, r[i]); }"""
    built, pipe = able.build(source, "-cl-std=CL3.0"), cl.Pipe(able.context, 0, 4, 48, ())
    data, got, wrong = np.arange(48, dtype=np.int32) * 5, np.zeros(48, np.int32), np.zeros(1, np.int32)
    memory = cl.Buffer(able.context, cl.mem_flags.READ_WRITE, 16 * 8)
    able.launch(cl.Kernel(built, "put"), (48,), (16,), [pipe, data, wrong])
    launch(able, cl.Kernel(built, "reserve"), 16, [pipe, memory])
    launch(able, cl.Kernel(built, "take"), 16, [pipe, memory, got, wrong])
    assert wrong[0] == 0
    np.testing.assert_array_equal(np.sort(got), data)


def test_through_functions(able):
    """Functions of the program take pipes and reservations."""
    source = """
        __attribute__((noinline)) int put_two(write_only pipe int p, reserve_id_t r, global const int *in) {
            return write_pipe(p, r, 0, in) | write_pipe(p, r, 1, in + 1); }
        __attribute__((noinline)) bool is_one(reserve_id_t r) { return is_valid_reserve_id(r); }
        kernel void put(write_only pipe int p, global const int *in, global int *wrong) {
            size_t i = 2 * get_global_id(0); reserve_id_t r = reserve_write_pipe(p, 2);
            if (!is_one(r) || put_two(p, r, in + i)) { atomic_inc(wrong); return; }
            commit_write_pipe(p, r); }
        kernel void take(read_only pipe int p, global int *out) {
            local int place[16]; size_t i = get_local_id(0);
            place[i] = -1; read_pipe(p, &place[i]); out[get_global_id(0)] = place[i]; }"""
    built, pipe = able.build(source, "-cl-std=CL3.0"), cl.Pipe(able.context, 0, 4, 64, ())
    data, got, wrong = np.arange(64, dtype=np.int32) * 3, np.zeros(64, np.int32), np.zeros(1, np.int32)
    launch(able, cl.Kernel(built, "put"), 32, [pipe, data, wrong])
    launch(able, cl.Kernel(built, "take"), 64, [pipe, got], (16,))
    assert wrong[0] == 0
    np.testing.assert_array_equal(np.sort(got), data)


def test_several_reservations(able):
    """A work-item keeps them in an array, and commits the last one first."""
    source = """
        kernel void put(write_only pipe int p, global const int *in, global int *wrong) {
            reserve_id_t all[4]; in += 8 * get_global_id(0);
            for (int i = 0; i < 4; i++) all[i] = reserve_write_pipe(p, 2);
            for (int i = 3; i >= 0; i--) {
                if (!is_valid_reserve_id(all[i])) { atomic_inc(wrong); continue; }
                write_pipe(p, all[i], 0, in + 2 * i); write_pipe(p, all[i], 1, in + 2 * i + 1);
                commit_write_pipe(p, all[i]); } }
        kernel void take(read_only pipe int p, global int *out) { read_pipe(p, &out[get_global_id(0)]); }"""
    built, pipe = able.build(source, "-cl-std=CL3.0"), cl.Pipe(able.context, 0, 4, 64, ())
    data, got, wrong = np.arange(64, dtype=np.int32) * 3, np.zeros(64, np.int32), np.zeros(1, np.int32)
    launch(able, cl.Kernel(built, "put"), 8, [pipe, data, wrong])
    launch(able, cl.Kernel(built, "take"), 64, [pipe, got])
    assert wrong[0] == 0
    np.testing.assert_array_equal(np.sort(got), data)
