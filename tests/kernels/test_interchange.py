# SPDX-License-Identifier: Apache-2.0
"""Nested loops of a work-item are exchanged where that is allowed and pays; results stay the same to the bit."""
import numpy as np
import pytest

from clpy.compiler import library, program, target
from clpy.compiler.passes import division, inline, interchange, normal_form, unroll
from clpy.compiler.pipeline import Lowering
from clpy.llvm.module import Module

from . import differential

HEAD = ("kernel void k(global const int *restrict a, global int *restrict c, int n, int m) { "
        "int i = get_global_id(0); ")
DOWN = "for (int j = 0; j < n; ++j) for (int k = 0; k < m; ++k) "
EXCHANGED = {
    "sums of columns": DOWN + "c[i * n + j] += a[k * n + j];",
    "vector by matrix": DOWN + "c[i * n + j] = c[i * n + j] * 3 + a[i * m + k] * a[k * n + j];",
    "64-bit counters": "long w = n, h = m; for (long j = 0; j < w; ++j) for (long k = 0; k < h; ++k) "
                       "c[i * w + j] = a[k * w + j] - c[i * w + j] * 5;",
    "pointers": "a += i; c += i * n; " + DOWN + "c[j] = c[j] * 7 + a[k * n + j] * i;",
    "other start": "for (int j = 1; j < n; ++j) for (int k = 2; k < m; ++k) c[i * n + j] ^= a[k * n + j] << (j + k);",
    "inside another loop": "for (int t = 0; t < 2; ++t) " + DOWN
                           + "c[i * n + j] = c[i * n + j] * 3 + a[k * n + j + t];",
    "under a condition": DOWN + "if (i > j + k) c[i * n + j] = c[i * n + j] * 3 + a[k * n + j];",
}
LEFT = {
    "goes along rows already": "for (int k = 0; k < m; ++k) for (int j = 0; j < n; ++j) c[i * n + j] += a[k * n + j];",
    "both counters move what is written": DOWN + "c[i * 64 + k * 2 + j] = c[i * 64 + k * 2 + j] * 2 + a[k * n + j];",
    "what is read may be written": DOWN + "c[i * 64 + j] += c[i * 64 + k + 1] + a[k * n + j];",
    "neighbour is read": DOWN + "c[i * 64 + j + 1] += c[i * 64 + j] + a[k * n + j];",
    "a sum in a register": "int s = 0; " + DOWN + "s = s * 3 + a[k * n + j]; c[i * n] = s;",
    "not perfect": "for (int j = 0; j < n; ++j) { c[i * n + j] = 1; "
                   "for (int k = 0; k < m; ++k) c[i * n + j] += a[k * n + j]; }",
    "triangle": "for (int j = 0; j < n; ++j) for (int k = 0; k < j; ++k) c[i * n + j] += a[k * n + j];",
    "left early": DOWN + "{ c[i * n + j] += a[k * n + j]; if (a[k] > 99) break; }",
    "down": "for (int j = 0; j < n; ++j) for (int k = m - 1; k >= 0; --k) c[i * n + j] += a[k * n + j];",
    "bound that changes": "for (int j = 0; j < n; ++j) for (int k = 0; k < (c[i * n] & 7); ++k) "
                          "c[i * n + j] += a[k * n + j];",
    "volatile": DOWN + "*(volatile global int *)&c[i * n + j] += a[k * n + j];",
}
UNRESTRICTED = DOWN + "c[i * n + j] += a[k * n + j];"


def text(body, head=HEAD):
    return head + body + " }"


def is_exchanged(source):
    """Whether the pass changes the kernel's code."""
    unit = program.compile_source(source.encode(), {}, program.parse_options(""), target.host_target())
    module = Module.from_bitcode(unit.ir)
    library.keep_kernels(module)
    for each in (division, inline, normal_form, unroll):
        each.run(module, Lowering(None))
    before = module.to_text()
    interchange.run(module, Lowering(None))
    assert module.verify() == ""
    return module.to_text() != before


@pytest.mark.parametrize("name", EXCHANGED)
def test_exchanged(name):
    assert is_exchanged(text(EXCHANGED[name]))


@pytest.mark.parametrize("name", LEFT)
def test_left(name):
    assert not is_exchanged(text(LEFT[name]))


def test_without_restrict_what_is_read_may_be_written():
    assert not is_exchanged(text(UNRESTRICTED, HEAD.replace("restrict ", "")))


@pytest.mark.parametrize("name", [*EXCHANGED, *LEFT])
def test_results(name):
    """As without any optimization."""
    compiler = differential.Compiler(text((EXCHANGED | LEFT)[name]))
    _keep, observer = differential.blind_observer()
    results = {}
    for way in ("O0", "scalar", "auto", "4", "16", "sse4.2-4", "lockstep16"):
        executable, loaded = compiler.build(way)
        for n, m in ((7, 5), (32, 9), (1, 1), (0, 4), (4, 0)):
            a = np.random.default_rng(1).integers(0, 100, 4096).astype(np.int32)
            c = np.full(4096, 6, np.int32)
            differential.launch(executable, loaded, "k", [a, c, np.int32(n), np.int32(m)], (37,), (37,),
                                observer=observer)
            results.setdefault((n, m), c)
            np.testing.assert_array_equal(c, results[n, m], err_msg=f"{way} {n} {m}")
