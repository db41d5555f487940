# SPDX-License-Identifier: Apache-2.0
"""The limits of control groups, of both versions, read from folders laid out as the kernel lays them out."""
import os

import pytest

from clpy.device.host.topology import cgroup_limits, facts, memory_left

MIB = 1 << 20


@pytest.fixture
def limits(tmp_path):
    """limits(groups text, {file: contents}) -> (processors, bytes)"""
    def read(groups, files):
        (tmp_path / "cgroup").write_text(groups)
        for name, text in files.items():
            path = tmp_path / "fs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return cgroup_limits(str(tmp_path / "cgroup"), str(tmp_path / "fs"))
    return read


def test_version_2(limits):
    assert limits("0::/a/b\n", {"a/b/cpu.max": "250000 100000\n", "a/b/memory.max": f"{512 * MIB}\n"}) == (3, 512 * MIB)


def test_version_2_without_limits(limits):
    assert limits("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/b/memory.max": "max\n"}) == (None, None)


def test_an_outer_group_binds_too(limits):
    files = {"memory.max": f"{900 * MIB}\n", "a/memory.max": f"{100 * MIB}\n", "a/b/memory.max": f"{400 * MIB}\n",
             "a/cpu.max": "100000 100000\n", "a/b/cpu.max": "400000 100000\n"}
    assert limits("0::/a/b\n", files) == (1, 100 * MIB)


def test_a_part_of_a_processor_counts_as_one(limits):
    assert limits("0::/\n", {"cpu.max": "20000 100000\n"}) == (1, None)


def test_version_1(limits):
    files = {"cpu/x/cpu.cfs_quota_us": "150000\n", "cpu/x/cpu.cfs_period_us": "100000\n",
             "memory/y/memory.limit_in_bytes": f"{256 * MIB}\n"}
    assert limits("4:memory:/y\n3:cpu,cpuacct:/x\n2:cpuset:/\n", files) == (2, 256 * MIB)


def test_version_1_without_limits(limits):
    files = {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}
    assert limits("3:cpu:/\n2:cpuacct:/\n", files) == (None, None)


def test_in_a_container_the_path_is_the_hosts(limits):
    files = {"memory/memory.limit_in_bytes": f"{64 * MIB}\n", "cpu.max": "200000 100000\n"}
    assert limits("4:memory:/docker/0123\n0::/system.slice/docker-0123\n", files) == (2, 64 * MIB)


@pytest.mark.parametrize("groups", ["", "nonsense\n", "0::\n", "::::\n", "4:memory\n", "0::/" + "x" * 5000 + "\n"])
def test_strange_files(limits, groups):
    assert limits(groups, {"cpu.max": "junk\n"}) == (None, None)


def test_no_file_is_no_limit():
    assert cgroup_limits("/nonexistent/cgroup", "/nonexistent") == (None, None)


def test_this_machine():
    here = facts()
    assert 1 <= here["cpus"] <= len(os.sched_getaffinity(0))
    assert 0 < here["memory"] <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    assert here["line"] in (32, 64, 128)
    assert here["cores"] >= 0


@pytest.fixture
def left(tmp_path):
    """left(groups text, {file: contents}, {name: KiB} of meminfo) -> MiB"""
    def read(groups, files, **meminfo):
        (tmp_path / "cgroup").write_text(groups)
        (tmp_path / "meminfo").write_text("".join(f"{name}:  {size * 1024} kB\n" for name, size in meminfo.items()))
        for name, text in files.items():
            path = tmp_path / "fs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = memory_left(str(tmp_path / "cgroup"), str(tmp_path / "fs"), str(tmp_path))
        return None if found is None else found // MIB
    return read


def test_memory_that_is_left_on_the_machine(left):
    assert left("0::/\n", {}, MemTotal=4000, MemFree=100, MemAvailable=1000, SwapTotal=700, SwapFree=500) == 1500
    assert left("0::/\n", {}) is None


def test_memory_that_is_left_in_a_group(left):
    stat = f"anon 1\nfile 2\ninactive_file {30 * MIB}\nactive_file {20 * MIB}\nslab_reclaimable {MIB}\n"
    files = {"a/memory.max": f"{900 * MIB}\n", "a/memory.current": f"{600 * MIB}\n", "a/memory.stat": stat,
             "a/memory.swap.max": "0\n", "a/b/memory.max": "max\n"}
    assert left("0::/a/b\n", files, MemAvailable=4000, SwapFree=100) == 351
    assert left("0::/a/b\n", files, MemAvailable=200) == 200
    files["a/memory.current"] = f"{2000 * MIB}\n"           # the limit was lowered
    assert left("0::/a/b\n", files, MemAvailable=4000) == 51


def test_memory_that_is_left_in_a_group_of_version_1(left):
    files = {"memory/y/memory.limit_in_bytes": f"{256 * MIB}\n", "memory/y/memory.usage_in_bytes": f"{200 * MIB}\n",
             "memory/y/memory.stat": f"cache 1\ntotal_inactive_file {8 * MIB}\ntotal_active_file {4 * MIB}\n"}
    assert left("4:memory:/y\n", files, MemAvailable=4000) == 68
