# SPDX-License-Identifier: Apache-2.0
"""Host threads that trap, round otherwise, are cancelled, have next to no stack, or are interrupted all the time."""
import pytest
from host_build import LIBRARY, compile_host, run_ok, vendors

MODES = ("trapping", "rounding", "small-stack", "cancelled", "interrupted", "children-ignored", "children-reaped",
         "file-size", "stack-limit")


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    return tmp_path_factory.mktemp("odd_threads")


@pytest.fixture(scope="module")
def host(build):
    return compile_host(build, "odd_threads.c", "-lOpenCL", "-lm", "-pthread")


@pytest.mark.parametrize("mode", MODES)
def test_a_kernel_is_built_and_runs(host, build, tmp_path, mode):
    """With a cache of its own: it is built, and the cache written to."""
    out, err = run_ok(host, mode, vendors=vendors(build / "clpy_only", LIBRARY),
                      env={"CLPY_CACHE_DIR": str(tmp_path / "cache")})
    assert (out, err) == ("ok\n", "")
