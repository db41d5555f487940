# SPDX-License-Identifier: Apache-2.0
"""reference.c, compiled for a function and a type, and run on all cores."""
import ctypes
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).resolve().parent / "reference.c"
BITS = {"half": 16, "float": 32, "double": 64}
ARRAYS = {"half": np.float16, "float": np.float32, "double": np.float64}
SECOND = {"": 0, "T": 1, "int": 2}


class Worst(ctypes.Structure):
    _fields_ = [("error", ctypes.c_double), ("at", ctypes.c_size_t)]


class Reference:
    def __init__(self, function, name, every):
        defines = {"TYPE": BITS[name], "EXACT": f"({function.exact})", "SECOND": SECOND[function.second],
                   "EVERY": int(every), "NEAR_POWER": int(function.near == "power")}
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "reference.so"
            subprocess.run([os.environ.get("CC", "cc"), "-O2", "-march=native", "-ffp-contract=off", "-fPIC", "-shared",
                            "-D_GNU_SOURCE", *(f"-D{key}={value}" for key, value in defines.items()), str(SOURCE),
                            "-o", str(library), "-lquadmath", "-lm"], check=True)
            self.library = ctypes.CDLL(str(library))
        self.type = ARRAYS[name]
        self.second = {"": None, "T": self.type, "int": np.int32}[function.second]
        self.pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))

    def arrays(self, size):
        """x, y or None, and one for results."""
        return (np.empty(size, self.type), self.second and np.empty(size, self.second), np.empty(size, self.type))

    def spread(self, call, n):
        """call(begin, end) for parts of range(n), on all cores."""
        step = max(1 << 12, n // (4 * len(os.sched_getaffinity(0))) + 1)
        return list(self.pool.map(lambda begin: call(begin, min(n, begin + step)), range(0, n, step)))

    def fill(self, first, n, x, y):
        def part(begin, end):
            self.library.arguments(ctypes.c_uint64(first + begin), ctypes.c_size_t(end - begin), at(x, begin),
                                   at(y, begin))
        self.spread(part, n)

    def worst(self, x, y, got, n):
        """(error in ulp, index) of the result that is farthest off."""
        def part(begin, end):
            worst = Worst(-1, 0)
            self.library.compare(at(x, begin), at(y, begin), at(got, begin), ctypes.c_size_t(end - begin),
                                 ctypes.byref(worst))
            return worst.error, begin + worst.at
        return max(self.spread(part, n))


def at(array, index):
    return ctypes.c_void_p(None if array is None else array.ctypes.data + index * array.itemsize)
