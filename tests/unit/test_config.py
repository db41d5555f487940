# SPDX-License-Identifier: Apache-2.0
"""The option table: parsing, warnings, the page; what CLPY_DEBUG and CLPY_LEAKS write."""
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

from clpy import config, extensions
from clpy.device import base

ROOT = Path(__file__).resolve().parents[2]


def run(script, **environment):
    """(stdout, stderr) of a Python program with the environment."""
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, **environment}, capture_output=True,
                          text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def value_of(name, **environment):
    return run(f"from clpy import config; print(repr(config.get({name!r})))", **environment)


def test_the_page_is_that_of_the_table():
    assert (ROOT / "docs" / "configuration.md").read_text() == config.page()
    for option in config.TABLE:
        assert f"`{option.env}`" in config.page()
        assert option.doc.endswith(".")


def test_variables_of_amd_and_intel_are_read_or_said_not_to_be():
    """Those that their guides name; what is not read is no option, and setting it says nothing and changes nothing."""
    read = {option.env for option in config.TABLE}
    not_read = [name for names, _ in config.NOT_READ for name in names.split()]
    assert {"GPU_DEVICE_ORDINAL", "GPU_NUM_COMPUTE_RINGS", "AMD_OCL_BUILD_OPTIONS", "AMD_OCL_BUILD_OPTIONS_APPEND",
            "CPU_MAX_COMPUTE_UNITS", "CL_CONFIG_USE_VECTORIZER", "CL_CONFIG_CPU_VECTORIZER_MODE"} <= read
    assert "CPU_IMAGE_SUPPORT" in not_read
    assert len({*not_read, *read}) == len(not_read) + len(read)
    assert not any(name.startswith("CLPY_") for name in not_read)
    named = re.findall(r"`(CLPY_\w+)", " ".join(instead for _, instead in config.NOT_READ))
    assert named and set(named) <= read
    values = "from clpy import config; print([config.get(option.name) for option in config.TABLE])"
    assert run(values, **dict.fromkeys(not_read, "1")) == run(values)


def test_names_are_there_once():
    assert len({option.name for option in config.TABLE}) == len(config.TABLE)
    assert len({option.env for option in config.TABLE}) == len(config.TABLE)


@pytest.mark.parametrize(("name", "env", "text", "value"), [
    ("DEBUG", "CLPY_DEBUG", "3", 3), ("DEBUG", "CLPY_DEBUG", " 0x4 ", 4), ("NUM_THREADS", "CLPY_NUM_THREADS", "", 0),
    ("CACHE", "CLPY_CACHE", "no", False), ("CACHE", "CLPY_CACHE", "TRUE", True),
    ("CACHE_DIR", "CLPY_CACHE_DIR", "/some/Where", "/some/Where"), ("CPU_ISA", "CLPY_CPU_ISA", "AVX2", "avx2"),
    ("USE_VECTORIZER", "CL_CONFIG_USE_VECTORIZER", "False", False),
    ("USE_VECTORIZER", "CL_CONFIG_USE_VECTORIZER", "True", True),
    ("CPU_VECTORIZER_MODE", "CL_CONFIG_CPU_VECTORIZER_MODE", "8", "8"),
])
def test_values(name, env, text, value):
    assert value_of(name, **{env: text}) == (f"{value!r}\n", "")


@pytest.mark.parametrize(("name", "env", "text"), [
    ("DEBUG", "CLPY_DEBUG", "7"), ("DEBUG", "CLPY_DEBUG", "-1"), ("DEBUG", "CLPY_DEBUG", "all"),
    ("CACHE", "CLPY_CACHE", "maybe"), ("CPU_ISA", "CLPY_CPU_ISA", "neon"), ("NUM_THREADS", "CLPY_NUM_THREADS", "2.5"),
    ("CPU_VECTORIZER_MODE", "CL_CONFIG_CPU_VECTORIZER_MODE", "3"),
    ("USE_VECTORIZER", "CL_CONFIG_USE_VECTORIZER", "2"), ("MAX_COMPUTE_UNITS", "CPU_MAX_COMPUTE_UNITS", "-1"),
    ("GPU_RINGS", "GPU_NUM_COMPUTE_RINGS", "two"),
])
def test_a_bad_value_warns_and_the_default_stands(name, env, text):
    default = next(option.default for option in config.TABLE if option.name == name)
    out, err = value_of(name, **{env: text})
    assert out == f"{default!r}\n"
    assert err.startswith(f"clpy: {env}={text} is ignored: it takes ")
    assert err.count("\n") == 1


def test_an_unknown_name_warns_once_with_the_nearest():
    out, err = value_of("DEBUG", CLPY_DEBGU="2", OTHER_DEBUG="3")
    assert (out, err) == ("0\n", "clpy: CLPY_DEBGU is not an option of clpy; the nearest is CLPY_DEBUG\n")


def test_override():
    before = config.get("DEBUG")
    with config.override(DEBUG=5):
        assert config.get("DEBUG") == 5
        with pytest.raises(KeyError), config.override(NOTHING=1):
            pass
    assert config.get("DEBUG") == before


def test_the_import_loads_nothing_else():
    """The first clGetPlatformIDs of a program waits for it."""
    script = "import sys; before = set(sys.modules); import clpy.config; print(*sorted(set(sys.modules) - before))"
    of_cython = {"cython_runtime"}
    loaded = {name for name in run(script)[0].split() if not name.startswith("_cython")}
    assert loaded - of_cython == {"clpy", "clpy.config", "clpy.secure_mode"}


@pytest.mark.parametrize(("text", "gone"), [
    ("cl_khr_fp64", {"cl_khr_fp64"}),
    ("cl_khr_subgroup_*, cl_khr_fp64", {"cl_khr_fp64", "cl_khr_subgroup_ballot", "cl_khr_subgroup_rotate"}),
    ("cl_khr_fp", set()),
])
def test_hidden_extensions(text, gone):
    """mfakto has 2048 bytes for the list."""
    compiled = ("cl_khr_fp64", "cl_khr_subgroups", "cl_khr_subgroup_ballot", "cl_khr_subgroup_rotate")
    before = extensions.of_device((), compiled)
    with config.override(HIDE_EXTENSIONS=text):
        assert set(before) - set(extensions.of_device((), compiled)) == gone
    assert set(compiled) <= set(before)


LAUNCH = """if 1:
    import numpy as np
    import pyopencl as cl
    platform = next(p for p in cl.get_platforms() if p.name == "clpy")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    text = "kernel void here(global int *a) { a[get_global_id(0)] = 1; }"
    kernel = cl.Program(context, text).build(cache_dir=False).here
    buffer = cl.Buffer(context, 0, 64)
    kernel(queue, (16,), (4,), buffer)
    queue.finish()
"""


def test_levels_add_up():
    quiet, loud, louder = (run(LAUNCH, CLPY_DEBUG=level, CLPY_CACHE="0")[1] for level in ("0", "2", "4"))
    assert "clpy:" not in quiet
    for log in (loud, louder):
        assert "clpy: launch here: global 16 1 1, local 4 1 1\n" in log
        assert any(line.startswith("clpy: here: ") and "status 0" in line for line in log.splitlines())
    assert "kernel void here" not in loud
    assert "clpy: kernel void here" in louder


SHOW_LOG = """
    print(kernel.program.get_build_info(context.devices[0], cl.program_build_info.LOG))
"""


@pytest.mark.parametrize(("variables", "width"), [
    ({"CL_CONFIG_USE_VECTORIZER": "False"}, 1), ({"CL_CONFIG_CPU_VECTORIZER_MODE": "1"}, 1),
    ({"CL_CONFIG_CPU_VECTORIZER_MODE": "4"}, 4),
    ({"CL_CONFIG_USE_VECTORIZER": "True", "CL_CONFIG_CPU_VECTORIZER_MODE": "8"}, 8),
    ({"CL_CONFIG_USE_VECTORIZER": "False", "CL_CONFIG_CPU_VECTORIZER_MODE": "8"}, 1),
])
def test_vectorizer_knobs(variables, width):
    """What Intel's guide says of them is what becomes of a kernel, as its build log tells."""
    log = run(LAUNCH + SHOW_LOG, CLPY_DEBUG="3", CLPY_CACHE="0", **variables)[0]
    assert re.findall(r"(\d+) work-items at a time", log) == ([str(width)] if width > 1 else [])


DEVICES = """if 1:
    import pyopencl as cl
    platform = next(p for p in cl.get_platforms() if p.name == "clpy")
    print([d.type == cl.device_type.CPU for d in platform.get_devices()])
"""


def test_the_log_names_the_devices():
    err = run(DEVICES, CLPY_DEBUG="1", CLPY_NUM_THREADS="3", CLPY_CPU_ISA="sse4.2")[1]
    assert re.fullmatch(r"clpy: device cpu: .+, 3 threads, sse4\.2, vectors of 128 bits\n", err)
    assert "device cpu" not in run(DEVICES, CLPY_DEBUG="0")[1]


@pytest.mark.parametrize("names", ["cpu,nonsense", "nonsense, cpu", "nonsense", "nonsense/../cpu", "..", "base"])
def test_a_device_that_does_not_exist(names):
    """One line, and the CPU device is there."""
    out, err = run(DEVICES, CLPY_DEVICES=names)
    wrong = next(name.strip() for name in names.split(",") if name.strip() != "cpu")
    assert out == "[True]\n"
    assert err == f"clpy: CLPY_DEVICES: {wrong} is ignored: there is no such device, only cpu, fake, gpu\n"


def test_a_part_of_a_device_that_does_not_exist():
    out, err = run(DEVICES, CLPY_DEVICES="cpu:fast,cpu")
    assert out == "[True]\n"
    assert err == "clpy: CLPY_DEVICES: cpu:fast is ignored: there is one CPU device, without a name of its own\n"


def test_a_device_that_fails_leaves_the_others(monkeypatch, capfd):
    """Whatever a device's module does when it is loaded, and nobody expects: a line says so."""
    def add(which):
        raise RuntimeError(f"no {which} today")

    monkeypatch.setitem(sys.modules, "clpy.device.broken", types.ModuleType("clpy.device.broken"))
    module = types.ModuleType("clpy.device.broken.device")
    module.add = add
    monkeypatch.setitem(sys.modules, "clpy.device.broken.device", module)
    base.load("broken:luck", "")
    assert capfd.readouterr().err == "clpy: CLPY_DEVICES: broken:luck is ignored: RuntimeError: no luck today\n"


@pytest.mark.parametrize("names", ["", ",", "cpu,cpu"])
def test_devices_are_there_once(names):
    assert run(DEVICES, CLPY_DEVICES=names) == ("[True]\n", "")


def test_leaks():
    assert "clpy: every object was released\n" in run(LAUNCH, CLPY_LEAKS="1")[1]
    kept = LAUNCH.replace("    queue.finish()", "    queue.finish()\n    import ctypes\n"
                          "    ctypes.pythonapi.Py_IncRef(ctypes.py_object(buffer))")
    assert "clpy: not released: 1 contexts, 1 memory objects\n" in run(kept, CLPY_LEAKS="1")[1]
