// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups_short: numbers of 16 bits.
#include "sub_group_block.h"

SHORT_NUMBERS(short, s)
SHORT_NUMBERS(ushort, u)
BLOCKS(ushort, _us)
BLOCKS_OF_16(ushort, _us)
