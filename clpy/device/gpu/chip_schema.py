# SPDX-License-Identifier: Apache-2.0
"""THE table of what a chip file may say: section, key, type, range, unit and meaning, each once.

chip.py checks files against it, docs/gpu-chips.md is printed from it: `python -m clpy.device.gpu.chip_schema`.
"""
from typing import NamedTuple

BASES = ("documented", "measured", "estimated")
PROCESSORS = {                   # by architecture: what LLVM calls them, of Gen Intel's compiler's own names
    "gcn": ("gfx600", "gfx601", "gfx700", "gfx701", "gfx704", "gfx801", "gfx802", "gfx803", "gfx900", "gfx906"),
    "vliw5": ("cedar", "redwood", "juniper", "cypress", "barts", "turks"),
    "vliw4": ("cayman",),
    "gen": ("gen8", "gen9")}
INSTRUCTIONS = ("gen7.5", *PROCESSORS["gen"])       # of Gen chips, some of which no compiler makes code for
AMD, NOT_VLIW = ("gcn", "vliw"), ("gcn", "gen")
SHOWN = {"": "all", "gcn": "GCN", "vliw": "VLIW", "gen": "Gen", AMD: "GCN, VLIW", NOT_VLIW: "GCN, Gen"}


class Field(NamedTuple):
    """One key. `kind` is int, number, text or bool; `allowed` (lowest, highest), or the words of a text, or None; `of`
    is what the architectures begin with whose chips have it, or several such."""
    section: str
    key: str
    kind: str
    allowed: tuple | None
    unit: str
    meaning: str
    of: str | tuple = ""

    @property
    def name(self):
        return f"{self.section}.{self.key}"

    def applies(self, architecture):
        return architecture.startswith(self.of)

    def expected(self):
        """What a right value looks like, for messages."""
        if self.kind == "text":
            return "one of " + ", ".join(self.allowed) if self.allowed else "a text"
        if self.kind == "bool":
            return "true or false"
        low, high = self.allowed
        return f"{'a whole number' if self.kind == 'int' else 'a number'} from {low} to {high}"

    def accepts(self, value):
        if self.kind == "text":
            return isinstance(value, str) and value != "" and (self.allowed is None or value in self.allowed)
        if self.kind == "bool":
            return isinstance(value, bool)
        types = int if self.kind == "int" else (int, float)
        return isinstance(value, types) and not isinstance(value, bool) and self.allowed[0] <= value <= self.allowed[1]


SECTIONS = {
    "identity": "what the device is called",
    "clock": "nominal clocks",
    "compute": "compute units and what they hold",
    "registers": "register files",
    "lds": "local memory",
    "issue": "cycles that a unit is busy with one instruction of a whole wavefront",
    "caches": "caches",
    "memory": "device memory",
    "latency": "from issue to the result, with nothing in the way",
    "dispatch": "what it takes to start kernels and groups",
    "link": "the way to the host",
    "queues": "hardware queues and copy engines",
    "opencl": "limits that are reported",
}


def fields(section, *rows, of=""):
    return [Field(section, *row, of) for row in rows]


CYCLES = (1, 4096)
FIELDS = (
    *fields("identity",
            ("device_name", "text", None, "", "CL_DEVICE_NAME"),
            ("board_name", "text", None, "", "CL_DEVICE_BOARD_NAME_AMD"),
            ("generation", "text", None, "", "for people"),
            ("vendor", "text", None, "", "CL_DEVICE_VENDOR"),
            ("vendor_id", "int", (0, 0xffffffff), "", "CL_DEVICE_VENDOR_ID"),
            ("pci_device_id", "int", (0, 0xffff), "", "the PCI identity"),
            ("architecture", "text", tuple(PROCESSORS), "", "which keys the file has, and which rules it goes by"),
            ("processor", "text", sum(PROCESSORS.values(), ()), "", "what kernels are compiled for")),
    *fields("identity",
            ("instructions", "text", INSTRUCTIONS, "", "the chip's own; where they are not the processor's no compiler "
             "knows them: code of the next generation is executed in their place"), of="gen"),
    *fields("clock",
            ("core_mhz", "int", (50, 5000), "MHz", "compute units, caches"),
            ("memory_mhz", "int", (50, 5000), "MHz", "of the memory; its rate is memory.bandwidth_gbs")),
    *fields("compute",
            ("units", "int", (1, 256), "", "compute units; Gen: subslices, which hold whole groups"),
            ("shader_engines", "int", (1, 16), "", "each starts groups on its own compute units; Gen: slices"),
            ("simds", "int", (1, 16), "", "of a compute unit: 4 of a GCN chip, 1 of a VLIW chip; Gen: its EUs"),
            ("wave_size", "int", (8, 64), "work-items", "of a wavefront; Gen: of a thread as code is usually made"),
            ("waves_per_simd", "int", (1, 32), "", "resident wavefronts of a SIMD; Gen: threads of an EU"),
            ("groups_per_unit", "int", (1, 128), "", "resident groups of more than one wavefront; Gen: that have "
             "barriers or local memory"),
            ("small_groups_per_unit", "int", (1, 128), "", "resident groups of one wavefront; Gen: that have neither")),
    *fields("compute",
            ("waves_per_device", "int", (1, 4096), "", "resident wavefronts of all compute units"), of="vliw"),
    *fields("registers",
            ("vgprs", "int", (64, 1024), "", "of a lane of a SIMD, for all its wavefronts; VLIW: of 128 bits"),
            ("vgpr_granularity", "int", (1, 32), "", "they are allocated in such steps"), of=AMD),
    *fields("registers",
            ("grfs", "int", (128, 128), "", "of a thread, of 32 bytes: always so many"), of="gen"),
    *fields("registers",
            ("sgprs", "int", (128, 4096), "", "of a SIMD, for all its wavefronts"),
            ("sgpr_granularity", "int", (1, 128), "", "they are allocated in such steps"),
            ("sgprs_per_wave", "int", (16, 128), "", "that a wavefront can have"),
            ("sgprs_allocated", "int", (0, 128), "", "always so many; 0: what the kernel asks for"), of="gcn"),
    *fields("lds",
            ("bytes", "int", (1024, 1 << 20), "bytes", "of a compute unit"),
            ("bytes_per_group", "int", (1024, 1 << 20), "bytes", "CL_DEVICE_LOCAL_MEM_SIZE"),
            ("granularity", "int", (4, 4096), "bytes", "it is allocated in such steps; Gen: in powers of two, "
             "no less than this"),
            ("banks", "int", (16, 32), "", "each gives one word a cycle")),
    *fields("issue",
            ("valu", "int", CYCLES, "cycles", "32-bit arithmetic: add, mul, mad, logic, moves, conversions"),
            ("int24_mul", "int", CYCLES, "cycles", "v_mul_u24, v_mad_i24 and the like"),
            ("int32_mul", "int", CYCLES, "cycles", "v_mul_lo, v_mul_hi, v_mad_u64_u32"),
            ("fma_f32", "int", CYCLES, "cycles", "v_fma_f32"),
            ("trans_f32", "int", CYCLES, "cycles", "v_rcp, v_rsq, v_sqrt, v_exp, v_log, v_sin, v_cos"),
            ("fp16", "int", CYCLES, "cycles", "16-bit arithmetic, packed too"),
            ("fp64_add", "int", CYCLES, "cycles", "v_add_f64, v_min_f64, comparisons and conversions of doubles"),
            ("fp64_mul", "int", CYCLES, "cycles", "v_mul_f64, v_fma_f64, v_ldexp_f64, v_div_fmas_f64"),
            ("fp64_trans", "int", CYCLES, "cycles", "v_rcp_f64, v_rsq_f64, v_sqrt_f64"),
            ("shift64", "int", CYCLES, "cycles", "64-bit shifts of vectors"),
            ("salu", "int", CYCLES, "cycles", "a scalar instruction"),
            ("smem", "int", CYCLES, "cycles", "a scalar load"),
            ("branch", "int", CYCLES, "cycles", "a branch that is not taken"),
            ("branch_taken", "int", CYCLES, "cycles", "a branch that is taken: until the wavefront's next instruction"),
            ("message", "int", CYCLES, "cycles", "s_sendmsg, s_nop and the like"),
            ("export", "int", CYCLES, "cycles", "an export"),
            ("vmem", "int", CYCLES, "cycles", "a vector memory instruction in its SIMD"),
            ("vmem_load_b64", "int", CYCLES, "cycles", "the address unit, a load of 64 bits a lane"),
            ("vmem_atomic", "int", CYCLES, "cycles", "the address unit, an atomic operation"),
            ("lds_read_b32", "int", CYCLES, "cycles", "the LDS unit without conflicts"),
            ("lds_read_b64", "int", CYCLES, "cycles", "likewise"),
            ("lds_read_b128", "int", CYCLES, "cycles", "likewise"),
            ("lds_write_b32", "int", CYCLES, "cycles", "likewise"),
            ("lds_write_b64", "int", CYCLES, "cycles", "likewise"),
            ("lds_write_b128", "int", CYCLES, "cycles", "likewise"), of="gcn"),
    *fields("issue",
            ("bundle", "int", CYCLES, "cycles", "a bundle of operations"),
            ("bundle_alone", "int", CYCLES, "cycles", "from one bundle of a wavefront to its next"),
            ("clause", "int", CYCLES, "cycles", "from one clause of a wavefront to its next; others go on meanwhile"),
            ("fetch", "int", CYCLES, "cycles", "a fetch in its SIMD"),
            ("fetch_address", "int", CYCLES, "cycles", "the fetch unit, a fetch of a whole wavefront"),
            ("rat", "int", CYCLES, "cycles", "a store or an atomic operation in its SIMD"),
            ("lds_read", "int", CYCLES, "cycles", "the LDS unit without conflicts, for each word of a lane"),
            ("lds_write", "int", CYCLES, "cycles", "likewise"), of="vliw"),
    *fields("issue",
            ("alu", "int", CYCLES, "cycles", "an FPU, for a register (32 bytes) of most operations"),
            ("half", "int", CYCLES, "cycles", "likewise, 16-bit floating point"),
            ("wide", "int", CYCLES, "cycles", "likewise, operations of 64 bits and multiplication of 32-bit integers"),
            ("math", "int", CYCLES, "cycles", "likewise, inv, sqrt, rsqt, exp, log, sin, cos"),
            ("pow", "int", CYCLES, "cycles", "likewise, pow and fdiv"),
            ("int_div", "int", CYCLES, "cycles", "likewise, division of integers"),
            ("flow", "int", CYCLES, "cycles", "if, else, endif, while and other jumps: until the thread's next one"),
            ("send", "int", CYCLES, "cycles", "a message, in its thread"),
            ("fence", "int", CYCLES, "cycles", "a memory fence"), of="gen"),
    *fields("issue",
            ("lds_atomic", "int", CYCLES, "cycles", "the LDS unit without conflicts"),
            ("barrier", "int", CYCLES, "cycles", "from the last wavefront's arrival to the next instruction")),
    *fields("caches",
            ("line_bytes", "int", (64, 64), "bytes", "of all caches"),
            ("l1_fill_bytes", "int", (4, 1024), "bytes/cycle", "from the L2 into one L1; Gen: into a subslice"),
            ("l1_misses", "int", (1, 4096), "lines", "that a compute unit waits for at once"),
            ("l2_bytes", "int", (1 << 14, 1 << 28), "bytes", "of all channels; Gen: the L3, what it has for data"),
            ("l2_ways", "int", (1, 64), "", "its associativity"),
            ("l2_channels", "int", (1, 64), "", "each serves one line at a time; Gen: banks of the L3"),
            ("l2_bytes_per_clk", "int", (4, 1024), "bytes/cycle", "of a channel"),
            ("interleave_bytes", "int", (64, 1 << 16), "bytes", "in one channel before the next begins")),
    *fields("caches",
            ("l2_ways_lds", "int", (1, 64), "", "of l2_ways those that launches with local memory have"), of="gen"),
    *fields("caches",
            ("l1_bytes", "int", (1024, 1 << 20), "bytes", "vector cache of a compute unit"),
            ("l1_ways", "int", (1, 64), "", "its associativity"), of=AMD),
    *fields("caches",
            ("scalar_bytes", "int", (1024, 1 << 20), "bytes", "scalar data cache"),
            ("scalar_ways", "int", (1, 64), "", "its associativity"),
            ("scalar_units", "int", (1, 8), "", "compute units that share one scalar cache"), of="gcn"),
    *fields("caches",
            ("fast_elements", "number", (0.01, 64), "1/cycle", "work-items' stores that a channel takes, each of up to "
             "16 bytes, on FastPath"),
            ("complete_elements", "number", (0.01, 64), "1/cycle", "likewise, stores and loads on CompletePath"),
            of="vliw"),
    *fields("memory",
            ("bytes", "int", (1 << 20, 1 << 40), "bytes", "CL_DEVICE_GLOBAL_MEM_SIZE"),
            ("type", "text", None, "", "for people"),
            ("bus_bits", "int", (16, 16384), "bits", "for people"),
            ("bandwidth_gbs", "number", (1, 10000), "GB/s", "of the pins"),
            ("efficiency", "number", (0.1, 1.0), "", "part of it that streams of reads reach"),
            ("write_efficiency", "number", (0.1, 1.0), "", "part of it that streams of writes reach"),
            ("row_ns", "number", (0, 1000), "ns", "of a channel's time, for a row of a bank that has to be opened"),
            ("row_bytes", "int", (64, 1 << 20), "bytes", "of a row"),
            ("banks", "int", (1, 1024), "", "of a channel"),
            ("window", "int", (1, 256), "", "requests that a channel looks at to serve those of a row together"),
            ("shared", "bool", None, "", "it is the host's memory: nothing is copied to it")),
    *fields("latency",
            ("lds", "int", CYCLES, "cycles", "local memory"),
            ("l2_hit", "int", CYCLES, "cycles", "a vector load that hits the L2; Gen: the L3"),
            ("dram", "int", CYCLES, "cycles", "one that hits nothing")),
    *fields("latency",
            ("l1_hit", "int", CYCLES, "cycles", "one that hits the L1"), of=AMD),
    *fields("latency",
            ("smem_hit", "int", CYCLES, "cycles", "a scalar load that hits its cache"),
            ("smem_miss", "int", CYCLES, "cycles", "one that hits the L2"), of="gcn"),
    *fields("latency",
            ("alu", "int", CYCLES, "cycles", "from an operation to one that wants its result"),
            ("mad", "int", CYCLES, "cycles", "likewise, mad of 32 bits"),
            ("wide", "int", CYCLES, "cycles", "likewise, of 64 bits, and of a product of 32-bit integers"),
            ("math", "int", CYCLES, "cycles", "likewise, inv, sqrt, rsqt, exp, log, sin, cos"),
            ("pow", "int", CYCLES, "cycles", "likewise, pow and fdiv"),
            ("int_div", "int", CYCLES, "cycles", "likewise, division of integers"),
            ("flag", "int", CYCLES, "cycles", "from a comparison to what its flag is for"),
            ("code", "int", CYCLES, "cycles", "of a line of code that the L3 has"), of="gen"),
    *fields("dispatch",
            ("groups_per_clk", "number", (0.001, 16), "1/cycle", "groups that a shader engine starts"),
            ("waves_per_clk", "number", (0.001, 16), "1/cycle", "wavefronts that a shader engine starts"),
            ("launch_us", "number", (0, 10000), "us", "from the enqueue to the start, on an idle queue"),
            ("floor_us", "number", (0, 10000), "us", "between start and end of a kernel that does nothing")),
    *fields("link",
            ("kind", "text", ("pcie", "shared"), "", "a bus, or the memory of the host itself"),
            ("pcie_generation", "int", (0, 7), "", "for people; 0 where there is none"),
            ("raw_gbs", "number", (0.1, 1000), "GB/s", "in each direction"),
            ("dma_gbs", "number", (0.1, 1000), "GB/s", "that a copy from pinned memory reaches"),
            ("setup_us", "number", (0, 10000), "us", "of a copy, before its first byte"),
            ("pageable", "number", (0.05, 1.0), "", "part of dma_gbs that copies of unpinned memory reach"),
            ("host_read_gbs", "number", (0.1, 1000), "GB/s", "kernels reading memory of the host"),
            ("host_write_gbs", "number", (0.1, 1000), "GB/s", "kernels writing memory of the host"),
            ("latency_ns", "number", (0, 100000), "ns", "of a line of the host's memory that a kernel reads")),
    *fields("queues",
            ("hardware", "int", (1, 64), "", "queue N of a context is hardware queue N mod this"),
            ("dma_engines", "int", (1, 16), "", "copies that run at once")),
    *fields("opencl",
            ("max_work_group_size", "int", (64, 1024), "work-items", "CL_DEVICE_MAX_WORK_GROUP_SIZE"),
            ("constant_buffer_bytes", "int", (1 << 16, 1 << 32), "bytes", "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE"),
            ("max_alloc_part", "number", (0.25, 1.0), "", "CL_DEVICE_MAX_MEM_ALLOC_SIZE as a part of memory.bytes")),
    *fields("opencl",
            ("image_width", "int", (8192, 1 << 17), "pixels", "and height, of 2D images"),
            ("image_depth", "int", (2048, 1 << 17), "pixels", "and width and height, of 3D images"),
            ("image_layers", "int", (2048, 1 << 17), "", "of an image array"),
            ("image_buffer", "int", (65536, 1 << 32), "pixels", "of a 1D image made from a buffer"), of=NOT_VLIW),
)
BY_NAME = {field.name: field for field in FIELDS}


def page():
    """The text of docs/gpu-chips.md."""
    lines = ["# What a chip file says", "",
             "Every key of `clpy/device/gpu/chips/*.toml`; [gpu.md](gpu.md) tells how to write one. This page is "
             "printed by", "`python -m clpy.device.gpu.chip_schema`.", ""]
    for section, title in SECTIONS.items():
        lines += [f"## [{section}] {title}", "", "| key | value | unit | meaning | chips |", "|---|---|---|---|---|"]
        lines += [f"| `{f.key}` | {f.expected()} | {f.unit} | {f.meaning} | {SHOWN[f.of]} |" for f in FIELDS
                  if f.section == section]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


if __name__ == "__main__":
    print(page(), end="")
