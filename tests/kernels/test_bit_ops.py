# SPDX-License-Identifier: Apache-2.0
"""cl_khr_extended_bit_ops: every type and width against Python's integers."""
import numpy as np
import pytest

from .builtins import INTEGERS, WIDTHS, corners

STANDARDS = ("", "-cl-std=CL3.0")


def fields(bits):
    """(offset, count) pairs: all in a small type, those next to the ends in a large one."""
    ends = sorted({n for n in (0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, bits // 2, bits - 2, bits - 1, bits) if n <= bits})
    return [(o, c) for o in ends for c in ends if o + c <= bits and (c == 0 or o < bits)]


def insert(base, field, offset, count, bits):
    mask = (1 << count) - 1 << offset
    return base & ~mask | field << offset & mask


def extract(base, offset, count, signed):
    field = base >> offset & (1 << count) - 1
    return field - (1 << count) if signed and count and field >> count - 1 else field


def reverse(value, bits):
    return int(f"{value:0{bits}b}"[::-1], 2)


def as_type(value, dtype):
    return np.array(value % (1 << 8 * np.dtype(dtype).itemsize), f"u{np.dtype(dtype).itemsize}").view(dtype)


def calls(name, width):
    suffix, n = ("", 1) if width == 1 else (str(width), width)
    load = f"vload{width}(i, {{}})" if width > 1 else "{}[i]"

    def store(k, value):
        return f"vstore{width}({value}, {k} * n + i, r);" if width > 1 else f"r[{k} * n + i] = {value};"
    signed, plain = name.lstrip("u"), f"as_{name}{suffix}"
    return f"""kernel void k{n}(global {name} *r, global const {name} *a, global const {name} *b, uint offset,
                                uint count) {{
        size_t i = get_global_id(0), n = get_global_size(0);
        {name}{suffix} x = {load.format("a")}, y = {load.format("b")};
        {signed}{suffix} s = bitfield_extract_signed(x, offset, count);
        u{signed}{suffix} u = bitfield_extract_unsigned(x, offset, count);
        {store(0, "bitfield_insert(x, y, offset, count)")} {store(1, f"{plain}(s)")} {store(2, f"{plain}(u)")}
        {store(3, "bit_reverse(x)")} }}
    """


@pytest.mark.parametrize("options", STANDARDS)
@pytest.mark.parametrize("name", INTEGERS)
def test_functions(machine, name, options):
    machine.needs("cl_khr_extended_bit_ops")
    dtype = INTEGERS[name]
    bits = 8 * np.dtype(dtype).itemsize
    values = np.resize(corners(dtype), 48)
    a, b = values, np.roll(values, 7)
    program = machine.build("".join(calls(name, w) for w in (1, *WIDTHS)), options)
    for width in (1, *WIDTHS):
        kernel = getattr(program, f"k{width}")
        for offset, count in fields(bits)[::2 if width == 1 else 7]:
            out = np.zeros((4, 48), dtype)
            machine.launch(kernel, (48 // width,), None, [out, a, b, np.uint32(offset), np.uint32(count)])
            x, y = (v.view(f"u{bits // 8}").tolist() for v in (a, b))
            wanted = [[insert(p, q, offset, count, bits) for p, q in zip(x, y, strict=True)],
                      [extract(p, offset, count, True) for p in x], [extract(p, offset, count, False) for p in x],
                      [reverse(p, bits) for p in x]]
            exact = np.array([[as_type(v, dtype) for v in row] for row in wanted])
            np.testing.assert_array_equal(out, exact, err_msg=f"{name}{width}, {offset}, {count}")


def test_macro(machine):
    machine.needs("cl_khr_extended_bit_ops")
    source = """kernel void k(global int *o) {
        #ifdef cl_khr_extended_bit_ops
        o[0] = cl_khr_extended_bit_ops;
        #endif
    }"""
    out = np.zeros(1, np.int32)
    machine.launch(machine.build(source).k, (1,), None, [out])
    assert out[0] == 1
