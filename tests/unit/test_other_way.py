# SPDX-License-Identifier: Apache-2.0
"""Which kernels are in doubt, how they run the other way, and that later processes know which was faster."""
import pytest

from clpy import config
from clpy.compiler import other_way, program
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.options import parse_options
from clpy.compiler.target import host_target

SIZE = (64, 1, 1)
SOURCE = b"""
kernel void plain(global float *o, global const float *a) {
    size_t i = get_global_id(0);
    o[i] = a[i] * 2 + 1;
}
kernel void parting(global int *o, global const int *a, int n) {
    int i = get_global_id(0), at = i;
    while (at > 0 && a[at] != a[i])
        at = a[at] & n;
    o[i] = at;
}
kernel void of_libm(global float *o, global const float *a, int n) {
    int i = get_global_id(0), at = i;
    float sum = 0;
    while (at > 0 && a[at] != a[i]) {
        at = (int)a[at] & n;
        sum += tgamma(a[at]) + sinh(a[i]);
    }
    o[i] = sum;
}
kernel void waiting(global int *o, global volatile int *turn) {
    int i = get_global_id(0);
    while (atomic_cmpxchg(turn, 0, 1) != 0)
        ;
    o[0] += i;
    atomic_xchg(turn, 0);
}
kernel void of_vectors(global double4 *o, global const double4 *a) {
    size_t i = get_global_id(0);
    double4 x = a[i], y = x;
    for (int k = 0; k < 8; k++)
        y = y * x + 1;
    o[i] = y;
}
"""
NAMES = ["plain", "parting", "of_libm", "waiting", "of_vectors"]


@pytest.fixture(scope="module")
def built():
    """With registers of 32 bytes, which a double4 fills."""
    target = CpuTarget(isa="avx2")
    with config.override(CACHE=False, DEBUG=3, SPECIALIZE_MS=100):
        made = program.build(SOURCE, parse_options("-cl-std=CL3.0"), target)
        both = [program.version(made, NAMES, made.pieces.module_of(*NAMES), target, SIZE, made.distinct, other=other)
                for other in (False, True)]
    return [each.kernels for each in both], [dict(line.split(".region.0: ") for line in each.log.splitlines())
                                             for each in both]


def test_what_is_in_doubt(built):
    """What depends on data; not what is plain, what might get other bits, and what might wait for ever."""
    (usual, _), _ = built
    assert [name for name in NAMES if usual[name].in_doubt] == ["parting", "of_vectors"]


def test_the_other_way_is_the_other_way(built):
    _, (usual, other) = built
    assert not usual["parting"].startswith("scalar") and other["parting"] == "scalar: vectors might be slower"
    assert usual["of_vectors"].startswith("scalar") and "work-items at a time" in other["of_vectors"]
    for name in ("plain", "of_libm", "waiting"):
        assert usual[name].partition(":")[0] == other[name].partition(":")[0]


def test_what_launches_told_is_known_later(tmp_path):
    target = host_target()
    with config.override(CACHE=True, CACHE_DIR=str(tmp_path), SPECIALIZE_MS=100, DEBUG=3):
        made = program.build(SOURCE, parse_options("-cl-std=CL3.0"), target)
        given = made, "parting", SIZE, target, {}
        special = program.specialize(*given)
        assert other_way.is_in_doubt(special, *given) and other_way.recall(*given) is None
        assert not other_way.is_in_doubt(None, made, "plain", SIZE, target, {})
        other = other_way.make(*given)
        assert other.log != special.log and other_way.recall(*given) is None      # nobody knows yet
        other_way.forget(*given)              # the usual code was given up meanwhile
        other_way.settle(*given, False)
        assert not other_way.is_in_doubt(special, *given) and other_way.recall(*given) is None
        other_way.settle(*given, True)
        assert not other_way.is_in_doubt(special, *given) and other_way.recall(*given).objects == other.objects
        other_way.forget(*given)
        assert other_way.is_in_doubt(special, *given) and other_way.recall(*given) is None
