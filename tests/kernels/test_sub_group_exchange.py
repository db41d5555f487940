# SPDX-License-Identifier: Apache-2.0
"""What work-items of a sub-group learn of each other: who they are, values of others (cl_khr_subgroup_shuffle,
cl_khr_subgroup_shuffle_relative, cl_khr_subgroup_rotate), votes and ballots (cl_khr_subgroup_non_uniform_vote,
cl_khr_subgroup_ballot)."""
import numpy as np
import pyopencl as cl
import pytest

from .sub_group_case import HALF, STD, check, items_of
from .sub_groups import NUMBERS, SHAPES, sub_groups

WHO = """typedef struct { uint size, max, num, enqueued, id, lane; } who;
kernel void k(global uint *o) { size_t i = get_global_linear_id() * 6;
    o[i] = get_sub_group_size(); o[i + 1] = get_max_sub_group_size(); o[i + 2] = get_num_sub_groups();
    o[i + 3] = get_enqueued_num_sub_groups(); o[i + 4] = get_sub_group_id(); o[i + 5] = get_sub_group_local_id(); }"""


@pytest.mark.parametrize("shape", SHAPES)
def test_work_item_functions(machine, size, shape):
    out = np.zeros((items_of(shape), 6), np.uint32)
    machine.launch(cl.Kernel(machine.build(WHO, STD), "k"), *shape, [out])
    enqueued = -(-int(np.prod(shape[1])) // size)
    for items, number, group in sub_groups(*shape, size):
        for lane, item in enumerate(items):
            assert out[item].tolist() == [len(items), size, -(-len(group) // size), enqueued, number, lane]


OR_OWN = "#define OR_OWN(value, there) ({ __typeof__(x) got = value; (there) ? got : x; })\n"


def or_own(where):
    """The value of work-item `where(number, size of the sub-group)`, or one's own where there is none."""
    return lambda values, ids, n: [values[ids.index(where(i, n))] if where(i, n) in ids else values[k]
                                   for k, i in enumerate(ids)]


@pytest.mark.parametrize("type_", NUMBERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_shuffles(machine, size, type_, shape):
    """Of work-items that are not there, or do not take part, anything may come: they are not asked for."""
    if type_ == "half" and "cl_khr_fp16" not in machine.device.extensions:
        return

    bits, lane, there = size - 1, "get_sub_group_local_id()", "get_sub_group_size()"
    calls = [
        ("shuffle(x, INDEX)", f"({lane} * 5 + 3) % {there}", lambda i, n: (i * 5 + 3) % n),
        ("shuffle(x, INDEX)", lane, lambda i, n: i),
        ("shuffle(x, INDEX)", f"{there} - 1", lambda i, n: n - 1),
        ("broadcast(x, INDEX)", f"{there} / 2", lambda i, n: n // 2),
        ("broadcast(x, INDEX)", "0", lambda i, n: 0),
        ("non_uniform_broadcast(x, INDEX)", "0", lambda i, n: 0),
        ("broadcast_first(x)", "0", lambda i, n: 0),
        ("shuffle_xor(x, 1)", f"{lane} ^ 1", lambda i, n: i ^ 1),
        ("shuffle_xor(x, 3)", f"{lane} ^ 3", lambda i, n: i ^ 3),
        ("shuffle_up(x, 1)", f"{lane} - 1", lambda i, n: i - 1),
        ("shuffle_up(x, 3)", f"{lane} - 3", lambda i, n: i - 3),
        ("shuffle_down(x, 2)", f"{lane} + 2", lambda i, n: i + 2),
        ("rotate(x, 3)", f"({lane} + 3) & {bits}", lambda i, n: i + 3 & bits),
        ("rotate(x, -2)", f"({lane} - 2) & {bits}", lambda i, n: i - 2 & bits),
        ("clustered_rotate(x, 1, 2)", f"{lane} ^ 1", lambda i, n: i ^ 1),
        ("clustered_rotate(x, -1, 4)", f"{lane} & ~3 | ({lane} - 1) & 3", lambda i, n: i & ~3 | i - 1 & 3),
    ]
    check(machine, size, type_, [
        (f"OR_OWN(sub_group_{call.replace('INDEX', index)}, ({index}) < {there})", or_own(where))
        for call, index, where in calls], shape, all_take_part=True, before=OR_OWN)


@pytest.mark.parametrize("width", [2, 3, 4, 8, 16])
def test_vectors_are_broadcast(machine, size, width):
    """cl_khr_subgroup_extended_types."""
    for type_, dtype in NUMBERS.items():
        if type_ == "half" and "cl_khr_fp16" not in machine.device.extensions:
            continue
        source = HALF * (type_ == "half") + (
            f"kernel void k(global const {type_} *a, global {type_} *o) {{ size_t i = get_global_id(0); "
                  f"{type_}{width} x = vload{width}(i, a), y = sub_group_broadcast(x, 1) "
                  f"+ sub_group_non_uniform_broadcast(x, 0); vstore{width}(y, i, o); }}")
        values = np.random.default_rng(width).integers(0, 100, (40, width)).astype(dtype)
        out = np.zeros_like(values)
        machine.launch(cl.Kernel(machine.build(source, STD), "k"), (40,), (20,), [values, out])
        for items, _, _ in sub_groups((40,), (20,), size):
            assert (out[items] == values[items[1]] + values[items[0]]).all()


def votes():
    def every(test):
        return lambda values, ids, n: [int(test(values, ids))] * len(ids)

    return [
        ("sub_group_non_uniform_all(x > 2) != 0", every(lambda values, ids: all(v > 2 for v in values))),
        ("sub_group_non_uniform_any(x > 2) != 0", every(lambda values, ids: any(v > 2 for v in values))),
        ("sub_group_non_uniform_all_equal(x) != 0", every(lambda values, ids: len({int(v) for v in values}) == 1)),
        ("sub_group_elect() != 0", lambda values, ids, n: [int(i == ids[0]) for i in ids]),
        *((f"sub_group_ballot(x & 1).{word}", every(lambda values, ids, n=n: np.uint32(sum(
            1 << i - n for v, i in zip(values, ids, strict=True) if v & 1 and n <= i < n + 32)).astype(np.int32)))
          for n, word in ((0, "x"), (32, "y"), (64, "z"), (96, "w"))),
        ("sub_group_broadcast_first(x)", every(lambda values, ids: values[0])),
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_votes(machine, size, shape):
    n = items_of(shape)
    for seed, most in ((1, 4), (2, 40), (3, 1)):
        values = np.random.default_rng(seed).integers(0, most, n).astype(np.int32)
        check(machine, size, "int", votes(), shape, seed, values=values)
        uniform = [("sub_group_all(x > 2) != 0", votes()[0][1]), ("sub_group_any(x > 2) != 0", votes()[1][1])]
        check(machine, size, "int", uniform, shape, all_take_part=True, values=values)


def test_all_equal_of_all_types(machine, size):
    for type_, dtype in NUMBERS.items():
        if type_ == "half" and "cl_khr_fp16" not in machine.device.extensions:
            continue
        values = np.repeat(np.arange(8), 8).astype(dtype)
        values[19] += 1
        check(machine, size, type_, [("sub_group_non_uniform_all_equal(x) != 0", lambda v, ids, n: [
            int(all(x == v[0] for x in v))] * len(v))], ((64,), (32,)), out="int", values=values)


@pytest.mark.parametrize("shape", [((64,), (32,)), ((33,), (33,)), ((18, 5), (16, 2))])
def test_ballots(machine, size, shape):
    """Functions of a ballot look at the bits that a sub-group can have, whoever takes part."""
    most, low = (1 << size) - 1, 0xFFFFFFFF

    def of(function):
        """`function` of all bits, and of the number of the work-item."""
        return lambda values, ids, n: [function(sum(word << 32 * k for k, word in enumerate(words(int(v)))), i)
                                       for v, i in zip(values, ids, strict=True)]

    def words(v):
        return v, ~v & low, v * 3 & low, v ^ 5

    def count(bits):
        return (bits & most).bit_count()

    whole = "(uint4)(x, ~x, x * 3, x ^ 5)"

    twos = sum(2 << n for n in range(0, 128, 32))
    masks = {"eq": lambda i: 1 << i, "ge": lambda i: most & ~((1 << i) - 1), "gt": lambda i: most & ~((2 << i) - 1),
             "le": lambda i: (2 << i) - 1, "lt": lambda i: (1 << i) - 1}
    calls = [
        (f"sub_group_inverse_ballot({whole}) != 0", of(lambda v, i: v >> i & 1)),
        (f"sub_group_ballot_bit_count({whole})", of(lambda v, i: count(v))),
        (f"sub_group_ballot_inclusive_scan({whole})", of(lambda v, i: count(v & (2 << i) - 1))),
        (f"sub_group_ballot_exclusive_scan({whole})", of(lambda v, i: count(v & (1 << i) - 1))),
        (f"sub_group_ballot_find_lsb({whole} | 2)", of(lambda v, i: ((v | twos) & -(v | twos)).bit_length() - 1)),
        (f"sub_group_ballot_find_msb({whole} | 2)", of(lambda v, i: ((v | twos) & most).bit_length() - 1)),
        *((f"sub_group_ballot_bit_extract({whole}, ({n} + get_sub_group_local_id()) % get_max_sub_group_size()) != 0",
           of(lambda v, i, n=n: v >> (n + i) % size & 1)) for n in (0, 20, 50)),
        *((f"get_sub_group_{name}_mask().{word}", of(lambda v, i, mask=mask, n=n: mask(i) >> n & low))
          for name, mask in masks.items() for n, word in ((0, "x"), (32, "y"), (64, "z"), (96, "w"))),
        ("sub_group_ballot(1).z | sub_group_ballot(1).w", of(lambda v, i: 0)),
    ]
    check(machine, size, "uint", calls, shape)
