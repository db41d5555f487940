# SPDX-License-Identifier: Apache-2.0
"""What host programs see of the models' toolchain, each in a process of its own: parts of binaries, files of
-save-temps, AMD's variables of the environment."""
import os
import subprocess
import sys

import pytest

HOST = """
import sys
import numpy as np
import pyopencl as cl
from clpy.compiler import binary
SOURCE = '''
#ifndef N
#define N 1
#endif
kernel void add(global int *a) { a[get_global_id(0)] += N; }
kernel void other(global float *a) { a[get_global_id(0)] = sin(a[0]); }
'''
devices = [d for p in cl.get_platforms() if p.name == "clpy" for d in p.get_devices()]
context = cl.Context(devices[:1])
queue = cl.CommandQueue(context)

def built(options=()):
    return cl.Program(context, SOURCE).build(list(options), cache_dir=False)

def sum_of(program):
    a = np.arange(64, dtype=np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
    cl.Kernel(program, "add")(queue, (64,), None, buffer)
    cl.enqueue_copy(queue, a, buffer)
    return int(a.sum()) - 2016

def sections(blob):
    return sorted(section.name for section in binary.read_sections(blob) if section.name not in ("", ".shstrtab"))

def again(blob):
    return cl.Program(context, devices[:1], [blob]).build()
"""


def run(body, devices="gpu:tahiti", folder=None, **environment):
    """What a host program prints, line by line."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", HOST + body], capture_output=True, text=True,
                          cwd=folder, timeout=300, env={**os.environ, "CLPY_DEVICES": devices, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_parts_of_binaries():
    rows = run("""
for options in ([], ["-fbin-source"], ["-fno-bin-llvmir", "-fno-bin-amdil"], ["-fno-bin-exe", "-fno-bin-amdil"],
                ["-fbin-source", "-fno-bin-exe", "-fno-bin-llvmir"], ["-fno-bin-exe", "-fbin-exe", "-fbin-hsail"]):
    blob = built([*options, "-DN=3"]).get_info(cl.program_info.BINARIES)[0]
    print(*sections(blob), sum_of(again(blob)), sections(blob) == sections(again(blob).binaries[0]))
""")
    usual = ".comment .llvmir .text"
    assert rows == [f"{parts} 192 True" for parts in (
        usual, ".comment .llvmir .source .text", ".comment .text", ".comment .llvmir", ".comment .source", usual)]


def test_another_chips_binary_is_refused():
    rows = run("""
blob = built().binaries[0]
try:
    cl.Program(cl.Context(devices[1:2]), devices[1:2], [blob]).build()
except cl.LogicError as error:
    print(error.code == cl.status_code.INVALID_BINARY)
""", "gpu:tahiti,gpu:vega10")
    assert rows == ["True"]


@pytest.mark.parametrize(("option", "prefix"), [("-save-temps", "_temp"), ("-save-temps=aaa", "aaa")])
def test_temporary_files(tmp_path, option, prefix):
    body = f"built(['{option}']); built(['{option}'])"
    for _ in range(2):          # the second finds the program in the cache
        run(body, folder=tmp_path)
    names = [f"{prefix}_{n}_tahiti_{kernel}.{ending}" for n in range(4) for kernel in ("add", "other")
             for ending in ("il", "isa")] + [f"{prefix}_{n}_tahiti.s" for n in range(4)]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert "amdgpu_kernel void @add(" in (tmp_path / names[0]).read_text() and "@other" not in (
        tmp_path / names[0]).read_text()
    code = (tmp_path / names[1]).read_text()
    assert "s_endpgm" in code and code.startswith("       0  ")


def test_temporary_files_that_cannot_be_written(tmp_path):
    rows = run(f"""
program = built(["-save-temps={tmp_path}/none/x"])
print(sum_of(program), program.get_build_info(devices[0], cl.program_build_info.LOG).strip())
""")
    assert rows == [f"64 warning: -save-temps: {tmp_path}/none/x_0_tahiti_add.il: No such file or directory"]


def test_options_of_the_environment():
    body = "print(sum_of(built(['-DN=3'])), sum_of(built()))"
    assert run(body, AMD_OCL_BUILD_OPTIONS_APPEND="-DN=5 -w") == ["320 320"]
    assert run(body, AMD_OCL_BUILD_OPTIONS="-cl-mad-enable") == ["64 64"]
    assert run(body, AMD_OCL_BUILD_OPTIONS="-DN=2", AMD_OCL_BUILD_OPTIONS_APPEND="-w") == ["128 128"]
    assert run(body, "cpu", AMD_OCL_BUILD_OPTIONS="-DN=2") == ["192 64"]
    wrong = """
try:
    built()
except cl.Error as error:
    print(error.code, 'unknown option -no' in str(error))
"""
    assert run(wrong, AMD_OCL_BUILD_OPTIONS="-no") == ["-43 True"]


@pytest.mark.parametrize(("ordinals", "names"), [
    ("", ["cpu", "Tahiti", "Hawaii", "Fiji"]), ("0", ["cpu", "Tahiti"]), (" 1,2 ", ["cpu", "Hawaii", "Fiji"]),
    ("7", ["cpu"]), ("x", ["cpu"])])
def test_numbers_of_devices(ordinals, names):
    rows = run("print(*[d.name.split()[0] if d.type == cl.device_type.GPU else 'cpu' for d in devices])",
               "cpu,gpu:tahiti,gpu:hawaii,gpu:fiji", GPU_DEVICE_ORDINAL=ordinals)
    assert rows == [" ".join(names)]


def test_what_is_no_number_of_a_device_is_said():
    code = "import pyopencl as cl; print(len([d for p in cl.get_platforms() for d in p.get_devices()]))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60,
                          env=os.environ | {"CLPY_DEVICES": "cpu,gpu,gpu:fiji", "GPU_DEVICE_ORDINAL": "1,x,-1,9"})
    assert (done.stdout, done.stderr) == ("2\n", "clpy: GPU_DEVICE_ORDINAL: x is ignored: it takes numbers of GPUs, "
                                          "from 0 on\n")
