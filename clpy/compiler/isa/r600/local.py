# SPDX-License-Identifier: Apache-2.0
"""Operations of local memory, and what they cost."""
from dataclasses import replace

from clpy.compiler.isa.gcn.steps import Step

from .registers import EXECUTE, PREDICATE, SAVED, vector

STORES = {"LDS_WRITE": ("ds_write_b32", 4), "LDS_BYTE_WRITE": ("ds_write_b8", 1),
          "LDS_SHORT_WRITE": ("ds_write_b16", 2)}
LOADS = {"LDS_READ_RET": ("ds_read_b32", 4), "LDS_BYTE_READ_RET": ("ds_read_i8", 1),
         "LDS_UBYTE_READ_RET": ("ds_read_u8", 1), "LDS_SHORT_READ_RET": ("ds_read_i16", 2),
         "LDS_USHORT_READ_RET": ("ds_read_u16", 2)}
ATOMICS = {"ADD": "add{}_u32", "SUB": "sub{}_u32", "RSUB": "rsub{}_u32", "INC": "inc{}_u32", "DEC": "dec{}_u32",
           "MIN_INT": "min{}_i32", "MAX_INT": "max{}_i32", "MIN_UINT": "min{}_u32", "MAX_UINT": "max{}_u32",
           "AND": "and{}_b32", "OR": "or{}_b32", "XOR": "xor{}_b32", "WRXCHG": "wrxchg{}_b32", "CMPST": "cmpst{}_b32"}


def write(bundles, slot):
    """What comes back is at the end of a queue, from which later operations take it."""
    if slot.predicate:
        under_predicate(bundles, slot)
        return
    sources = [bundles.source(source, index) for index, source in enumerate(slot.sources)]
    sources = [in_register(bundles, source, index) for index, source in enumerate(sources)]
    address, data = sources[0], sources[1:]
    offset = {"offset": slot.offset} if slot.offset else {}
    if slot.name in STORES:
        bundles.out(STORES[slot.name][0], address, *data, **offset)
    elif slot.name in LOADS:
        looks = {"glc": True} if bundles.looks else {}
        bundles.out(LOADS[slot.name][0], bundles.next_of_queue(), address, **offset, **looks)
    else:
        stem = slot.name.removeprefix("LDS_")
        returns = stem.endswith("_RET")
        name = "ds_" + ATOMICS[stem.removesuffix("_RET")].format("_rtn" if returns else "")
        to = [bundles.next_of_queue()] if returns else []
        bundles.out(name, *to, address, *data, **offset)


def under_predicate(bundles, slot):
    """With the lanes on that have the predicate."""
    bundles.out("s_mov_b64", SAVED, EXECUTE)
    bundles.out("s_and_b64" if slot.predicate == "one" else "s_andn2_b64", EXECUTE, EXECUTE, PREDICATE)
    bundles.writer.begin()
    write(bundles, replace(slot, predicate=""))
    bundles.out("s_mov_b64", EXECUTE, SAVED)
    bundles.writer.begin()


def in_register(bundles, source, index):
    """The engine's instructions of local memory take vector registers."""
    if source.kind == "v" and not source.neg and not source.abs:
        return source
    spare = vector(bundles.layout.spare[4 + index])
    bundles.out("v_mov_b32", spare, source)
    return spare


def step_of(slot, bundle, rates):
    place = {"at": bundle.at, "size": bundle.size}
    if slot.name in STORES:
        return Step("lds", "store", cycles=rates["lds_write"], bytes=STORES[slot.name][1], **place)
    if slot.name in LOADS:
        return Step("lds", "load", cycles=rates["lds_read"], bytes=LOADS[slot.name][1], **place)
    kind = "atomic_return" if slot.name.endswith("_RET") else "atomic"
    return Step("lds", kind, cycles=rates["lds_atomic"], bytes=4, **place)
