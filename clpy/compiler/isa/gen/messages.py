# SPDX-License-Identifier: Apache-2.0
"""What a send asks of whom: its descriptors, read.

Places of the fields and numbers of messages: Intel's Programmer's Reference Manual for Skylake, volume 7.
"""
from dataclasses import dataclass

SAMPLER, GATEWAY, SPAWNER = 2, 3, 7
DATA_0, DATA_1, CONSTANT_CACHE = 10, 12, 9
SLM, STATELESS = 254, (255, 253)
BARRIER_MESSAGE = 4
ATOMICS = {1: "and", 2: "or", 3: "xor", 4: "swap", 5: "inc", 6: "dec", 7: "add", 8: "sub", 9: "rsub", 10: "smax",
           11: "smin", 12: "umax", 13: "umin", 14: "cmpswap", 15: "predec"}
FLOAT_ATOMICS = {1: "fmax", 2: "fmin", 3: "fcmpswap"}
NO_OPERAND, TWO_OPERANDS = ("inc", "dec", "predec"), ("cmpswap", "fcmpswap")


@dataclass
class Message:
    """`kind`: load, store, atomic, atomic_return, block_load, block_store, scratch_load, scratch_store, image_load,
    image_sample, image_store, media_load, media_store, fence, barrier, end, or "" for one that is not known.
    `space`: global, local, private; `surface`: number in the binding table. `lanes`, 8 or 16, of elements of `bytes`
    (1, 2, 4 or 8) at the places `elements` behind each lane's address, which has 64 bits if `far`. `operation` of an
    atomic one. `count`: of blocks of 16 bytes, or of registers of scratch memory or of a block of an image.
    `response`, `length`, `more`: registers that come back, that are sent, and that are sent of a second source."""
    kind: str
    space: str = "global"
    surface: int = 0
    lanes: int = 16
    elements: tuple = (0,)
    bytes: int = 4
    far: bool = False
    operation: str = ""
    count: int = 0
    header: bool = False
    response: int = 0
    length: int = 0
    more: int = 0
    in_bytes: bool = True       # offset of a block, else in blocks
    offset: int = 0             # of scratch memory, in registers
    sampler: int = 0            # its number in the table
    level: int = -1             # which of the words that are sent is an image's level; -1: none, it is the first


def field(value, first, bits):
    return value >> first & (1 << bits) - 1


def read(instruction):
    """Message of a send; None where its descriptor is in a register."""
    desc, extended = instruction.desc, instruction.exdesc
    if desc is None or extended is None:
        return None
    who = extended & 15
    made = Message("", header=bool(field(desc, 19, 1)), response=field(desc, 20, 5), length=field(desc, 25, 4),
                   more=field(extended, 6, 4), surface=field(desc, 0, 8))
    if who == SPAWNER:
        made.kind = "end" if "EOT" in instruction.options else ""
    elif who == GATEWAY:
        made.kind = "barrier" if field(desc, 0, 3) == BARRIER_MESSAGE else ""
    elif who == SAMPLER:
        sampler(made, desc)
    elif who == DATA_0:
        data_0(made, desc)
    elif who == DATA_1:
        data_1(made, desc)
    elif who == CONSTANT_CACHE:
        constant(made, desc)
    made.space = ("local" if made.surface == SLM and not made.far else
                  "private" if made.surface in STATELESS and not made.far else "global")
    return made


FLUSH = 31                      # of the sampler's cache
# At a point or of a pixel, and which word is the level. Gen8 has no messages without one.
SAMPLES = {24: ("image_sample", -1), 26: ("image_load", -1), 2: ("image_sample", 0), 7: ("image_load", 1)}


def sampler(m, desc):
    if field(desc, 12, 5) == FLUSH:
        m.kind = "fence"
        return
    m.kind, m.level = SAMPLES.get(field(desc, 12, 5), ("", -1))
    m.lanes = {1: 8, 2: 16}.get(field(desc, 17, 2), 0)
    m.sampler = field(desc, 8, 4)
    if not m.lanes:
        m.kind = ""


def data_0(m, desc):
    """Data port 0: bytes, blocks of 16 bytes, fences, scratch memory."""
    if field(desc, 18, 1):
        scratch(m, desc)
        return
    type_ = field(desc, 14, 4)
    if type_ in (4, 12):            # byte scattered read, write
        m.kind = "store" if type_ == 12 else "load"
        m.lanes, m.bytes = (16 if field(desc, 8, 1) else 8), 1 << field(desc, 10, 2)
    elif type_ in (3, 11):          # dword scattered read, write
        m.kind = "store" if type_ == 11 else "load"
        m.lanes = 16 if field(desc, 8, 2) == 3 else 8
    elif type_ in (0, 1, 8):        # oword block read, aligned, write
        blocks(m, desc, type_ == 8)
        m.in_bytes = type_ == 1
    elif type_ == 7:
        m.kind = "fence"


def blocks(m, desc, is_store):
    size = field(desc, 8, 3)
    m.kind = "block_store" if is_store else "block_load"
    m.count = {0: 1, 1: 1, 2: 2, 3: 4, 4: 8}.get(size, 0)
    if not m.count:
        m.kind = ""


def scratch(m, desc):
    """Blocks of the thread's own scratch memory, in registers."""
    m.kind = "scratch_store" if field(desc, 17, 1) else "scratch_load"
    m.count = 1 << field(desc, 12, 2)           # registers
    m.surface = STATELESS[0]
    m.offset = field(desc, 0, 12)


UNTYPED = {1: ("load", False), 9: ("store", False)}
MEDIA = {4: "media_load", 10: "media_store"}            # blocks of an image
TYPED = {5: "image_load", 13: "image_store"}            # pixels of eight lanes
FAR_UNTYPED = {17: "load", 25: "store"}
FAR_SCATTERED = {16: "load", 26: "store"}
FAR_BLOCKS = {20: False, 21: True}


def data_1(m, desc):
    """Data port 1: words of surfaces and of memory, atomic operations."""
    type_ = field(desc, 14, 5)
    simd = field(desc, 12, 2)
    mask = field(desc, 8, 4)
    if type_ in UNTYPED or type_ in FAR_UNTYPED:
        m.kind, m.far = (UNTYPED[type_][0], False) if type_ in UNTYPED else (FAR_UNTYPED[type_], True)
        m.lanes = 16 if simd == 1 else 8
        m.elements = tuple(i for i in range(4) if not mask >> i & 1)       # a bit for each that is not there
    elif type_ in TYPED:
        m.kind, m.lanes = TYPED[type_], 8
        m.elements = tuple(i for i in range(4) if not mask >> i & 1)
    elif type_ in MEDIA:
        m.kind = MEDIA[type_]
        m.count = m.response or m.more or m.length - 1
    elif type_ in FAR_SCATTERED:
        m.kind, m.far = FAR_SCATTERED[type_], True
        m.lanes = 16 if field(desc, 12, 1) else 8
        size, count = field(desc, 8, 2), 1 << field(desc, 10, 2)
        m.bytes, m.elements = (1, 4, 8, 0)[size], tuple(range(count))
        if size == 0:                           # so many bytes of one element
            m.bytes, m.elements = count, (0,)
    elif type_ in FAR_BLOCKS:
        blocks(m, desc, FAR_BLOCKS[type_])
        m.far = True
    else:
        atomic(m, desc, type_)


def atomic(m, desc, type_):
    """Of integers or floats, on a surface or on memory."""
    if type_ not in (2, 18, 27, 29):
        return
    floating = type_ in (27, 29)
    m.far = type_ in (18, 29)
    table = FLOAT_ATOMICS if floating else ATOMICS
    m.operation = table.get(field(desc, 8, 3 if floating else 4), "")
    m.kind = ("atomic_return" if field(desc, 13, 1) else "atomic") if m.operation else ""
    m.lanes = 8 if field(desc, 12, 1) or m.far else 16
    if m.far and field(desc, 12, 1):
        m.bytes = 8


def constant(m, desc):
    """The constant cache's way to memory."""
    if field(desc, 14, 4) in (0, 1) and not field(desc, 18, 1):
        blocks(m, desc, False)
