# SPDX-License-Identifier: Apache-2.0
"""Which devices are listed, the default first: the environment says it (CLPY_DEVICES), else the user's file, which
`clpy devices` writes, else the default of the option. A line of the file is a name; # begins a comment.

icd/chosen.c reads the file in the same way, to count devices before there is Python.
"""
import os

from clpy import config

VARIABLE = "CLPY_DEVICES"
FALLBACK = "cpu"             # every machine has it
MOST_BYTES = 4096


def path():
    """Of the user's file; "" where there is no place for one."""
    folder = config.variable("XDG_CONFIG_HOME")
    if not folder.startswith("/"):       # "All paths must be absolute"; others are ignored
        home = config.variable("HOME")
        folder = home + "/.config" if home.startswith("/") else ""
    return folder and folder + "/clpy/devices"


def read():
    """The names in the user's file; None where there is none; ValueError with what is wrong with it."""
    try:
        file = os.open(path(), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as why:
        raise ValueError(f"cannot be read: {why.strerror}") from None
    try:
        data = os.read(file, MOST_BYTES + 1)
    except OSError as why:
        raise ValueError(f"cannot be read: {why.strerror}") from None
    finally:
        os.close(file)
    if len(data) > MOST_BYTES:
        raise ValueError(f"has more than {MOST_BYTES} bytes")
    names = [line.split(b"#")[0].strip() for line in data.splitlines()]
    try:
        return [name.decode() for name in names if name]
    except UnicodeDecodeError:
        raise ValueError("is not text") from None


def listed(text):
    """The names in a comma-separated text, each once."""
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def chosen():
    """The names, and who says so: CLPY_DEVICES, the path of the file, or "" for the default. ValueError where the
    file is wrong."""
    if config.variable(VARIABLE, None) is None and path():
        names = read()
        if names is not None:
            return list(dict.fromkeys(names)), path()
    return listed(config.get("DEVICES")), VARIABLE if config.variable(VARIABLE, None) is not None else ""
