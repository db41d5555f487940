# SPDX-License-Identifier: Apache-2.0
"""Random kernels: some fixed ones each time, `make fuzz` for as many as one likes."""
import pytest

from . import differential, fuzz, random_kernels, random_language
from .random_case import HEAD, Block, Launch, Statement
from .reduction import Reduction, nodes

SEEDS = range(20)
WAYS = [w for w in differential.WAYS if w != "scalar"]


@pytest.fixture(scope="module")
def worker():
    with differential.Worker() as worker:
        yield worker


@pytest.mark.parametrize("seed", SEEDS)
def test_same_bits(seed, worker):
    """Each kernel scalar and in one of the other ways, which take turns."""
    case = random_kernels.make(seed)
    ways = ["scalar", WAYS[seed % len(WAYS)]]
    outcome = worker.run(case.source(), case.launch, seed, ways)
    assert set(outcome) == set(ways)
    assert differential.differences(outcome) == {}, case.source()


@pytest.mark.parametrize("seed", [104, 112, 115])
def test_on_a_model(seed, worker):
    """Atomics in a kernel with private memory, and addresses that are less than what all work-items have in common."""
    case = random_kernels.make(seed)
    outcome = worker.run(case.source(), case.launch, seed, ["scalar", "gpu:tahiti"])
    assert len(outcome) == 2 and differential.differences(outcome) == {}


def test_the_device_is_any_chip(capsys):
    """Also one that no way is for; another word is wrong usage, in a line."""
    args = fuzz.parser().parse_args(["--device", "gpu:fiji"])
    assert fuzz.Fuzz(args).ways(random_kernels.make(1)) == ["scalar", "gpu:fiji"]
    assert fuzz.suits_language(differential.way_of("gpu:fiji"))
    assert not fuzz.suits_language(differential.way_of("gpu:hawaii"))
    with pytest.raises(SystemExit):
        fuzz.parser().parse_args(["--device", "gpu:nothing"])
    assert "there is no model gpu:nothing, only barts, bonaire, " in capsys.readouterr().err


def test_seed_decides():
    assert random_kernels.make(5).source() == random_kernels.make(5).source()
    assert random_kernels.make(5).source() != random_kernels.make(6).source()


def test_worker_tells_results_apart(worker):
    """Another kernel, another result: the comparison is not of something empty."""
    case = random_kernels.make(1)
    digests = set()
    for value in (1, 2):
        source = f"{HEAD} {{ own[get_global_id(0)] = {value}; }}"
        digests |= set(worker.run(source, case.launch, 1, ["scalar", "8"]).values())
    assert len(digests) == 2
    assert all(map(differential.is_digest, digests))


def test_worker_survives_crash():
    """A kernel that kills the process, one that never ends and one that does not compile: the others go on."""
    shape = Launch((4,), (4,), (0,))
    with differential.Worker() as worker:
        crash = f"{HEAD} {{ *(volatile global int *)(un2 - un2 + 8) = 1; }}"
        outcome = worker.run(crash, shape, 1, ["scalar", "8"])
        assert all(result.startswith("crashes") for result in outcome.values())
        assert set(outcome) == {"scalar", "8"}
        endless = f"{HEAD} {{ while (1) atomic_inc(acc); }}"
        worker.timeout = 3
        assert worker.run(endless, shape, 1, ["scalar"]) == {"scalar": "hangs"}
        worker.timeout = 60
        wrong = worker.run(f"{HEAD} {{ nothing; }}", shape, 1, ["scalar"])
        assert "CompileError" in wrong["scalar"]
        fine = worker.run(f"{HEAD} {{ own[0] = 1; }}", shape, 1, ["scalar"])
        assert differential.is_digest(fine["scalar"])


def test_reduction():
    """What is not needed for the failure goes; what is stays."""
    case = random_kernels.make(12)
    before = sum(1 for _ in nodes(case))
    mark = Statement("acc[63] = 77;")
    blocks = [n for n in nodes(case) if isinstance(n, Block)]
    blocks[len(blocks) // 2].statements.append(mark)
    Reduction(case, lambda c: "acc[63] = 77;" in c.source(), budget=2000).run()
    assert "acc[63] = 77;" in case.source()
    assert sum(1 for _ in nodes(case)) < before / 5


@pytest.mark.parametrize("seed", range(8))
def test_later_language(seed, worker):
    """Halves, functions of groups and sub-groups, pointers to any memory, bits."""
    case = random_language.make(seed)
    outcome = worker.run(case.source(), case.launch, seed, ["scalar", ("quick-8", "O0", "quick-16", "8")[seed % 4]])
    assert len(outcome) == 2 and differential.differences(outcome) == {}, case.source()
