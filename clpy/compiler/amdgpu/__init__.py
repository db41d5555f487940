# SPDX-License-Identifier: Apache-2.0
"""Programs for chips of AMD's GCN family: OpenCL C to machine code, and what the machine code says of itself."""
