# SPDX-License-Identifier: Apache-2.0
"""cl_intel_subgroup_matrix_multiply_accumulate against products of matrices in NumPy."""
import numpy as np
import pyopencl as cl
import pytest
from sub_group_blocks import Device

N, GROUPS = 8, 5
MAD = """
__attribute__((intel_reqd_sub_group_size(8)))
kernel void mad(global const {a}{m} *a, global const {b}8 *b, global {t}{m} *acc) {{
    size_t i = get_global_id(0);
    acc[i] = intel_sub_group_{name}(a[i], b[i], acc[i]);
}}
"""


@pytest.fixture(scope="module")
def device():
    return Device()


def run(device, name, a, b, acc, types):
    """a: (groups, M, 8, words), b: (groups, 8 work-items, 8), acc: (groups, 8 work-items, M). The results likewise."""
    m = a.shape[1]
    source = MAD.format(name=name, m="" if m == 1 else m, **types)
    kernel = device.build(source).mad
    of_items = np.ascontiguousarray(a.transpose(0, 2, 1)).view(np.uint32)
    buffers = [cl.Buffer(device.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(each))
               for each in (of_items, b, acc)]
    kernel.set_args(*buffers)
    cl.enqueue_nd_range_kernel(device.queue, kernel, (GROUPS * N,), (N,))
    result = np.empty_like(acc)
    cl.enqueue_copy(device.queue, result, buffers[2])
    return result


def unpacked(words, bits, signed):
    """Last axis of words -> of numbers."""
    shifts = np.arange(0, 32, bits, dtype=np.uint32)
    numbers = (words[..., None] >> shifts & ((1 << bits) - 1)).astype(np.int64)
    if signed:
        numbers -= (numbers >> (bits - 1)) << bits
    return numbers.reshape(*words.shape[:-1], -1)


def test_is_listed(device):
    assert "cl_intel_subgroup_matrix_multiply_accumulate" in device.device.extensions.split()
    device.build("#ifndef cl_intel_subgroup_matrix_multiply_accumulate\n#error no macro\n#endif\nkernel void k() { }")


@pytest.mark.parametrize("kinds", [("i", "i", 1), ("i", "u", 2), ("u", "i", 4), ("u", "u", 2), ("i", "i", 8)])
@pytest.mark.parametrize("bits", [8, 4])
def test_integers(device, bits, kinds):
    """The wider ones are made of the narrower ones, the same way for each pair of kinds."""
    a_kind, b_kind, m = kinds
    rng = np.random.default_rng(m)
    a = rng.integers(0, 1 << 32, (GROUPS, m, N), dtype=np.uint32)
    b = rng.integers(0, 1 << 32, (GROUPS, N, 8), dtype=np.uint32)
    acc = rng.integers(-1 << 31, 1 << 31, (GROUPS, N, m)).astype(np.int32)
    name = f"{a_kind}{bits}_{b_kind}{bits}_matrix_mad_k{256 // bits}"
    types = {"a": "int" if a_kind == "i" else "uint", "b": "int" if b_kind == "i" else "uint", "t": "int"}
    product = unpacked(b, bits, b_kind == "i") @ unpacked(a, bits, a_kind == "i").transpose(0, 2, 1)
    expected = (acc + product).astype(np.uint64).astype(np.uint32).view(np.int32)
    assert (run(device, name, a, b, acc, types) == expected).all()


@pytest.mark.parametrize("m", [1, 8])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_floats(device, kind, m):
    """Of small whole numbers all sums are exact, whatever the order; of others they are near."""
    rng = np.random.default_rng(m)
    for whole in (True, False):
        a, b = (rng.integers(-9, 9, shape) if whole else rng.normal(size=shape)
                for shape in ((GROUPS, m, 16), (GROUPS, N, 16)))
        if kind == "f16":
            a, b = (x.astype(np.float16) for x in (a, b))
            words = [x.view(np.uint32) for x in (a, b)]
        else:
            halves = [(x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for x in (a, b)]
            a, b = ((x.astype(np.uint32) << 16).view(np.float32) for x in halves)
            words = [x.view(np.uint32) for x in halves]
        acc = rng.integers(-99, 99, (GROUPS, N, m)).astype(np.float32)
        found = run(device, f"{kind}_{kind}_matrix_mad_k16", *words, acc, {"a": "int", "b": "int", "t": "float"})
        expected = acc + b.astype(np.float64) @ a.astype(np.float64).transpose(0, 2, 1)
        assert np.allclose(found, expected, rtol=0 if whole else 1e-5, atol=0 if whole else 1e-4)


def test_it_is_no_function_without_its_name(device):
    """Wrong types, and the names for sub-groups of 16, are errors of the build."""
    for call in ("intel_sub_group_i8_i8_matrix_mad_k32((short2)(1), (int8)(0), (int2)(1)).x",
                 "intel_sub_group_i8_i8_matrix_mad_k32((int3)(1), (int8)(0), (int3)(1)).x"):
        with pytest.raises(cl.RuntimeError):
            device.build(f"kernel void k(global int *p) {{ *p = {call}; }}")
