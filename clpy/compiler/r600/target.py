# SPDX-License-Identifier: Apache-2.0
"""The target of chips of AMD's VLIW families, and what OpenCL C may assume of them: OpenCL C 1.2 without doubles and
images, which LLVM's code generator does not have for them."""
from clpy import extensions
from clpy.compiler.r600 import installed
from clpy.compiler.target import FACTS, Target

TRIPLE = "r600--"
# Processor -> operations of a bundle.
PROCESSORS = {"cedar": 5, "redwood": 5, "juniper": 5, "cypress": 5, "barts": 5, "turks": 5, "caicos": 5, "cayman": 4}
VLIW5 = 5
WAVE_SIZE, SMALL_WAVES = 64, {"cedar": 32}      # work-items of a wavefront
VERSION = 120
EXTENSIONS = (
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_byte_addressable_store",
    *extensions.of_language("amd_vliw"),
)


def wave_size(processor):
    return SMALL_WAVES.get(processor, WAVE_SIZE)


class VliwTarget(Target):
    """`processor` as LLVM names it; `name` is the device's, `driver_name` what AMD's driver calls it (Cypress)."""
    FACTS = FACTS | {"triple": TRIPLE, "processor": ""}
    features = ""
    has_generic_pointers = False
    shares_addresses = False        # they have 32 bits
    takes_il = False
    flushes_denormals = True

    def __init__(self, processor, name="", driver_name=""):
        if processor not in PROCESSORS:
            raise ValueError(f"unknown processor {processor}; there are {', '.join(PROCESSORS)}")
        self.slots = PROCESSORS[processor]
        super().__init__(name=name or processor, processor=processor, version=VERSION, c_version=VERSION,
                         macros=("__GPU__", f"__{driver_name or processor}__"), extensions=EXTENSIONS)

    @property
    def cpu(self):
        return self.processor

    @property
    def wave_size(self):
        return wave_size(self.processor)

    @property
    def has_t(self):
        return self.slots == VLIW5

    def initializing(self, initialize):
        """Code is the same whatever a context wants cleared."""
        return self

    def key(self):
        return repr((super().key(), installed.stamp(self.processor)))
