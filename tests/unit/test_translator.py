# SPDX-License-Identifier: Apache-2.0
"""The translator's process: found, limited, and what becomes of what it says."""
import os
import time

import pytest

from clpy import config
from clpy.compiler import translator

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
    translator.find.cache_clear()
    with config.override(SPIRV_TRANSLATOR=""):
        assert translator.path() == str(new)
    with config.override(SPIRV_TRANSLATOR="llvm-spirv-15"):
        assert translator.path() == str(old)
    with config.override(SPIRV_TRANSLATOR=str(tmp_path / "none")):
        assert translator.path() == ""
        with pytest.raises(translator.TranslationError, match="install the package llvm-spirv-15"):
            translator.translate(MODULE)
    translator.find.cache_clear()
