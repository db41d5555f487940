# SPDX-License-Identifier: Apache-2.0
"""Machine code of GPUs as code of the host, for a whole wavefront at a time (docs/isa.md)."""
