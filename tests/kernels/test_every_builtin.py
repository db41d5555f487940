# SPDX-License-Identifier: Apache-2.0
"""Every function and type that Clang has for OpenCL C becomes code or a build error; none ends the process.

A child process builds, so that a crash is seen; many kernels at a time, of which those leave that an error names.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from . import every_builtin

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = 60
BUILT, REFUSED = "built", "refused"


def lines_at_fault(log, lines):
    """Numbers of the lines that errors are about, by the compiler's word or by the function they name."""
    wrong = {int(n) - 1 for n in re.findall(r"^<source>:(\d+):\d+: error", log, re.MULTILINE)}
    for name in re.findall(r"^error: .*?'(\w+)'", log, re.MULTILINE):
        wrong |= {n for n, line in enumerate(lines) if re.search(rf"\b{name}\(", line)}
    return wrong


def build_lines(lines, options, compile_source):
    """Yield (line, what became of it): first all together, then without those at fault, one by one at last."""
    while lines:
        log = compile_source("\n".join(lines), options)
        wrong = lines_at_fault(log, lines) if log else set()
        if not log or (not wrong and len(lines) == 1):
            yield from ((line, REFUSED if log else BUILT) for line in lines)
            return
        if not wrong:
            for line in lines:
                yield from build_lines([line], options, compile_source)
            return
        yield from ((lines[n], REFUSED) for n in wrong)
        lines = [line for n, line in enumerate(lines) if n not in wrong]


def serve():
    """The child: jobs [kernels, options] as lines of JSON; the answer counts what was built and what was refused."""
    from clpy.compiler import program
    from clpy.compiler.cpu import CpuTarget
    from clpy.compiler.options import parse_options
    target = CpuTarget(isa="avx2")

    def compile_source(source, options):
        """The build's log; empty when it is right."""
        parsed = parse_options(options)
        try:
            module, _, _ = program.run_frontend(source.encode(), {}, parsed, target)
            program.finish(module, parsed, target, program.Clock())
        except program.CompileError as why:
            return why.log or "nothing said"
        return ""

    for line in sys.stdin:
        kernels, options = json.loads(line)
        outcome = [what for _, what in build_lines(kernels, options, compile_source)]
        print(json.dumps([outcome.count(BUILT), outcome.count(REFUSED)]), flush=True)


class Child:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-m", "tests.kernels.test_every_builtin"], cwd=ROOT, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def build(self, kernels, options):
        """(built, refused)"""
        self.process.stdin.write(json.dumps([kernels, options]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            pytest.fail(f"{options}: the process ended with {self.process.wait()}:\n" + "\n".join(kernels))
        return json.loads(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def child():
    child = Child()
    yield child
    child.end()


def test_every_function_of_the_header(child):
    kernels = [every_builtin.kernel(n, p) for n, p in enumerate(every_builtin.prototypes())]
    assert len(kernels) > 1000
    built = refused = 0
    for at in range(0, len(kernels), AT_ONCE):
        counts = child.build(kernels[at:at + AT_ONCE], "-cl-std=CL2.0 -cl-opt-disable")
        built, refused = built + counts[0], refused + counts[1]
    assert built + refused == len(kernels)
    assert built > 500              # else the kernels are wrong, and nothing was tested


@pytest.mark.parametrize("options", ["-cl-std=CL2.0", "-cl-std=CL3.0 -cl-opt-disable"])
def test_pipes_queues_and_borrowed_names(child, options):
    """Pipes are there since 2.0. No device has queues: what needs them is refused, in each version of the language."""
    pipes = every_builtin.pipes(every_builtin.PIPE)
    assert sum(child.build([kernel], options)[0] for kernel in pipes) == len(pipes)
    refused = [*every_builtin.pipes(every_builtin.PIPE_REFUSED), *every_builtin.queues()]
    assert sum(child.build([kernel], options)[1] for kernel in refused) == len(refused)
    for kernel in every_builtin.OTHERS:      # one or the other
        child.build([kernel], options)


if __name__ == "__main__":
    serve()
