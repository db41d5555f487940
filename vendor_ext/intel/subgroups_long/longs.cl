// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroups_long: blocks of words of 64 bits.
#include "sub_group_block.h"

BLOCKS(ulong, _ul)
