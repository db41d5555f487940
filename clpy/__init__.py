# SPDX-License-Identifier: Apache-2.0
"""clpy: an OpenCL platform. Importing this package starts nothing: no LLVM, no thread."""

__version__ = "0.1.0"
