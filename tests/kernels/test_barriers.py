# SPDX-License-Identifier: Apache-2.0
"""Barriers in every kind of control flow that the whole group takes together.

Each case is a kernel k(out, in, n, tmp) and the same thing in Python. `in` has an element per work-item, `tmp` is
__local with an element per work-item of a group, n is 5.
"""
import numpy as np
import pytest

CASES = {}
HEAD = "(global int *out, global const int *in, int n, local int *tmp)"
IDS = "  int l = get_local_id(0), L = get_local_size(0), g = get_global_id(0);\n"


def case(source):
    """The body decorated with this is the reference of `source`, whose kernel head and ids are filled in."""
    def add(body):
        CASES[body.__name__] = source.replace("HEAD", HEAD).replace("IDS;", IDS), body
        return body
    return add


def ids(item):
    return item.local_id(), item.local_size(), item.global_id()


@case("kernel void k HEAD { IDS; tmp[l] = in[g]; barrier(CLK_LOCAL_MEM_FENCE); out[g] = tmp[L - 1 - l]; }")
def reverse(item, tmp, out, inp, n):
    l, L, g = ids(item)
    tmp[l] = inp[g]
    yield
    out[g] = tmp[L - 1 - l]


@case("""kernel void k HEAD { IDS;
  barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE);
  tmp[(l + 1) % L] = g;
  barrier(CLK_GLOBAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[g] = tmp[l];
  barrier(CLK_LOCAL_MEM_FENCE);
}""")
def first_last_and_doubled(item, tmp, out, inp, n):
    l, L, g = ids(item)
    yield
    yield
    tmp[(l + 1) % L] = g
    yield
    yield
    out[g] = tmp[l]
    yield


@case("kernel void k HEAD { barrier(CLK_LOCAL_MEM_FENCE); }")
def nothing_else(item, tmp, out, inp, n):
    yield


@case("""kernel void k HEAD { IDS;
  int sum = 0;
  for (int i = 0; i < n; i++) {
    tmp[l] = in[g] + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 3 * sum + tmp[(l + i) % L];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = sum;
}""")
def loop_with_run_time_trip_count(item, tmp, out, inp, n):
    l, L, g = ids(item)
    total = np.int32(0)
    for i in range(n):
        tmp[l] = inp[g] + i
        yield
        total = np.int32(3) * total + tmp[(l + i) % L]
        yield
    out[g] = total


@case("""kernel void k HEAD { IDS;
  for (int i = 0; i < n - 5; i++) barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = in[g] + 1;
}""")
def loop_that_runs_zero_times(item, tmp, out, inp, n):
    for _ in range(n - 5):
        yield
    out[item.global_id()] = inp[item.global_id()] + 1


@case("""kernel void k HEAD { IDS;
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      tmp[l] = in[g] * i + j;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int m = 0; m < 2; m++) { sum += tmp[(l + m + j) % L]; barrier(CLK_LOCAL_MEM_FENCE); }
    }
  out[g] = sum;
}""")
def nested_loops(item, tmp, out, inp, n):
    l, L, g = ids(item)
    total = np.int32(0)
    for i in range(n):
        for j in range(i, n):
            tmp[l] = inp[g] * i + j
            yield
            for m in range(2):
                total = total + tmp[(l + m + j) % L]
                yield
    out[g] = total


@case("""kernel void k HEAD { IDS;
  int x = in[g];
  if (get_group_id(0) & 1) {
    tmp[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = tmp[(l + 1) % L];
  } else if (n > 3) {
    x *= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x -= tmp[L - 1 - l];
  }
  out[g] = x;
}""")
def branch_of_the_whole_group(item, tmp, out, inp, n):
    l, L, g = ids(item)
    x = inp[g]
    if item.group_id() & 1:
        tmp[l] = x
        yield
        x = tmp[(l + 1) % L]
    else:
        x = x * np.int32(2)
        yield
        tmp[l] = x
        yield
        x = x - tmp[L - 1 - l]
    out[g] = x


@case("""kernel void k HEAD { IDS;
  out[g] = -1;
  if (get_group_id(0) % 3 == 1) return;
  tmp[l] = in[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_group_id(0) % 3 == 2) { out[g] = tmp[0]; return; }
  int x = tmp[L - 1 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[l] = x + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = tmp[(l + 2) % L];
}""")
def early_return_of_the_whole_group(item, tmp, out, inp, n):
    l, L, g = ids(item)
    out[g] = -1
    if item.group_id() % 3 == 1:
        return
    tmp[l] = inp[g]
    yield
    if item.group_id() % 3 == 2:
        out[g] = tmp[0]
        return
    x = tmp[L - 1 - l]
    yield
    tmp[l] = x + 1
    yield
    out[g] = tmp[(l + 2) % L]


@case("""kernel void k HEAD { IDS;
  int x = in[g];
  for (int i = 0;; i++) {
    tmp[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x += tmp[(l + 1) % L];
    if (i == (int)get_group_id(0) + 1) { out[g] = x; return; }
    if (i > n) break;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i & 1) continue;
    x ^= 5;
  }
  out[g] = -x;
}""")
def return_break_and_continue_in_a_loop(item, tmp, out, inp, n):
    l, L, g = ids(item)
    x = inp[g]
    i = -1
    while True:
        i += 1
        tmp[l] = x
        yield
        x = x + tmp[(l + 1) % L]
        if i == item.group_id() + 1:
            out[g] = x
            return
        if i > n:
            break
        yield
        if i & 1:
            continue
        x = x ^ np.int32(5)
    out[g] = -x


@case("""kernel void k HEAD { IDS;
  int i = 0, x = in[g];
  do {
    tmp[l] = x + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = tmp[(l * 3 + 1) % L];
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (++i < n);
  out[g] = x;
}""")
def do_while(item, tmp, out, inp, n):
    l, L, g = ids(item)
    x = inp[g]
    for i in range(n):
        tmp[l] = x + i
        yield
        x = tmp[(l * 3 + 1) % L]
        yield
    out[g] = x


@case("""kernel void k HEAD { IDS;
  int i = 0, x = in[g];
again:
  tmp[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  x = tmp[(l + 1) % L] + i;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (++i < n) goto again;
  if (get_group_id(0) == 2) goto end;
  tmp[l] = -x;
  barrier(CLK_LOCAL_MEM_FENCE);
  x = tmp[0];
end:
  out[g] = x;
}""")
def goto_backwards_and_forwards(item, tmp, out, inp, n):
    l, L, g = ids(item)
    x = inp[g]
    for i in range(n):
        tmp[l] = x
        yield
        x = tmp[(l + 1) % L] + np.int32(i)
        yield
    if item.group_id() != 2:
        tmp[l] = -x
        yield
        x = tmp[0]
    out[g] = x


@case("""kernel void k HEAD { IDS;
  int i = 0, x = in[g];
  if (get_group_id(0) & 1) goto middle;
  while (i < n) {
    x = x * 3 + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
middle:
    tmp[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x ^= tmp[L - 1 - l];
    i++;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = x;
}""")
def goto_into_a_loop(item, tmp, out, inp, n):
    l, L, g = ids(item)
    i, x = 0, inp[g]
    middle = bool(item.group_id() & 1)
    while middle or i < n:
        if not middle:
            x = x * np.int32(3) + np.int32(1)
            yield
        middle = False
        tmp[l] = x
        yield
        x = x ^ tmp[L - 1 - l]
        i += 1
        yield
    out[g] = x


@case("""kernel void k HEAD { IDS;
  int x = in[g];
  switch (get_group_id(0)) {
    case 0: tmp[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x = tmp[(l + 1) % L]; break;
    case 1: x++; barrier(CLK_LOCAL_MEM_FENCE);
    case 2: tmp[l] = x * 7; barrier(CLK_LOCAL_MEM_FENCE); x = tmp[L - 1 - l];
    default: x--;
  }
  out[g] = x;
}""")
def switch_with_fall_through(item, tmp, out, inp, n):
    l, L, g = ids(item)
    x, group = inp[g], item.group_id()
    if group == 0:
        tmp[l] = x
        yield
        out[g] = tmp[(l + 1) % L]
        return
    if group == 1:
        x = x + np.int32(1)
        yield
    if group in (1, 2):
        tmp[l] = x * np.int32(7)
        yield
        x = tmp[L - 1 - l]
    out[g] = x - np.int32(1)


@case("""int turn(local int *tmp, int x, int by) {
  int l = get_local_id(0), L = get_local_size(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  tmp[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  return tmp[(l + by) % L];
}
kernel void k HEAD { IDS;
  int x = turn(tmp, in[g], 1);
  for (int i = 0; i < n; i++) x = turn(tmp, x + i, i) - turn(tmp, x, 2);
  if (get_group_id(0) > 1 && turn(tmp, 1, 1)) x = turn(tmp, turn(tmp, x, 3), 1);
  out[g] = x;
}""")
def function_called_from_many_places(item, tmp, out, inp, n):
    l, L, g = ids(item)

    def turn(x, by):
        yield
        tmp[l] = x
        yield
        return tmp[(l + by) % L]

    x = yield from turn(inp[g], 1)
    for i in range(n):
        a = yield from turn(x + np.int32(i), i)
        b = yield from turn(x, 2)
        x = a - b
    if item.group_id() > 1:
        yield from turn(1, 1)
        x = yield from turn(x, 3)
        x = yield from turn(x, 1)
    out[g] = x


@case("""kernel void inner HEAD {
  int l = get_local_id(0);
  tmp[l] += in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] += tmp[0];
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void k HEAD { IDS;
  tmp[l] = l;
  out[g] = 0;
  inner(out, in, n, tmp);
  for (int i = 0; i < n; i++) inner(out, out, i, tmp);
}""")
def kernel_that_calls_a_kernel(item, tmp, out, inp, n):
    l, _, g = ids(item)

    def inner(source):
        tmp[l] += source[g]
        yield
        out[g] += tmp[0]
        yield

    tmp[l] = l
    out[g] = 0
    yield from inner(inp)
    for _ in range(n):
        yield from inner(out)


@case("""kernel void k HEAD { IDS;
  int a[8];
  for (int i = 0; i < 8; i++) a[i] = in[g] * i;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < n; i++) {
    a[(l + i) & 7] += i;
    tmp[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[7 - i] ^= tmp[(l + 1) % L];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  int sum = 0;
  for (int i = 0; i < 8; i++) sum = (int)((uint)sum * 5 + (uint)a[i]);
  out[g] = sum;
}""")
def private_array_across_barriers(item, tmp, out, inp, n):
    l, L, g = ids(item)
    a = [inp[g] * np.int32(i) for i in range(8)]
    yield
    for i in range(n):
        a[(l + i) & 7] += np.int32(i)
        tmp[l] = a[i]
        yield
        a[7 - i] = a[7 - i] ^ tmp[(l + 1) % L]
        yield
    total = np.int32(0)
    for x in a:
        total = total * np.int32(5) + x
    out[g] = total


@case("""typedef struct { char c; long s; float4 f; } mixed;
kernel void k HEAD { IDS;
  char c = in[g]; short s = in[g] * 3; long w = (long)in[g] << 33; double d = in[g] / 3.0; bool b = l & 1;
  int3 v = (int3)(l, g, in[g]);
  mixed m = {(char)l, w, (float4)(l, 1, 2, in[g])};
  int x = in[g] + 1; int *p = &x;
  local int *q = tmp + (L - 1 - l);
  tmp[l] = l * l;
  barrier(CLK_LOCAL_MEM_FENCE);
  *p += *q;
  out[g] = c + s + (int)(w >> 33) + (int)(d * 3.0 + 0.5) + b + v.x + v.y + v.z + m.c + (int)(m.s >> 33)
         + (int)m.f.w + (int)m.f.x + x;
}""")
def values_of_many_types_live_across(item, tmp, out, inp, n):
    l, L, g = ids(item)
    x = int(inp[g])
    tmp[l] = l * l
    yield
    char = (x + 128) % 256 - 128
    short = (3 * x + 2**15) % 2**16 - 2**15
    rounded = int(x / 3.0 * 3.0 + 0.5)
    out[g] = (char + short + x + rounded + (l & 1) + l + g + x + l + x + x + l + x + 1
              + int(tmp[L - 1 - l]))


@case("""kernel void k HEAD { IDS;
  local int a[64]; local int b[2]; local struct { char c; int i; } s[64];
  a[l] = in[g];
  s[l].i = g; s[l].c = l;
  if (l == 0) { b[0] = n; b[1] = get_group_id(0); }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = a[(l + b[0]) % L] * 3 + b[1] + s[L - 1 - l].i - s[(l + 1) % L].c;
}""")
def local_variables_of_the_kernel(item, tmp, out, inp, n):
    l, L, g = ids(item)
    tmp[l] = inp[g]
    yield
    other = g - l + L - 1 - l
    out[g] = tmp[(l + n) % L] * np.int32(3) + item.group_id() + other - (l + 1) % L


@case("""kernel void k HEAD { IDS;
  int x = in[g] & 31, steps = 0;
  while (x > 1) { x = x & 1 ? 3 * x + 1 : x / 2; steps++; if (steps > 60) break; }
  tmp[l] = steps;
  barrier(CLK_LOCAL_MEM_FENCE);
  int most = 0;
  for (int i = 0; i <= l; i++) most = max(most, tmp[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l & 1) { for (int i = 0; i < l; i++) most += i & x; } else most = -most;
  tmp[l] = most;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = tmp[L - 1 - l];
}""")
def divergent_flow_between_barriers(item, tmp, out, inp, n):
    l, L, g = ids(item)
    x, steps = int(inp[g]) & 31, 0
    while x > 1:
        x = 3 * x + 1 if x & 1 else x // 2
        steps += 1
        if steps > 60:
            break
    tmp[l] = steps
    yield
    most = max(tmp[:l + 1])
    yield
    if l & 1:
        most = most + sum(i & x for i in range(l))
    else:
        most = -most
    tmp[l] = most
    yield
    out[g] = tmp[L - 1 - l]


@case("""kernel void k HEAD { IDS;
  tmp[l] = in[g] & 1023;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < L; d *= 2) {
    int x = l >= d ? tmp[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[l] += x;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = tmp[l];
}""")
def prefix_sum(item, tmp, out, inp, n):
    l, L, g = ids(item)
    tmp[l] = inp[g] & 1023
    yield
    d = 1
    while d < L:
        x = tmp[l - d] if l >= d else 0
        yield
        tmp[l] += x
        yield
        d *= 2
    out[g] = tmp[l]


@case("""kernel void k HEAD { IDS;
  tmp[l] = in[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  int go = in[get_group_id(0)] & 3;
  while (go >= 0) {
    int x = tmp[(l + go) % L];
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[l] = x + go;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (go == 2 && tmp[0] > 1000000) break;
    go--;
  }
  out[g] = tmp[l] + go;
}""")
def trip_count_from_memory_and_two_exits(item, tmp, out, inp, n):
    l, L, g = ids(item)
    tmp[l] = inp[g]
    yield
    go = int(inp[item.group_id()]) & 3
    while go >= 0:
        x = tmp[(l + go) % L]
        yield
        tmp[l] = x + np.int32(go)
        yield
        if go == 2 and tmp[0] > 1000000:
            break
        go -= 1
    out[g] = tmp[l] + np.int32(go)


@case("""kernel void k HEAD { IDS;
  if (l == 0) tmp[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&tmp[0], in[g] & 255);
  mem_fence(CLK_LOCAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = tmp[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == L - 1) tmp[0] = sum * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = tmp[0] + sum;
}""")
def atomics_and_one_work_item(item, tmp, out, inp, n):
    l, L, g = ids(item)
    if l == 0:
        tmp[0] = 0
    yield
    tmp[0] += inp[g] & 255
    yield
    total = tmp[0]
    yield
    if l == L - 1:
        tmp[0] = total * 2
    yield
    out[g] = tmp[0] + total


GROUPS = [(4, 16), (3, 64), (6, 1), (5, 7), (1, 33)]


@pytest.mark.parametrize("groups", GROUPS, ids=lambda g: f"{g[0]}x{g[1]}")
@pytest.mark.parametrize("name", CASES)
def test_barrier(machine, name, groups):
    source, body = CASES[name]
    count, size = groups
    data = np.random.default_rng(1).integers(-2**12, 2**12, count * size, dtype=np.int32)
    machine.check(source, body, (count * size,), (size,), [np.zeros_like(data), data, np.int32(5)],
                  shared=lambda: np.zeros(size, np.int32), local_args=[4 * size])


@pytest.mark.parametrize("name", ["nested_loops", "goto_into_a_loop", "private_array_across_barriers",
                                  "function_called_from_many_places", "prefix_sum"])
def test_unoptimized(machine, name):
    source, body = CASES[name]
    data = np.arange(48, dtype=np.int32) * 77
    machine.check(source, body, (48,), (12,), [np.zeros_like(data), data, np.int32(5)], options="-cl-opt-disable",
                  shared=lambda: np.zeros(12, np.int32), local_args=[48])


@pytest.mark.parametrize("name", ["reverse", "prefix_sum", "nested_loops", "kernel_that_calls_a_kernel"])
@pytest.mark.parametrize(("total", "size"), [(50, 16), (17, 16), (3, 8)])
def test_smaller_last_group(machine, name, total, size):
    source, body = CASES[name]
    data = np.arange(total, dtype=np.int32) * 31
    machine.check(source, body, (total,), (size,), [np.zeros_like(data), data, np.int32(5)], options="-cl-std=CL2.0",
                  shared=lambda: np.zeros(size, np.int32), local_args=[4 * size])


ALL_IN_ONE = "\n".join(source.replace("kernel void k (", f"kernel void k_{name} (")
                       for name, (source, _) in CASES.items())


def test_all_kernels_in_one_program(machine):
    """Kernels that share functions and a context of their own: every one still does what it does alone."""
    data = np.arange(64, dtype=np.int32) * 1237
    for name, (_, body) in CASES.items():
        machine.check(ALL_IN_ONE, body, (64,), (16,), [np.zeros_like(data), data, np.int32(5)], name=f"k_{name}",
                      shared=lambda: np.zeros(16, np.int32), local_args=[64])
