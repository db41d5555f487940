# SPDX-License-Identifier: Apache-2.0
"""Which arguments of a chip's kernel lead to places in memory (compiler/amdgpu/leading.py)."""
import pytest

from clpy import config
from clpy.compiler.amdgpu import installed, program
from clpy.compiler.amdgpu.target import ChipTarget
from clpy.compiler.options import parse_options
from clpy.device.gpu.chip import load

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason=str(installed.missing()))

# Kernel -> the numbers of such arguments; None: any may be one.
KERNELS = {
    "kernel void sum(global float *a, global float *b, int n) { b[get_global_id(0) * n] += a[get_global_id(0)]; }": [],
    """kernel void sparse(global const int *p, global const int *c, global const float *v, global const float *x,
                          global float *y) {
        int i = get_global_id(0); float s = 0;
        for (int k = p[i]; k < p[i + 1]; k++)
            s += v[k] * x[c[k]];
        y[i] = s; }""": [0, 1],
    """kernel void turns(global const int *n, global float *y) {     // shows in counts
        int i = get_global_id(0); float s = 0;
        for (int k = 0; k < n[i]; k++)
            s += k * s + 1;
        y[i] = s; }""": [],
    """kernel void scattered(global const float *a, global const ushort *to, global float *b) {
        b[to[get_global_id(0)]] = a[get_global_id(0)]; }""": [1],
    """kernel void binned(global const uchar *a, global uint *h) {
        local uint own[256]; uint i = get_local_id(0); own[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(own + a[get_global_id(0)]);
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(h + i, own[i]); }""": [0],
    """kernel void by_local_memory(global const int *p, global const float *a, global float *b) {
        local int there[64]; int i = get_local_id(0);
        there[i] = p[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        b[get_global_id(0)] = a[there[63 - i]]; }""": [0],
    """kernel void reduced(global const float *a, global float *b, local float *there) {
        int i = get_local_id(0);
        there[i] = a[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = 32; n; n /= 2) {
            if (i < n) there[i] += there[i + n];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (i == 0) b[get_group_id(0)] = there[0]; }""": [],
    """constant int table[] = {3, 1, 2, 7, 4};
    kernel void by_constants(global const float *a, global float *b, int n) {
        int at = 0;
        for (int k = 0; k < n; k++) at = table[(at + k) % 5];
        b[get_global_id(0)] = a[at + get_global_id(0)]; }""": [],
    """kernel void either(global const int *p, global const int *q, global float *b, int n) {
        global const int *from = n ? p : q;
        b[from[get_global_id(0)]] = 1; }""": [0, 1],
    """typedef struct { global float *to; } place;
    kernel void pointers(global const place *p) { p->to[get_global_id(0)] = 1; }""": [0],
    """typedef struct { global const int *of; } place;
    kernel void further(global const place *p, global float *b) { b[p->of[get_global_id(0)]] = 1; }""": None,
    """kernel void turned(read_only image2d_t a, write_only image2d_t b) {
        int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(b, at, read_imagef(a, at.yx)); }""": [],
    """kernel void looked_up(read_only image2d_t a, global const float *t, global float *b) {
        b[get_global_id(0)] = t[(int)read_imagef(a, (int2)(get_global_id(0), 0)).x]; }""": None,
    """kernel void functions(global const float *a, global float *b) {
        int i = get_global_id(0); b[i] = sin(a[i]) + pow(a[i], b[i]) + tgamma(a[i]); }""": []}


@pytest.mark.parametrize("chip", ["tahiti", "vega10"])
def test_arguments_that_lead_somewhere(chip):
    chip = load(chip)
    target = ChipTarget(chip.identity.processor, chip.name, chip.identity.device_name)
    for source, wanted in KERNELS.items():
        with config.override(CACHE=False):
            [info] = program.build(source.encode(), parse_options(""), target).kernels.values()
        assert info.facts.get("leads") == wanted, info.name


def test_code_that_nobody_looked_into():
    """Of a function that is called and not inlined nobody knows."""
    source = """__attribute__((noinline)) int other(int i) { return i * i; }
kernel void calls(global float *a) { a[other(get_global_id(0))] = 1; }"""
    chip = load("tahiti")
    target = ChipTarget(chip.identity.processor, chip.name, chip.identity.device_name)
    with config.override(CACHE=False):
        [info] = program.build(source.encode(), parse_options(""), target).kernels.values()
    assert "leads" not in info.facts
