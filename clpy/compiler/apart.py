# SPDX-License-Identifier: Apache-2.0
"""A program in a process of its own: what it may take of the machine is limited, and nothing of it is left.

It begins a session and process group, which is killed as a whole when it has ended or its time is over. What a terminal
sends to the host's group is blocked in it, as that may come before it has a group of its own. Signals of the host
program stay as they are: no handler is set, and a host that takes the exit status of all its children away, or ignores
their end, is none the worse for it.
"""
import os
from time import monotonic

SIGKILL, SIGSTOP = 9, 19
RESERVED = (SIGKILL, SIGSTOP, 32, 33)     # the last two are the C library's
ALL_SIGNALS = [number for number in range(1, 65) if number not in RESERVED]
OF_A_TERMINAL = (1, 2, 3, 20, 21, 22)     # SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU
MOST_SAID = 1 << 18         # bytes of stderr that are kept
TEMPORARY = ("/dev/shm", "/tmp", "/var/tmp")
SHORTEST, LONGEST = 0.001, 0.1            # seconds between looks at a process that has said its last


class End:
    """`status` is the exit status, less than 0 for a signal, None where the host took it away; `said` what it wrote to
    stderr; `late`: it was killed when its time was over."""

    def __init__(self, status, said, late):
        self.status = status
        self.said = said
        self.late = late


def run(command, files, environment, seconds, limits, output=None):
    """The End of a program. It gets the descriptors `files` under their own numbers; `limits` are {name: most} by
    the names of setrlimit; `output` is a descriptor for what it writes to stdout, which else is gone. OSError where it
    cannot be started."""
    ours, its = os.pipe()
    its = above_standard(its)
    os.set_blocking(ours, False)
    try:
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0) if output is None else
                   (os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, its, 2),
                   *((os.POSIX_SPAWN_DUP2, fd, fd) for fd in files),
                   *((os.POSIX_SPAWN_CLOSE, fd) for fd in inherited() if fd not in files)]
        try:
            pid = os.posix_spawn(command[0], command, environment, file_actions=actions, setsid=True,
                                 setsigmask=OF_A_TERMINAL, setsigdef=ALL_SIGNALS)
        finally:
            os.close(its)
        return supervise(pid, ours, monotonic() + seconds, limits)
    finally:
        os.close(ours)


def memory_file(name):
    """A file in memory that can be handed to a program, open for writing; where the system refuses those, as some
    sandboxes do, a file without a name on a disk."""
    try:
        fd = os.memfd_create(name)
    except OSError as why:
        fd = nameless_file(why)
    return open(above_standard(fd), "wb")


def nameless_file(why):
    for folder in TEMPORARY:
        try:
            return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:
            continue
    raise OSError(why.errno, f"the system refuses memory files (memfd_create: {why.strerror}), and no file can be made "
                  f"in {', '.join(TEMPORARY)}: allow one of them")


def above_standard(fd):
    """The descriptor with a number that is nobody's stdin, stdout or stderr: a host may have closed its own."""
    if fd > 2:
        return fd
    import fcntl
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(fd)


def inherited():
    """The host's descriptors that a new program would get."""
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        try:
            if fd > 2 and os.get_inheritable(fd):
                yield fd
        except OSError:
            pass        # closed meanwhile, as the one for this list


def supervise(pid, stderr, deadline, limits):
    """End of a process that was just started."""
    said, ended = bytearray(), False
    try:
        limit_all(pid, limits)
        ended = listen(pid, stderr, deadline, said)
    finally:
        # Before its status is taken: until then its number, and with it the group's, is not given to another.
        try:
            os.killpg(pid, SIGKILL)
        except OSError:
            pass
        status = take_status(pid)
    read_some(stderr, said)
    return End(status, bytes(said), not ended)


def limit_all(pid, limits):
    """Before it has read much: a program that the limits would stop starts slowly enough."""
    from clpy.limits import limit
    for kind, most in limits.items():
        limit(pid, kind, most)


def listen(pid, stderr, deadline, said):
    """Collect what it says until it ends; whether it has by then."""
    import select  # not before a program needs it: the first clGetDeviceIDs imports this module
    poll, pause = select.poll(), SHORTEST
    poll.register(stderr, select.POLLIN)
    while not has_ended(pid):
        left = deadline - monotonic()
        if left <= 0:
            return False
        if poll.poll(1000 * min(left, pause)) and not read_some(stderr, said):
            poll.unregister(stderr)     # all ends are closed: it says nothing more
        pause = min(2 * pause, LONGEST)
    return True


def read_some(stderr, said):
    """Whether there may be more. What is too much is read and forgotten, so that nobody waits for room."""
    for _ in range(16):
        try:
            data = os.read(stderr, 1 << 16)
        except BlockingIOError:
            return True
        if not data:
            return False
        said += data[:MOST_SAID - len(said)]
    return True


def has_ended(pid):
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    except ChildProcessError:
        return True


def take_status(pid):
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return None
