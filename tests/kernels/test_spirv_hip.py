# SPDX-License-Identifier: Apache-2.0
"""Modules that Clang makes of HIP, as chipStar hands them to OpenCL: C++ kernels whose pointers lead to any memory,
structures by value, variables of the device, atomics on generic pointers."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

SOURCE = """
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define size_t unsigned long
extern "C" __device__ size_t _Z13get_global_idj(unsigned);
extern "C" __device__ size_t _Z12get_local_idj(unsigned);
extern "C" __device__ size_t _Z12get_group_idj(unsigned);
extern "C" __device__ void _Z7barrierj(unsigned);
extern "C" __device__ float _Z4sqrtf(float);

__constant__ int table[4] = {1, 2, 3, 4};
__device__ int counter = 7;

struct Scale { float by; int n; };
template <typename T> __device__ T twice(T x) { return x + x; }
template <typename T, int N> struct Ring {
    T items[N];
    __device__ T &operator[](int i) { return items[i % N]; }
};

extern "C" __global__ void saxpy(float *y, const float *x, Scale scale) {
    size_t i = _Z13get_global_idj(0);
    if (i < scale.n)
        y[i] = scale.by * _Z4sqrtf(x[i]) + twice(y[i]) + table[i & 3] + counter;
}

extern "C" __global__ void reverse(int *data) {
    __shared__ int items[64];
    int t = _Z12get_local_idj(0), base = 64 * _Z12get_group_idj(0);
    items[t] = data[base + t];
    _Z7barrierj(1);
    data[base + t] = items[63 - t];
}

__device__ int *either(int *a, int *b, int which) { return which ? a : b; }

extern "C" __global__ void count(const int *data, int *bins, int *sums) {
    __shared__ int own[8];
    int t = _Z12get_local_idj(0);
    if (t < 8) own[t] = 0;
    _Z7barrierj(1);
    int value = data[_Z13get_global_idj(0)];
    int *to = either(own, bins, value & 1);
    __hip_atomic_fetch_add(to + (value & 7), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max(sums, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    _Z7barrierj(1);
    if (t < 8) __hip_atomic_fetch_add(bins + 8 + t, own[t], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

extern "C" __global__ void rings(int *out, int n) {
    Ring<int, 5> ring;
    for (int i = 0; i < 5; ++i) ring[i] = i * 10;
    int at = _Z13get_global_idj(0);
    for (int i = 0; i < n; ++i) ring[at + i] += i;
    switch (at & 3) {
        case 0: out[at] = ring[0]; break;
        case 1: out[at] = ring[1] * 2; break;
        default: out[at] = ring[at];
    }
}
"""
N = 256


@pytest.fixture(scope="module")
def program(machine):
    if not machine.has_generic_pointers:
        pytest.skip(f"{machine.device.name} has no generic pointers")
    return cl.Program(machine.context, spirv_source.of_hip(SOURCE)).build()


def test_structures_by_value_and_variables_of_the_device(machine, program):
    x, y = np.arange(N, dtype=np.float32) + 1, np.ones(N, np.float32)
    scale = np.array([(2.0, 200)], np.dtype([("by", "f4"), ("n", "i4")]))[0]
    machine.launch(cl.Kernel(program, "saxpy"), (N,), (64,), [y, x, scale])
    i = np.arange(N)
    np.testing.assert_allclose(y, np.where(i < 200, 2 * np.sqrt(x) + 2 + (i & 3) + 1 + 7, 1), rtol=1e-6)


def test_shared_memory(machine, program):
    data = np.arange(N, dtype=np.int32)
    machine.launch(cl.Kernel(program, "reverse"), (N,), (64,), [data])
    assert (data == np.arange(N).reshape(-1, 64)[:, ::-1].ravel()).all()


def test_atomics_where_a_pointer_leads(machine, program):
    data = np.random.default_rng(5).integers(0, 1000, N).astype(np.int32)
    bins, most = np.zeros(16, np.int32), np.zeros(1, np.int32)
    machine.launch(cl.Kernel(program, "count"), (N,), (64,), [data, bins, most])
    assert most[0] == data.max()
    even = np.bincount(data[data & 1 == 1] & 7, minlength=8)
    odd = np.bincount(data[data & 1 == 0] & 7, minlength=8)
    assert bins[:8].tolist() == odd.tolist()
    assert bins[8:].tolist() == even.tolist()


def test_templates_of_classes(machine, program):
    out = np.zeros(N, np.int32)
    machine.launch(cl.Kernel(program, "rings"), (N,), None, [out, np.int32(23)])
    for at in range(N):
        ring = [10 * i for i in range(5)]
        for i in range(23):
            ring[(at + i) % 5] += i
        assert out[at] == (ring[0] if at & 3 == 0 else 2 * ring[1] if at & 3 == 1 else ring[at % 5])
