# SPDX-License-Identifier: Apache-2.0
"""cl_intel_subgroup_local_block_io: blocks of local memory."""
import pytest
from sub_group_blocks import Device, check_memory_blocks

NAMES = {"": "uint", "_ui": "uint", "_uc": "uchar", "_us": "ushort", "_ul": "ulong"}


@pytest.fixture(scope="module")
def device():
    return Device()


def test_is_listed(device):
    assert "cl_intel_subgroup_local_block_io" in device.device.extensions.split()
    device.build("#ifndef cl_intel_subgroup_local_block_io\n#error no macro\n#endif\nkernel void k(int a) { }")


@pytest.mark.parametrize("width", ["", "2", "4", "8", "16"])
@pytest.mark.parametrize("name", NAMES)
def test_blocks(device, name, width):
    if width == "16" and name not in ("_uc", "_us"):
        return
    check_memory_blocks(device, NAMES[name], name, width, 8, local=True)
    check_memory_blocks(device, NAMES[name], name, width, 32, local=True)
