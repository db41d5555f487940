# SPDX-License-Identifier: Apache-2.0
"""Gen programs whose code is damaged: an instruction that there is not is named, and nothing else happens."""
import random

import pytest

from clpy.compiler import target
from clpy.compiler.gen import facts, installed
from clpy.compiler.isa.gcn import translate
from clpy.compiler.isa.gcn.flow import UnknownInstruction
from clpy.device.gpu.rates import rates
from clpy.llvm import codegen
from tests.kernels import models

pytestmark = pytest.mark.skipif(bool(installed.missing()), reason="Intel's compiler is not installed")
CHIP = "skylake-gt2"
SOURCE = """
kernel void a(global double *o, global const double *p) { int i = get_global_id(0); o[i] = p[i] / p[i + 64]; }
kernel void b(global int *o, int k) {
    int t[16], i = get_global_id(0), s = 0;
    for (int j = 0; j < 16; j++) t[j] = o[i * 16 + j];
    for (int j = 0; j < 16; j++) t[(j * k + i) & 15] += t[j] / k;
    for (int j = 0; j < (i & 15); j++) s = j & k ? s * 31 + t[j] : s ^ j;
    o[i] = s + sin((float)s);
}
kernel void c(global int *o, local int *l, read_only image2d_t m) {
    int i = get_local_id(0);
    l[i] = o[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = l[i ^ 5] + atomic_inc(o + 9) + read_imagei(m, (int2)(i, 3)).x + sub_group_reduce_add(i);
}"""


@pytest.fixture(scope="module")
def built():
    return models.build(CHIP, SOURCE, "-cl-std=CL3.0")[0]


def translated(blob, executable, traced):
    program = facts.read_program(blob, executable.kernels, "gen9")
    with codegen.machine(target.host_target(), False) as machine:
        module, _ = translate.translate(program, rates(models.chip_of(CHIP)), traced, machine, "", True)
        module.run_passes("verify", machine.ref)


@pytest.mark.parametrize("traced", [False, True])
def test_changed_bits(built, traced):
    blob, random_ = built.objects[0], random.Random(int(traced))
    program = facts.read_program(blob, built.kernels, "gen9")
    start = blob.index(bytes(program.text[:64]))
    refused = 0
    for _ in range(60):
        changed = bytearray(blob)
        for _ in range(random_.choice([1, 1, 2, 8])):
            kernel = random_.choice(list(program.kernels.values()))
            changed[start + kernel.entry + random_.randrange(kernel.size)] ^= 1 << random_.randrange(8)
        try:
            translated(bytes(changed), built, traced)
        except UnknownInstruction:
            refused += 1
    assert 10 < refused < 60
