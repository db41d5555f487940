# SPDX-License-Identifier: Apache-2.0
"""Where buffers are, on a model: in memory of the device's or of the host's, and what it costs to copy and map them."""
import pytest

from .test_device import run

PLACES = """
from pyopencl import mem_flags as mf, map_flags
MB = 1 << 20
host = np.arange(16 * MB, dtype=np.uint8)
def write(buffer, of=host):
    return ns(cl.enqueue_copy(queue, buffer, of, is_blocking=False))
def copied(a, b):
    return ns(cl.enqueue_copy(queue, b, a))
device, other = (cl.Buffer(context, 0, host.nbytes) for _ in range(2))
on_host, too = (cl.Buffer(context, mf.ALLOC_HOST_PTR, host.nbytes) for _ in range(2))
staging, _ = cl.enqueue_map_buffer(queue, on_host, map_flags.WRITE, 0, host.shape, host.dtype)
staging[:] = host
"""


def test_where_buffers_are_decides_what_copies_cost():
    """AMD's guide: memory that CL_MEM_ALLOC_HOST_PTR gave is pinned: what is copied from it goes at the link's whole
    rate, also through the pointer of a map. It stays with the host, who maps it for nothing."""
    lines = run(PLACES + """
pageable, pinned = write(device), write(device, staging)
by_engine = copied(on_host, device)
print(pinned < .8 * pageable, pinned == by_engine, by_engine == copied(device, too))
print(copied(device, other) < .2 * pinned)
def mapped(buffer, n):
    a, event = cl.enqueue_map_buffer(queue, buffer, map_flags.READ, 0, (n,), np.uint8, is_blocking=False)
    return ns(event)
print(mapped(too, 1) == mapped(too, 16 * MB) < 1e-2 * mapped(device, 16 * MB))
user = np.zeros(MB, np.uint8)
used = cl.Buffer(context, mf.USE_HOST_PTR, hostbuf=user)
print(mapped(used, MB) == mapped(too, 1), write(device, user) < .8 * write(device, host[:MB]))
check = np.empty_like(host)
cl.enqueue_copy(queue, check, device)
print((check[MB:] == host[MB:]).all())
""")
    assert lines == ["True True True", "True", "True", "True True", "True"]


KERNELS = PLACES + """
import clpy.profile
from pyopencl import svm_mem_flags as sf
program = cl.Program(context, '''
kernel void sum(global float4 *out, global const float4 *in) {
    float4 total = 0;
    for (int k = 0; k < 16; k++)
        total += in[get_global_id(0) + k * get_global_size(0)];
    if (total.x == 1e30f)
        out[0] = total;
}
kernel void fill(global float4 *out) {
    out[get_global_id(0)] = 1;
}
typedef struct { global float4 *to; } Place;
kernel void lead(global Place *place) {
    place->to[get_global_id(0)] = 1;
}
kernel void picture(global float4 *out, read_only image2d_t image) {
    float4 x = read_imagef(image, (int2)(get_global_id(0) & 511, get_global_id(0) >> 9));
    if (x.x == 1e30f)
        out[0] = x;
}
''').build()
N = 4 * MB
small, small_on_host = (cl.Buffer(context, flags, N) for flags in (0, mf.ALLOC_HOST_PTR))
def launched(name, n, *args):
    event = cl.Kernel(program, name)(queue, (n,), (256,), *args)
    launch = clpy.profile.launch(event)
    return N / launch.ns, launch.counters
"""


@pytest.mark.parametrize("detail", ["sample", "full"])
def test_kernels_reach_memory_of_the_host_over_the_link(detail):
    """GB/s, of buffers in either place, of memory that the host reaches, of the application's and of a part of a
    buffer; the counters tell the two places apart."""
    lines = run(KERNELS + """
def reads(buffer):
    rate, counters = launched("sum", N // 256, small, buffer)
    return rate, counters["FetchSize"] > 4000, counters["HostFetchSize"] > 4000
visible = cl.Buffer(context, 1 << 6, N)         # CL_MEM_USE_PERSISTENT_MEM_AMD
user = cl.Buffer(context, mf.USE_HOST_PTR, hostbuf=np.zeros(N, np.uint8))
part = cl.Buffer(context, mf.ALLOC_HOST_PTR, 2 * N).get_sub_region(N, N)
for buffer in small, visible, small_on_host, user, part:
    rate, of_device, of_host = reads(buffer)
    print(of_device, of_host, rate > 100 if of_device else 7 < rate < 11)
for buffer in small, small_on_host:
    rate, counters = launched("fill", N // 16, buffer)
    print(counters["WriteSize"] > 4000, counters["HostWriteSize"] > 4000, rate > 60 or 2 < rate < 2.7)
""", "gpu:tahiti", CLPY_GPU_DETAIL=detail)
    own, others = "True False True", "False True True"
    assert lines == [own, own, others, others, others, own, others]


def test_other_ways_to_memory_of_the_host():
    """Images, shared virtual memory of fine grain, and what pointers in memory lead to."""
    lines = run(KERNELS + """
format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
for flags in 0, mf.ALLOC_HOST_PTR:
    image = cl.Image(context, flags, format, shape=(512, 512))
    rate, counters = launched("picture", 512 * 512, small, image)
    print(counters["HostFetchSize"] > 4000, counters["FetchSize"] > 4000)
for flags in 0, sf.SVM_FINE_GRAIN_BUFFER:
    memory = cl.SVMAllocation(context, N, 64, sf.READ_WRITE | flags, queue=queue)
    for name, n, args in ("sum", N // 256, (small, memory)), ("fill", N // 16, (memory,)):
        rate, counters = launched(name, n, *args)
        print(counters["HostFetchSize"] + counters["HostWriteSize"] > 4000)
    place = cl.Buffer(context, mf.COPY_HOST_PTR, hostbuf=np.array([memory.svm_ptr], np.uint64))
    kernel = cl.Kernel(program, "lead")
    kernel.set_args(place)
    launch = clpy.profile.launch(cl.enqueue_nd_range_kernel(queue, kernel, (N // 16,), (256,)))
    print(launch.counters["HostWriteSize"] > 4000)
""", "gpu:hawaii")
    assert lines == ["False True", "True False", *["False"] * 3, *["True"] * 3]


def test_an_apu_has_no_link():
    lines = run(KERNELS + """
told = [launched("sum", N // 256, small, buffer) for buffer in (small, small_on_host)]
print(told[0] == told[1], told[1][1]["HostFetchSize"])
""", "gpu:kaveri")
    assert lines == ["True 0.0"]


@pytest.mark.parametrize("detail", ["sample", "full"])
def test_times_over_the_link_are_the_same_again(detail):
    """With any number of threads."""
    told = {tuple(run(KERNELS + """
for name, n, args in ("sum", N // 256, (small, small_on_host)), ("fill", N // 16, (small_on_host,)):
    print(launched(name, n, *args))
""", "gpu:tahiti", CLPY_GPU_DETAIL=detail, CLPY_NUM_THREADS=threads)) for threads in ("1", "2", "4")}
    assert len(told) == 1


def test_memory_of_the_host_is_forgotten_with_its_buffer():
    assert run(PLACES + """
user = np.zeros(MB, np.uint8)
used = cl.Buffer(context, mf.USE_HOST_PTR, hostbuf=user)
pinned = write(device, user)
used.release()
print(write(device, user) > 1.2 * pinned)
""") == ["True"]
