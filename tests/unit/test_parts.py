# SPDX-License-Identifier: Apache-2.0
"""Kernels of a large program are optimized and compiled apart, on several threads; the program is the same."""
import signal
import threading

import pytest

from clpy import background, config
from clpy.abi_layout import KERNEL_PREFIX
from clpy.compiler import parts, pipeline
from clpy.llvm.module import LLVMError, Module


def module_of(sizes, variable=""):
    """Kernel functions of so many instructions; those with an even number have vectors only."""
    kernels = "".join(
        f'define void @"{KERNEL_PREFIX}k{i}"(ptr %p) #{i % 2} {{\n'
        + "".join(f"  store volatile i32 {n}, ptr %p\n" for n in range(size - 1)) + "  ret void\n}\n"
        for i, size in enumerate(sizes))
    return Module.from_text(f'{variable}\n{kernels}\nattributes #0 = {{ "clpy-vectors" }}\nattributes #1 = {{ cold }}')


def groups(sizes, most, variable=""):
    names = parts.divide(module_of(sizes, variable), most)
    return [[int(name.removeprefix(f"{KERNEL_PREFIX}k")) for name in group] for group in names]


def test_small_programs_are_not_divided():
    assert groups([10, 10, 10], 4) == []
    assert groups([parts.WORTH_A_THREAD] * 4, 1) == []


def test_a_kernel_is_not_divided():
    assert groups([5 * parts.WORTH_A_THREAD], 4) == [[0]]


def test_each_kernel_is_in_one_group_and_groups_are_of_a_size():
    sizes = [900, 1300, 200, 2600, 700, 700, 1500, 2100]
    found = groups(sizes, 4)
    assert sorted(k for group in found for k in group) == list(range(8))
    assert len(found) == 4 and max(sum(sizes[k] for k in group) for group in found) < sum(sizes) / 2
    assert len([group for group in found if {k % 2 for k in group} == {0, 1}]) <= 1    # one list of passes for most


def test_kernels_that_share_a_variable_stay_together():
    """Of what does not change each part has its own."""
    assert len(groups([6000, 6000], 4, "@v = internal constant i32 0\n@u = internal constant ptr @v")) == 2
    assert groups([6000, 6000], 4, "@v = internal global i32 0\n@u = internal constant ptr @v") == []


def test_a_part_has_its_kernels_and_no_name_that_another_may_have():
    whole = module_of([5, 5, 5], "@table = constant i32 7\n@users = constant ptr @table")
    text = parts.extract(whole.to_bitcode(), {f"{KERNEL_PREFIX}k1"}).to_text()
    assert f"{KERNEL_PREFIX}k1" in text and f"{KERNEL_PREFIX}k0" not in text and f"{KERNEL_PREFIX}k2" not in text
    assert "@table = internal constant i32 7" in text


@pytest.mark.parametrize("n", [1, 2, 5])
def test_jobs_give_their_results_in_order(n):
    assert parts.at_once([lambda i=i: i * i for i in range(20)], n) == [i * i for i in range(20)]


def test_a_job_that_fails():
    def fail():
        raise LLVMError("as it should")
    with pytest.raises(LLVMError, match="as it should"):
        parts.at_once([lambda: 1, fail, lambda: 2], 2)


def test_signals_of_the_program_come_to_its_own_threads():
    masks, meet = [], threading.Barrier(2)

    def note():
        meet.wait(60)
        masks.append((threading.current_thread() is threading.main_thread(),
                      signal.SIGUSR1 in signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    parts.at_once([note, note], 2)
    assert sorted(masks) == [(False, True), (True, False)]


def test_without_threads_all_is_done_here(monkeypatch):
    def refuse(function):
        raise RuntimeError("can't start new thread")
    monkeypatch.setattr(background, "Thread", refuse)
    assert parts.at_once([lambda i=i: i for i in range(5)], 3) == list(range(5))


def test_what_is_to_be_read_is_made_in_order(monkeypatch):
    for level, expected in ((4, True), (5, False)):
        monkeypatch.setattr(config, "get", lambda name, level=level: {"DEBUG": level, "NUM_THREADS": 3}[name])
        assert (parts.threads() > 1) is expected


def test_the_last_passes_are_those_of_a_part():
    assert tuple(name for name, _ in pipeline.PASSES[-len(pipeline.APART):]) == pipeline.APART
