# SPDX-License-Identifier: Apache-2.0
"""Random kernels through all widths, instruction sets and other implementations: `python -m tests.kernels.fuzz`.

Exit code 0: all results are the same; 1: some are not; 2: wrong usage. What fails is made smaller and printed.
"""
import argparse
import copy
import json
import sys
import time
from pathlib import Path

from clpy.device.gpu import chip

from . import differential, models, random_kernels, random_language, random_tree
from .reduction import Reduction

ORACLE = "scalar"
ATOMICS = "_explicit("      # functions of OpenCL C 2.0
REFUSED = "bytes of private arrays"     # what chips of AMD before GCN have no room for
SECONDS = 300    # after which a kernel hangs, on a machine that others use too
EACH = ["O0", "quick-4", "quick-8", "quick-16", "quick-lockstep64"]
FIRST_WITH = {"halves": "gfx800", "generic": "gfx700"}     # feature: the first chips that have it
IN_TURN = [way for way, what in differential.WAYS.items() if way != ORACLE and way not in EACH]


def parser():
    p = argparse.ArgumentParser(prog="python -m tests.kernels.fuzz", description=__doc__.split("\n\n")[0],
                                epilog="example: python -m tests.kernels.fuzz --count 200 --peer "
                                       "pocl=/etc/OpenCL/vendors/pocl.icd --json fuzz.json")
    p.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (0)")
    p.add_argument("--count", type=int, default=2000, metavar="N", help="how many kernels (2000)")
    p.add_argument("--ways", type=names, default=EACH, metavar="A,B,...",
                   help="ways for each kernel, of: " + ", ".join(differential.WAYS) + f", gpu:CHIP ({','.join(EACH)})")
    p.add_argument("--in-turn", type=names, default=IN_TURN, metavar="A,B,...",
                   help="ways of which each kernel takes a quick one and one that is not (all others)")
    p.add_argument("--device", type=model, metavar="gpu:CHIP",
                   help="run each kernel on the model of a chip, as `clpy devices` lists them, and in no other way")
    p.add_argument("--all", action="store_true", help="all ways for each kernel: takes three times as long")
    p.add_argument("--peer", action="append", default=[], type=peer, metavar="NAME=FILE",
                   help="another implementation: its library or its .icd file")
    p.add_argument("--language", type=features, default=(), metavar="A,B,...",
                   help=f"kernels that also have these, or all: {', '.join(random_language.FEATURES)}")
    p.add_argument("--no-reduce", action="store_true", help="print what fails as it is")
    p.add_argument("--keep", type=Path, metavar="FOLDER", help="write each failing kernel there")
    p.add_argument("--json", type=Path, metavar="FILE", help="write a summary there")
    return p


def names(text):
    chosen = [n for n in text.split(",") if n]
    wrong = [n for n in chosen if not is_way(n)]
    if wrong:
        raise argparse.ArgumentTypeError(f"there is no way {', '.join(wrong)}")
    return chosen


def is_way(name):
    try:
        differential.way_of(name)
    except KeyError:
        return False
    return True


def model(text):
    name = differential.MODEL + text.removeprefix(differential.MODEL)
    if not is_way(name):
        raise argparse.ArgumentTypeError(f"there is no model {name}, only {', '.join(sorted(chip.files()))}")
    return name


def features(text):
    chosen = random_language.FEATURES if text == "all" else [n for n in text.split(",") if n]
    wrong = [n for n in chosen if n not in random_language.FEATURES]
    if wrong:
        raise argparse.ArgumentTypeError(f"there is no feature {', '.join(wrong)}")
    return chosen


def peer(text):
    name, equal, path = text.partition("=")
    if not equal or not Path(path).exists():
        raise argparse.ArgumentTypeError(f"{text}: NAME=FILE with a file that exists")
    return name, str(Path(path).resolve())


def suits(way, case):
    """Lanes across rows are nothing where there is one row; ids of Intel's chips have 32 bits; OpenCL C 1.2 has
    groups of one size and no atomic types."""
    way, launch = differential.way_of(way), case.launch
    is_far = any(first + size > 1 << 32 for first, size in zip(launch.offset, launch.size, strict=False))
    if way.chip and is_far and chip.load(way.chip).is_gen:
        return False
    if way.chip and not models.is_of_version_2(way.chip) and (not launch.even or ATOMICS in case.source()):
        return False
    return len(launch.group) > 1 or not way.across


def suits_language(way):
    """An observer watches wavefronts, which sub-groups that give way to each other are not."""
    return not way.observed and all(has(way.chip, feature) for feature in FIRST_WITH)


def has(name, feature):
    """A chip's code generator; the CPU device has all."""
    return not name or chip.load(name).identity.processor >= FIRST_WITH.get(feature, "")


class Fuzz:
    def __init__(self, args):
        self.args = args
        if args.device:
            args.ways, args.in_turn = [args.device], []
            if not models.has_doubles(differential.way_of(args.device).chip):
                random_tree.without_doubles()
            lacks = [name for name in args.language if not has(differential.way_of(args.device).chip, name)]
            args.language = [name for name in args.language if name not in lacks]
            if lacks:
                print(f"{args.device} has no {', '.join(lacks)}: the kernels are without")
        if args.language:
            args.in_turn = [way for way in args.in_turn if suits_language(differential.way_of(way))]
        self.worker = differential.Worker(timeout=SECONDS)
        self.peers = {name: differential.Worker(vendor=path, timeout=SECONDS) for name, path in args.peer}
        self.runs, self.failures, self.notes = {}, [], {}

    def ways(self, case):
        """The oracle and the ways for this kernel. Lanes across rows are nothing where there is one row."""
        if self.args.all:
            chosen = list(differential.WAYS)
        else:
            chosen = list(self.args.ways)
            for quick in (True, False)[:2 if case.seed % 3 == 0 else 1]:
                turn = [w for w in self.args.in_turn if differential.way_of(w).quick == quick and suits(w, case)]
                chosen += turn[case.seed % len(turn):][:1] if turn else []
        return list(dict.fromkeys([ORACLE, *(w for w in chosen if suits(w, case))]))

    def outcome(self, case, ways, peers):
        out = self.worker.run(case.source(), case.launch, case.seed, ways)
        for name in peers:
            out[name] = self.peers[name].run(case.source(), case.launch, case.seed, [ORACLE])[ORACLE]
        return out

    def one(self, seed):
        case = random_language.make(seed, self.args.language) if self.args.language else random_kernels.make(seed)
        out = self.outcome(case, self.ways(case), self.peers)
        for way in out:
            self.runs[way] = self.runs.get(way, 0) + 1
        bad = differential.differences(out, ORACLE)
        for way in [way for way, what in bad.items() if REFUSED in what]:
            self.notes.setdefault(way, {})[seed] = bad.pop(way)
        seconded = any(name in out and name not in bad for name in self.peers)
        for name in set(bad) & set(self.peers):
            # it cannot run this kernel, or is alone with its opinion
            if not differential.is_digest(bad[name]) or seconded:
                self.notes.setdefault(name, {})[seed] = bad.pop(name)
        if bad:
            self.report(case, bad)

    def report(self, case, bad):
        print(f"\nseed {case.seed}, {case.launch}: {json.dumps(bad, indent=1)}", flush=True)
        way = next(iter(bad))
        if not self.args.no_reduce and bad[way] != "hangs":
            kind = differential.kind(bad[way])

            def fails(candidate):
                ways, peers = ([ORACLE], [way]) if way in self.peers else ([ORACLE, way], [])
                now = differential.differences(self.outcome(candidate, ways, peers), ORACLE)
                return way in now and (way == ORACLE or ORACLE not in now) and differential.kind(now[way]) == kind
            case = Reduction(copy.deepcopy(case), fails).run()
        print(f"way {way}:\n{case.source()}", flush=True)
        self.failures.append({"seed": case.seed, "ways": bad, "launch": vars(case.launch), "source": case.source()})
        if self.args.keep:
            self.args.keep.mkdir(parents=True, exist_ok=True)
            (self.args.keep / f"{case.seed}.cl").write_text(f"// {case.launch} {bad}\n{case.source()}")

    def run(self):
        """Until the last kernel or Ctrl-C; the summary counts what was done."""
        start, done = time.monotonic(), 0
        try:
            for n in range(self.args.count):
                self.one(self.args.first + n)
                done += 1
                if done % 10 == 0 or done == self.args.count:
                    print(f"{done} of {self.args.count} kernels, {len(self.failures)} failures, "
                          f"{time.monotonic() - start:.0f} s", flush=True)
        except KeyboardInterrupt:
            print("interrupted")
        finally:
            for worker in (self.worker, *self.peers.values()):
                worker.stop()
        return self.summary(done)

    def summary(self, done):
        """Writes it; returns the exit code: an interrupted run did not succeed."""
        if self.args.json:
            self.args.json.write_text(json.dumps({"first": self.args.first, "kernels": done, "runs": self.runs,
                                                  "failures": self.failures,
                                                  "refused, or peers that fail or are alone": self.notes},
                                                 indent=1) + "\n")
        print("runs:", ", ".join(f"{way} {count}" for way, count in self.runs.items()))
        return 1 if self.failures or done < self.args.count else 0


if __name__ == "__main__":
    sys.exit(Fuzz(parser().parse_args()).run())
