# SPDX-License-Identifier: Apache-2.0
"""Variables of a program that the host reaches by a name: how their symbols tell of them in machine code, and so in
binaries and caches, too."""
PREFIX = "__clpy_for_host_"     # then what the host may do, "_", and the name in hexadecimal digits
VARIABLE = "v"                  # in place of what may be done: no pipe


def symbol_of(name, pipe_use):
    """`pipe_use`: a Host Access Qualifier of SPIR-V; None of a variable that is no pipe."""
    return f"{PREFIX}{VARIABLE if pipe_use is None else pipe_use}_{name.hex()}"


def symbols(loaded):
    """{name: (address, use)} of machine code in memory; of what is no pipe the use is 0, none."""
    found = {}
    for symbol, address in getattr(loaded, "addresses", {}).items():
        if symbol.startswith(PREFIX):
            use, _, digits = symbol.removeprefix(PREFIX).partition("_")
            found[bytes.fromhex(digits)] = address, 0 if use == VARIABLE else int(use)
    return found
