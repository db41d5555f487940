# SPDX-License-Identifier: Apache-2.0
"""The types of random kernels, and an expression as a tree."""
SCALARS = {"char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False), "int": (32, True),
           "uint": (32, False), "long": (64, True), "ulong": (64, False)}
FLOATS = {"float": "int", "double": "long"}      # without_doubles() takes one
COUNTS = (2, 2, 2, 3, 3, 4, 4, 4, 8, 16)   # as often as they are chosen
INPUTS = {"int": "a", "uchar": "b", "ulong": "c", "short": "s"}   # read-only buffers of 256 elements and some more
HEX = "0123456789abcdef"


def without_doubles():
    """From now on kernels are for devices that have no double."""
    FLOATS.pop("double", None)


def unsigned(scalar):
    return scalar if scalar.startswith("u") else "u" + scalar


def split(type_):
    """('int', 4) of int4; ('int', 1) of int."""
    base = type_.rstrip("0123456789")
    return base, int(type_[len(base):] or 1)


class Expr:
    """Text and subexpressions in a row; `type` is its OpenCL C type."""

    def __init__(self, type_, *parts):
        self.type, self.parts = type_, list(parts)

    def text(self):
        return "".join(p if isinstance(p, str) else p.text() for p in self.parts)
