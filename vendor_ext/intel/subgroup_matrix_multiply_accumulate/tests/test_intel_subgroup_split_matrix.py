# SPDX-License-Identifier: Apache-2.0
"""cl_intel_subgroup_split_matrix_multiply_accumulate against products of matrices in NumPy: the two sub-groups of a
pair have half of the rows of a each, and a b of their own."""
import numpy as np
import pyopencl as cl
import pytest
from sub_group_blocks import Device

N, K_BITS = 8, 256
SPLIT = """
__attribute__((intel_reqd_sub_group_size(8)))
kernel void split(global const {a}{half} *a, global const {b}8 *b, global {t}{m} *acc, uint pairs, uint turns) {{
    size_t i = ITEM;
    if (get_sub_group_id() / 2 < pairs)
        for (uint n = 0; n < turns + get_sub_group_id() / 2; ++n)
            acc[i] = intel_sub_group_{name}(a[i] {shift}, b[i], acc[i]);
}}
"""


@pytest.fixture(scope="module")
def device():
    return Device()


def run(device, name, a, b, acc, types, shape=(16, 1), pairs=1 << 30, turns=1, shift=""):
    """a: (sub-groups, M / 2, 8 words), b: (sub-groups, 8 work-items, 8), acc: (sub-groups, 8, M). The results. Pair n
    of the first `pairs` pairs comes to the call `turns + n` times."""
    half = a.shape[1]
    source = SPLIT.format(name=name, half="" if half == 1 else half, m=2 * half, shift=shift, **types)
    of_items = np.ascontiguousarray(a.transpose(0, 2, 1)).view(np.uint32)
    buffers = [cl.Buffer(device.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(each))
               for each in (of_items, b, acc)]
    groups = len(a) * N // (shape[0] * shape[1])
    device.build(source).split(device.queue, (groups * shape[0], shape[1]), shape, *buffers, np.uint32(pairs),
                               np.uint32(turns))
    result = np.empty_like(acc)
    cl.enqueue_copy(device.queue, result, buffers[2])
    return result


def unpacked(words, signed):
    """Last axis of words -> of bytes as numbers."""
    return words.view(np.int8 if signed else np.uint8).astype(np.int64).reshape(*words.shape[:-1], -1)


def whole(a):
    """Rows of halves -> for each sub-group the rows of its pair."""
    return np.concatenate([a[0::2], a[1::2]], 1).repeat(2, 0)


def integers(half, sub_groups=4):
    rng = np.random.default_rng(half)
    return (rng.integers(0, 1 << 32, (sub_groups, half, N), dtype=np.uint32),
            rng.integers(0, 1 << 32, (sub_groups, N, 8), dtype=np.uint32),
            rng.integers(-1 << 31, 1 << 31, (sub_groups, N, 2 * half)).astype(np.int32))


def sums(acc, product):
    return (acc + product).astype(np.uint64).astype(np.uint32).view(np.int32)


SIGNED = {"a": "int", "b": "int", "t": "int"}


def test_is_listed(device):
    assert "cl_intel_subgroup_split_matrix_multiply_accumulate" in device.device.extensions.split()
    device.build("#ifndef cl_intel_subgroup_split_matrix_multiply_accumulate\n#error no macro\n#endif\n"
                 "kernel void k() { }")


@pytest.mark.parametrize("kinds", [("i", "i", 1), ("i", "u", 2), ("u", "i", 4), ("u", "u", 2), ("i", "i", 4)])
def test_integers(device, kinds):
    a_kind, b_kind, half = kinds
    a, b, acc = integers(half)
    types = {"a": "int" if a_kind == "i" else "uint", "b": "int" if b_kind == "i" else "uint", "t": "int"}
    product = unpacked(b, b_kind == "i") @ unpacked(whole(a), a_kind == "i").transpose(0, 2, 1)
    found = run(device, f"{a_kind}8_{b_kind}8_split_matrix_mad_k32", a, b, acc, types)
    assert (found == sums(acc, product)).all()


@pytest.mark.parametrize("half", [1, 4])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_floats(device, kind, half):
    """Of small whole numbers all sums are exact, whatever the order."""
    rng = np.random.default_rng(half)
    a, b = (rng.integers(-9, 9, shape) for shape in ((4, half, 16), (4, N, 16)))
    acc = rng.integers(-99, 99, (4, N, 2 * half)).astype(np.float32)
    expected = acc + b @ whole(a).transpose(0, 2, 1)
    if kind == "f16":
        words = [x.astype(np.float16).view(np.uint32) for x in (a, b)]
    else:
        words = [(x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint32) for x in (a, b)]
    found = run(device, f"{kind}_{kind}_split_matrix_mad_k16", *words, acc, {"a": "int", "b": "int", "t": "float"})
    assert (found == expected).all()


@pytest.mark.parametrize("shape", [(64, 1), (8, 8), (4, 16)])
def test_pairs_of_a_group(device, shape):
    """Four pairs, of rows or of blocks, some of which come to the call more often than others and one not at all. What
    a work-item gives changes from turn to turn, so that a pair ahead of its other half would be seen."""
    a, b, acc = integers(2, 16)
    found = run(device, "i8_i8_split_matrix_mad_k32", a, b, acc, SIGNED, shape, pairs=3, turns=2, shift="+ (int)n")
    expected = acc.copy()
    for sub_group in range(16):
        pair = sub_group % 8 // 2
        for n in range(2 + pair if pair < 3 else 0):
            rows = unpacked(whole(a + np.uint32(n))[sub_group], True)
            expected[sub_group] = sums(expected[sub_group], unpacked(b[sub_group], True) @ rows.T)
    assert (found == expected).all()


def test_a_sub_group_without_another_stays_inside(device):
    """Its first half is right; the text leaves open what the other one is."""
    a, b, acc = integers(4, 3)
    found = run(device, "i8_i8_split_matrix_mad_k32", a, b, acc, SIGNED, (24, 1), turns=0)
    product = unpacked(b, True) @ unpacked(a, True).transpose(0, 2, 1)
    assert (found[2, :, :4] == sums(acc[2, :, :4], product[2])).all()


def test_the_size_is_8(device):
    """A kernel that says nothing of it has sub-groups of 8; one that asks for others does not build."""
    call = "kernel void k(global int2 *p) { *p = intel_sub_group_i8_i8_split_matrix_mad_k32(1, (int8)(0), (int2)(1)); }"
    kernel = device.build(call).k
    size = kernel.get_sub_group_info(device.device, cl.kernel_sub_group_info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE, [64])
    assert size == N
    for wrong in (f"__attribute__((intel_reqd_sub_group_size(16))) {call}", call.replace("(1, ", "((int2)(1), "),
                  call.replace("(1, ", "((int8)(1), ")):
        with pytest.raises(cl.RuntimeError):
            device.build(wrong)
