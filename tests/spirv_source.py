# SPDX-License-Identifier: Apache-2.0
"""SPIR-V for tests: from assembly by spirv-as, from OpenCL C by Clang's own SPIR-V back end."""
import os
import subprocess
from functools import cache
from pathlib import Path

CLANG = Path(os.environ.get("CLPY_LLVM_PREFIX", "/usr/lib/llvm-22"), "bin", "clang")

# A kernel k(global uint *out) that stores what `body` computes as %value; `types` stand before it.
KERNEL = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpCapability Int16
OpCapability Float64
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
{decorations}
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%bool = OpTypeBool
%pointer = OpTypePointer CrossWorkgroup %uint
%signature = OpTypeFunction %void %pointer
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
{types}
%k = OpFunction %void None %signature
%out = OpFunctionParameter %pointer
%entry = OpLabel
{body}
OpStore %out %value Aligned 4
OpReturn
OpFunctionEnd
"""


@cache
def assemble(text, version="1.0"):
    """The module of SPIR-V assembly, as bytes."""
    command = ["spirv-as", "--target-env", f"spv{version}", "--preserve-numeric-ids", "-o", "-", "-"]
    return subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


def kernel(body="%value = OpIAdd %uint %one %one", types="", decorations="", version="1.0"):
    return assemble(KERNEL.format(body=body, types=types, decorations=decorations), version)


@cache
def compiled(source, options=("-cl-std=CL3.0",), level="-O1"):
    """The module that Clang makes of OpenCL C, as bytes."""
    command = [CLANG, "-x", "cl", *options, "-target", "spirv64-unknown-unknown", level, "-c", "-o", "-", "-"]
    return subprocess.run(command, input=source.encode(), stdout=subprocess.PIPE, check=True).stdout


@cache
def of_hip(source):
    """The module that Clang makes of HIP, as bytes: its kernels are C++, their pointers lead to any memory."""
    ir = [CLANG, "-x", "hip", "--offload-targets=spirv64-unknown-unknown", "--cuda-device-only", "-nogpuinc",
          "-nogpulib", "-O2", "-emit-llvm", "-S", "-o", "-", "-"]
    text = subprocess.run(ir, input=source.encode(), stdout=subprocess.PIPE, check=True).stdout
    code = [CLANG, "-x", "ir", "-target", "spirv64v1.2-unknown-unknown", "-c", "-o", "-", "-"]
    return subprocess.run(code, input=text, stdout=subprocess.PIPE, check=True).stdout
