# SPDX-License-Identifier: Apache-2.0
"""The translator's process: found, limited, and what becomes of what it says."""
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clpy import config
from clpy.compiler import apart, translator

MODULE = b"\x03\x02\x23\x07" + bytes(16)


@pytest.fixture
def fake(tmp_path):
    """translate(script) with a shell script in the translator's place."""
    made = []

    def run(script):
        path = tmp_path / f"translator{len(made)}"
        made.append(path)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        with config.override(SPIRV_TRANSLATOR=str(path)):
            return translator.translate(MODULE)

    return run


def test_what_it_writes_is_the_bitcode(fake):
    # The last arguments are -o, the result and the module.
    assert fake('while [ "$1" != -o ]; do shift; done; printf BC%s "$(wc -c < "$3")" > "$2"') == b"BC20"


def test_too_long(fake, monkeypatch):
    monkeypatch.setattr(translator, "SECONDS", 1)
    start = time.monotonic()
    with pytest.raises(translator.TranslationError, match="longer than 1 s"):
        fake("exec sleep 100")
    assert time.monotonic() - start < 30


def test_limits(fake):
    with pytest.raises(translator.TranslationError) as caught:
        fake("sleep 1; echo memory $(ulimit -v) core $(ulimit -c) file $(ulimit -f) >&2; exit 3")
    assert f"memory {4 << 20} core 0" in str(caught.value)


def test_messages_without_addresses(fake):
    with pytest.raises(translator.TranslationError) as caught:
        fake("""cat >&2 <<'END'
InvalidInstruction: of some kind
PLEASE submit a bug report
Stack dump:
0.	Program arguments: x
 #0 0x00007f4 llvm::something()
/lib/libLLVM.so.1(_ZN4llvm+0x31)[0x7f39d3b5c1b1]
END
kill -ABRT $$""")
    assert str(caught.value) == "InvalidInstruction: of some kind"


@pytest.mark.parametrize(("script", "message"), [
    ("exit 0", "made no module"), ("exit 9", "ended with 9"), ("kill -SEGV $$", "ended with -11"),
    ('while [ "$1" != -o ]; do shift; done; echo nonsense > "$2"', "made no module")])
def test_failures(fake, script, message):
    with pytest.raises(translator.TranslationError, match=message):
        fake(script)


def test_where_it_is_looked_for(tmp_path, monkeypatch):
    old, new = tmp_path / "llvm-spirv-15", tmp_path / "llvm-spirv-19"
    for path in (old, new):
        path.write_text("#!/bin/sh\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"relative{os.pathsep}{tmp_path}")
    with config.override(SPIRV_TRANSLATOR=""):
        assert translator.path() == str(old), "the other cannot be executed"
    new.chmod(0o755)
    translator.found.clear()
    with config.override(SPIRV_TRANSLATOR=""):
        assert translator.path() == str(new)
    with config.override(SPIRV_TRANSLATOR="llvm-spirv-15"):
        assert translator.path() == str(old)
    with config.override(SPIRV_TRANSLATOR=str(tmp_path / "none")):
        assert translator.path() == ""
        with pytest.raises(translator.TranslationError, match="install the package llvm-spirv-15"):
            translator.translate(MODULE)
    translator.found.clear()


def test_what_it_started_ends_with_it(fake, tmp_path, monkeypatch):
    """At the limit, and where it ends before them: in neither case is anything waited for."""
    def alive(process):
        try:
            return "Z" not in (Path("/proc") / process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False

    monkeypatch.setattr(translator, "SECONDS", 2)
    for end, message in (("wait", "longer than 2 s"), ("exit 5", "ended with 5")):
        children = tmp_path / "children"
        start = time.monotonic()
        with pytest.raises(translator.TranslationError, match=message):
            fake(f"for i in 1 2 3; do sleep 300 & echo $! >> {children}; done; {end}")
        assert time.monotonic() - start < 60
        pids = children.read_text().split()
        deadline = time.monotonic() + 10         # until the system has taken them away
        while any(map(alive, pids)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(pids) == 3 and not any(map(alive, pids))
        children.unlink()


def test_what_it_says_has_an_end(fake, monkeypatch):
    monkeypatch.setattr(translator, "SECONDS", 20)
    with pytest.raises(translator.TranslationError, match="the reason\n") as caught:
        fake("echo the reason >&2; yes a very long line of words | head -c 100000000 >&2; exit 4")
    assert len(str(caught.value)) < 1 << 20


def test_what_it_writes_has_an_end(fake, monkeypatch):
    monkeypatch.setitem(translator.LIMITS, "RLIMIT_FSIZE", 1 << 20)
    with pytest.raises(translator.TranslationError):
        fake('while [ "$1" != -o ]; do shift; done; sleep 0.5; printf BC > "$2"; yes >> "$2"')


def test_it_begins_with_no_other_signal_blocked_or_ignored_and_no_file_of_the_host(fake, tmp_path):
    """A build may run on a thread that blocks all signals."""
    import signal
    with open(tmp_path / "open", "w") as file:
        os.set_inheritable(file.fileno(), True)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        ignored = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        try:
            with pytest.raises(translator.TranslationError) as caught:
                fake("grep -E 'Sig(Blk|Ign)' /proc/self/status >&2; ls -l /proc/self/fd >&2; exit 1")
        finally:
            signal.signal(signal.SIGUSR1, ignored)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    said = str(caught.value)
    of_the_c_library = 3 << 31           # two that it ignores in what it starts until it needs them
    blocked, ignored = (int(line.split()[1], 16) for line in said.splitlines()[:2])
    of_a_terminal = sum(1 << number - 1 for number in apart.OF_A_TERMINAL)
    assert blocked & ~of_a_terminal == 0 and ignored & ~of_the_c_library == 0
    assert str(tmp_path / "open") not in said


INTERRUPTED = """
import os, signal
from clpy.compiler import apart
came = 0
def interrupted(number, frame):
    global came
    came += 1
signal.signal(signal.SIGINT, interrupted)
group = os.getpid()
sender = os.fork()
while not sender:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.kill(-group, signal.SIGINT)
ends = {apart.run(["/bin/true"], [], {}, 30, {}).status for _ in range(20)}
os.kill(sender, signal.SIGKILL)
print(ends, came > 0)
"""


def test_what_interrupts_the_hosts_group_does_not_reach_it():
    """Not even before it has a group of its own."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], start_new_session=True, capture_output=True, text=True,
                          timeout=120)
    assert (done.stdout, done.stderr) == ("{0} True\n", "")


def test_a_host_that_takes_its_end_away(fake):
    """Where SIGCHLD is ignored the system tells nobody how a process ended: the result counts."""
    import signal
    ignored = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert fake('while [ "$1" != -o ]; do shift; done; printf BCxx > "$2"; exit 0') == b"BCxx"
        with pytest.raises(translator.TranslationError, match="why not"):
            fake("echo why not >&2; exit 1")
    finally:
        signal.signal(signal.SIGCHLD, ignored)
