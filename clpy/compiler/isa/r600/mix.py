# SPDX-License-Identifier: Apache-2.0
"""What a VLIW kernel's code consists of: clauses, bundles, operations. What is in a loop is counted once."""
from .memory import PARAMETERS, RETURNED, SMALL_STORES

# Kind -> what it is, in the order in which it is shown.
KINDS = {
    "alu_clauses": "clauses of arithmetic", "fetch_clauses": "clauses of loads", "bundles": "bundles of operations",
    "operations": "operations in them", "loads": "loads", "stores": "stores", "atomics": "atomic operations",
    "lds": "accesses to local memory", "flow": "control flow but for clauses and memory",
}
STORES = ("STORE_RAW", "STORE_DWORD", "MSKOR", *SMALL_STORES)
SLOW = ("MSKOR", *SMALL_STORES)         # stores of less than 32 bits


def count(flows):
    """{kind: number} of a kernel's Flows; the same of `slow`: stores and atomic operations that make memory slow."""
    made = dict.fromkeys((*KINDS, "slow"), 0)
    for flow in flows:
        if flow.locks:
            made["alu_clauses"] += 1
            made["bundles"] += len(flow.clause)
            slots = [slot for bundle in flow.clause for slot in bundle.slots]
            made["operations"] += len(slots)
            made["lds"] += sum(slot.name.startswith("LDS_") for slot in slots)
        elif flow.name == "RAT":
            kind = "stores" if flow.clause[0].name in STORES else "atomics"
            made[kind] += 1
            made["slow"] += kind == "atomics" or flow.clause[0].name in SLOW
        elif flow.clause:
            made["fetch_clauses"] += 1
            made["loads"] += sum(not is_result(fetch) for fetch in flow.clause)
        else:
            made["flow"] += 1
    return made


def is_result(fetch):
    """Whether a fetch takes what an atomic operation gave."""
    return fetch.buffer == PARAMETERS and fetch.offset == RETURNED
