# SPDX-License-Identifier: Apache-2.0
"""include/clpy_abi.h for Python: its version, and the byte offsets of the fields that generated code reads."""
from clpy.abi cimport CLPY_ABI_VERSION, clpy_group_mem, clpy_launch

cdef clpy_launch launch
cdef clpy_group_mem mem

ABI_VERSION = CLPY_ABI_VERSION

LAUNCH = {
    "flags": <char *>&launch.flags - <char *>&launch,
    "work_dim": <char *>&launch.work_dim - <char *>&launch,
    "global_offset": <char *>&launch.global_offset - <char *>&launch,
    "global_size": <char *>&launch.global_size - <char *>&launch,
    "local_size": <char *>&launch.local_size - <char *>&launch,
    "num_groups": <char *>&launch.num_groups - <char *>&launch,
}
GROUP_MEM = {
    "local": <char *>&mem.local - <char *>&mem,
    "context": <char *>&mem.context - <char *>&mem,
}
