# SPDX-License-Identifier: Apache-2.0
"""What of the standard library clpy leaves alone, as importing it changes something of the host program: `signal` takes
SIGINT, `threading` takes the thread that imports it first for the main one."""
import subprocess
import sys
from pathlib import Path

from spirv_source import kernel

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
from clpy.api import entries, process
from clpy.compiler import program
from clpy.compiler.options import BUILD, parse_options
from clpy.compiler.target import host_target
import clpy.core.specialize
target = host_target()
parsed = parse_options("-DA", BUILD)
for product in (program.build(b"kernel void k(global float *x) { *x = sin(*x); }", parsed, target),
                program.build_il(open(sys.argv[2], "rb").read(), parsed, target)):
    assert product.kernels, product.log
    program.load(product, target)
try:
    program.build(b"kernel void k(global float *x) { *x = ; }", parsed, target)
except program.CompileError:
    pass
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""
LEFT_ALONE = {"signal", "_signal", "threading", "subprocess", "concurrent", "multiprocessing", "asyncio", "logging"}


def test_builds_import_nothing_that_changes_the_host(tmp_path):
    module = tmp_path / "module.spv"
    module.write_bytes(kernel())
    done = subprocess.run([sys.executable, "-I", "-S", "-c", SCRIPT, ROOT, module], capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "clpy" in done.stdout.split() and LEFT_ALONE & set(done.stdout.split()) == set()
