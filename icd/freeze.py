# SPDX-License-Identifier: Apache-2.0
"""Freezes the standard library for the private interpreter: python3.X -I -S icd/freeze.py FOLDER FILE...

Run by the Python whose static library the interpreter is made of. Writes into FOLDER frozen.bin, the code of all
modules one after the other and of each FILE, which becomes the module clpy_NAME, and frozen.h, a row for each:
FROZEN(name, offset, size, is a package). What is frozen in the static library itself, and so that it comes up faster,
is not there a second time.
"""
import _imp
import marshal
import os
import sys
from pathlib import Path

# Of no use to a compiler: networks, archives, terminals, databases, other programs, what develops and tests Python.
# Three would change something of the host program, so that nobody may import them: signal, subprocess and threading.
# Of what imports modules, and of abstract classes, the interpreter has its own.
LEFT_OUT = {"__hello__", "__phello__", "_aix_support", "_bootsubprocess", "_compression", "_distutils_system_mod",
            "_markupbase", "_osx_support", "_py_abc", "_pydecimal", "_pyio", "_strptime", "_threading_local", "aifc",
            "antigravity", "argparse", "asynchat", "asyncio", "asyncore", "base64", "bdb", "bz2", "cProfile",
            "calendar", "cgi", "cgitb", "chunk", "cmd", "code", "codeop", "colorsys", "compileall", "concurrent",
            "configparser", "contextvars", "crypt", "ctypes", "curses", "dbm", "decimal", "distutils", "doctest",
            "email", "ensurepip", "filecmp", "fileinput", "fractions", "ftplib", "getopt", "getpass", "gettext",
            "graphlib", "gzip", "hmac", "html", "http", "idlelib", "imaplib", "imghdr", "imp", "importlib._bootstrap",
            "importlib._bootstrap_external", "importlib.abc", "importlib.metadata", "importlib.readers",
            "importlib.resources", "importlib.simple", "json.tool", "lib2to3", "locale", "logging", "lzma", "mailbox",
            "mailcap", "mimetypes", "modulefinder", "msilib", "multiprocessing", "netrc", "nntplib", "nturl2path",
            "numbers", "optparse", "pdb", "pickletools", "pipes", "pkgutil", "platform", "plistlib", "poplib", "pprint",
            "profile", "pstats", "pty", "py_compile", "pyclbr", "pydoc", "pydoc_data", "queue", "quopri", "random",
            "rlcompleter", "runpy", "sched", "secrets", "selectors", "shelve", "shutil", "signal", "site",
            "sitecustomize", "smtpd", "smtplib", "sndhdr", "socket", "socketserver", "sqlite3", "sre_compile",
            "sre_constants", "sre_parse", "ssl", "statistics", "stringprep", "subprocess", "sunau", "symtable",
            "sysconfig", "tabnanny", "tarfile", "telnetlib", "tempfile", "test", "this", "threading", "timeit",
            "tkinter", "trace", "tracemalloc", "tty", "turtle", "turtledemo", "unittest", "urllib.error",
            "urllib.request", "urllib.response", "urllib.robotparser", "uu", "uuid", "venv", "wave", "webbrowser",
            "wsgiref", "xdrlib", "xml", "xmlrpc", "zipapp", "zipfile", "zoneinfo"}
# Those that text may be in. What encodes a terminal's or an old machine's characters stays away.
CODECS = {"__init__", "aliases", "ascii", "latin_1", "utf_8", "utf_16", "utf_16_le", "utf_32", "utf_32_le"}


def is_wanted(parts):
    if parts[0] == "encodings":
        return parts[1] in CODECS
    names = {".".join(parts[:i]) for i in range(1, len(parts) + 1)}
    return not names & LEFT_OUT and parts[0].isidentifier() and not parts[0].startswith("_sysconfigdata")


def modules(library):
    """(name, file, is a package) of each, in the order of names."""
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).with_suffix("").parts
        if "__pycache__" in parts or not is_wanted(parts):
            continue
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        if not _imp.is_frozen(name):
            yield name, path, is_package


def freeze(folder, files):
    ours = [(f"clpy_{path.stem}", path, False) for path in files]
    rows, offset = [], 0
    with open(folder / "frozen.bin", "wb") as out:
        for name, path, is_package in [*modules(Path(os.__file__).parent), *ours]:
            code = marshal.dumps(compile(path.read_bytes(), f"<clpy {name}>", "exec", dont_inherit=True, optimize=2))
            out.write(code)
            rows.append(f'FROZEN("{name}", {offset}, {len(code)}, {int(is_package)})')
            offset += len(code)
    (folder / "frozen.h").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    freeze(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]])
