# SPDX-License-Identifier: Apache-2.0
"""What the CPU device answers to clGetDeviceInfo. Cold: runs with the GIL.

What hot paths check as well (compute units, sizes) is in the Device itself, and answered from there.
"""
import os

from clpy.compiler import spirv_environment
from clpy.device import language
from clpy.device.answers import Described, answers_of, of_intermediate_languages, uuid
from clpy.device.cpu.policy cimport LOCAL_BYTES, MAX_GROUP
from clpy.device.host import topology
from clpy.spec.consts cimport (
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, CL_FP_DENORM, CL_FP_FMA, CL_FP_INF_NAN,
    CL_FP_ROUND_TO_INF, CL_FP_ROUND_TO_NEAREST, CL_FP_ROUND_TO_ZERO, CL_GLOBAL, CL_READ_WRITE_CACHE, CL_TRUE)

cdef extern from "registers.h" nogil:
    int clpy_register_bytes()

DMA_BUF_MAKERS = ("/dev/udmabuf", "/dev/dma_heap")      # what makes dma-bufs in memory of the host
# The PCI identity of who made the processor.
VENDORS = {"GenuineIntel": 0x8086, "AuthenticAMD": 0x1022, "HygonGenuine": 0x1d94, "CentaurHauls": 0x1106}
MIB = 1 << 20


# ---- the machine

def has_dma_bufs():
    """Whether this system makes some in memory of the host. Drivers that make others promise nothing of them."""
    return any(os.path.exists(path) for path in DMA_BUF_MAKERS)


class Machine(Described):
    """Facts behind the answers, each found out when first asked for."""
    max_group = MAX_GROUP           # what the Device has, for vendors' queries of the same
    local_bytes = LOCAL_BYTES

    def __init__(self, target):
        super().__init__(target)
        self._cpuinfo = None
        self._caches = None

    @property
    def cpuinfo(self):
        """The first processor's block of /proc/cpuinfo, and the highest of the clocks."""
        if self._cpuinfo is None:
            self._cpuinfo = {}
            clock = 0.0
            with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
                for line in lines:
                    name, _, text = line.partition(":")
                    name, text = name.strip(), text.strip()
                    if name == "cpu MHz":
                        clock = max(clock, float(text or 0))
                    self._cpuinfo.setdefault(name, text)
            self._cpuinfo["clock"] = clock
        return self._cpuinfo

    @property
    def caches(self):
        if self._caches is None:
            self._caches = topology.facts()
        return self._caches

    def name(self):
        return " ".join(self.cpuinfo.get("model name", "").split()) or "x86-64 processor"

    def vendor(self):
        return self.cpuinfo.get("vendor_id", "") or "unknown"

    def vendor_id(self):
        return VENDORS.get(self.vendor(), 0)

    def clock(self):
        """MHz: the highest configured, or what it runs at now where that is not told."""
        try:
            with open("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", encoding="ascii") as f:
                return int(f.read()) // 1000
        except (OSError, ValueError):
            return int(self.cpuinfo["clock"])

    def cache_size(self):
        """What a core can use: the outermost level."""
        return self.caches["l3"] or self.caches["l2"] or self.caches["l1d"]

    def vector_bytes(self):
        """Width of the registers kernels are compiled for. Asking LLVM means loading it."""
        return min(clpy_register_bytes(), {"avx2": 32, "sse4.2": 16}.get(self.target.isa, 64))

    def summary(self, threads):
        """A line for the log."""
        width = self.vector_bytes()
        isa = {64: "avx512", 32: "avx2"}.get(width, "sse4.2")
        return f"device cpu: {self.name()}, {threads} threads, {isa}, vectors of {8 * width} bits"

    def device_uuid(self):
        """"immutable for a given device across processes, driver APIs, driver versions, and system reboots": of the
        processor in this machine. Its identity is not to be published, so it goes into the digest only."""
        try:
            with open("/etc/machine-id", encoding="ascii") as f:
                machine = f.read().strip()
        except (OSError, ValueError):
            machine = ""
        model = [self.cpuinfo.get(name, "") for name in ("cpu family", "model", "stepping")]
        return uuid("device", machine, self.vendor(), self.name(), *model)

    def lanes(self, size):
        return lambda: self.vector_bytes() // size

    def fp(self):
        """The processor's own arithmetic: all rounding modes are native to it, and conversions can name them."""
        config = (CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF)
        return config | (CL_FP_FMA if "fma" in self.cpuinfo.get("flags", "").split() else 0)

    def double(self):
        # CL_FP_FMA is part of the minimum; without the instruction libm computes it exactly.
        return self.fp() | CL_FP_FMA if "cl_khr_fp64" in self.target.extensions else 0

    def half(self):
        return self.fp() | CL_FP_FMA if "cl_khr_fp16" in self.target.extensions else 0

    def abilities(self):
        return ("cpu", "images", "own_memory", "cleared_memory", *(("dma_bufs",) if has_dma_bufs() else ()),
                *(("spirv",) if spirv_environment.versions() else ()))


# ---- the answers

def own_answers(machine):
    """By the name of the query."""
    return {
        **of_identity(machine), **of_limits(machine), **of_widths(machine),
        **of_intermediate_languages(machine.target), **language.answers(machine.target),
        "CL_DEVICE_SINGLE_FP_CONFIG": lambda: machine.fp() | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
        "CL_DEVICE_DOUBLE_FP_CONFIG": machine.double,
        "CL_DEVICE_HALF_FP_CONFIG": machine.half,
        "CL_DEVICE_GLOBAL_MEM_CACHE_TYPE": CL_READ_WRITE_CACHE,
        "CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE": lambda: machine.caches["line"],
        "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE": machine.cache_size,
        "CL_DEVICE_LOCAL_MEM_TYPE": CL_GLOBAL,
        "CL_DEVICE_HOST_UNIFIED_MEMORY": CL_TRUE,
    }


def of_identity(machine):
    return {
        "CL_DEVICE_NAME": machine.name,
        "CL_DEVICE_VENDOR": machine.vendor,
        "CL_DEVICE_VENDOR_ID": machine.vendor_id,
        "CL_DEVICE_UUID": machine.device_uuid,
    }


def of_limits(machine):
    return {
        "CL_DEVICE_MAX_CLOCK_FREQUENCY": machine.clock,
        "CL_DEVICE_MAX_PARAMETER_SIZE": 4096,
        "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE": 16 * MIB,
        "CL_DEVICE_MAX_CONSTANT_ARGS": 128,
    }


def of_widths(machine):
    """Preferred is 1: kernels are vectorized over work-items, and vectors in the source only get in the way."""
    return {
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR": machine.lanes(1),
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT": machine.lanes(2),
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_INT": machine.lanes(4),
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG": machine.lanes(8),
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT": machine.lanes(4),
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE": machine.lanes(8),
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF": machine.lanes(2),
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR": 1,
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT": 1,
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT": 1,
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG": 1,
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT": 1,
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE": 1,
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF": 1,
        "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE": machine.lanes(4),
    }


def answers(target):
    """Device.info of the CPU device."""
    return answers_of(Machine(target), own_answers)
