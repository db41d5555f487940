# SPDX-License-Identifier: Apache-2.0
"""The cache of built programs: files named by a hash of all that the code depends on, and a few of them in memory.

Any number of processes may use one folder. An entry is written beside its place and then renamed, so that it is there
whole or not at all; it begins with its key, and who reads it checks it (binary.unpack) and builds anew when it is
damaged. Whatever else lies in its place, a FIFO for one, is no entry. Where nothing can be written there are those in
memory, which is said at CLPY_DEBUG=1 only. The oldest entries go when the folder grows beyond CLPY_CACHE_MAX_MB.
"""
import _thread
import errno
import hashlib
import os
import stat
import time
from collections import OrderedDict
from functools import cache

from clpy import __version__, config
from clpy.abi_layout import ABI_VERSION
from clpy.limits import limit_of
from clpy.secure_mode import secure_mode
from clpy.trace import trace

COMPILER_FILES = (".py", ".so", ".bc", ".h")
PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# Options of the environment that change the code.
CODE_OPTIONS = ("USE_VECTORIZER", "CPU_VECTORIZER_MODE", "SKIP_PASSES")
MEMORY_BYTES = 16 << 20
KEY_BYTES = 20
STALE_SECONDS = 3600        # after which a temporary file's writer is taken for dead
EVICT_EVERY = 64            # stores of a process between looks at the cache's size
FOLDERS = 256               # that entries are in
MARK = b"clpy cache entry\n"    # before the key, at the start of an entry
LARGEST = 1 << 30           # bytes of an entry
OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
ROOT_USER = 0
KEPT = "programs are kept in memory only, for this process"
MOST_SAID = 100             # different reasons that a process gives

_memory = OrderedDict()     # key -> blob, the newest last
_memory_lock = _thread.allocate_lock()
_stores = 0
_said = set()


def key(source, headers, args, options, target):
    """Hash of all that decides about the code of a program, as hexadecimal text."""
    parts = [source, *(part for name in sorted(headers) for part in (name.encode(), headers[name])), b"", *args,
             options.key().encode(), target.key().encode(), compiler_stamp(),
             repr([config.get(name) for name in CODE_OPTIONS]
                  + [config.get("SPECIALIZE_MS") > 0, config.get("DEBUG") >= 3]).encode()]
    sized = b"".join(piece for part in parts for piece in (len(part).to_bytes(8, "little"), part))
    return hashlib.blake2b(sized, digest_size=KEY_BYTES).hexdigest()


@cache
def compiler_stamp():
    """Changes with the compiler: a hash of its version, and of size and time of each of its files."""
    rows, root = [f"{__version__} {ABI_VERSION}"], os.fspath(PACKAGE)
    for folder in ("compiler", "llvm", "vendor_ext"):
        for file in files_below(os.path.join(root, folder)):
            info = file.stat()
            rows.append(f"{file.path.removeprefix(root)} {info.st_size} {info.st_mtime_ns}")
    return hashlib.blake2b("\n".join(rows).encode(), digest_size=KEY_BYTES).digest()


def files_below(folder):
    """Directory entries of the compiler's files, in order. (`Path.rglob` takes ten times as long, of each process.)"""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda each: each.name)
    for each in entries:
        if each.is_dir():
            yield from files_below(each.path) if each.name != "__pycache__" else ()
        elif each.name.endswith(COMPILER_FILES) and each.is_file():
            yield each


def say(why):
    """At CLPY_DEBUG=1, once: why programs do not come from the cache."""
    if why not in _said and len(_said) < MOST_SAID:
        _said.add(why)
        trace(1, f"cache: {why}")


def folder():
    """Path of the cache on disk, None when there is none."""
    if not config.get("CACHE"):
        return None
    if secure_mode():
        say(f"this program runs with more rights than who started it: {KEPT}")
        return None
    given = config.get("CACHE_DIR")
    if given:
        return given
    base = config.variable("XDG_CACHE_HOME")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    if not os.path.isabs(base):
        say(f"there is no home folder for it (CLPY_CACHE_DIR names another place): {KEPT}")
        return None
    return os.path.join(base, "clpy")


def of_another_user(root):
    """Whether the folder is, or would be made, in one of another user. A program that is run with sudo keeps HOME, and
    what it wrote there would be of no use to who lives there, and in the way. A folder that is named is as it is."""
    if config.get("CACHE_DIR"):
        return False
    path, last = root, None
    while path != last:
        try:
            return os.stat(path).st_uid not in (ROOT_USER, os.geteuid())
        except FileNotFoundError:
            path, last = os.path.dirname(path), path
    return False


def entry(root, name):
    return os.path.join(root, name[:2], name[2:] + ".bin")


def load(name):
    """The blob stored under a key, None when there is none."""
    if not config.get("CACHE"):
        return None
    with _memory_lock:
        blob = _memory.get(name)
        if blob is not None:
            _memory.move_to_end(name)
            return blob
    root = folder()
    if root is None:
        return None
    path = entry(root, name)
    try:
        blob = read(path, MARK + name.encode() + b"\n")
    except (OSError, ValueError):
        return None
    if blob is not None:
        remember(name, blob)
    return blob


def read(path, head):
    """What follows `head` in the file, None for one that is not to be used."""
    if not stat.S_ISREG(os.stat(path, follow_symlinks=False).st_mode):
        return None              # not even opened: to open a device may do something
    with open(os.open(path, OPEN), "rb") as file:
        info = os.fstat(file.fileno())
        # What is run must not come from somebody else.
        if info.st_uid not in (ROOT_USER, os.geteuid()) or info.st_mode & 0o022:
            say(f"{path}: it belongs to another user or others may write it: not used")
            return None
        if not stat.S_ISREG(info.st_mode) or info.st_size > LARGEST or file.read(len(head)) != head:
            return None
        blob = file.read(info.st_size)
        try:
            os.utime(file.fileno())
        except OSError:
            pass  # read-only: its age does not matter then
    return blob


def forget(name):
    """Drop an entry that proved to be damaged, or not to be worth it."""
    with _memory_lock:
        _memory.pop(name, None)
    root = folder()
    if root is not None:
        try:
            os.unlink(entry(root, name))
        except OSError:
            pass                 # it is not there, or not ours


def remember(name, blob):
    """Keep a blob in memory, at the cost of the oldest."""
    with _memory_lock:
        _memory[name] = blob
        _memory.move_to_end(name)
        while sum(map(len, _memory.values())) > MEMORY_BYTES:
            _memory.popitem(last=False)


def store(name, blob):
    """Keep a blob, if that is possible."""
    global _stores
    if not config.get("CACHE"):
        return
    remember(name, blob)
    root = folder()
    if root is None:
        return
    try:
        if of_another_user(root):
            say(f"{root}: it would lie in a folder of another user: {KEPT}")
            return
        write(entry(root, name), MARK + name.encode() + b"\n" + blob)
    except (OSError, ValueError) as why:
        say(f"{root}: {getattr(why, 'strerror', None) or why}: {KEPT}")
        return
    _stores += 1
    if _stores % EVICT_EVERY == 1:
        look_at(root, os.path.dirname(entry(root, name)), config.get("CACHE_MAX_MB") << 20)


def write(path, blob):
    """Write a file whole or not at all."""
    if len(blob) > limit_of("RLIMIT_FSIZE"):        # to try it would be a signal, which ends the program
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    partial = os.path.join(folder, f".{os.urandom(8).hex()}.tmp")
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


def look_at(root, folder, limit):
    """Names are hashes, so that one of the cache's folders tells of all: of tens of thousands of files to look at each
    takes a third of a second."""
    if sum(size for _, size, _ in rows_of(folder)) * FOLDERS > limit:
        evict(root, limit)


def rows_of(folder):
    """(Time of its last use, size, path) of the entries in one of the cache's folders. What dead writers left is
    removed."""
    rows, now = [], time.time()
    for file in listed(folder):
        try:
            info = file.stat(follow_symlinks=False)
            if file.name.endswith(".tmp"):
                if now - info.st_mtime > STALE_SECONDS:
                    os.unlink(file.path)
            elif file.name.endswith(".bin"):
                rows.append((info.st_mtime, info.st_size, file.path))
        except OSError:
            continue
    return rows


def listed(folder):
    """Directory entries, none where the folder cannot be read."""
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def evict(root, limit):
    """Remove the entries not used for longest while there is more than `limit` bytes."""
    rows = [row for folder in listed(root) if len(folder.name) == 2 for row in rows_of(folder.path)]
    total = sum(size for _, size, _ in rows)
    if total <= limit:
        return
    for _, size, path in sorted(rows):
        try:
            os.unlink(path)
        except OSError:
            continue
        total -= size
        if total <= limit * 0.8:
            break
