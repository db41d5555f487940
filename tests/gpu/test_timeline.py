# SPDX-License-Identifier: Apache-2.0
"""Queues, copies and the device's clock."""
import pytest

from clpy.device.gpu.chip import load
from clpy.device.gpu.rates import peak, rates
from clpy.device.gpu.timing import transfers
from clpy.device.gpu.timing.timeline import Timeline

CHIP = load("hawaii")
LAUNCH = round(CHIP.dispatch.launch_us * 1000)
MB = 1 << 20


@pytest.mark.parametrize(("chip", "k"), [("tahiti", 2), ("hawaii", 8), ("fiji", 8)])
def test_queue_n_is_hardware_queue_n_mod_k(chip, k):
    timeline = Timeline(load(chip))
    assert [timeline.hardware_queue(n) for n in range(20)] == [n % k for n in range(20)]
    assert timeline.add_kernel(0, 0, 1000, share=0.1)[0] == timeline.add_kernel(1, 0, 1000, share=0.1)[0]
    assert timeline.add_kernel(k, 0, 1000, share=0.1)[0] == timeline.add_kernel(0, 0, 1000, share=0.1)[0] - 1000


def test_two_half_kernels_run_at_once():
    """The guide: the 290X runs two kernels of 56,320 threads in two queues twice as fast as in one."""
    share = 56320 / (CHIP.compute.units * 40 * 64)
    assert share == 0.5
    apart, one = Timeline(CHIP), Timeline(CHIP)
    ends = [apart.add_kernel(queue, 0, 100_000, share)[1] for queue in (0, 1)]
    assert ends == [LAUNCH + 100_000] * 2
    assert [one.add_kernel(0, 0, 100_000, share)[1] for _ in range(2)] == [LAUNCH + 100_000, LAUNCH + 200_000]


def test_full_kernels_do_not_gain():
    timeline = Timeline(CHIP)
    assert timeline.add_kernel(0, 0, 100_000) == (LAUNCH, LAUNCH + 100_000)
    assert timeline.add_kernel(1, 0, 100_000) == (LAUNCH + 100_000, LAUNCH + 200_000)


def test_what_is_left_of_the_device_is_used():
    """3/4 and 1/2: the second has half of its share until the first ends, then all."""
    timeline = Timeline(CHIP)
    timeline.add_kernel(0, 0, 100_000, 0.75)
    start, end = timeline.add_kernel(1, 0, 100_000, 0.5)
    assert start == LAUNCH
    assert end == LAUNCH + 150_000
    assert timeline.add_kernel(2, 0, 10_000, 1.0) == (LAUNCH + 100_000, LAUNCH + 120_000)


def test_launch_latency_only_on_an_idle_queue():
    timeline = Timeline(CHIP)
    end = timeline.add_kernel(0, 1000, 500_000)[1]
    assert end == 1000 + LAUNCH + 500_000
    assert timeline.add_kernel(0, 2000, 500)[0] == end
    assert timeline.add_kernel(0, 2 * end, 500)[0] == 2 * end + LAUNCH


def test_dependencies_are_waited_for():
    timeline = Timeline(CHIP)
    end = timeline.add_kernel(0, 0, 1000)[1]
    assert timeline.add_kernel(1, 0, 1000, ready=end + 5 * LAUNCH)[0] == end + 5 * LAUNCH
    assert timeline.add_marker(2, 10, ready=77) == (77, 77)


def test_copies_overlap_kernels_of_other_queues_and_each_other():
    """Two engines: queues that were created one after the other copy at the same time."""
    timeline = Timeline(CHIP)
    kernel = timeline.add_kernel(0, 0, 1_000_000)
    assert timeline.add_transfer(1, 0, 1000) == (0, 1000)
    assert timeline.add_transfer(2, 0, 1000) == (0, 1000)
    assert timeline.add_transfer(3, 0, 1000) == (1000, 2000)      # the engine of queue 1
    assert timeline.add_transfer(0, 0, 1000) == (kernel[1], kernel[1] + 1000)


def test_many_kernels():
    """More than the timeline keeps."""
    timeline = Timeline(CHIP)
    for n in range(1000):
        start, end = timeline.add_kernel(n, 0, 8000, 1 / 8)
        assert end - start == 8000
    assert end == LAUNCH + 8000 * 125


def test_copies():
    pinned, pageable = (transfers.host_transfer_ns(CHIP, 256 * MB, pinned) for pinned in (True, False))
    assert 256 * MB / pinned == pytest.approx(12, rel=0.01)
    assert pinned / pageable == pytest.approx(2 / 3, abs=0.01)
    sizes = [2 ** n for n in range(30)]
    times = [transfers.host_transfer_ns(CHIP, size) for size in sizes]
    assert times == sorted(times)
    assert transfers.device_copy_ns(CHIP, 256 * MB) < pinned / 8
    assert transfers.fill_ns(CHIP, MB) < transfers.device_copy_ns(CHIP, MB)


def test_an_apu_maps_for_nothing():
    kaveri = load("kaveri")
    assert transfers.map_ns(kaveri, 256 * MB) == transfers.map_ns(kaveri, 1)
    assert transfers.map_ns(CHIP, 256 * MB) > 1000 * transfers.map_ns(kaveri, 1)
    assert transfers.map_ns(CHIP, 256 * MB, host_memory=True) == transfers.map_ns(CHIP, 1, host_memory=True)


def test_peaks_of_the_data_sheets():
    assert 2 * peak(CHIP, "valu") / 1e9 == pytest.approx(5632, rel=0.001)
    assert 2 * peak(CHIP, "fp64_mul") / 1e9 == pytest.approx(704, rel=0.001)
    assert 2 * peak(load("tahiti"), "fp64_mul") / 1e9 == pytest.approx(947, rel=0.001)
    assert rates(CHIP)["trans_f32"] == 16
