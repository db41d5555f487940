# SPDX-License-Identifier: Apache-2.0
"""Machine code of AMD's VLIW chips (Evergreen and Northern Islands), by LLVM's R600 code generator."""
