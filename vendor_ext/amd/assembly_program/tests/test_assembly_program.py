# SPDX-License-Identifier: Apache-2.0
"""cl_amd_assembly_program: kernels written in the instructions of chips of four generations, what can be asked of them,
their binaries, and texts and calls that are wrong."""
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from texts import PROCESSORS, text_for

HERE = Path(__file__).resolve().parent
TESTS = HERE.parents[3] / "tests"
HOST = "from host import *\nfrom texts import PROCESSORS, text_for\n"


def run(body, devices):
    done = subprocess.run([sys.executable, "-c", HOST + body], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": devices, "PYTHONPATH": f"{TESTS}:{HERE}"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_kernels_of_four_generations():
    """One is a sum with an argument by value, the other goes through local memory with a barrier."""
    assert run("""
for device, processor in zip(chips(), PROCESSORS.values()):
    context = context_of(device)
    program, error = built(context, text_for(processor).encode())
    print(error, log(program, device), run_both(context, device, program) == right(),
          "cl_amd_assembly_program" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split())
""", ",".join(f"gpu:{chip}" for chip in PROCESSORS)) == ["CL_SUCCESS  True True"] * 4


def test_what_can_be_asked():
    rows = run("""
device, = chips()
context = context_of(device)
text = text_for("gfx900")
program, _ = create(context, text[:500].encode(), text[500:].encode() + b"what is behind the length",
                    lengths=(ctypes.c_size_t * 2)(0, len(text) - 500))
print(api.text("clGetProgramInfo", program, E.PROGRAM_SOURCE) == text, api.info("clGetProgramInfo", program,
      E.PROGRAM_IL), api.error("clCompileProgram", program, 0, None, b"", 0, None, None, None, None), build(program))
print(api.text("clGetProgramInfo", program, E.PROGRAM_KERNEL_NAMES),
      api.number("clGetProgramBuildInfo", program, device, E.PROGRAM_BINARY_TYPE) == E.PROGRAM_BINARY_TYPE_EXECUTABLE)
scale, turn = (api.make("clCreateKernel", program, name) for name in (b"scale", b"turn"))
print(*(api.text("clGetKernelArgInfo", scale, i, what) for i in range(3)
        for what in (E.KERNEL_ARG_NAME, E.KERNEL_ARG_TYPE_NAME)))
print(api.number("clGetKernelArgInfo", scale, 0, E.KERNEL_ARG_TYPE_QUALIFIER),
      api.number("clGetKernelArgInfo", scale, 1, E.KERNEL_ARG_ADDRESS_QUALIFIER) == E.KERNEL_ARG_ADDRESS_GLOBAL,
      api.error("clGetKernelArgInfo", turn, 0, E.KERNEL_ARG_NAME, 0, None, None))
print(api.text("clGetKernelInfo", scale, E.KERNEL_ATTRIBUTES),
      api.number("clGetKernelWorkGroupInfo", turn, device, E.KERNEL_LOCAL_MEM_SIZE),
      api.number("clGetKernelWorkGroupInfo", turn, device, E.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE))
queue = api.make("clCreateCommandQueue", context, device, E.QUEUE_PROFILING_ENABLE)
data = api.make("clCreateBuffer", context, 0, 1024, None)
api.ok("clSetKernelArg", turn, 0, 8, handles(data))
api.ok("clSetKernelArg", turn, 1, 256, None)
event = c_void_p()
api.ok("clEnqueueNDRangeKernel", queue, turn, 1, None, sizes(64), sizes(64), 0, None, byref(event))
api.ok("clFinish", queue)
start, end = (api.number("clGetEventProfilingInfo", event, what) for what in (E.PROFILING_COMMAND_START,
                                                                              E.PROFILING_COMMAND_END))
print(0 < end - start < 1_000_000, api.error("clEnqueueNDRangeKernel", queue, scale, 1, None, sizes(64), None, 0, None,
      None), api.error("clSetKernelArg", scale, 2, 8, byref(ctypes.c_int64())))
""", "gpu:vega10")
    assert rows == ["True b'' CL_INVALID_OPERATION CL_SUCCESS", "scale;turn True", "in int* out int* add int",
                    "1 True CL_KERNEL_ARG_INFO_NOT_AVAILABLE", "reqd_work_group_size(64,1,1) 16 64",
                    "True CL_INVALID_KERNEL_ARGS CL_INVALID_ARG_SIZE"]


def test_a_binary_has_the_machine_code_alone():
    """There is no bitcode to compile for another chip, and none to leave the code out for."""
    assert run("""
tahiti, hawaii = chips()
context = context_of(tahiti)
program, error = built(context, text_for("gfx600").encode(), b"-fno-bin-exe")
size = api.number("clGetProgramInfo", program, E.PROGRAM_BINARY_SIZES)
room = ctypes.create_string_buffer(size)
api.ok("clGetProgramInfo", program, E.PROGRAM_BINARIES, 8, byref(c_void_p(ctypes.addressof(room))), None)

def load(context, device):
    return api.new("clCreateProgramWithBinary", context, 1, handles(device), sizes(size),
                   handles(ctypes.addressof(room)), None)

again, error = load(context, tahiti)
print(error, build(again), run_both(context, tahiti, again) == right(), b"amdgpu_metadata" in room.raw,
      api.text("clGetProgramInfo", again, E.PROGRAM_SOURCE) == "")
print(load(context_of(hawaii), hawaii)[1])
""", "gpu:tahiti,gpu:hawaii") == ["CL_SUCCESS CL_SUCCESS True False True", "CL_INVALID_BINARY"]


# What is replaced, by what, and what the build log says of it.
LIES = {
    "no metadata": ((".amdgpu_metadata", ".end_amdgpu_metadata"), "", "no metadata"),
    "an argument outside": (".offset: 16", ".offset: 22", "outside the kernarg segment"),
    "an argument far outside": (".offset: 16", ".offset: 4294967290", "metadata: .offset"),
    "a huge value": ("        .size: 4\n        .value_kind: by_value",
                     "        .size: 1000000\n        .value_kind: by_value", "metadata: .size"),
    "a huge segment": (".kernarg_segment_size: 24", ".kernarg_segment_size: 1048576",
                       "the metadata has 1048576 bytes of arguments, the descriptor 24"),
    "local memory": (".group_segment_fixed_size: 16", ".group_segment_fixed_size: 4096",
                     "the metadata has 4096 bytes of local memory, the descriptor 16"),
    "private memory": (".private_segment_fixed_size: 0", ".private_segment_fixed_size: 1000000",
                       "the metadata has 1000000 bytes of private memory, the descriptor 0"),
    "registers": (".vgpr_count: 5", ".vgpr_count: 200", "the metadata has 200 vector registers, the descriptor 8"),
    "a pointer of four bytes": (".offset: 8\n        .size: 8", ".offset: 8\n        .size: 4", ".size is 4"),
    "another kernel": (".symbol: scale.kd", ".symbol: turn.kd", "kernel scale begins elsewhere"),
    "no such kernel": (".name: scale", ".name: stale", "no code of kernel stale"),
    "a name that is none": (".name: scale", ".name: 'a b'", "cannot be called 'a b'"),
    "two of a name": (".name: turn\n    .symbol: turn.kd", ".name: scale\n    .symbol: scale.kd", "two kernels scale"),
    "a kind of argument": (".value_kind: by_value", ".value_kind: queue", "not taken: queue"),
    "an image": (".value_kind: by_value", ".value_kind: image", ".size is 4"),
    "half a group": ("[64, 1, 1]", "[64, 1]", "invalid HSA metadata"),
    "no group": ("[64, 1, 1]", "[64, 0, 1]", "not three sizes"),
    "another chip": ("gfx600", "gfx803", "<source>:1:16: error: .amdgcn_target directive's target id"),
    "an instruction": ("v_mov_b32 v2, s5", "v_move_b32 v2, s5", ": error: "),
    "one of another chip": ("v_mov_b32 v2, s5", "v_fma_f16 v2, v2, v2, v2", "not supported on this GPU"),
    "data as code": ("s_endpgm", ".long 0xffffffff", "0x"),
    "a branch to nowhere": ("s_endpgm", "s_branch 0x7000", "0x"),
    "an undefined symbol": ("s_mov_b32 m0, -1", "s_mov_b32 m0, nobody@rel32@lo", "nobody"),
    "a file": ("  s_endpgm", '.incbin "/etc/passwd"', "Could not find"),
    "too much": ("  s_endpgm", ".rept 2000000000\ns_nop 0\n.endr", "Allocation failed"),
}


def replaced(text, what, by):
    if isinstance(what, tuple):         # all between the two, both included
        return text[:text.index(what[0])] + by + text[text.index(what[1]) + len(what[1]):]
    assert what in text
    return text.replace(what, by, 1)


def test_texts_that_are_wrong():
    good = text_for("gfx600")
    wrong = {name: (replaced(good, what, by), said) for name, (what, by, said) in LIES.items()}
    wrong["nothing"] = " ", "no metadata"
    wrong["half of it"] = good[:len(good) // 2], "error: "
    wrong["noise"] = "\n".join(chr(33 + i * 7 % 94) * (i % 9) for i in range(400)), "error: "
    rows = run(f"""
device, = chips()
context = context_of(device)
for name, (text, said) in {wrong!r}.items():
    program, error = built(context, text.encode())
    if error != "CL_BUILD_PROGRAM_FAILURE" or said not in log(program, device):
        print(name, error, log(program, device)[:300])
    api.ok("clReleaseProgram", program)
program, error = built(context, text_for("gfx600").encode())
print(run_both(context, device, program) == right())
""", "gpu:tahiti")
    assert rows == ["True"]


def test_calls_that_are_wrong():
    """As clCreateProgramWithSource has it; where no device takes assembly, as clCreateProgramWithIL."""
    assert run("""
cpu, gpu = api.devices()
both, host = context_of(cpu, gpu), context_of(cpu)
text = text_for("gfx600").encode()
print(create(None, text)[1], create(both)[1], create(both, None)[1], create(both, text, None)[1], create(host, text)[1],
      api.new("clCreateProgramWithAssemblyAMD", both, 1, None, None)[1])
program, error = create(both, text)
print(error, build(program), log(program, cpu).strip(), log(program, gpu))
print(api.error("clBuildProgram", program, 1, handles(gpu), b"-nonsense", None, None),
      api.error("clBuildProgram", program, 1, handles(gpu), None, None, None), run_both(both, gpu, program) == right())
print(create(both, b"")[1], "cl_amd_assembly_program" in api.text("clGetDeviceInfo", cpu, E.DEVICE_EXTENSIONS))
""", "cpu,gpu:tahiti") == [
        "CL_INVALID_CONTEXT CL_INVALID_VALUE CL_INVALID_VALUE CL_INVALID_VALUE CL_INVALID_OPERATION CL_INVALID_VALUE",
        "CL_SUCCESS CL_BUILD_PROGRAM_FAILURE error: this device takes no assembly ",
        "CL_INVALID_BUILD_OPTIONS CL_SUCCESS True", "CL_SUCCESS False"]


@pytest.mark.parametrize("processor", ["gfx600", "gfx900"])
def test_characters_that_are_wrong(processor):
    """In the process that a build asks: the text is refused, or its code can be translated or not."""
    from clpy.compiler.amdgpu import assembler, described, facts
    from clpy.compiler.isa import native
    from clpy.compiler.options import parse_options
    from clpy.compiler.program import Executable
    from clpy.compiler.target import host_target
    from clpy.errors import CompileError
    rng, good, made = random.Random(15), text_for(processor), 0
    for _ in range(60):
        text = list(good)
        text[rng.randrange(len(text))] = chr(rng.randrange(32, 127))
        try:
            blob = assembler.assemble_here(("".join(text).encode(), processor))
            blob = blob[8:8 + int.from_bytes(blob[:8], "little")]
            infos = described.read_kernels(blob)
            described.check(facts.read_program(blob, infos))
            native.translated(Executable(b"", [blob], infos, parse_options("")), host_target(), None, "", False, False)
            made += 1
        except (CompileError, ValueError):
            pass
    assert 0 < made < 60
