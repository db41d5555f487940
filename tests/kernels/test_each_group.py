# SPDX-License-Identifier: Apache-2.0
"""Code that is made before anything has run is for one group, or one row of it, and the device goes over them."""
import numpy as np
import pyopencl as cl

from clpy import config
from clpy.compiler import program
from clpy.compiler.metadata import GROUP, RANGE, ROW
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target

SOURCE = """
kernel void rows(global int *count) { count[get_global_id(0)] += 1; }
kernel void places(global ulong *out, local ulong *seen) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
         z = get_global_id(2) - get_global_offset(2), l = get_local_linear_id(), n = get_local_size(0);
  seen[l] = get_group_id(2) * 100 + get_group_id(1) * 10 + get_group_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong other = seen[(get_local_id(2) * get_local_size(1) + get_local_id(1)) * n + (get_local_id(0) + 1) % n];
  out[(z * get_global_size(1) + y) * get_global_size(0) + x] = other * 1000 + n * 100 + get_local_size(1) * 10
      + get_local_size(2);
}
kernel void table(global int *a) { int t[4] = {1, 2, 3, 4}; a[get_global_id(1)] = t[get_global_id(0) & 3]; }
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(global int *a) { a[get_global_id(0)] = 1; }
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void alone(global int *a) { a[get_global_id(0)] = 1; }
"""


def test_what_a_call_runs():
    with config.override(SPECIALIZE_MS=100, CACHE=False):
        target = host_target()
        executable = program.build(SOURCE.encode(), parse_options("-cl-std=CL3.0"), target, may_wait=True)
        units = {name: program.make_kernel(executable, name, target).kernels[name].unit for name in executable.kernels}
    assert units == {"rows": ROW, "places": GROUP, "table": GROUP, "fixed": ROW, "alone": RANGE}


def test_all_groups_and_rows_are_run():
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    kernels = cl.Program(context, SOURCE).build("-cl-std=CL3.0")
    rows, places = kernels.rows, kernels.places
    count = np.zeros(64, np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=count)
    rows(queue, (32, 3, 5), (32, 3, 5), buffer, global_offset=(16, 0, 0))      # one group: one thread
    cl.enqueue_copy(queue, count, buffer)
    assert count.tolist() == [0] * 16 + [15] * 32 + [0] * 16
    shape, local = (20, 7, 5), (8, 3, 2)         # the last groups are smaller
    out = np.zeros(shape[::-1], np.uint64)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, out.nbytes)
    places(queue, shape, local, buffer, cl.LocalMemory(8 * 48), global_offset=(3, 2, 1))
    cl.enqueue_copy(queue, out, buffer)
    ids = [np.arange(size) // step for size, step in zip(shape, local, strict=True)]
    sizes = [np.minimum(size - at * step, step) for size, step, at in zip(shape, local, ids, strict=True)]
    (x, y, z), (nx, ny, nz) = (np.meshgrid(*each, indexing="ij") for each in (ids, sizes))
    assert ((100 * z + 10 * y + x) * 1000 + 100 * nx + 10 * ny + nz == out.T).all()
