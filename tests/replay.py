# SPDX-License-Identifier: Apache-2.0
"""Is the machine code still the same? `python -m tests.replay --save FILE` writes a hash of what LLVM is given to
generate code from, for every kernel of the corpus and every way to compile it; `--against FILE` compares with it.

A change that is to move things about, and nothing else, leaves all of them as they are. Exit code 1: it did not.
"""
import argparse
import ast
import hashlib
import json
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from clpy import config
from clpy.compiler import binary, cpu, pipeline, program
from clpy.llvm import codegen

from .kernels import barriers_and_data, barriers_in_flow, image_cases, random_kernels, vector_cases  # noqa: F401
from .kernels.barrier_case import CASES as BARRIERS

ROOT = Path(__file__).resolve().parents[1]
SEEDS = range(25)

# Name -> options of clpy, CpuTarget's arguments, build options, work-group size. The first is for all of the corpus,
# each of the others for every EACH-th source, another one each time.
WAYS = {
    "as it is": ({}, {}, "", None),
    "width 1": ({"CPU_VECTORIZER_MODE": "1"}, {}, "", None),
    "width 4": ({"CPU_VECTORIZER_MODE": "4"}, {}, "", None),
    "width 8": ({"CPU_VECTORIZER_MODE": "8"}, {}, "", None),
    "width 16": ({"CPU_VECTORIZER_MODE": "16"}, {}, "", None),
    "no vectorizer": ({"USE_VECTORIZER": False}, {}, "", None),
    "sse4.2": ({}, {"isa": "sse4.2"}, "", None),
    "lock-step 64": ({}, {"lockstep": 64}, "", None),
    "observed": ({}, {"lockstep": 16, "observed": True}, "", None),
    "not optimized": ({}, {}, "-cl-opt-disable", None),
    "memory cleared": ({}, {"initialize": 3}, "", None),
    "groups of 16 x 4": ({}, {}, "", (16, 4, 1)),
}
EACH = 3


def corpus():
    """Yield (name, source)."""
    yield "vector cases", vector_cases.source()
    yield from ((f"barriers: {name}", source) for name, (source, _) in BARRIERS.items())
    yield "images", image_cases.source(list(image_cases.KINDS))
    for path in sorted((ROOT / "tests/clients/demo").glob("*.cl")):
        yield path.name, "#define N 64\n" + path.read_text()
    for path in sorted([*ROOT.glob("bench/*.py"), *ROOT.glob("tests/kernels/test_*.py")]):
        yield from ((f"{path.stem} {n}", text) for n, text in enumerate(kernels_in(ast.parse(path.read_text()))))
    yield from ((f"random {seed}", random_kernels.make(seed).source()) for seed in SEEDS)


def kernels_in(node):
    """String constants of a Python file with kernels, but for those that something is put into."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and "kernel void" in node.value:
        yield node.value
    if not isinstance(node, (ast.JoinedStr, ast.BinOp, ast.Attribute)):
        for child in ast.iter_child_nodes(node):
            yield from kernels_in(child)


class Listener:
    """A codegen.Machine that keeps the IR it is given and generates nothing."""

    def __init__(self, machine, heard):
        self.ref, self.datalayout, self.heard = machine.ref, machine.datalayout, heard

    def object(self, module):
        self.heard.append(module.to_text())
        return binary.write_elf({})


@contextmanager
def listening(heard):
    machine = codegen.machine

    @contextmanager
    def listener(*args):
        with machine(*args) as found:
            yield Listener(found, heard)

    with mock.patch.object(codegen, "machine", listener):
        yield


def facts(info):
    """What is known of a kernel, without what is nothing: a field that is new and not used changes no hash."""
    return {name: value for name, value in info.to_dict().items() if value}


def lowered(source, way):
    """A hash of the IR of a source and of what is known of its kernels; what is wrong with it, where it has none."""
    options, arguments, build_options, size = way
    heard, lower = [], pipeline.lower

    def sized(module, target, options, notes=None, group_size=None):
        return lower(module, target, options, notes, size)

    with config.override(CACHE=False, NUM_THREADS=1, **options), listening(heard), \
            mock.patch.object(pipeline, "lower", sized):
        parsed = program.parse_options("-w -cl-std=CL3.0 -DTILE=16 " + build_options)
        device = cpu.CpuTarget(**{"isa": "avx2", **arguments})
        try:
            made = program.link([program.compile_source(source.encode(), {}, parsed, device)], parsed, device)
        except program.CompileError as why:
            return f"error: {hashlib.sha256(why.log.encode()).hexdigest()[:16]}"
    told = json.dumps([facts(info) for info in made.kernels.values()], sort_keys=True)
    return hashlib.sha256("\0".join([*heard, told]).encode()).hexdigest()[:16]


def hashes():
    """{source: {way: hash}}."""
    first, *others = WAYS
    out = {}
    for number, (name, source) in enumerate(corpus()):
        ways = [first, *(way for n, way in enumerate(others) if n % EACH == number % EACH)]
        out[name] = {way: lowered(source, WAYS[way]) for way in ways}
    return out


def differences(before, now):
    """Lines."""
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name, {}), now.get(name, {})
        for way in sorted(old.keys() | new.keys()):
            if old.get(way) != new.get(way):
                yield f"{name}, {way}: {old.get(way, 'nothing')} became {new.get(way, 'nothing')}"


def main(argv=None):
    p = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__.split("\n\n")[0])
    p.add_argument("--save", type=Path, metavar="FILE")
    p.add_argument("--against", type=Path, metavar="FILE")
    args = p.parse_args(argv)
    now = hashes()
    count = sum(len(ways) for ways in now.values())
    errors = sum(text.startswith("error") for ways in now.values() for text in ways.values())
    print(f"{count} modules of {len(now)} sources, {errors} of which are refused")
    if args.save:
        args.save.write_text(json.dumps(now, indent=1) + "\n")
    if args.against:
        lines = list(differences(json.loads(args.against.read_text()), now))
        print("\n".join(lines) or "the same as before")
        return bool(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
