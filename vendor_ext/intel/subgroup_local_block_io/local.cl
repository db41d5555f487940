// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_local_block_io: blocks of local memory, of all types that its sister extensions have.
#include "sub_group_block.h"

POINTERS(uint, __local)
POINTERS(uchar, __local)
POINTERS(ushort, __local)
POINTERS(ulong, __local)
MEMORY_BLOCK(uint, , __local)
MEMORY_BLOCK(uint, _ui, __local)
MEMORY_BLOCK(uchar, _uc, __local)
MEMORY_BLOCKS(16, uchar, _uc, __local)
MEMORY_BLOCK(ushort, _us, __local)
MEMORY_BLOCKS(16, ushort, _us, __local)
MEMORY_BLOCK(ulong, _ul, __local)
