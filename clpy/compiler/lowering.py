# SPDX-License-Identifier: Apache-2.0
"""What a pass raises when the program, not the compiler, is at fault."""


class LoweringError(Exception):
    """The kernel cannot be compiled; the message goes to the build log."""
