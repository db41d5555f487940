# SPDX-License-Identifier: Apache-2.0
"""LLVM and Clang, and the only place that touches them."""
import sys

# Address of a clpy_crash_guard (guard_shim.h), which calls of LLVM and Clang go through; 0: there is none.
crash_guard = 0


def guard_crashes(address):
    """From now on; for the device that runs kernels, which has handlers for faults. Loads nothing."""
    global crash_guard
    crash_guard = address
    guard = sys.modules.get("clpy.llvm.guard")
    if guard is not None:
        guard.read_crash_guard()
