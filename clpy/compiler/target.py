# SPDX-License-Identifier: Apache-2.0
"""What a device's code is compiled for, and what OpenCL C may assume of the device: a plain record.

Importing this, or making a Target, loads no LLVM.
"""
from clpy import config
from clpy.compiler import translator

# What belongs to images; a device with CL_DEVICE_IMAGE_SUPPORT has all of it.
IMAGE_EXTENSIONS = ("cl_khr_3d_image_writes", "cl_khr_depth_images", "cl_khr_mipmap_image",
                    "cl_khr_mipmap_image_writes", "cl_khr_srgb_image_writes", "cl_ext_image_unorm_int_2_101010",
                    "cl_ext_image_unsigned_10x6_12x4_14x2")
# What every device here has. Clang's name for one of them gates its declarations.
COMMON_EXTENSIONS = (
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_byte_addressable_store",
    "cl_khr_fp64",
    *IMAGE_EXTENSIONS,
)
SUB_GROUP_EXTENSIONS = (
    "cl_khr_subgroups",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_named_barrier",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
)
# What OpenCL C 3.1 made part of the language. A device that has all of it has that version, and is one of OpenCL 3.1
# where it takes programs in SPIR-V too.
OF_3_1 = (
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_subgroups",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
)
IMAGE_FEATURES = ("__opencl_c_images", "__opencl_c_3d_image_writes", "__opencl_c_read_write_images",
                  "__opencl_c_ext_image_unorm_int_2_101010", "__opencl_c_ext_image_unsigned_10x6_12x4_14x2")
# Features of cl_ext_float_atomics.
FLOAT_ATOMICS = tuple(f"__opencl_c_ext_{kind}_{memory}_atomic_{operation}" for kind in ("fp16", "fp32", "fp64")
                      for memory in ("global", "local") for operation in ("load_store", "add", "min_max")
                      if kind == "fp16" or operation != "load_store")   # OpenCL C has those of the others

# What a target says, and what it says where nothing else is given. Passes find it in Lowering.target; a row here is all
# that a new fact for them takes.
FACTS = {
    "name": "",             # the device's; binaries are for a device of this name
    "triple": "",           # LLVM's
    "version": 0,           # the device's __OPENCL_VERSION__; 0: what the extensions allow
    "c_version": 0,         # the highest OpenCL C; so does 0 here
    "extensions": (),
    "c_features": (),       # features of OpenCL C 3.0 and newer
    "macros": (),           # that tell programs what the device is, as AMD's compilers have them
    "lockstep": 0,          # work-items of a wavefront (16, 32 or 64) that run in lock-step; 0: as many as are fast
    "observed": False,      # each launch has a clpy_observer, which wavefronts tell what they do (docs/lockstep.md)
    "initialize": 0,        # what kernels find cleared, as CL_CONTEXT_MEMORY_INITIALIZE_* say
}


class Target:
    """A record of FACTS, which are attributes. A device's target is a subclass of this with facts of its own, and with
    what LLVM wants to know: `cpu`, `features` (a string of what the name of the CPU does not say) and `vector_bits`,
    the width of the registers to use.

    Not to be changed once made. No dataclass: importing that costs more than all else clGetPlatformIDs waits for.
    """
    FACTS = FACTS
    takes_il = True

    def __init__(self, **facts):
        unknown = facts.keys() - self.FACTS.keys()
        if unknown:
            raise TypeError(f"a target has no {', '.join(sorted(unknown))}")
        self.__dict__.update({name: tuple(value) if isinstance(value, list) else value
                              for name, value in (self.FACTS | facts).items()})
        self._others = {}
        self._key = ""
        self.c_version = self.c_version or (310 if set(OF_3_1) <= set(self.extensions) else 300)
        self.version = self.version or (min(self.c_version, 310) if translator.path() else 300)
        if self.observed and not self.lockstep:
            raise ValueError("only wavefronts in lock-step can be observed")

    def facts(self):
        return {name: getattr(self, name) for name in self.FACTS}

    def initializing(self, initialize):
        """The same target for a context that wants memory cleared; always the same object for the same bits."""
        if initialize == self.initialize:
            return self
        if initialize not in self._others:
            self._others[initialize] = type(self)(**self.facts() | {"initialize": initialize})
        return self._others[initialize]

    def key(self):
        """All that can change the code, as text."""
        if not self._key:
            self._key = repr((self.facts(), self.cpu, self.features))
        return self._key


def host_target():
    """The CPU this process runs on."""
    from clpy.compiler.cpu import CpuTarget
    return CpuTarget(isa=config.get("CPU_ISA"), lockstep=int(config.get("LOCKSTEP")))
