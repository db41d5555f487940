# SPDX-License-Identifier: Apache-2.0
"""Fetches, stores and atomic operations of VLIW chips.

Addresses have 32 bits. The kernel's buffers lie in windows of that space, large ones in several that follow each other,
and the upper bits of an address say which; a table behind the kernel's constants has where each begins in the host's
memory, less where the window does (library/launch.c writes it). So do the program's own constants.
"""
from clpy.compiler.isa.gcn.decode import Operand
from clpy.compiler.isa.gcn.steps import Step

from .registers import KERNARG, MASK, vector

GLOBAL, PROGRAM, PARAMETERS = 1, 2, 3       # buffers of fetches, as LLVM numbers them
ADDRESS_BITS = 32
OFF = Operand("name", "off")
RETURNED = 0x7F00           # offset of a fetch of what an atomic operation gave (compiler/r600/returning.py)
BYTES = {"ubyte": 1, "ushort": 2, "dword": 4, "dwordx2": 8, "dwordx4": 16}
SMALL_STORES = {"STORE_SHORT": "short", "STORE_BYTE": "byte"}
STORES = {1: "dword", 3: "dwordx2", 7: "dwordx3", 15: "dwordx4"}
ATOMICS = {"ATOMIC_CMPXCHG_INT": "cmpswap", "ATOMIC_ADD": "add", "ATOMIC_SUB": "sub", "ATOMIC_MIN_INT": "smin",
           "ATOMIC_MIN_UINT": "umin", "ATOMIC_MAX_INT": "smax", "ATOMIC_MAX_UINT": "umax", "ATOMIC_AND": "and",
           "ATOMIC_OR": "or", "ATOMIC_XOR": "xor", "ATOMIC_INC_UINT": "inc", "ATOMIC_DEC_UINT": "dec",
           "ATOMIC_XCHG_INT": "swap"}


def host_address(flow, address, spare):
    """Two registers with the host's address of a chip's, of memory in windows."""
    kernel, pair = flow.kernel, vector(spare, 2)
    low = vector(spare)
    flow.out("v_lshrrev_b32", low, Operand("int", ADDRESS_BITS - kernel.window_bits), address)
    flow.out("v_lshlrev_b32", low, Operand("int", 3), low)
    flow.out("global_load_dwordx2", pair, low, KERNARG, offset=kernel.windows, untold=True)
    flow.out("v_mad_u64_u32", pair, MASK, address, Operand("int", 1), pair)
    return pair


def fetch(flow, fetch):
    flow.writer.at(fetch.at)
    layout = flow.layout
    if fetch.gpr >= layout.gprs or fetch.target >= layout.gprs:
        raise flow.unknown(f"{fetch.name} of register {max(fetch.gpr, fetch.target)}, of {layout.gprs}")
    address = layout.channel(fetch.gpr, fetch.channel)
    if fetch.buffer == PARAMETERS and fetch.offset == RETURNED:
        flow.out("v_mov_b32", layout.channel(fetch.target, 0), vector(layout.returned))
        flow.writer.step(Step("message", cycles=flow.rates["fetch"], at=fetch.at, size=16))
        return
    if fetch.offset:
        moved = vector(layout.spare[2])
        flow.out("v_add_u32", moved, address, Operand("literal", fetch.offset))
        address = moved
    direct = fetch.writes == tuple(range(fetch.words))
    target = layout.channel(fetch.target, 0) if direct else vector(layout.spare[4])
    target = target._replace(width=fetch.words)
    load(flow, fetch, target, address)
    for component in () if direct else fetch.writes:
        flow.out("v_mov_b32", layout.channel(fetch.target, component), vector(layout.spare[4] + component))
    kind = "cached_load" if fetch.buffer != GLOBAL or flow.kernel.cached else "load"
    flow.writer.step(Step("vmem", kind, cycles=flow.rates["fetch"], bytes=BYTES[fetch.kind], at=fetch.at, size=16))


def load(flow, fetch, target, address):
    name = f"global_load_{fetch.kind}"
    if fetch.buffer in (GLOBAL, PROGRAM):
        looks = {"glc": True} if flow.kernel.looks else {}
        flow.out(name, target, host_address(flow, address, flow.layout.spare[0]), OFF, **looks)
    elif fetch.buffer == PARAMETERS:
        flow.out(name, target, address, KERNARG)
    else:
        raise flow.unknown(f"{fetch.name} of buffer {fetch.buffer}")


def write(flow, write):
    """A store or an atomic operation, of an address in words."""
    layout = flow.layout
    if max(write.data, write.index) >= layout.gprs:
        raise flow.unknown(f"{write.name} of register {max(write.data, write.index)}, of {layout.gprs}")
    address = vector(layout.spare[2])
    index = layout.channel(write.index, 0)
    small = SMALL_STORES.get(write.name)
    if small:
        flow.out("v_mov_b32", address, index)
    else:
        flow.out("v_lshlrev_b32", address, Operand("int", 2), index)
    place = host_address(flow, address, layout.spare[0])
    data = layout.channel(write.data, 0)
    if write.name == "MSKOR":
        masked_store(flow, write, place)
    elif write.name in ATOMICS:
        atomic(flow, write, place, data)
    elif write.name in ("STORE_RAW", "STORE_DWORD") and write.mask in STORES:
        words = STORES[write.mask]
        flow.out(f"global_store_{words}", place, data._replace(width=bin(write.mask).count("1")), OFF)
        flow.writer.step(store_step(flow, write, BYTES.get(words, 12)))
    elif small:
        flow.out(f"global_store_{small}", place, data, OFF)
        flow.writer.step(store_step(flow, write, 2 if small == "short" else 1))
    else:
        raise flow.unknown(f"{write.name} of components {write.mask:#x}")


def store_step(flow, write, size):
    return Step("vmem", "store", cycles=flow.rates["rat"], bytes=size, at=write.at, size=8)


def masked_store(flow, write, place):
    """Part of a word: an atomic operation, as others may write its other bytes: bits of W are
    cleared, then those of X set."""
    x, w = (flow.layout.channel(write.data, channel) for channel in (0, 3))
    pair = vector(flow.layout.spare[4], 2)
    flow.out("v_mov_b32", vector(pair.at), w)
    flow.out("v_mov_b32", vector(pair.at + 1), x)
    flow.out("global_atomic_mskor", place, pair, OFF)
    flow.writer.step(Step("vmem", "atomic", cycles=flow.rates["rat"], bytes=4, at=write.at, size=8))


def atomic(flow, write, place, data):
    layout = flow.layout
    if write.name == "ATOMIC_CMPXCHG_INT":      # the value is in X, what it is compared with in W
        flow.out("v_mov_b32", vector(layout.spare[4]), data)
        flow.out("v_mov_b32", vector(layout.spare[5]), layout.channel(write.data, 3))
        data = vector(layout.spare[4], 2)
    name = f"global_atomic_{ATOMICS[write.name]}"
    if write.returns:
        flow.out(name, vector(layout.returned), place, data, OFF, glc=True)
    else:
        flow.out(name, place, data, OFF)
    kind = "atomic_return" if write.returns else "atomic"
    flow.writer.step(Step("vmem", kind, cycles=flow.rates["rat"], bytes=4, at=write.at, size=8))


