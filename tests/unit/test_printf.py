# SPDX-License-Identifier: Apache-2.0
"""The formatter behind printf, called as compiled kernels call it, in a process of its own whose output is read."""
import ctypes
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint64)


def packed(*values):
    """What the compiler packs: numpy scalars and vectors; bytes are strings, whose address is packed."""
    kept, out = [], b""
    for value in values:
        if isinstance(value, bytes) or value is None:
            text = ctypes.c_char_p(value)
            kept.append(text)
            address = ctypes.cast(text, ctypes.c_void_p).value or 0
            out += struct.pack("<4IQ", 2, 8, 1, 0, address)
            continue
        array = np.atleast_1d(value)
        data = array.tobytes()
        head = struct.pack("<4I", int(array.dtype.kind == "f"), array.itemsize, array.size, 0)
        out += head + data + bytes(-len(data) % 8)
    return out, kept


def call(fmt, data):
    from clpy.device.host import printf
    ENTRY(printf.printf_address())(fmt, data, len(data))


def child(calls):
    """Runs in the child: all calls, with a mark after each."""
    from clpy.device.host import printf
    for fmt, values, cut in calls:
        data, kept = packed(*values)
        call(fmt, data[:len(data) - cut] if cut else data)
        call(b"\x01", b"")
        del kept
    printf.flush()


i8, i16, i32, i64 = np.int8, np.int16, np.int32, np.int64
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
f16, f32, f64 = np.float16, np.float32, np.float64

# format, values, bytes cut off the end of the packed values, expected text
CASES = [
    (b"plain\n", (), 0, b"plain\n"),
    (b"", (), 0, b""),
    (b"%%|100%%", (), 0, b"%|100%"),
    (b"%d %i", (i32(-5), i32(7)), 0, b"-5 7"),
    (b"%5d|%-5d|%05d|%+d|% d", (i32(42),) * 5, 0, b"   42|42   |00042|+42| 42"),
    (b"%.4d|%8.3d|%.0d", (i32(42), i32(-7), i32(0)), 0, b"0042|    -007|"),
    (b"%u %x %X %o", (u32(4294967295), u32(255), u32(255), u32(8)), 0, b"4294967295 ff FF 10"),
    (b"%#x %#o", (u32(255), u32(8)), 0, b"0xff 010"),
    (b"%u", (i32(-1),), 0, b"4294967295"),
    (b"%ld %lu %lx", (i64(-2**63), u64(2**64 - 1), u64(2**40)), 0,
     b"-9223372036854775808 18446744073709551615 10000000000"),
    (b"%hhd %hhu %hd %hu", (i32(200), i32(300), i32(40000), i32(70000)), 0, b"-56 44 -25536 4464"),
    (b"%d", (i64(5000000000),), 0, b"5000000000"),
    (b"%f %.2f %8.3f|%-8.1f|", (f64(1.5), f64(2.345), f64(-1), f64(2.25)), 0, b"1.500000 2.35   -1.000|2.2     |"),
    (b"%e %E %.0e", (f64(12345.678),) * 3, 0, b"1.234568e+04 1.234568E+04 1e+04"),
    (b"%g %G %g %#g", (f64(0.0001), f64(1e-10), f64(100000), f64(1)), 0, b"0.0001 1E-10 100000 1.00000"),
    (b"%a %A", (f64(1), f64(-0.1)), 0, b"0x1p+0 -0X1.999999999999AP-4"),
    (b"%f %F %f %5.1f|%05f", (f64("inf"), f64("-inf"), f64("nan"), f64("inf"), f64("inf")), 0,
     b"inf -INF nan   inf|  inf"),
    (b"%f", (f32(0.5),), 0, b"0.500000"),
    (b"%c%c|%3c|%-3c|", (i32(72), i32(105), i32(33), i32(33)), 0, b"Hi|  !|!  |"),
    (b"%s, %s!", (b"hello", b"world"), 0, b"hello, world!"),
    (b"%10s|%-10s|%.2s|", (b"right", b"left", b"cut"), 0, b"     right|left      |cu|"),
    (b"%s", (None,), 0, b"(null)"),
    (b"%p", (u64(0x1000),), 0, b"0x1000"),
    (b"%v4d", (np.array([1, -2, 3, -4], i32),), 0, b"1,-2,3,-4"),
    (b"%v4hld", (np.array([1, -2, 3, -4], i32),), 0, b"1,-2,3,-4"),
    (b"%v2hhd %v2hhu", (np.array([-1, 2], i8), np.array([255, 2], u8)), 0, b"-1,2 255,2"),
    (b"%v3hx", (np.array([1, 0xffff, 16], u16),), 0, b"1,ffff,10"),
    (b"%v2ld", (np.array([-2**63, 1], i64),), 0, b"-9223372036854775808,1"),
    (b"%v4hlf", (np.array([1, 2.5, -3, 0], f32),), 0, b"1.000000,2.500000,-3.000000,0.000000"),
    (b"%#.2v2f|%+6.1v2hlf", (np.array([1, 2], f64), np.array([1, 2], f32)), 0, b"1.00,2.00|  +1.0,  +2.0"),
    (b"%v16hhx", (np.arange(16, dtype=u8),), 0, b"0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f"),
    (b"%v8hlg", (np.arange(8, dtype=f32) / 2,), 0, b"0,0.5,1,1.5,2,2.5,3,3.5"),
    (b"%v2hg %v2hg %v2hg", (np.array([0.1, 65504], f16), np.array(["inf", "nan"], f16), np.array([6e-8, -2], f16)), 0,
     b"0.0999756,65504 inf,nan 5.96046e-08,-2"),
    (b"%d %s", (i32(1),), 0, b"1 %s"),                                     # too few arguments
    (b"%d", (i32(1), i32(2)), 0, b"1"),                                    # too many
    (b"%d|%d", (i32(1), i32(2)), 4, b"1|%d"),                              # a truncated record
    (b"%s", (i32(1),), 0, b"%s"),                                          # an integer is no string
    (b"%v4d %d", (i32(1), np.array([1, 2], i32)), 0, b"%v4d %d"),          # vectors of another length
    (b"%v5d %v d %q %y %", (i32(1),), 0, b"%v5d %v d %q %y %"),            # not conversions
    (b"%n%d", (i32(3),), 0, b"%n3"),
    (b"%-+ #0-+ #0-+ #0d", (i32(3),), 0, b"+3"),
    (b"%.99999999999999d", (i32(3),), 0, b"0" * 65534 + b"3"),
    (b"%.d|%.f", (i32(0), f64(2.5)), 0, b"|2"),
    (b"%s" * 40, (b"0123456789" * 5,) * 40, 0, b"0123456789" * 200),       # longer than the first buffer
]


@pytest.fixture(scope="module")
def output():
    # The locale is the child's to set: a decimal comma must not reach the text.
    program = f"import locale\nfrom {__name__.split('.')[-1]} import CASES, child\n" \
              "try:\n    locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')\nexcept locale.Error:\n    pass\n" \
              "child([case[:3] for case in CASES])\n"
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, os.path.dirname(os.path.dirname(here))])
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True,
                         env={**os.environ, "PYTHONPATH": path})
    return run.stdout.split(b"\x01")


@pytest.mark.parametrize("index", range(len(CASES)), ids=lambda i: CASES[i][0][:24].decode())
def test_text(output, index):
    assert output[index] == CASES[index][3]


def test_no_arguments_at_all(output):
    assert len(output) == len(CASES) + 1
    call(None, b"")
