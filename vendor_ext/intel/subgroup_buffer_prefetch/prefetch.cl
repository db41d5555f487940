// SPDX-License-Identifier: Apache-2.0
// cl_intel_subgroup_buffer_prefetch: hints. The processor sees by itself which rows of memory a kernel passes over.
#include "builtins.h"

#define HINT(NAME, T) OVERLOAD void intel_sub_group_block_prefetch##NAME(const __global T *p) {}
#define HINTS(NAME, T) HINT(NAME, T) HINT(NAME##2, T) HINT(NAME##4, T) HINT(NAME##8, T)
HINTS(_uc, uchar)
HINT(_uc16, uchar)
HINTS(_us, ushort)
HINT(_us16, ushort)
HINTS(_ui, uint)
HINTS(_ul, ulong)
