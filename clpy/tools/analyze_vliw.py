# SPDX-License-Identifier: Apache-2.0
"""What `clpy analyze` tells of a kernel on a VLIW chip: its rows have other columns than those of GCN chips."""
from clpy.tools.analyze_tables import Table

COLUMNS = {
    "kernel": "kernel", "device": "device", "gprs": "GPRs", "stack": "stack", "lds_bytes": "LDS", "code_bytes": "code",
    "waves_per_simd": "waves", "limiter": "limit", "alu_clauses": "ALU cl.", "fetch_clauses": "fetch cl.",
    "bundles": "bundles", "operations": "op.", "packing": "packing", "loads": "loads", "stores": "stores",
    "atomics": "atomics", "lds": "LDS i.", "flow": "flow", "path": "path",
}
TABLE = Table(COLUMNS, ("processor", "group_size", "occupancy", "wave_slots", "local_arguments"), ("atomics",))
PATHS = ("fast", "complete")


def row_of(chip, program, kernel, size):
    """A row's own cells of a kernel in groups of `size` work-items; ValueError for code that cannot be read. `packing`:
    % of the bundles' slots that have an operation; `path`: how stores reach memory."""
    from clpy.compiler.isa.gcn.steps import line_finder
    from clpy.compiler.isa.r600 import mix, text
    from clpy.compiler.isa.r600.decode import Reader
    from clpy.compiler.r600.target import PROCESSORS
    from clpy.device.gpu.occupancy import occupancy
    flows = Reader(program.text, kernel.entry, kernel.size, program.has_t).read()
    found, counts = occupancy(chip, kernel.gprs, 0, kernel.lds_bytes, size), mix.count(flows)
    slots = counts["bundles"] * PROCESSORS[program.processor]
    return {
        "table": TABLE, "gprs": kernel.gprs, "stack": kernel.stack, "occupancy": found,
        "limiter": "gprs" if found.limiter == "vgprs" else found.limiter,
        "packing": round(100 * counts["operations"] / slots, 1) if slots else 0.0,
        "path": PATHS[bool(counts["slow"])], **{kind: counts[kind] for kind in mix.KINDS},
        "isa": text.listing(flows, line_finder(kernel.lines)),
    }
