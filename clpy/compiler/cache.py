# SPDX-License-Identifier: Apache-2.0
"""The cache of built programs: files named by a hash of all that the code depends on, and a few of them in memory.

Any number of processes may use one folder. An entry is written beside its place and then renamed, so that it is there
whole or not at all; who reads it checks it (binary.unpack) and builds anew when it is damaged. Where nothing can be
written there is no cache, and no complaint. The oldest entries go when the folder grows beyond CLPY_CACHE_MAX_MB.
"""
import hashlib
import os
import secrets
import stat
import threading
import time
from collections import OrderedDict
from functools import cache
from pathlib import Path

from clpy import __version__, config
from clpy.abi_layout import ABI_VERSION

PACKAGE = Path(__file__).resolve().parents[1]
# Options of the environment that change the code.
CODE_OPTIONS = ("USE_VECTORIZER", "CPU_VECTORIZER_MODE")
MEMORY_BYTES = 16 << 20
STALE_SECONDS = 3600        # after which a temporary file's writer is taken for dead
EVICT_EVERY = 64            # stores of a process between looks at the folder's size

_memory = OrderedDict()     # key -> blob, the newest last
_memory_lock = threading.Lock()
_stores = 0


def key(source, headers, args, options, target):
    """Hash of all that decides about the code of a program, as hexadecimal text."""
    state = hashlib.blake2b(digest_size=20)
    parts = [source, *(part for name in sorted(headers) for part in (name.encode(), headers[name])), b"", *args,
             options.key().encode(), target.key().encode(), compiler_stamp(),
             repr([config.get(name) for name in CODE_OPTIONS] + [config.get("DEBUG") >= 3]).encode()]
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()


@cache
def compiler_stamp():
    """Changes with the compiler: its version, and size and time of each of its files."""
    rows = [f"{__version__} {ABI_VERSION}"]
    for folder in ("compiler", "llvm"):
        for path in sorted((PACKAGE / folder).rglob("*")):
            if path.suffix in (".py", ".so", ".bc") and path.is_file():
                info = path.stat()
                rows.append(f"{path.relative_to(PACKAGE)} {info.st_size} {info.st_mtime_ns}")
    return "\n".join(rows).encode()


def folder():
    """Path of the cache, None when there is none."""
    if not config.get("CACHE"):
        return None
    given = config.get("CACHE_DIR")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base, "clpy")
    home = os.path.expanduser("~")
    return Path(home, ".cache", "clpy") if os.path.isabs(home) else None


def entry(root, name):
    return root / name[:2] / (name[2:] + ".bin")


def load(name):
    """The blob stored under a key, None when there is none."""
    root = folder()
    if root is None:
        return None
    with _memory_lock:
        blob = _memory.get(name)
        if blob is not None:
            _memory.move_to_end(name)
            return blob
    path = entry(root, name)
    try:
        with open(path, "rb") as file:
            info = os.fstat(file.fileno())
            # What is run must not come from somebody else.
            if not stat.S_ISREG(info.st_mode) or info.st_uid not in (0, os.geteuid()) or info.st_mode & 0o022:
                return None
            blob = file.read()
    except (OSError, ValueError):
        return None
    try:
        os.utime(path)
    except OSError:
        pass  # read-only: its age does not matter then
    remember(name, blob)
    return blob


def forget(name):
    """Drop an entry that proved to be damaged."""
    with _memory_lock:
        _memory.pop(name, None)


def remember(name, blob):
    """Keep a blob in memory, at the cost of the oldest."""
    with _memory_lock:
        _memory[name] = blob
        _memory.move_to_end(name)
        while sum(map(len, _memory.values())) > MEMORY_BYTES:
            _memory.popitem(last=False)


def store(name, blob):
    """Keep a blob; whether it worked is nobody's concern."""
    global _stores
    root = folder()
    if root is None:
        return
    remember(name, blob)
    try:
        write(entry(root, name), blob)
    except (OSError, ValueError):
        return
    _stores += 1
    if _stores % EVICT_EVERY == 1:
        evict(root, config.get("CACHE_MAX_MB") << 20)


def write(path, blob):
    """Write a file whole or not at all."""
    os.makedirs(path.parent, mode=0o700, exist_ok=True)
    partial = path.parent / f".{secrets.token_hex(8)}.tmp"
    fd = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(fd, "wb") as file:
            file.write(blob)
        os.replace(partial, path)
    except BaseException:
        try:
            os.unlink(partial)
        except OSError:
            pass
        raise


def evict(root, limit):
    """Remove what dead writers left, and the entries not used for longest while there is more than `limit` bytes."""
    rows, total, now = [], 0, time.time()
    for path in root.glob("??/*"):
        try:
            info = path.stat()
            if path.suffix == ".tmp":
                if now - info.st_mtime > STALE_SECONDS:
                    path.unlink()
            elif path.suffix == ".bin":
                rows.append((info.st_mtime, info.st_size, path))
                total += info.st_size
        except OSError:
            continue
    if total <= limit:
        return
    for _, size, path in sorted(rows):
        try:
            path.unlink()
        except OSError:
            continue
        total -= size
        if total <= limit * 0.8:
            break
