# SPDX-License-Identifier: Apache-2.0
"""What the compiler finds out about a function without changing it: control flow, shapes, memory, known functions."""
