# SPDX-License-Identifier: Apache-2.0
"""LLVM's own optimizer on the finished kernel functions, for the CPU that runs them."""
FULL = "default<O3>"
PLAIN = "function(sroa,simplifycfg)"  # -cl-opt-disable: what the lowering itself needs to be sane


def run(module, lowering):
    module.run_passes(FULL if lowering.optimize else PLAIN, lowering.machine)
