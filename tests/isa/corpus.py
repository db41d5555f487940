# SPDX-License-Identifier: Apache-2.0
"""Which instructions LLVM, and Intel's compiler, emit for kernels, and whether the translator knows them: `python -m
tests.isa.corpus [FOLDER ...]` builds the repository's kernels, or all files *.cl below the folders, for each chip. What
does not build on the CPU device is left out.

Exit code 0: all that builds there builds for the chips, but for what a chip's language or memory has no room for; 1:
something does not, and is printed.
"""
import argparse
import json
import os
import re
import select
import signal
import sys
import traceback
from collections import Counter
from pathlib import Path

from clpy import config
from clpy.compiler import program as cpu_program
from clpy.compiler.amdgpu import facts, program
from clpy.compiler.amdgpu.target import ChipTarget
from clpy.compiler.cpu import CpuTarget
from clpy.compiler.gen import facts as gen_facts
from clpy.compiler.gen.program import program as gen_program
from clpy.compiler.gen.target import PROCESSORS as GEN
from clpy.compiler.gen.target import GenTarget
from clpy.compiler.isa.gcn import translate
from clpy.compiler.isa.gcn.decode import parse
from clpy.compiler.options import parse_options
from clpy.device.gpu import chip as chips
from clpy.device.gpu.rates import rates
from clpy.errors import CLError, CompileError
from clpy.llvm import codegen

from .. import replay

# What a chip lacks: pointers to any memory and what needs them, 16-bit floats, local memory. Clang says where.
OF_THE_CHIP = re.compile(r"<source>:\d+:\d+: error:|pointer that may lead to memory of several|memory \(\d+\) exceeds")
SECONDS = 300                    # for one program
OWN = "-w -cl-std=CL3.0 -DTILE=16"       # options of the repository's kernels
FIRST_LINES = 3                  # of a build log that are printed


def options_of(path, root):
    """A file's includes are sought in its folder, and in those above it."""
    folders = [path.parent, *[each for each in path.parents if root in each.parents or each == root]]
    return " ".join(f'-I "{each}"' for each in dict.fromkeys(folders))


def sources(roots, more):
    """Yield (name, source, options); `more` are for all files."""
    if not roots:
        yield from ((name, source.encode(), OWN) for name, source in replay.corpus())
    for root in roots:
        for path in sorted(root.rglob("*.cl")):
            yield str(path.relative_to(root)), path.read_bytes(), f"{options_of(path, root)} {more}"


def build(source, options, processor, whole):
    """{instruction: how often}, for one chip."""
    if processor in GEN:
        executable = gen_program.build(source, options, GenTarget(processor))
        made = gen_facts.read_program(executable.objects[0], executable.kernels, processor)
    else:
        executable = program.build(source, options, ChipTarget(processor))
        made = facts.read_program(executable.objects[0], executable.kernels)
    with codegen.machine(CpuTarget(), False) as machine:
        module, _ = translate.translate(made, rates(one_with(processor)), False, machine, is_brief=True)
        if whole:
            translate.compile(module, machine, is_brief=True)
    return Counter(names(made, processor))


def names(made, processor):
    """Of the instructions."""
    if processor not in GEN:
        return [parse(each.text).name for each in made.listing]
    code = translate.decoder_of(made)
    return [each.name for kernel in made.kernels.values() for block in code.flow(kernel).blocks.values()
            for each in block.instructions]


def builds_on_the_cpu(source, options):
    try:
        return bool(cpu_program.build(source, options, CpuTarget()).kernels)
    except CompileError:
        return False


def each_chip(source, text, processors, whole, said):
    """Writes a line of JSON for each processor: (processor, instructions, what is wrong), or none where the CPU device
    does not build it either."""
    asked = False
    options = parse_options(text)
    for processor in processors:
        found, wrong = {}, ""
        try:
            found = build(source, options, processor, whole)
        except CompileError as error:
            wrong = "\n".join((error.log or str(error)).splitlines()[:FIRST_LINES])
        except Exception:
            wrong = traceback.format_exc(limit=-2)
        if wrong and not asked:
            asked = True
            if not builds_on_the_cpu(source, options):
                return
        said.write(json.dumps([processor, found, wrong]) + "\n")
        said.flush()


def apart(*arguments):
    """What each_chip() says in a process of its own: one that crashes or hangs costs only itself."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        signal.alarm(SECONDS)
        with open(theirs, "w") as said:
            each_chip(*arguments, said)
        os._exit(0)
    os.close(theirs)
    with open(ours) as heard:
        select.select([heard], [], [])
        rows = [json.loads(line) for line in heard if line.endswith("\n")]
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return rows + ([["", {}, f"ends with status {status}"]] if status else [])


class Corpus:
    def __init__(self, processors, whole):
        self.processors, self.whole = processors, whole
        self.counts = {each: Counter() for each in processors}
        self.programs = self.left_out = 0
        self.failures, self.lacking = {}, {}     # by name of a program: the processors

    def add(self, name, source, options):
        rows = apart(source, options, self.processors, self.whole)
        self.programs += bool(rows)
        self.left_out += not rows
        for processor, found, wrong in rows:
            if wrong and OF_THE_CHIP.search(wrong):
                self.lacking.setdefault(name, []).append(processor)
            elif wrong:
                self.failures.setdefault(name, []).append(processor)
                print(f"{name}, {processor or 'all'}: {wrong}", flush=True)
            self.counts.setdefault(processor, Counter()).update(found)

    def tell(self):
        """For the page: a table of the processors."""
        print(f"{self.programs} programs, {self.left_out} that the CPU device does not build either; "
              f"{len(self.failures)} that fail: {', '.join(self.failures) or 'none'}")
        for name, processors in self.lacking.items():
            print(f"{name} is not for {', '.join(processors)}")
        print("\n| processor | chips | kinds of instruction | instructions |\n|---|---|---|---|")
        models = known_chips()
        for processor in self.processors:
            names = ", ".join(f"`{each.name}`" for each in models if each.identity.processor == processor)
            count = self.counts[processor]
            print(f"| {processor} | {names} | {len(count)} | {count.total():,} |")
        every = set().union(*self.counts.values())
        print(f"\n{len(every)} kinds in all; unknown ones are among the failures above.")


def known_chips():
    """Of VLIW chips LLVM's text is not what is executed."""
    return [each for each in map(chips.load, chips.compiled_for()) if not each.is_vliw]


def one_with(processor):
    return next(each for each in known_chips() if each.identity.processor == processor)


def main():
    every = sorted({each.identity.processor for each in known_chips()})
    parser = argparse.ArgumentParser(prog="python -m tests.isa.corpus", description=__doc__.split("\n\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--processors", type=lambda text: re.findall(r"\w+", text), default=every, metavar="A,B,...",
                        help=f"of: {', '.join(every)}")
    parser.add_argument("--options", default="", metavar="TEXT", help="of clBuildProgram, for files of folders")
    parser.add_argument("--whole", action="store_true", help="compile what was translated, too")
    given = parser.parse_args()
    if wrong := [each for each in given.processors if each not in every]:
        parser.error(f"there is no chip with {wrong[0]}")
    if missing := [each for each in given.folders if not each.is_dir()]:
        parser.error(f"{missing[0]} is no folder")
    try:
        parse_options(given.options)
    except CLError as why:
        parser.error(f"--options: {why.why}")
    corpus = Corpus(given.processors, given.whole)
    with config.override(CACHE=False):
        for each in sources([folder.resolve() for folder in given.folders], given.options):
            corpus.add(*each)
    corpus.tell()
    return 1 if corpus.failures else 0


if __name__ == "__main__":
    sys.exit(main())
