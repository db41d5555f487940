# SPDX-License-Identifier: Apache-2.0
"""What a device's code is compiled for, and what OpenCL C may assume of the device.

Importing this, or making a Target, loads no LLVM: name and features of the CPU are asked for at the first build.
"""
from clpy import config

# What belongs to images; a device with CL_DEVICE_IMAGE_SUPPORT has all of it.
IMAGE_EXTENSIONS = ("cl_khr_3d_image_writes", "cl_khr_depth_images", "cl_khr_mipmap_image",
                    "cl_khr_mipmap_image_writes", "cl_khr_srgb_image_writes")
IMAGE_FEATURES = ("__opencl_c_images", "__opencl_c_3d_image_writes", "__opencl_c_read_write_images")

# Extensions of the CPU device (those Clang has a name for gate its declarations), and OpenCL C 3.0 features. The
# builtin library has all of them; whoever adds one here adds its functions there.
CPU_EXTENSIONS = (
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_byte_addressable_store",
    "cl_khr_fp64",
    *IMAGE_EXTENSIONS,
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
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
    *IMAGE_FEATURES,
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_kernel_clock_scope_sub_group",
)

# Level of x86-64 -> what LLVM calls the last feature it brings, and the width of its registers in bits.
LEVELS = (
    ("x86-64-v4", "+avx512vl", 512),
    ("x86-64-v3", "+avx2", 256),
    ("x86-64-v2", "+sse4.2", 128),
    ("x86-64", "", 128),
)
ISA_LEVEL = {"avx512": "x86-64-v4", "avx2": "x86-64-v3", "sse4.2": "x86-64-v2"}


class Target:
    """`isa` is config.CPU_ISA's word; `version` the device's __OPENCL_VERSION__, `c_version` the highest OpenCL C.

    `lockstep`: work-items of a wavefront (16, 32 or 64) that run in lock-step; 0: as many as are fast. `observed`: each
    launch has a clpy_observer, which the kernels tell what their wavefronts do (docs/lockstep.md). `initialize`: what
    kernels find cleared, as CL_CONTEXT_MEMORY_INITIALIZE_* say.

    Not to be changed once made. No dataclass: importing that costs more than all else clGetPlatformIDs waits for.
    """

    def __init__(self, name="cpu", triple="x86_64-unknown-linux-gnu", isa="native", version=300, c_version=300,
                 extensions=CPU_EXTENSIONS, c_features=CPU_FEATURES, lockstep=0, observed=False, initialize=0):
        self.name = name
        self.triple = triple
        self.isa = isa
        self.version = version
        self.c_version = c_version
        self.extensions = tuple(extensions)
        self.c_features = tuple(c_features)
        if observed and not lockstep:
            raise ValueError("only wavefronts in lock-step can be observed")
        self.lockstep = lockstep
        self.observed = observed
        self.initialize = initialize
        self._known_machine = None
        self._variants = {}

    def initializing(self, initialize):
        """The same target for a context that wants memory cleared; always the same object for the same bits."""
        if initialize == self.initialize:
            return self
        if initialize not in self._variants:
            self._variants[initialize] = Target(self.name, self.triple, self.isa, self.version, self.c_version,
                                                self.extensions, self.c_features, self.lockstep, self.observed,
                                                initialize)
        return self._variants[initialize]

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
        """LLVM's feature string: what the name of the CPU does not say."""
        return self._machine[1]

    @property
    def vector_bits(self):
        """Width of the vector registers to use."""
        return self._machine[2]

    def key(self):
        """All that can change the code, as text."""
        return repr((self.name, self.triple, self.cpu, self.features, self.version, self.c_version,
                     self.extensions, self.c_features, self.lockstep, self.observed, self.initialize))


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
    return cpu, ",".join([*sorted(have - {""}), *filter(None, [tuning(bits)])]), bits


def tuning(bits):
    """LLVM holds back from 512-bit registers on CPUs that once slowed down for them; kernels are worth it."""
    return "-prefer-256-bit" if bits == 512 else ""


def host_target():
    """The CPU this process runs on."""
    return Target(isa=config.get("CPU_ISA"), lockstep=int(config.get("LOCKSTEP")))
