# SPDX-License-Identifier: Apache-2.0
"""cl_intel_subgroups_long: blocks of words of 64 bits."""
import pytest
from sub_group_blocks import SIZES, Device, check_image_blocks, check_memory_blocks


@pytest.fixture(scope="module")
def device():
    return Device()


def test_is_listed(device):
    assert "cl_intel_subgroups_long" in device.device.extensions.split()
    device.build("#ifndef cl_intel_subgroups_long\n#error no macro\n#endif\nkernel void k(int a) { }")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("width", ["", "2", "4", "8"])
def test_blocks(device, width, size):
    check_memory_blocks(device, "ulong", "_ul", width, size)
    check_image_blocks(device, "ulong", "_ul", width, size)
