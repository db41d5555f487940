# SPDX-License-Identifier: Apache-2.0
"""The work-group size of a launch that gives none, where the program must have groups of one size and few sizes divide
the range: a kernel that cannot tell groups apart gets a size that is fast, any other one that divides."""
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

# Work-items whose result may depend on the groups they are in.
SEEING = {
    "size": "a[i] = get_local_size(0);",
    "enqueued": "a[i] = get_enqueued_local_size(0);",
    "id": "a[i] = get_local_id(0) + 1;",
    "group": "a[i] = get_group_id(0);",
    "count": "a[i] = get_num_groups(0);",
    "linear": "a[i] = get_local_linear_id();",
    "dimension": "a[i] = get_local_size(a[i] & 3);",
    "callee": "a[i] = ask(i);",
    "branch": "if (a[i] == 7) a[i] = get_local_id(0);",
    "barrier": "a[i] = 1; barrier(CLK_GLOBAL_MEM_FENCE); a[i] = 2;",
    "variable": "local int l; atomic_xchg(&l, 5); a[i] = l;",
    "argument": "atomic_xchg(&b[0], 5); a[i] = b[0];",
}
# Work-items that cannot tell, and what each writes: i is its global linear id, n their number.
BLIND = {
    "id": ("a[i] = get_global_linear_id();", lambda i, n: i),
    "range": ("a[i] = get_global_size(0) * get_global_size(1) * get_global_size(2) + get_global_offset(0);",
              lambda i, n: 0 * i + n),
    "loop": ("int s = 0; for (int j = 0; j < (i & 15); ++j) s += j; a[i] = s;",
             lambda i, n: (i & 15) * ((i & 15) - 1) // 2),
    "fence": ("a[i] += i; mem_fence(CLK_GLOBAL_MEM_FENCE); a[i] += 1;", lambda i, n: i + 1),
    "atomic": ("if (atomic_add(&a[i], i) < 0) a[i] = 7;", lambda i, n: i),
    "volatile": ("volatile global int *v = a; v[i] = i + (v[i] >> 31);", lambda i, n: i),
    "unused": ("get_local_id(0); a[i] = i;", lambda i, n: i),
}
PRIME = 10007
SHAPES = ((PRIME,), (2 * PRIME,), (2, PRIME), (101, 103), (31, 37, 41), (1,), (3,), (4096,))
OPTIONS = "-cl-std=CL2.0 -cl-uniform-work-group-size"
TEXT = """int ask(int i) {{ return get_local_id(0) + i; }}
kernel {attributes} void {name}(global int *a, local int *b) {{
  int i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
  {body} }}
"""


def source(name, body, attributes=""):
    text = TEXT.format(name=name, body=body, attributes=attributes)
    return text if "b[0]" in body else text.replace(", local int *b", "")


def launches(*kernels, local=0):
    """{kernel's name: [(global size, local size), ...]} of every shape, from the log of a process; each result is
    compared there. `kernels` are (name, source) pairs; `local` is the size of groups in dimension 0, 0 for no size."""
    script = f"""if 1:
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from test_launch_size import launch_all
        launch_all({kernels!r}, {local})
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEBUG": "2", "CLPY_NUM_THREADS": "2"})
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stderr.splitlines():
        match = re.fullmatch(r"clpy: launch (\w+): global (\d+) (\d+) (\d+), local (\d+) (\d+) (\d+)", line)
        if match:
            numbers = [int(n) for n in match.groups()[1:]]
            found.setdefault(match[1], []).append((tuple(numbers[:3]), tuple(numbers[3:])))
    return found


def launch_all(kernels, local):
    context = cl.Context(next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[:1])
    queue = cl.CommandQueue(context)
    for name, text in kernels:
        kernel = cl.Kernel(cl.Program(context, text).build(OPTIONS, cache_dir=False), name)
        for shape in SHAPES:
            out = np.zeros(int(np.prod(shape)), np.int32)
            memory = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
            kernel.set_arg(0, memory)
            if kernel.num_args > 1:
                kernel.set_arg(1, cl.LocalMemory(4))
            groups = (local, *(1 for _ in shape[1:])) if local and shape[0] % local == 0 else None
            cl.enqueue_nd_range_kernel(queue, kernel, shape, groups)
            cl.enqueue_copy(queue, out, memory)
            family, _, case = name.partition("_")
            if family == "blind":
                np.testing.assert_array_equal(out, BLIND[case][1](np.arange(out.size), out.size), name)


def all_kernels():
    kernels = [(f"seeing_{name}", source(f"seeing_{name}", body)) for name, body in SEEING.items()]
    kernels += [(f"blind_{name}", source(f"blind_{name}", body)) for name, (body, _) in BLIND.items()]
    return kernels


@pytest.fixture(scope="module")
def sizes():
    required = source("required", "a[i] = i;", "__attribute__((reqd_work_group_size(1, 1, 1)))")
    return launches(*all_kernels(), ("required", required))


@pytest.fixture(scope="module")
def sizes_for_ones():
    return launches(*all_kernels(), local=1)


@pytest.mark.parametrize("name", SEEING)
def test_small_groups_that_are_seen_stay(sizes_for_ones, name):
    found = sizes_for_ones[f"seeing_{name}"]
    assert len(found) == len(SHAPES) and {local for _, local in found} == {(1, 1, 1)}


@pytest.mark.parametrize("name", ["atomic", "volatile"])
def test_small_groups_stay_where_work_items_may_wait_for_each_other(sizes_for_ones, name):
    assert {local for _, local in sizes_for_ones[f"blind_{name}"]} == {(1, 1, 1)}


LOCK = """kernel void k(global int *lock, volatile global int *n) {
    while (atomic_cmpxchg(lock, 0, 1) != 0) {}
    n[0] += 1; mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(lock, 0); }"""


def test_a_lock_that_work_items_in_groups_of_one_take_in_turns():
    script = f"""if 1:
        import numpy as np, pyopencl as cl
        context = cl.Context(next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[:1])
        kernel = cl.Program(context, {LOCK!r}).build(cache_dir=False).k
        queue, out = cl.CommandQueue(context), np.zeros(1, np.int32)
        lock, n = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=out) for _ in range(2)]
        kernel(queue, (5000,), (1,), lock, n)
        cl.enqueue_copy(queue, out, n)
        assert out[0] == 5000, out"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(set(BLIND) - {"atomic", "volatile"}))
def test_small_groups_that_are_not_seen_are_merged(sizes_for_ones, name):
    """As long as each thread has several: work-items in groups of one may be meant to run apart."""
    found = dict(sizes_for_ones[f"blind_{name}"])
    assert len(found) == len(SHAPES)
    assert found[1, 1, 1] == found[3, 1, 1] == (1, 1, 1)
    for whole, local in found.items():
        if np.prod(whole) >= 1000:
            assert np.prod(local) >= 16
            assert np.prod([-(-n // s) for n, s in zip(whole, local, strict=True)]) >= 8


def test_groups_that_fill_a_vector_stay():
    found = dict(launches(*all_kernels()[-1:], local=16)["blind_unused"])
    assert found[4096, 1, 1] == (16, 1, 1)


@pytest.mark.parametrize("name", SEEING)
def test_groups_that_are_seen_are_equal(sizes, name):
    found = sizes[f"seeing_{name}"]
    assert len(found) == len(SHAPES)
    for whole, local in found:
        assert all(n % s == 0 for n, s in zip(whole, local, strict=True))
    assert ((PRIME, 1, 1), (1, 1, 1)) in found


@pytest.mark.parametrize("name", BLIND)
def test_groups_that_are_not_seen_are_large(sizes, name):
    """Few of them, and every thread of the device has some."""
    found = sizes[f"blind_{name}"]
    assert len(found) == len(SHAPES)
    for whole, local in found:
        assert all(s <= n for n, s in zip(whole, local, strict=True))
        assert np.prod(local) >= min(32, np.prod(whole)) / 2
        assert local[0] >= min(16, whole[0])
    assert ((4096, 1, 1), (4096, 1, 1)) not in found


def test_a_required_size_stands(sizes):
    assert sizes["required"] and {local for _, local in sizes["required"]} == {(1, 1, 1)}


# Kernels of two dimensions, and how long the rows of their groups are in a range of 2048 x 512. Where dimension 1 goes
# along rows a group has whole ones: it is the groups' along dimension 0 that follow each other.
ROWS = {
    "stencil": (1024, "int i = y * 2048 + x; b[i] = a[i] + a[i + 2048] + a[i + 1];"),
    "window": (1024, "float s = 0; for (int k = 0; k < 3; ++k) s += a[(y + k) * 2048 + x]; b[y * 2048 + x] = s;"),
    "border": (1024, "int i = y * 2048 + x; b[i] = x == 0 || y == 0 ? 0 : a[i - 2049];"),
    "product": (64, "float s = 0; for (int k = 0; k < n; ++k) s += a[y * n + k] * a[k * n + x]; b[y * 2048 + x] = s;"),
    "transpose": (64, "b[x * 512 + y] = a[y * 2048 + x];"),
    "gather": (64, "b[y * 2048 + x] = a[(int)a[y * 2048 + x]];"),
}
COLUMNS = "b[x * 2048 + y] = a[x * 2048 + y] * n;"


def launch_in_rows(body, shape, n):
    """What stderr tells of a launch without a size of groups, with two buffers of `n` bytes."""
    text = f"kernel void k(global const float *a, global float *b, int n) {{ int x = get_global_id(0), y = " \
           f"get_global_id(1); {body} }}"
    script = f"""if 1:
        import numpy as np, pyopencl as cl
        context = cl.Context(next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[:1])
        queue, kernel = cl.CommandQueue(context), cl.Program(context, {text!r}).build(cache_dir=False).k
        a, b = [cl.Buffer(context, 0, {n}) for _ in range(2)]
        cl.enqueue_fill_buffer(queue, a, np.float32(0), 0, a.size)
        kernel(queue, {shape}, None, a, b, np.int32(3))
        queue.finish()"""
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "CLPY_DEBUG": "2"}, capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_long_where_memory_is_passed_over_once(name):
    """Short rows of memory miss what the processor fetches ahead; rows that share what they read should be near."""
    items, body = ROWS[name]
    assert f"local {items} {1024 // items} 1" in launch_in_rows(body, (2048, 512), 4 * 2048 * 520)


def test_rows_along_dimension_1_are_whole():
    assert " 2048 1\n" in launch_in_rows(COLUMNS, (2048, 2048), 4 * 2048 * 2048)
