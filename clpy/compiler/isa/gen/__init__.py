# SPDX-License-Identifier: Apache-2.0
"""Machine code of Intel's Gen chips as code of the host, for one hardware thread."""
