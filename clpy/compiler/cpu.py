# SPDX-License-Identifier: Apache-2.0
"""The target of the CPU device: instruction sets of x86-64, and what OpenCL C may assume of it.

Name and features of the CPU are asked for at the first build, which loads LLVM.
"""
from clpy import extensions
from clpy.compiler.target import COMMON_EXTENSIONS, FACTS, FLOAT_ATOMICS, IMAGE_FEATURES, SUB_GROUP_EXTENSIONS, Target

# Extensions of the CPU device (those Clang has a name for gate its declarations), and OpenCL C 3.0 features. The
# builtin library has all of them; whoever adds one here adds its functions there.
CPU_EXTENSIONS = (
    *COMMON_EXTENSIONS,
    "cl_ext_cxx_for_opencl",
    "cl_ext_float_atomics",
    "cl_khr_fp16",
    "cl_khr_async_work_group_copy_fence",
    "cl_khr_extended_async_copies",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_work_group_uniform_arithmetic",
    *SUB_GROUP_EXTENSIONS,
    *extensions.of_language("cpu"),
)
CPU_FEATURES = (
    "__opencl_c_int64",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_pipes",
    "__opencl_c_device_enqueue",
    "__opencl_c_work_group_collective_functions",
    *IMAGE_FEATURES,
    "__opencl_c_subgroups",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_kernel_clock_scope_sub_group",
    *FLOAT_ATOMICS,
    *extensions.features_of_language("cpu"),
)

# Level of x86-64 -> what LLVM calls the last feature it brings, and the width of its registers in bits.
LEVELS = (
    ("x86-64-v4", "+avx512vl", 512),
    ("x86-64-v3", "+avx2", 256),
    ("x86-64-v2", "+sse4.2", 128),
    ("x86-64", "", 128),
)
ISA_LEVEL = {"avx512": "x86-64-v4", "avx2": "x86-64-v3", "sse4.2": "x86-64-v2"}


# AMD's, which LLVM puts bytes together with: insertq takes as long as a hundred other instructions on Zen 3.
SLOW = "sse4a"


class CpuTarget(Target):
    """`isa` is config.CPU_ISA's word."""
    FACTS = FACTS | {"name": "cpu", "triple": "x86_64-unknown-linux-gnu", "extensions": CPU_EXTENSIONS,
                     "c_features": CPU_FEATURES, "macros": ("__CPU__", "__X86_64__"), "isa": "native"}

    _known_machine = None

    @property
    def _machine(self):
        if self._known_machine is None:
            from clpy.llvm.codegen import host_cpu
            self._known_machine = choose(self.isa, *host_cpu())
        return self._known_machine

    @property
    def cpu(self):
        """LLVM's name of the CPU."""
        return self._machine[0]

    @property
    def features(self):
        return self._machine[1]

    @property
    def vector_bits(self):
        return self._machine[2]


def choose(isa, cpu, features):
    """(cpu, features, bits) for an ISA word, on a host with LLVM's `cpu` ("" or "generic": unknown) and `features`.

    More than the host has is never chosen: its best level is taken instead.
    """
    have = set(features.split(","))
    best = next(i for i, (_, mark, _) in enumerate(LEVELS) if not mark or mark in have)
    wanted = [i for i, (level, _, _) in enumerate(LEVELS) if level == ISA_LEVEL.get(isa)]
    if wanted and wanted[0] >= best:
        level, _, bits = LEVELS[wanted[0]]
        return level, tuning(bits), bits
    level, _, bits = LEVELS[best]
    if cpu in ("", "generic") or cpu.startswith("x86-64"):
        cpu = level
    return cpu, ",".join([*sorted(have - {"", f"+{SLOW}"}), f"-{SLOW}", *filter(None, [tuning(bits)])]), bits


def tuning(bits):
    """LLVM holds back from 512-bit registers on CPUs that once slowed down for them; kernels are worth it."""
    return "-prefer-256-bit" if bits == 512 else ""
