# SPDX-License-Identifier: Apache-2.0
"""`clpy devices` and the file that it writes: what programs see, and what loaders are told before the core is there."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clpy.device.gpu import chip as chips

ROOT = Path(__file__).resolve().parents[2]
# What a program sees that counts first, and how it counted: with the core or without.
PROGRAM = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
from clapi import API, E
api = API()
platform, counts = api.platform(), []
for kind in (E.DEVICE_TYPE_CPU, E.DEVICE_TYPE_GPU, E.DEVICE_TYPE_ALL):
    n = ctypes.c_uint32(77)
    api.clGetDeviceIDs(platform, kind, 0, None, ctypes.byref(n))
    counts.append(n.value)
free = "libclpy-core.so" not in open("/proc/self/maps").read()
names = [api.text("clGetDeviceInfo", device, E.DEVICE_NAME) for device in api.devices()]
models = [name for name in names if name.endswith(" (model)")]
assert counts == [len(names) - len(models), len(models), len(names)], (counts, names)
print(free, *(name.split()[0] if name in models else "cpu" for name in names))
"""


@pytest.fixture
def home(tmp_path):
    """An environment in which nothing is chosen, with a folder for what is."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("CLPY_DEVICES")}
    return env | {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}


def clpy(env, *args, code=0):
    done = subprocess.run([sys.executable, "-m", "clpy.tools.cli", "devices", *args], env=env, capture_output=True,
                          text=True, timeout=300, cwd=ROOT)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + (done.stderr if code else "")


def names(env, *args):
    return [row["name"] for row in json.loads(clpy(env, *args, "--json"))["devices"] if row["enabled"]]


def seen(env, **more):
    """(what a program sees, stderr)."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(ROOT / "tests")], env=env | more, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def file_of(env):
    return Path(env["XDG_CONFIG_HOME"]) / "clpy" / "devices"


def write(env, data):
    file_of(env).parent.mkdir(parents=True, exist_ok=True)
    file_of(env).write_bytes(data)


def test_the_default(home):
    data = json.loads(clpy(home, "--json"))
    assert names(home) == ["cpu", "gpu:tahiti"]
    assert (data["source"], data["file"]) == ("default", str(file_of(home)))
    assert {row["name"] for row in data["devices"]} > {"cpu", "gpu:tahiti", "gpu:vega20"}
    assert {row["name"] for row in data["devices"] if row["problem"]} == {
        f"gpu:{name}" for name in chips.files() if name not in chips.compiled_for()}
    assert seen(home) == ("True cpu Tahiti", "")
    assert "model of AMD Radeon HD 7900 Series" in clpy(home)


def test_enable_disable_order_reset(home):
    assert names(home, "enable", "gpu:hawaii", "gpu:tahiti") == ["cpu", "gpu:tahiti", "gpu:hawaii"]
    assert seen(home) == ("False cpu Tahiti Hawaii", "")
    assert names(home, "order", "gpu:hawaii") == ["gpu:hawaii", "cpu", "gpu:tahiti"]
    assert seen(home)[0] == "False Hawaii cpu Tahiti"
    assert names(home, "disable", "gpu", "gpu:hawaii") == ["cpu"]
    assert seen(home) == ("True cpu", "")
    assert "one device has to be left" in clpy(home, "disable", "cpu", code=1)
    assert names(home, "reset") == ["cpu", "gpu:tahiti"]
    assert not file_of(home).exists()
    assert names(home, "reset") == ["cpu", "gpu:tahiti"]


def test_the_name_of_a_chip_is_enough(home):
    assert names(home, "enable", "fiji") == ["cpu", "gpu:tahiti", "gpu:fiji"]
    assert names(home, "disable", "fiji", "tahiti") == ["cpu"]
    assert "there is no device voodoo, only cpu, gpu:barts" in clpy(home, "enable", "voodoo", code=1)


def test_without_gpus_there_is_no_model(home):
    clpy(home, "enable", "fiji", "hawaii")
    assert names(home, "disable", "gpu") == ["cpu"]
    assert seen(home) == ("True cpu", "")


def test_what_is_the_default_again_needs_no_file(home):
    clpy(home, "disable", "gpu")
    assert file_of(home).exists()
    clpy(home, "enable", "gpu")
    assert not file_of(home).exists()


def test_the_environment_wins(home):
    clpy(home, "disable", "gpu")
    env = home | {"CLPY_DEVICES": "gpu:fiji"}
    assert names(env) == ["gpu:fiji"]
    assert seen(env) == ("False Fiji", "")
    assert "CLPY_DEVICES is set here, and wins" in clpy(env, "enable", "gpu:tonga")
    assert names(home) == ["cpu", "gpu:tonga"]


@pytest.mark.parametrize(("value", "listed"), [("", ["cpu"]), ("gpu:voodoo", ["gpu:voodoo", "cpu"]), ("cpu", ["cpu"])])
def test_where_none_is_left_there_is_the_cpu(home, value, listed):
    env = home | {"CLPY_DEVICES": value}
    assert names(env) == listed
    assert seen(env)[0].split()[1:] == ["cpu"]


def test_a_file_written_by_hand(home):
    write(home, b"# mine\n\n  cpu # the first\r\n\tgpu\n")
    assert seen(home) == ("True cpu Tahiti", "")
    write(home, b"cpu\ncpu\n")
    assert seen(home) == ("False cpu", "")
    write(home, b"#\n")
    assert seen(home) == ("False cpu", "")


@pytest.mark.parametrize(("data", "devices", "message"), [
    (b"cpu\n\xff\xfe\n", "cpu Tahiti", "is not text; the devices are cpu, gpu"),
    (b"x" * 5000, "cpu Tahiti", "has more than 4096 bytes; the devices are cpu, gpu"),
    (b"gpu:tahitl\ncpu\n", "cpu", ": gpu:tahitl is ignored: there is no chip tahitl, only "),
    (b"c\0pu\n", "cpu", ": c\0pu is ignored: there is no such device, only cpu, fake, gpu"),
    (b"nothing\n", "cpu", ": nothing is ignored: there is no such device, only cpu, fake, gpu"),
])
def test_a_bad_file(home, data, devices, message):
    """A line says what is wrong with it, the other devices stay."""
    write(home, data)
    out, err = seen(home)
    assert out == f"False {devices}"
    assert err.startswith(f"clpy: {file_of(home)}")
    assert message in err
    assert err.count("\n") == 1


def test_a_file_that_is_none(home):
    file_of(home).mkdir(parents=True)
    assert seen(home) == ("False cpu Tahiti", f"clpy: {file_of(home)} cannot be read: Is a directory; "
                          "the devices are cpu, gpu\n")
    assert "correct it, or clpy devices reset" in clpy(home, "enable", "gpu:fiji", code=1)
    file_of(home).rmdir()
    os.mkfifo(file_of(home))     # nobody waits for what nobody writes
    assert seen(home)[0] == "False cpu"


def test_wrong_names(home):
    assert "there is no device gpu:tahitl, only cpu, gpu:barts" in clpy(home, "enable", "gpu:tahitl", code=1)
    clpy(home, "enable", code=2)
    clpy(home, "sort", code=2)
    write(home, b"cpu\nnonsense\n")
    rows = {row["name"]: row["problem"] for row in json.loads(clpy(home, "--json"))["devices"]}
    assert rows["nonsense"] == "there is no such device"
    assert names(home, "disable", "nonsense") == ["cpu"]


def test_what_is_missing_is_said(home, tmp_path):
    """The model is left out; a program sees the CPU device, and who wants to know reads why."""
    env = home | {"CLPY_AMD_DEVICE_LIBRARY": str(tmp_path)}
    assert seen(env) == ("False cpu", "")
    assert f"gpu is ignored: there is no device library in {tmp_path}" in seen(env, CLPY_DEBUG="1")[1]
    assert f"left out: there is no device library in {tmp_path}" in clpy(env)


def test_own_chips(home, tmp_path):
    chip = tmp_path / "mine.toml"
    chip.write_text('like = "hawaii"\n')
    env = home | {"CLPY_GPU_CHIPS": str(tmp_path)}
    assert names(env, "enable", "gpu:mine") == ["cpu", "gpu:tahiti", "gpu:mine"]
    chip.write_text("like = \n")
    assert "mine.toml: is not TOML" in clpy(env)
    chip.rename(tmp_path / "tahiti.toml")        # of the default's
    out, err = seen(home, CLPY_GPU_CHIPS=f"/nowhere:{tmp_path}")
    assert out.startswith("False cpu") and err.count("\n") == 3     # of mine, which the file has, too
    assert "CLPY_GPU_CHIPS: /nowhere is neither a folder nor a file" in err and "tahiti.toml: is not TOML" in err


@pytest.mark.parametrize("action", ["", "enable", "disable", "order", "reset"])
def test_help_has_an_example(home, action):
    assert f"example: clpy devices {action}".strip() in clpy(home, *action.split(), "--help")
