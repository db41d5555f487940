// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups_char: bytes.
#include "sub_group_block.h"

SHORT_NUMBERS(char, s)
SHORT_NUMBERS(uchar, u)
BLOCKS(uchar, _uc)
BLOCKS_OF_16(uchar, _uc)
