# SPDX-License-Identifier: Apache-2.0
"""What a simulated launch tells."""
from dataclasses import dataclass, field

from clpy.device.gpu.timing.program import UNITS

# The order of STALL_* in model.pxd.
STALLS = ("valu", "salu", "branch", "vmem", "lds", "export", "wait_vm", "wait_lgkm", "wait_exp", "barrier",
          "fetch")
LINE_BYTES = 64


@dataclass
class Result:
    """`cycles` from the first group's dispatch to the last one's end; `ns` with what starting a kernel takes."""
    chip: object
    program: object
    occupancy: object
    resources: object
    stats: dict = field(repr=False)
    l2_busy: list = field(repr=False)         # cycles, by channel
    dram_busy: list = field(repr=False)
    dirty_lines: int = field(repr=False)      # that are left in the L2 and will be written
    stalls: list = field(repr=False)
    visits: list = field(repr=False)          # wavefronts, by block
    bins: list = field(repr=False)
    bin_cycles: int = field(repr=False)
    group_ends: list = field(repr=False)      # cycles, in order

    @property
    def cycles(self):
        return self.stats["finish"]

    @property
    def ns(self):
        return self.chip.dispatch.floor_us * 1000 + self.cycles * 1000 / self.chip.clock.core_mhz

    @property
    def busy(self):
        """Cycles by unit, of all SIMDs (valu, salu, branch, smem) or compute units together."""
        return dict(zip(UNITS, self.stats["busy"], strict=True))

    @property
    def issued(self):
        """Instructions by unit, of all wavefronts together."""
        return dict(zip(UNITS, self.stats["issued"], strict=True))

    @property
    def stall_reasons(self):
        """Cycles that wavefronts could not go on, by reason."""
        return {name: sum(self.stalls[at::len(STALLS)]) for at, name in enumerate(STALLS)}

    @property
    def stall_lines(self):
        """Source line -> reason -> cycles, without those that are 0."""
        lines = {}
        for step, line in enumerate(self.program.lines):
            for at, name in enumerate(STALLS):
                cycles = self.stalls[step * len(STALLS) + at]
                if cycles:
                    reasons = lines.setdefault(line, {})
                    reasons[name] = reasons.get(name, 0) + cycles
        return lines

    @property
    def occupancy_over_time(self):
        """(cycle, mean part of the wavefront slots that were filled from there on) ..."""
        slots = self.chip.compute.units * self.chip.wave_slots
        n = -(-self.cycles // self.bin_cycles)
        return [(at * self.bin_cycles, waves / self.bin_cycles / slots) for at, waves in enumerate(self.bins[:n])]

    @property
    def hit_rates(self):
        """By level; None where nothing asked."""
        rates = {}
        for level in ("l1", "scalar", "l2"):
            hits, misses = self.stats[f"{level}_hits"], self.stats[f"{level}_misses"]
            rates[level] = hits / (hits + misses) if hits + misses else None
        return rates

    @property
    def bytes(self):
        """Moved between the levels. What is left changed in the L2 counts as written."""
        stats = self.stats
        return {"l1_from_l2": stats["l2_read_lines"] * LINE_BYTES, "to_l2": stats["l2_write_lines"] * LINE_BYTES,
                "dram_read": stats["dram_read_lines"] * LINE_BYTES,
                "dram_written": (stats["dram_write_lines"] + self.dirty_lines) * LINE_BYTES,
                "host_read": stats["host_read_lines"] * LINE_BYTES,
                "host_written": stats["host_write_lines"] * LINE_BYTES}
