# SPDX-License-Identifier: Apache-2.0
"""Sorting in local memory, as most programs write it: exchanges under conditions, in steps that all wait for. Each
is checked against numpy before and after it is timed. bench/compare.py runs them too."""
import numpy as np
import pyopencl as cl
from workloads import buffer, fetch, kernel, workload

TWO_TESTS = """if (((get_local_id(0) & k) == 0 && t[get_local_id(0)].y > t[o].y) ||
                   ((get_local_id(0) & k) != 0 && t[get_local_id(0)].y < t[o].y)) {
                   int2 x = t[get_local_id(0)]; t[get_local_id(0)] = t[o]; t[o] = x; }"""
CHOSEN_KEYS = """int2 x = t[get_local_id(0)], y = t[o];
                 bool up = (get_local_id(0) & k) == 0;
                 int low = up ? x.y : y.y, high = up ? y.y : x.y;
                 if (low > high) { t[get_local_id(0)] = y; t[o] = x; }"""


def buckets(name, exchange):
    @workload(name, "Mitem/s", "int_gops", each=28 * 6)
    def prepare(queue):
        """A bucket a group: small ones are sorted in local memory, large ones would be in global; which it is all
        work-items read, between writes."""
        n, size = 1 << 16, 128
        rng = np.random.default_rng(5)
        pairs = np.stack([np.arange(n), rng.integers(0, n, n)], 1).astype(np.int32)
        ends = np.cumsum(rng.integers(size // 3, size, 2 * n // size)).astype(np.int32)
        ends = np.append(ends[ends < n], n).astype(np.int32)
        f = kernel(queue, f"""kernel void f(global int2 *out, global int2 *in, int buckets, global int *ends,
                                           local int2 *t) {{
            for (int b = get_group_id(0); b < buckets; b += get_num_groups(0)) {{
                int first = b == 0 ? 0 : ends[b - 1], length = ends[b] - first;
                if (length <= get_local_size(0)) {{
                    t[get_local_id(0)] = get_local_id(0) < length ? in[first + get_local_id(0)] : (int2)INT_MAX;
                    barrier(CLK_LOCAL_MEM_FENCE);
                    for (int k = 2; k <= get_local_size(0); k *= 2)
                        for (int j = k / 2; j > 0; j /= 2) {{
                            int o = get_local_id(0) ^ j;
                            if (o > get_local_id(0)) {{ {exchange} }}
                            barrier(CLK_LOCAL_MEM_FENCE); }}
                    if (get_local_id(0) < length) out[first + get_local_id(0)] = t[get_local_id(0)];
                }} else {{
                    for (int i = get_local_id(0); i < length; i += get_local_size(0)) out[first + i] = in[first + i];
                    barrier(CLK_GLOBAL_MEM_FENCE);
                    for (int turn = 0; turn < length; turn++) {{
                        for (int i = first + turn % 2 + 2 * get_local_id(0); i + 1 < first + length;
                             i += 2 * get_local_size(0))
                            if (out[i].y > out[i + 1].y) {{ int2 x = out[i]; out[i] = out[i + 1]; out[i + 1] = x; }}
                        barrier(CLK_GLOBAL_MEM_FENCE); }} }} }} }}""")
        bufs = [buffer(queue, a) for a in (pairs, pairs, ends)]
        expected = np.concatenate([np.sort(part) for part in np.split(pairs[:, 1], ends[:-1])])

        def check():
            out = fetch(queue, bufs[0], pairs)
            return np.array_equal(out[:, 1], expected) and np.array_equal(pairs[out[:, 0], 1], expected)
        return (lambda: f(queue, (12 * size,), (size,), bufs[0], bufs[1], np.int32(ends.size), bufs[2],
                          cl.LocalMemory(8 * size)), check, 1.0 * n)
    return prepare


two_tests = buckets("pairs sorted in buckets, two tests", TWO_TESTS)
chosen_keys = buckets("pairs sorted in buckets, chosen keys", CHOSEN_KEYS)


def network(name, type_, key):
    @workload(name, "Mitem/s", "int_gops", each=36 * 4)
    def prepare(queue):
        """Each work-item takes the lower or the higher of two, in blocks of 256; most pairs lie in one vector."""
        n, size = 1 << 18, 256
        rng = np.random.default_rng(6)
        keys = rng.integers(0, 1 << 30, n).astype(np.uint32)
        data = keys if type_ == "uint" else np.stack([keys, np.arange(n, dtype=np.uint32)], 1)
        f = kernel(queue, f"""kernel void f(global {type_} *out, global {type_} *in, local {type_} *t) {{
            uint i = get_local_id(0), size = get_local_size(0);
            t[i] = in[get_global_id(0)];
            for (uint k = 2; k <= size; k *= 2)
                for (uint j = k / 2; j > 0; j /= 2) {{
                    barrier(CLK_LOCAL_MEM_FENCE);
                    {type_} a = t[i], b = t[i ^ j];
                    bool low = ((i & k) == 0) == ((i & j) == 0);
                    barrier(CLK_LOCAL_MEM_FENCE);
                    t[i] = (low ? b{key} < a{key} : b{key} > a{key}) ? b : a; }}
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = t[i]; }}""")
        out, bufs = np.empty_like(data), [buffer(queue, a) for a in (data, data)]
        expected = np.sort(keys.reshape(-1, size), axis=1).ravel()

        def check():
            found = fetch(queue, bufs[0], out)
            return np.array_equal(found if type_ == "uint" else found[:, 0], expected)
        room = cl.LocalMemory(data.nbytes // n * size)
        return lambda: f(queue, (n,), (size,), bufs[0], bufs[1], room), check, 1.0 * n
    return prepare


words = network("words sorted in blocks, each work-item its own", "uint", "")
pairs_of_words = network("pairs of words sorted in blocks, each work-item its own", "uint2", ".x")
