# SPDX-License-Identifier: Apache-2.0
"""Private and local pointers in memory: what SPIR-V says of it has 64 bits for them, whatever a device has."""
import numpy as np
import pyopencl as cl
import pytest
import spirv_source

SOURCE = """
typedef struct { char c; private int *p; local int *l; short s; } both;
typedef struct __attribute__((packed)) { char c; private int *p; short s; } tight;
typedef struct { both of[2]; int n; } outer;

__attribute__((noinline)) int look(both b, int i) { return b.c + b.p[i] + b.l[i] + b.s; }
__attribute__((noinline)) both make(private int *p, local int *l, int i) {
    both b = {(char)i, p + i, l + i, (short)(3 * i)}; return b; }
__attribute__((noinline)) void mark(private tight *all, int n) {
    for (int i = 0; i < n; i++) { *all[i].p += all[i].c; all[i].s = (short)(all[i].s + 1); } }

kernel void private_array(global int *out, int n) {
    private int values[8], *all[8], guard[4] = {1, 2, 3, 4};
    for (int i = 0; i < 8; i++) values[i] = out[i];
    for (int i = 0; i < 8; i++) all[i] = i < n ? values + i * n % 8 : 0;
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += all[i] ? *all[i] * (i + 1) : 1000;
    out[get_global_id(0)] = sum + guard[n & 3];
}
kernel void local_array(global int *out, int n, local int *memory) {
    local int *local shared[16]; private int at = get_local_id(0);
    local int *all[4];
    memory[at] = at * at;
    shared[at] = at % n ? memory + (at * n & 15) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 4; i++) all[(i + n) & 3] = shared[at ^ i];
    int sum = 0;
    for (int i = 0; i < 4; i++) sum = sum * 30 + (all[i] ? *all[i] : 299);
    out[at] = sum;
}
kernel void structures(global int *out, int n, local int *memory) {
    private int values[8]; both all[4]; outer two[3];
    for (int i = 0; i < 8; i++) { values[i] = out[i]; memory[i] = 10 * i; }
    for (int i = 0; i < 4; i++) all[i] = make(values, memory, i);
    for (int i = 0; i < 3; i++) { two[i].n = i; for (int j = 0; j < 2; j++) two[i].of[j] = all[(i + j + n) & 3]; }
    all[n & 1] = two[n & 2].of[n & 1];
    int sum = 0;
    for (int i = 0; i < 4; i++) sum = 3 * sum + look(all[i], n & 3);
    for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) sum = 3 * sum + look(two[(i + n) % 3].of[j], 1) + two[i].n;
    out[0] = sum;
}
kernel void packed(global int *out, int n) {
    private int values[4] = {out[0], out[1], out[2], out[3]}; tight all[5];
    for (int i = 0; i < 5; i++) { all[i].c = (char)(i + 1); all[i].p = values + (i * n & 3); all[i].s = (short)i; }
    mark(all, 5);
    int sum = 0;
    for (int i = 0; i < 5; i++) sum = 7 * sum + all[(i * n) % 5].s + *all[i].p;
    out[0] = sum;
}
kernel void zeros(global int *out, int n, local int *memory) {
    both all[4] = {{1, 0, 0, 2}}; private int one = 5;
    memory[0] = 7;
    all[n & 3].p = &one; all[(n + 1) & 3].l = memory;
    int sum = 0;
    for (int i = 0; i < 4; i++) sum = 20 * sum + (all[i].p ? *all[i].p : 1) + (all[i].l ? *all[i].l : 2) + all[i].c;
    out[0] = sum;
}
kernel void two_steps(global int *out, int n) {
    private int values[4], *first[4]; private int *private *second[4];
    for (int i = 0; i < 4; i++) {
        values[i] = out[i]; first[i] = values + (i + n) % 4; second[i] = first + (i * n) % 4; }
    *second[n & 3] = values;
    int sum = 0;
    for (int i = 0; i < 4; i++) sum = 9 * sum + **second[i] + *first[i];
    out[0] = sum;
}
"""


def private_array(out, n):
    return sum(out[i * n % 8] * (i + 1) if i < n else 1000 for i in range(8)) + (n & 3) + 1


def local_array(_, n):
    def one(at):
        return (at * n & 15)**2 if at % n else 299
    results = []
    for at in range(16):
        places = {(i + n) & 3: at ^ i for i in range(4)}
        total = 0
        for i in range(4):
            total = total * 30 + one(places[i])
        results.append(total)
    return results


def structures(out, n):
    def look(b, i):
        return b + out[b + i] + 10 * (b + i) + 3 * b
    every = list(range(4))
    two = [[every[(i + j + n) & 3] for j in range(2)] for i in range(3)]
    every[n & 1] = two[n & 2][n & 1]
    total = 0
    for b in every:
        total = 3 * total + look(b, n & 3)
    for i in range(3):
        for j in range(2):
            total = 3 * total + look(two[(i + n) % 3][j], 1) + i
    return total


def packed(out, n):
    values, total = list(out[:4]), 0
    for i in range(5):
        values[i * n & 3] += i + 1
    for i in range(5):
        total = 7 * total + (i * n) % 5 + 1 + values[i * n & 3]
    return total


def zeros(_, n):
    total = 0
    for i in range(4):
        total = 20 * total + (5 if i == n & 3 else 1) + (7 if i == (n + 1) & 3 else 2) + (i == 0)
    return total


def two_steps(out, n):
    first, total = [(i + n) % 4 for i in range(4)], 0
    second = [(i * n) % 4 for i in range(4)]
    first[second[n & 3]] = 0
    for i in range(4):
        total = 9 * total + out[first[second[i]]] + out[first[i]]
    return total


@pytest.fixture(scope="module")
def programs(machine):
    machine.needs_il()
    return {level: cl.Program(machine.context, spirv_source.compiled(SOURCE, ("-cl-std=CL1.2",), level)).build(
        cache_dir=False) for level in ("-O0", "-O1")}


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize(("expect", "items", "local", "levels"), [
    (private_array, 1, False, 2), (local_array, 16, True, 1), (structures, 1, True, 2), (packed, 1, False, 2),
    (zeros, 1, True, 2), (two_steps, 1, False, 1)])
def test_pointers_come_back(machine, programs, expect, items, local, levels, n):
    """Of some arrays of pointers Clang says at -O1 that they are one byte: these are not tried."""
    for program in list(programs.values())[:levels]:
        out = np.arange(3, 19, dtype=np.int32)
        expected = expect(out.tolist(), n)
        machine.launch(cl.Kernel(program, expect.__name__), (items,), (items,),
                       [out, np.int32(n), *([cl.LocalMemory(64)] if local else [])])
        assert out[:items].tolist() == (expected if items > 1 else [expected])
