# SPDX-License-Identifier: Apache-2.0
"""cl_amd_popcnt: all types and widths, on the CPU device and on a model; and names of programs stay theirs."""
import os
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pytest

WIDTHS = ("", "2", "3", "4", "8", "16")
TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
         "long": np.int64, "ulong": np.uint64}
COUNT = 48 * 4
PRAGMA = "#pragma OPENCL EXTENSION cl_amd_popcnt : enable\n"


def source():
    text = [PRAGMA]
    for name in TYPES:
        for n in WIDTHS:
            load, store = (f"vload{n}(i, a)", f"vstore{n}(%s, i, o)") if n else ("a[i]", "o[i] = %s")
            text.append(f"kernel void k_{name}_{n}(global {name} *o, global const {name} *a) "
                        f"{{ size_t i = get_global_id(0); {store % f'popcnt({load})'}; }}")
    return "\n".join(text)


def device():
    return next(p for p in cl.get_platforms() if p.name == "clpy").get_devices()[0]


def build(text, options=()):
    return cl.Program(cl.Context([device()]), text).build(list(options), cache_dir=False)


def check():
    assert "cl_amd_popcnt" in device().extensions.split()
    context = cl.Context([device()])
    queue, program = cl.CommandQueue(context), cl.Program(context, source()).build(["-cl-std=CL1.1"], cache_dir=False)
    for name, type_ in TYPES.items():
        values = np.random.default_rng(3).integers(0, 256, COUNT * type_().itemsize).astype(np.uint8).view(type_)
        wanted = np.array([bin(int(x) & (1 << 8 * type_().itemsize) - 1).count("1") for x in values], type_)
        given = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
        for n in WIDTHS:
            got, out = np.zeros_like(values), cl.Buffer(context, 0, values.nbytes)
            cl.Kernel(program, f"k_{name}_{n}")(queue, (COUNT // int(n or 1),), None, out, given)
            cl.enqueue_copy(queue, got, out)
            np.testing.assert_array_equal(got, wanted, err_msg=f"{name}{n}")


def test_on_the_cpu_device():
    check()


def test_on_a_model():
    """In a process of its own, for the devices are chosen once."""
    done = subprocess.run([sys.executable, "-W", "ignore", __file__], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CLPY_DEVICES": "gpu:tahiti"})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("std", ["CL1.0", "CL1.2", "CL3.0"])
def test_the_name_is_the_programs_where_it_is_not_enabled(std):
    """Each line says at compile time whose it is, by the size of the result."""
    def is_of(size, line):
        return f"constant int is{line}[sizeof(popcnt((uchar)1)) == sizeof({size}) ? 1 : -1] = {{0}};"
    build("\n".join(["ulong popcnt(uint x) { return x; }", is_of("ulong", 0), PRAGMA, is_of("uchar", 1),
                     PRAGMA.replace("enable", "disable"), is_of("ulong", 2), PRAGMA, is_of("uchar", 3),
                     "#pragma OPENCL EXTENSION all : disable", is_of("ulong", 4),
                     "kernel void k(global ulong *o) { *o = popcnt(3); }"]), ["-Werror", f"-cl-std={std}"])


def test_a_macro_of_the_program_stays():
    build("#define popcnt(x) my_own(x)\nint my_own(int x) { return x; }\n" + PRAGMA
          + "kernel void k(global int *o) { *o = popcnt(*o); }", ["-Werror"])


def test_without_the_pragma_there_is_no_such_function():
    with pytest.raises(cl.RuntimeError, match="popcnt"):
        build("kernel void k(global int *o) { *o = popcnt(*o); }")


if __name__ == "__main__":          # on a model: each width is compiled anew there, and all are alike
    WIDTHS = ("", "3", "16")
    check()
