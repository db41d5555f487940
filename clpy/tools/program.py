# SPDX-License-Identifier: Apache-2.0
"""What commands share that run a program of the user's and tell something of it."""
import os

from clpy.tools import icd_file
from clpy.tools.problem import Problem


def given(args, name):
    """The program and its arguments, behind `--`; `name` is the command's."""
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        raise Problem(f"no program given: clpy {name} -- PROGRAM ARGUMENTS")
    return command


def run(command, variables):
    """Its exit code, as a shell tells it; clpy is the only platform that it sees."""
    import subprocess  # which the library's interpreter has not
    try:
        status = subprocess.run(command, env={**os.environ, **icd_file.variables(only=True), **variables},
                                check=False).returncode
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}") from None
    return status if status >= 0 else 128 - status


def writable(path):
    """Problem where a file cannot be written, before a program has run for nothing."""
    if path:
        try:
            open(path, "a").close()
        except OSError as error:
            raise Problem(f"{path}: {error.strerror}") from None


def write(path, text):
    """To that file, or to standard output."""
    if not path:
        print(text)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None


def columns(lines, left=1):
    """Rows of cells as lines of text: so many columns to the left, the others to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return ["  ".join(cell.ljust(width) if i < left else cell.rjust(width)
                      for i, (cell, width) in enumerate(zip(line, widths))) for line in lines]
