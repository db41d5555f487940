# SPDX-License-Identifier: Apache-2.0
"""Functions of the library that first code calls, and that are inlined where code is not made again: the same bits."""
import numpy as np
import pytest

ONE = ("exp", "exp2", "exp10", "log", "log2", "log10", "cbrt", "sin", "cos")
SIZE = 64
TYPES = {"float": (np.float32, np.uint32), "double": (np.float64, np.uint64)}
# Vectors of work-items, one number for all of a group, an argument that differs behind a branch.
KERNELS = """
kernel void each(global TYPE *out, global const TYPE *x, global const TYPE *y) {
    size_t i = get_global_id(0);
    out[i] = FUNCTION;
}
kernel void same(global TYPE *out, global const TYPE *x, global const TYPE *y) {
    size_t i = get_group_id(0);
    out[i] = FUNCTION;
}
kernel void some(global TYPE *out, global const TYPE *x, global const TYPE *y) {
    size_t i = get_global_id(0);
    out[i] = 1;
    if (x[i] > y[i]) out[i] = FUNCTION + FUNCTION;
}
"""
MADE_AGAIN, FOR_GOOD = "", "global int kept;"      # which other code would not share


def arguments(dtype, bits):
    """Of all magnitudes, of usual ones, and those at the ends of what is usual."""
    rng = np.random.default_rng(5)
    limits = np.iinfo(bits)
    patterns = rng.integers(0, limits.max, 1 << 15, bits, endpoint=True).view(dtype)
    info = np.finfo(dtype)
    edges = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, info.tiny, info.max, 6400, 1 << 20], dtype)
    usual = [rng.uniform(-w, w, 1 << 13).astype(dtype) for w in (2, 40, 110, 800, 1e5)]
    return np.concatenate([patterns, np.resize(edges, 1 << 10), *usual])


@pytest.mark.parametrize("kernel", ("each", "same", "some"))
@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("function", [f"{name}(x[i])" for name in ONE] + ["pow(x[i], y[i])"])
def test_first_code_has_the_bits_of_what_is_inlined(machine, function, type_, kernel):
    dtype, bits = TYPES[type_]
    if type_ == "double":
        machine.needs("cl_khr_fp64")
    x = arguments(dtype, bits)
    y = np.random.default_rng(6).permutation(x)
    found = []
    for more in (MADE_AGAIN, FOR_GOOD):
        out = np.zeros_like(x)
        source = f"{more}\n#define FUNCTION {function}\n#define TYPE {type_}\n{KERNELS}"
        program = machine.build(source, "-cl-std=CL3.0")
        machine.launch(getattr(program, kernel), x.shape, (SIZE,), [out, x, y])
        found.append(out)
    first, inlined = (np.where(np.isnan(each), dtype(np.nan), each) for each in found)
    np.testing.assert_array_equal(first.view(bits), inlined.view(bits))


ALL = [f"{name}(x[i])" for name in ONE] + ["pow(x[i], y[i])"]
EACH = "".join(f"    out[{len(ALL)} * i + {k}] = 3 * {call} + x[i] / {call};\n" for k, call in enumerate(ALL))
RELAXED = f"""
kernel void all(global TYPE *out, global const TYPE *x, global const TYPE *y) {{
    size_t i = get_global_id(0);
{EACH}}}
"""


@pytest.mark.parametrize("type_", TYPES)
def test_relaxed_mathematics_does_not_change_that(machine, type_):
    dtype, bits = TYPES[type_]
    if type_ == "double":
        machine.needs("cl_khr_fp64")
    x = np.random.default_rng(7).uniform(.01, 30, 1 << 12).astype(dtype)
    found = []
    for more in (MADE_AGAIN, FOR_GOOD):
        out = np.zeros(len(ALL) * x.size, dtype)
        program = machine.build(f"{more}\n#define TYPE {type_}\n{RELAXED}", "-cl-std=CL3.0 -cl-fast-relaxed-math")
        machine.launch(program.all, x.shape, (SIZE,), [out, x, x[::-1].copy()])
        found.append(out.view(bits).reshape(-1, len(ALL)))
    assert not (found[0] != found[1]).any(axis=0).any(), (found[0] != found[1]).sum(axis=0)


WORDS = """
kernel void words(global TYPE4 *out, global const TYPE4 *in, global const int *at, int n) {
    int i = get_global_id(0);
    TYPE4 v = in[at[i]] + in[i];
    if (at[i] % 3) v = v.wzyx * in[n - 1 - at[i]];
    out[i] = v;
    if (at[i] & 1) out[n + at[i]] = v.yxwz;
    if (i < n / 3 + 1) out[2 * n + i] = v + in[min(i + 5, n - 1)];
    out[3 * n + at[i]] = v.zwxy;
    if (at[i] == 77) out[4 * n + at[i]] = in[at[i]];
    if (in[at[i]].x == 1) out[4 * n + i / 2] = v;
}
"""


@pytest.mark.parametrize("type_", ("float", "int"))
def test_first_code_moves_four_words_at_a_time(machine, type_):
    """From and to each work-item's own place: all of them, some, one and none; the last one wins where two meet."""
    n, dtype = 1 << 10, {"float": np.float32, "int": np.int32}[type_]
    rng, found = np.random.default_rng(8), []
    given = rng.integers(0, 3, (n, 4)).astype(dtype)
    at = rng.permutation(n).astype(np.int32)
    for more in (MADE_AGAIN, FOR_GOOD):
        out = np.zeros((5 * n, 4), dtype)
        program = machine.build(f"{more}\n#define TYPE4 {type_}4\n{WORDS}", "-cl-std=CL3.0")
        machine.launch(program.words, (n,), (SIZE,), [out, given, at, np.int32(n)])
        found.append(out)
    np.testing.assert_array_equal(*found)
    assert found[0][:n].any(axis=0).all()
