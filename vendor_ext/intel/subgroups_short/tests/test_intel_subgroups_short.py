# SPDX-License-Identifier: Apache-2.0
"""cl_intel_subgroups_short: numbers of 16 bits in all that sub-groups do."""
import pytest
from sub_group_blocks import (
    SIZES,
    Device,
    check_exchanges,
    check_image_blocks,
    check_memory_blocks,
    check_short_numbers,
)


@pytest.fixture(scope="module")
def device():
    return Device()


def test_is_listed(device):
    assert "cl_intel_subgroups_short" in device.device.extensions.split()
    device.build("#ifndef cl_intel_subgroups_short\n#error no macro\n#endif\nkernel void k(int a) { }")


@pytest.mark.parametrize("type_", ["short", "ushort"])
def test_shuffles(device, type_):
    for width in ("", "2", "8"):
        check_exchanges(device, type_, width, 8)
    for size in SIZES[1:]:
        check_exchanges(device, type_, "", size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("type_", ["short", "ushort"])
def test_numbers(device, type_, size):
    check_short_numbers(device, type_, size)


@pytest.mark.parametrize(("size", "width"), [*((size, width) for size in SIZES for width in ("",)),
                                             (8, "16"), (16, "8"), (32, "2")])
def test_blocks(device, width, size):
    check_memory_blocks(device, "ushort", "_us", width, size)
    check_image_blocks(device, "ushort", "_us", width, size)
