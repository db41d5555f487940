# SPDX-License-Identifier: Apache-2.0
"""cl_amd_compile_options: each option of AMD's compilers is taken; what binaries consist of follows them."""
import pyopencl as cl
import pytest

SOURCE = "kernel void k(global int *x) { *x = 1; }"
OPTIONS = ["-g", "-O0", "-save-temps", *(f"-f{no}bin-{part}" for no in ("", "no-")
                                         for part in ("source", "llvmir", "amdil", "exe", "hsail"))]


def built(*options):
    device = next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]
    assert "cl_amd_compile_options" in device.extensions.split()
    return cl.Program(cl.Context([device]), SOURCE).build(list(options), cache_dir=False)


@pytest.mark.parametrize("option", OPTIONS)
def test_option(option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)      # where files of -save-temps go
    assert built(option).kernel_names == "k"


def test_what_a_binary_has():
    everything, = built("-fbin-source", "-fbin-llvmir", "-fbin-exe").binaries
    without_source, = built("-fno-bin-source", "-fbin-llvmir", "-fbin-exe").binaries
    assert SOURCE.encode() in everything and SOURCE.encode() not in without_source
    assert len(built("-fno-bin-source", "-fbin-llvmir", "-fno-bin-exe").binaries[0]) < len(without_source)
