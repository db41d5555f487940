# SPDX-License-Identifier: Apache-2.0
"""A reader of MessagePack, the form of the metadata of AMD's code objects. Whatever comes, ValueError is all."""
import struct

DEPTH, ITEMS = 32, 1 << 20     # more of either is nobody's metadata
# First byte -> struct format, of numbers.
NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
           0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
# First byte -> bytes of the length that follows.
BINARY = {0xC4: 1, 0xC5: 2, 0xC6: 4}
STRING = {0xD9: 1, 0xDA: 2, 0xDB: 4}
ARRAY = {0xDC: 2, 0xDD: 4}
MAP = {0xDE: 2, 0xDF: 4}
CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


def read(data):
    """The value that `data` holds, which must be all of it."""
    reader = Reader(bytes(data))
    value = reader.value(0)
    if reader.at != len(reader.data):
        raise ValueError("more bytes than metadata")
    return value


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0
        self.items = 0

    def take(self, count):
        part = self.data[self.at:self.at + count]
        if len(part) != count:
            raise ValueError("metadata ends too soon")
        self.at += count
        return part

    def number(self, size):
        return int.from_bytes(self.take(size), "big")

    def value(self, depth):
        self.items += 1
        if depth > DEPTH or self.items > ITEMS:
            raise ValueError("metadata is too deep or too long")
        first = self.take(1)[0]
        if first < 0x80:
            return first
        if first >= 0xE0:
            return first - 0x100
        if first < 0x90 or first in MAP:
            return self.map(first & 15 if first < 0x90 else self.number(MAP[first]), depth)
        if first < 0xA0 or first in ARRAY:
            count = first & 15 if first < 0xA0 else self.number(ARRAY[first])
            return [self.value(depth + 1) for _ in range(count)]
        if first < 0xC0 or first in STRING:
            return self.text(first & 31 if first < 0xC0 else self.number(STRING[first]))
        if first in NUMBERS:
            form = NUMBERS[first]
            return struct.unpack(form, self.take(struct.calcsize(form)))[0]
        if first in BINARY:
            return self.take(self.number(BINARY[first]))
        if first in CONSTANTS:
            return CONSTANTS[first]
        raise ValueError(f"metadata of an unknown kind {first:#x}")

    def text(self, size):
        return self.take(size).decode("utf-8", "replace")

    def map(self, count, depth):
        made = {}
        for _ in range(count):
            key = self.value(depth + 1)
            if not isinstance(key, str):
                raise ValueError("a key of metadata is no text")
            made[key] = self.value(depth + 1)
        return made
