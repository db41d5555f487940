# SPDX-License-Identifier: Apache-2.0
"""Barriers in called functions, and what lives across barriers: private arrays, structs, local variables."""
import numpy as np

from .barrier_case import case, ids


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


@case("""kernel void k HEAD { IDS;
  global const int *p = in + get_group_id(0) * L + l / 2;
  uint sum = 0, at = 0x7fffff00 + l, down = l;
  do {
    tmp[l] = *p + at;
    barrier(CLK_LOCAL_MEM_FENCE);
    int first = tmp[0];
    sum = 3 * sum + tmp[(l + 1) % L] - down;
    barrier(CLK_LOCAL_MEM_FENCE);
    p += n & 1 ? L / 2 : -(L / 2);
    at += 77 * n + first;
    down = down - n - 1;
    if (sum == 12345678) { sum = *p; break; }
    n--;
  } while (n > 1);
  out[g] = sum ^ at ^ down ^ (int)(p - in);
}""")
def what_goes_on_by_one_step_for_all(item, tmp, out, inp, n):
    l, L, g = ids(item)
    p, total, at, down = g - l + l // 2, 0, 0x7fffff00 + int(l), int(l)
    for k in range(int(n), 1, -1):
        tmp[l] = np.array((int(inp[p]) + at) % 2**32, np.uint32).view(np.int32)
        yield
        first = int(tmp[0])
        total = 3 * total + int(tmp[(l + 1) % L]) - down
        yield
        p += L // 2 if k & 1 else -(L // 2)
        at += 77 * k + first
        down -= k + 1
    out[g] = np.array((total ^ at ^ down ^ int(p)) % 2**32, np.uint32).view(np.int32)
