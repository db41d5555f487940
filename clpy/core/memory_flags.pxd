# SPDX-License-Identifier: Apache-2.0
"""Flags of memory objects that extensions bring, by what they mean; 0 where no extension brings one."""
include "of_vendors/memory_flags.pxi"
