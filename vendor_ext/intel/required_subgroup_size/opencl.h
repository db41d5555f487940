// SPDX-License-Identifier: Apache-2.0
// cl_intel_required_subgroup_size: the attribute is known to Clang.
// Read where a program says: cl_intel_required_subgroup_size
