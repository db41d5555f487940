// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups: shuffles, blocks of words, and their second names, which its sister extensions bring.
#include "sub_group_block.h"

WIDTHS(EXCHANGES, float)
WIDTHS(EXCHANGES, int)
WIDTHS(EXCHANGES, uint)
EXCHANGES(, long)
EXCHANGES(, ulong)
EXCHANGES(, double)
EXCHANGES(, half)
BLOCKS(uint, )
MEMORY_BLOCK(uint, _ui, __global)
IMAGE_BLOCK(uint, _ui)
