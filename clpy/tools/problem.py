# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a command, and how it ends then."""
import os
import sys


class Problem(Exception):
    """What a command cannot do, and what the user can; becomes exit code 1."""


def reported(function, args):
    """The function's exit code."""
    try:
        return function(args)
    except Problem as problem:
        print(f"clpy: {problem}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
