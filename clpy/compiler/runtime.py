# SPDX-License-Identifier: Apache-2.0
"""What the machine code of kernels may call beside the C library: name (it begins with __clpy_) -> address.

The device that runs kernels fills it in; the compiler hands it to the JIT before it loads a program. A module of its
own, which imports nothing, since a device is there long before the first program.
"""
functions = {}
# Called before a program is loaded.
before_load = []
# What says whether the process ends: what is still being compiled then is given up.
ends = []
