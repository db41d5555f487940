# SPDX-License-Identifier: Apache-2.0
"""Launches that are like one before have their times from its sample (clpy/device/gpu/kept_samples.pyx)."""
import json
from pathlib import Path

import pytest

from .test_device import run

KERNELS = """
import clpy.profile
from pyopencl import mem_flags as mf
program = cl.Program(context, '''
kernel void sum(global const float *a, global const float *b, global float *c, int n) {
    size_t i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[i + k] * b[i];
    c[i] = s;
}
kernel void turns(global const int *n, global float *c) {
    size_t i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < n[i]; k++)
        s += native_sin(s + k);
    if (n[i] == 12345)
        s = sqrt(s) / c[i];
    c[i] = s;
}
kernel void gathered(global const int *n, global const float *a, global float *c) {
    c[get_global_id(0)] = a[n[get_global_id(0)]];
}
kernel void number(global int *count, global int *c) { c[get_global_id(0)] = atomic_inc(count); }
kernel void copied(read_only image2d_t a, global float4 *c) {
    c[get_global_id(0)] = read_imagef(a, (int2)(get_global_id(0) & 63, get_global_id(0) >> 6 & 31));
}
''').build()
SIZE = 1 << 16
def new(flags=0, size=4 * SIZE + 4096):
    return cl.Buffer(context, flags, size)
def filled(data):
    return cl.Buffer(context, mf.COPY_HOST_PTR, hostbuf=np.asarray(data, np.int32))
def launch(name, *args, size=SIZE, group=64, offset=None, queue=queue):
    kernel = cl.Kernel(program, name)
    kernel.set_args(*args)
    event = cl.enqueue_nd_range_kernel(queue, kernel, (size,), (group,), offset and (offset,))
    return clpy.profile.launch(event)
def own(*args, **named):
    it = launch(*args, **named)
    return it.launch == it.sampled_launch
a, b, c, d = (new() for _ in range(4))
few, many = np.random.default_rng(3).integers(0, (20, 80), (SIZE, 2)).T
"""


def test_a_launch_that_is_like_one_before_is_not_traced(tmp_path):
    """The same times, counters and lines, also into another buffer; `traced_groups` counts."""
    file = tmp_path / "launches"
    lines = run(KERNELS + """
first, second, third = (launch("sum", a, b, to, np.int32(8)) for to in (c, c, d))
print(first.launch, second.launch, third.launch, first.sampled_launch, second.sampled_launch, third.sampled_launch)
for each in second, third:
    print(all(getattr(first, name) == getattr(each, name) for name in ("ns", "uncertainty", "counters", "lines")))
own("sum", a, b, c, np.int32(9)), own("sum", a, b, c, np.int32(8))
""", CLPY_GPU_PROFILE=str(file))
    assert lines == ["1 2 3 1 1 1", "True", "True"]
    told = [json.loads(line) for line in file.read_text().splitlines()]
    assert [each["traced_groups"] > 0 for each in told] == [True, False, False, True, False]
    assert [each["sampled_launch"] for each in told] == [1, 1, 1, 4, 1]
    assert [each["launch"] for each in told] == [1, 2, 3, 4, 5]
    assert len({each["queue"] for each in told}) == 1


def test_what_makes_launches_unlike():
    """Each once; all of them again are like those."""
    assert run(KERNELS + """
host = new(mf.ALLOC_HOST_PTR)
parts = [new(size=8 * SIZE).get_sub_region(at, 4 * SIZE + 4096) for at in (0, 1024)]
shared = new(size=16 * SIZE)
apart = [shared.get_sub_region(at, 4 * SIZE + 4096) for at in (0, 4096)]
eight = np.int32(8)
def image(flags, type_, *shape):
    return cl.Image(context, flags, cl.ImageFormat(cl.channel_order.RGBA, type_), shape=shape)
images = [image(0, cl.channel_type.FLOAT, 64, 32), image(0, cl.channel_type.UNORM_INT8, 64, 32),
          image(0, cl.channel_type.FLOAT, 32, 64), image(mf.ALLOC_HOST_PTR, cl.channel_type.FLOAT, 64, 32)]
wide = new(size=16 * SIZE)
cases = [("sum", (a, b, c, eight), {}), ("sum", (a, b, c, np.int32(9)), {}), ("sum", (a, a, c, eight), {}),
         ("sum", (a, b, a, eight), {}), ("sum", (a, b, c, eight), {"group": 128}),
         ("sum", (a, b, c, eight), {"size": SIZE // 2}), ("sum", (a, b, c, eight), {"offset": 64, "size": SIZE // 2}),
         ("sum", (a, host, c, eight), {}), ("sum", (a, new(size=8 * SIZE), c, eight), {}),
         ("sum", (a, apart[0], apart[1], eight), {}), ("sum", (a, apart[1], apart[0], eight), {}),
         *(("copied", (image, wide), {}) for image in images)]
print(*[own(name, *args, **named) for name, args, named in cases])
print(*[own(name, *args, **named) for name, args, named in cases])
print(*[own("sum", a, part, c, eight) for part in parts])       # in no other buffer, at the begin of a line
""") == [" ".join(["True"] * 15), " ".join(["False"] * 15), "False False"]


ELSEWHERE = """
for data in (few, few[::-1], many, few, few):
    it = launch("turns", filled(data), c)
    exact = it.counters["VALUInsts"], it.counters["VALUUtilization"]
    print(it.launch == it.sampled_launch, it.ns, it.uncertainty, *exact)
"""


@pytest.mark.parametrize("chip", ["tahiti", "vega10"])
def test_other_data_takes_other_time(chip):
    """By the launch's own counts, which are exact, and its groups' own work; the next one is sampled again."""
    kept, each = ([line.split() for line in run(KERNELS + ELSEWHERE, f"cpu,gpu:{chip}", CLPY_GPU_REUSE=reuse)]
                  for reuse in ("1", "0"))
    assert [line[0] for line in kept] == ["True", "False", "False", "True", "False"]
    assert {line[0] for line in each} == {"True"}
    assert [line[3:] for line in kept] == [line[3:] for line in each]
    assert kept[0] == each[0] and kept[3] == each[3] and kept[4][1] == each[4][1]
    times = [float(one[1]) / float(other[1]) for one, other in zip(kept, each, strict=True)]
    assert all(abs(ratio - 1) < .15 for ratio in times), times
    assert float(each[2][1]) > 1.5 * float(each[0][1])
    assert float(kept[2][2]) > 1 > float(kept[1][2])        # the times are those of few turns, which `uncertainty` says


def test_code_that_the_sample_did_not_see():
    """One work-item of all went another way: the launch after it is sampled."""
    assert run(KERNELS + """
rare = few.copy()
for k in range(3):
    print(own("turns", filled(rare), c))
    rare[777] = 12345
rare = few.copy()
rare[777] = 100
print(own("turns", filled(rare), c))
""") == ["True", "False", "True", "True"]


def test_kernels_whose_counts_change_are_sampled():
    """Where one launch after the other has other counts, few are timed by those of another: once, and twice more after
    two, and then four, that agreed."""
    lines = run(KERNELS + """
print(*[int(own("turns", filled(few % (k % 7 + 2)), c)) for k in range(40)])
print(*[int(own("turns", filled(few), c)) for k in range(8)])
print(*[int(own("turns", filled(few if k < 3 else many), c)) for k in range(8)])
""")
    assert lines == [" ".join(["1", "0", *["1"] * 38]), "1 1 0 0 0 0 0 0", "0 0 0 0 1 1 1 0"]


def test_indices_that_lead_elsewhere():
    """Counts do not show it: the same loads took an eighth of their time. Other values in the same places do not
    matter."""
    assert run(KERNELS + """
straight = np.arange(16 * SIZE)
anywhere = np.random.default_rng(5).permutation(16 * SIZE)
one, other, to = (filled(straight + k) for k in range(3))
its = [launch("gathered", filled(index), source, to, size=16 * SIZE) for index in (straight, anywhere) * 2
       for source in (one, other)]
print(*[int(it.launch == it.sampled_launch) for it in its])
print(its[2].ns > 2 * its[0].ns, [it.ns for it in its[:4]] == [it.ns for it in its[4:]])
""") == ["1 0 1 0 0 0 0 0", "True True"]


def test_samples_are_renewed():
    """For what a few words of what arguments point to do not show, either."""
    assert run(KERNELS + """
print(*[int(own("sum", a, b, c, np.int32(4))) for _ in range(70)])
""") == [" ".join("1" if k % 33 == 0 else "0" for k in range(70))]


def test_few_are_kept_for_a_queue():
    """The one that was used longest ago goes."""
    assert run(KERNELS + """
def each(numbers):
    return "".join(str(int(own("sum", a, b, c, np.int32(n), size=256))) for n in numbers)
print(each(range(64)), each(range(64)), each([64]), each([1, 0, 2]), each([1, 64]))
""") == [f"{'1' * 64} {'0' * 64} 1 011 00"]


def test_each_queue_has_its_own():
    assert run(KERNELS + """
args = a, b, c, np.int32(4)
other = cl.CommandQueue(context, gpu, properties=profiling)
print(own("sum", *args), own("sum", *args, queue=other), own("sum", *args), own("sum", *args, queue=other))
""") == ["True True False False"]


def test_nothing_is_kept_where_the_order_is_not_certain():
    """Of queues out of order, and of kernels that may see what other groups write."""
    assert run(KERNELS + """
free = cl.CommandQueue(context, gpu, properties=profiling | cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
its = [launch("sum", a, b, c, np.int32(4), queue=free) for _ in range(3)]
print([(it.launch, it.sampled_launch) for it in its], len({it.ns for it in its}), its[0].uncertainty > 0)
print([own("number", filled([0]), c) for _ in range(3)])
""") == ["[(None, None), (None, None), (None, None)] 1 True", "[True, True, True]"]


FOLLOWED = """
eight, scattered = np.int32(8), np.random.default_rng(1).permutation(SIZE)
cases = [("sum", (a, b, c, eight)), ("sum", (a, b, c, eight)), ("sum", (a, b, d, eight)), ("sum", (a, a, c, eight)),
         ("sum", (a, b, c, np.int32(9))), ("gathered", (filled(range(SIZE)), a, c)),
         ("gathered", (filled(scattered), a, c)), ("gathered", (filled(scattered), b, c)),
         ("turns", (filled(few), c)), ("turns", (filled(many), c)),
         ("turns", (filled(few), d)), ("number", (filled([0]), c)), ("number", (filled([7]), c))]
its = [launch(name, *args, size=SIZE // 8) for name, args in cases]
its.append(launch("sum", a, b, c, eight, size=SIZE // 4))
print(*[it.sampled_launch for it in its])
for it in its:
    print(it.ns, it.uncertainty, it.counters, it.lines)
"""


@pytest.mark.parametrize("chip", ["tahiti", "vega10", "skylake-gt2"])
def test_where_all_is_followed_the_same_ways_are_followed_once(chip, tmp_path):
    """Wavefronts that go the same way through the same lines, whatever stands there; all numbers are those that they
    would have by themselves."""
    body = KERNELS + FOLLOWED
    told = {}
    for reuse in "1", "0":
        file = tmp_path / reuse
        told[reuse] = run(body, f"cpu,gpu:{chip}", CLPY_GPU_DETAIL="full", CLPY_GPU_REUSE=reuse,
                          CLPY_GPU_PROFILE=str(file))
        assert {json.loads(line)["traced_groups"] for line in file.read_text().splitlines()} == {128, 256}
    assert told["0"][0] == " ".join(str(n) for n in range(1, 15))
    assert told["1"][0] == "1 1 1 4 5 6 7 7 9 10 9 12 12 14"
    assert told["1"][1:] == told["0"][1:]


@pytest.mark.parametrize("detail", ["full", "off", "sample"])
def test_who_wants_each_launch_for_itself(detail):
    """By a variable, or with none of its groups."""
    wanted = "None None" if detail == "off" else "1 2"
    assert run(KERNELS + """
its = [launch("sum", a, b, c, np.int32(4)) for _ in range(2)]
print(its[0].sampled_launch, its[1].sampled_launch, its[0].ns == its[1].ns)
""", CLPY_GPU_DETAIL=detail, CLPY_GPU_REUSE="1" if detail == "off" else "0") == [f"{wanted} True"]


def test_the_same_numbers_with_any_number_of_threads():
    """Launches that wait for nobody, of two queues."""
    body = KERNELS + """
other = cl.CommandQueue(context, gpu, properties=profiling)
events = []
for k in range(60):
    data = filled(few if k % 20 < 12 else many)
    for q in queue, other:
        kernel = cl.Kernel(program, "turns")
        kernel.set_args(data, c if q == queue else d)
        events.append(cl.enqueue_nd_range_kernel(q, kernel, (SIZE // 8,), (64,)))
for it in clpy.profile.launches(events):
    print(it.launch, it.sampled_launch, it.ns, it.uncertainty, it.counters)
"""
    told = {tuple(run(body, CLPY_NUM_THREADS=threads)) for threads in ("1", "2", "4")}
    assert len(told) == 1
    [lines] = told
    assert 10 < sum(line.split()[0] == line.split()[1] for line in lines) < 110


def test_programs_go_with_what_was_kept():
    """Kernels of many programs on one queue: what they leave behind is bounded, and none is taken for another."""
    assert run(KERNELS + """
import resource
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
text = "kernel void f(global float *c) { size_t i = get_global_id(0); " + "".join(
    f"c[i] += sin(c[i] * {k}.5f);" for k in range(40)) + "}"
for k in range(24):
    made = cl.Program(context, text).build(cache_dir=False)
    kernel = cl.Kernel(made, "f")
    its = [clpy.profile.launch(kernel(queue, (256,), (64,), c)) for _ in range(2)]
    assert [it.launch == it.sampled_launch for it in its] == [True, False], k
    del made, kernel, its
    if k == 11:
        before = peak()
print(peak() - before < 40 << 10)
""") == ["True"]


REPLAYED = """
import ctypes, struct, sys
sys.path[:0] = [{tests!r}, {api!r}]
from ctypes import byref
from clapi import API, E, handles, sizes
from recording import Recorder
api = API()
devices = handles(*api.devices())
context = api.make("clCreateContext", None, 1, devices, None, None)
queues = [api.make("clCreateCommandQueueWithProperties", context, devices[0], None) for _ in range(2)]
text = ctypes.c_char_p(b"kernel void k(global int *p, int n) {{ p[get_global_id(0)] += n; }}")
program = api.make("clCreateProgramWithSource", context, 1, byref(text), None)
api.ok("clBuildProgram", program, 1, devices, None, None, None)
kernel = api.make("clCreateKernel", program, b"k")
mem = api.make("clCreateBuffer", context, E.MEM_READ_WRITE, 1 << 20, None)
api.ok("clSetKernelArg", kernel, 0, 8, handles(mem))
api.ok("clSetKernelArg", kernel, 1, 4, struct.pack("=i", 100))
r = Recorder(api, api.make("clCreateCommandBufferKHR", 1, handles(queues[0]), None))
for _ in range(3):
    r("NDRangeKernel", kernel, 1, None, sizes(1 << 18), None)
r.run()
r.again()
api.ok("clFinish", queues[0])
r.again(queues=[queues[1]])
api.ok("clFinish", queues[1])
"""


def test_command_buffers(tmp_path):
    """Of a queue in order, in that queue; another one says nothing of what runs beside its launches."""
    tests = Path(__file__).resolve().parents[1]
    file = tmp_path / "launches"
    run(REPLAYED.format(tests=str(tests), api=str(tests / "api")), "gpu:tahiti", CLPY_GPU_PROFILE=str(file))
    told = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(each["launch"], each["sampled_launch"]) for each in told] == [
        *((k, 1) for k in range(1, 7)), *[(None, None)] * 3]
    assert len({each["ns"] for each in told}) == 1
