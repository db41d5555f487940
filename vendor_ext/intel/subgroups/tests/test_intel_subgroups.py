# SPDX-License-Identifier: Apache-2.0
"""cl_intel_subgroups: shuffles, blocks of buffers and of images, at all sizes that sub-groups may have."""
import subprocess
import sys

import pyopencl as cl
import pytest
from sub_group_blocks import (
    SIZES,
    Device,
    check_exchanges,
    check_image_blocks,
    check_image_edges,
    check_memory_blocks,
)

WIDTHS = ("", "2", "3", "4", "8", "16")
READ_WRITE = ("read_write", "read_write")


@pytest.fixture(scope="module")
def device():
    return Device()


def test_is_listed(device):
    assert "cl_intel_subgroups" in device.device.extensions.split()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("type_", ["float", "int", "uint"])
def test_shuffles(device, type_, size):
    for width in WIDTHS if size == 8 and type_ == "float" else ("", "3"):     # long vectors of many take long to build
        check_exchanges(device, type_, width, size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("type_", ["long", "ulong", "half", "double"])
def test_shuffles_of_scalars(device, type_, size):
    check_exchanges(device, type_, "", size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "width"), [("", ""), ("", "2"), ("", "8"), ("_ui", "4")])
def test_blocks(device, name, width, size):
    check_memory_blocks(device, "uint", name, width, size)
    check_image_blocks(device, "uint", name, width, size)


@pytest.mark.parametrize("width", ["", "2", "4", "8"])
def test_images_that_are_read_and_written(device, width):
    check_image_blocks(device, "uint", "", width, 8, READ_WRITE)


@pytest.mark.parametrize("size", SIZES)
def test_edges_of_images(device, size):
    check_image_edges(device, size)


@pytest.mark.parametrize("std", ["CL1.0", "CL1.2", "CL2.0", "CL3.0", "CLC++2021"])
def test_declared_in_all_languages(device, std):
    text = """
    #ifndef cl_intel_subgroups
    #error no macro
    #endif
    kernel void k(global uint *a, read_only image2d_t i, write_only image2d_t o) {
        uint2 x = intel_sub_group_block_read2(a) + intel_sub_group_block_read2(i, (int2)(0, 1));
        intel_sub_group_block_write2(o, (int2)(0, 0), intel_sub_group_shuffle(x, 1));
        intel_sub_group_block_write2(a, x);
    }"""
    device.build(text, f"-cl-std={std}")


def test_types_it_has_not(device):
    for call in ("intel_sub_group_shuffle((char2)(1), 1)", "intel_sub_group_block_read3((global uint *)0)"):
        with pytest.raises(cl.RuntimeError):
            device.build(f"struct s {{ int x; }}; kernel void k(global int *a) {{ struct s y; "
                         f"*a = sizeof({call.replace('(char2)(1)', 'y')}); }}")


def test_a_block_is_one_access(tmp_path):
    """No gather and no scatter is left of blocks of memory, wherever they are."""
    file = tmp_path / "k.cl"
    file.write_text("""kernel void k(global uint *a, global uint *o) {
        size_t at = (get_global_id(0) - get_sub_group_local_id()) * 4;
        intel_sub_group_block_write4(o + at, intel_sub_group_block_read4(a + at) * 2);
    }""")
    text = subprocess.run([sys.executable, "-m", "clpy.tools.cli", "stages", str(file), "--pass", "optimize", "--isa",
                           "avx2"], capture_output=True, text=True, check=True).stdout
    assert "store <8 x i32>" in text and "gather" not in text and "scatter" not in text
