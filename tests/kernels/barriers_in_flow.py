# SPDX-License-Identifier: Apache-2.0
"""Barriers in control flow that the whole group takes together: loops, branches, returns, gotos, switches."""
import numpy as np

from .barrier_case import case, ids


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
