# SPDX-License-Identifier: Apache-2.0
"""Chip files: those that are there, and what a wrong one is told."""
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from clpy import config
from clpy.device.gpu import chip as chips
from clpy.device.gpu import chip_file
from clpy.device.gpu.chip_schema import FIELDS, SECTIONS, page

ROOT = Path(__file__).resolve().parents[2]

CHIPS = {"barts", "bonaire", "broadwell-gt2", "broadwell-gt2-5600", "cape-verde", "cayman", "cedar", "cypress",
         "fiji", "haswell-gt2", "haswell-gt3e", "hawaii", "juniper", "kaveri", "pitcairn", "polaris10", "redwood",
         "skylake-gt2", "skylake-gt4e", "tahiti", "tonga", "turks", "vega10", "vega20"}
# Peak GFLOP/s of the data sheets: a check of units and clocks against what was not derived from them.
PEAK = {"cape-verde": 1280, "pitcairn": 2560, "tahiti": 3789, "bonaire": 1971, "hawaii": 5632, "kaveri": 737,
        "tonga": 3290, "fiji": 8602, "polaris10": 5834, "vega10": 12660, "vega20": 13250,
        "cypress": 2720, "juniper": 1360, "redwood": 620, "barts": 2016, "turks": 768, "cayman": 2703, "cedar": 104,
        "haswell-gt2": 400, "haswell-gt3e": 832, "broadwell-gt2": 365, "broadwell-gt2-5600": 403, "skylake-gt2": 442,
        "skylake-gt4e": 1094}
LANES = {"gcn": 16, "vliw5": 16 * 5, "vliw4": 16 * 4, "gen": 8}      # operations of a SIMD in a cycle


def entry(value, basis="documented", source="data sheet"):
    return f'{{ value = {value}, basis = "{basis}", source = "{source}" }}'


def test_all_are_there():
    assert set(chips.files()) == CHIPS


@pytest.mark.parametrize("name", sorted(CHIPS))
def test_chip(name):
    chip = chips.load(name)
    lanes = chip.compute.units * chip.compute.simds * LANES[chip.identity.architecture]
    if name == "cedar":         # half as wide, as its wavefronts are
        lanes //= 2
    assert lanes * 2 * chip.clock.core_mhz / 1000 == pytest.approx(PEAK[name], rel=0.01)
    assert {field.name for field in FIELDS if field.applies(chip.identity.architecture)} == set(chip.values)
    assert all(value.source for value in chip.values.values())


def test_made_from_the_files():
    """What the build made of the files, and whoever lists devices gets."""
    assert set(chips.made()) == CHIPS
    for name, path in chips.files().items():
        read = chip_file.read(path)
        assert chips.made()[name] == {section: vars(getattr(read, section)) for section in SECTIONS}
        assert vars(chips.load(name).lds) == vars(read.lds)


LISTED = """
import sys
before = set(sys.modules)
import clpy.core.device
print(*sorted(set(sys.modules) - before))
"""


def test_to_list_a_model_reads_no_file():
    """Programs wait for it, whether they want a model or not. What is slow to import comes with the first program."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(ROOT)!r})\n{LISTED}"],
                          capture_output=True, text=True, env={**os.environ, "CLPY_DEVICES": "cpu,gpu"}, check=True)
    loaded = set(done.stdout.split())
    assert "clpy.device.gpu.device" in loaded
    assert set() == loaded & {"tomllib", "dataclasses", "typing", "re", "json", "pathlib", "hashlib", "inspect", "enum",
                         "clpy.device.gpu.chip_file", "clpy.device.gpu.launch_time"}


def test_what_vliw_chips_answer():
    """Vectors of 16 bytes, and no cache for buffers."""
    from clpy.device.gpu.info import of_caches, of_widths
    widths = of_widths(SimpleNamespace(chip=chips.load("cypress"), target=SimpleNamespace(extensions=())))
    assert [widths[f"CL_DEVICE_PREFERRED_VECTOR_WIDTH_{name}"] for name in ("CHAR", "FLOAT", "DOUBLE")] == [16, 4, 0]
    assert set(of_caches(chips.load("cayman")).values()) == {0}
    widths = of_widths(SimpleNamespace(chip=chips.load("tahiti"), target=SimpleNamespace(extensions=())))
    assert [widths[f"CL_DEVICE_NATIVE_VECTOR_WIDTH_{name}"] for name in ("CHAR", "SHORT", "FLOAT")] == [4, 2, 1]


def test_what_gen_chips_answer():
    """As Intel's driver: EUs are compute units, and the L3 is the cache."""
    from clpy.device.gpu.info import of_caches, of_widths
    chip = chips.load("skylake-gt2")
    widths = of_widths(SimpleNamespace(chip=chip, target=SimpleNamespace(extensions=("cl_khr_fp16",))))
    assert [widths[f"CL_DEVICE_NATIVE_VECTOR_WIDTH_{name}"] for name in ("CHAR", "SHORT", "INT", "LONG", "HALF")] == [
        16, 8, 4, 1, 8]
    assert widths["CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"] == 32
    assert (of_caches(chip)["CL_DEVICE_GLOBAL_MEM_CACHE_SIZE"], chip.compute_units) == (524288, 24)
    assert chips.load("tahiti").compute_units == 32


def test_own_chip(tmp_path):
    (tmp_path / "nano.toml").write_text(f'like = "fiji"\n[clock]\ncore_mhz = {entry(1000)}\n')
    single = tmp_path / "more" / "half.toml"
    single.parent.mkdir()
    single.write_text(f'like = "nano"\n[compute]\nunits = {entry(32, "estimated")}\n')
    with config.override(GPU_CHIPS=f"{tmp_path}{os.pathsep}{single}"):
        assert chips.load("nano").clock.core_mhz == 1000
        half = chips.load("half")
    assert (half.clock.core_mhz, half.compute.units, half.identity.device_name) == (1000, 32, "Fiji")
    assert half.values["compute.units"].basis == "estimated"


def test_own_chip_replaces(tmp_path):
    (tmp_path / "fiji.toml").write_text(f'like = "fiji"\n[clock]\ncore_mhz = {entry(900)}\n')
    with config.override(GPU_CHIPS=str(tmp_path)):
        assert chips.load("fiji").clock.core_mhz == 900


@pytest.mark.parametrize(("text", "message"), [
    ("like = 'fiji'\n[clock]\ncore_mhz = 1000\n", r"\[clock\] core_mhz: expected \{ value = "),
    (f"like = 'fiji'\n[clock]\ncore_mhz = {entry(-1)}\n", r"\[clock\] core_mhz = -1: expected a whole number from 50"),
    (f"like = 'fiji'\n[clock]\ncore_mhz = {entry(1.5)}\n", r"core_mhz = 1\.5: expected a whole number"),
    (f"like = 'fiji'\n[clock]\ncore_mhz = {entry('true')}\n", r"core_mhz = True: expected a whole number"),
    (f"like = 'fiji'\n[clock]\ncore_mhz = {entry(1000, 'guessed')}\n", "basis: expected one of documented, measured, "),
    (f"like = 'fiji'\n[clock]\ncore_mhz = {entry(1000, source=' ')}\n", "source: expected a text"),
    (f"like = 'fiji'\n[clock]\ncore = {entry(1000)}\n", r"\[clock\] core is no key .*core_mhz, memory_mhz"),
    (f"like = 'fiji'\n[clocks]\ncore_mhz = {entry(1000)}\n",
     r"\[clocks\] is no section; expected one of identity, clock"),
    ("like = 'fuji'\n", "like: there is no fuji; expected one of .*fiji"),
    ("like = 3\n", "like: expected the name"),
    ("like = 'wrong'\n", "like: there is no wrong"),
    ("like = 'gcn1'\n", r"\[identity\] device_name is missing: expected a text, CL_DEVICE_NAME; \d+ more keys"),
    ("like = \n", "is not TOML"),
    (f"like = 'fiji'\n[lds]\nbytes_per_group = {entry(131072)}\n",
     r"bytes_per_group = 131072: expected at most lds\.bytes"),
    (f"like = 'fiji'\n[latency]\nl2_hit = {entry(5)}\n", r"\[latency\] l2_hit = 5: expected not less than"),
    (f"like = 'fiji'\n[identity]\nprocessor = {entry(repr('gfx1030'))}\n",
     "processor = 'gfx1030': expected one of gfx600"),
    (f"like = 'fiji'\n[identity]\nprocessor = {entry(repr('cayman'))}\n",
     "processor = 'cayman': expected one of gfx600, .*, as identity.architecture is gcn"),
    (f"like = 'cypress'\n[identity]\nprocessor = {entry(repr('cayman'))}\n",
     "processor = 'cayman': expected one of cedar, .*, as identity.architecture is vliw5"),
    (f"like = 'cypress'\n[registers]\nsgprs = {entry(512)}\n",
     r"\[registers\] sgprs is no key of vliw5; expected one of vgprs, vgpr_granularity$"),
    (f"like = 'fiji'\n[identity]\narchitecture = {entry(repr('vliw5'))}\n",
     r"\[compute\] waves_per_device is missing: expected a whole number from 1 to 4096"),
    (f"like = 'cypress'\n[compute]\nsimds = {entry(4)}\n", "simds = 4: expected 4 where .* gcn, 1 where .* vliw4"),
    (f"like = 'fiji'\n[compute]\nwave_size = {entry(32)}\n", "wave_size = 32: expected 8, 16 or 32 where .* 64"),
    (f"like = 'cypress'\n[compute]\nwave_size = {entry(32)}\n", "wave_size = 32: expected .* is cedar, else 64"),
    (f"like = 'cedar'\n[compute]\nwave_size = {entry(64)}\n", "wave_size = 64: expected .* 32 where .* is cedar"),
    (f"like = 'skylake-gt2'\n[compute]\nwave_size = {entry(64)}\n", "wave_size = 64: expected 8, 16 or 32 where"),
    (f"like = 'skylake-gt2'\n[registers]\nvgprs = {entry(256)}\n", "vgprs is no key of gen; expected one of grfs$"),
    (f"like = 'haswell-gt2'\n[identity]\nprocessor = {entry(repr('gen9'))}\n",
     r"\[identity\] instructions = 'gen7\.5': expected what identity\.processor is, or gen7\.5 where that is gen8"),
    (f"like = 'skylake-gt2'\n[identity]\ninstructions = {entry(repr('gen8'))}\n",
     "instructions = 'gen8': expected what"),
    ("like = 'vliw'\n", r"\[identity\] device_name is missing"),
])
def test_wrong_file(tmp_path, text, message):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with config.override(GPU_CHIPS=str(tmp_path)), pytest.raises(chips.ChipError, match=message) as raised:
        chips.load("wrong")
    assert str(raised.value).startswith(str(path))


def test_circle(tmp_path):
    (tmp_path / "a.toml").write_text("like = 'b'\n")
    (tmp_path / "b.toml").write_text("like = 'a'\n")
    with config.override(GPU_CHIPS=str(tmp_path)), pytest.raises(chips.ChipError, match=r"a -> b -> a"):
        chips.load("a")


def test_no_such_chip(tmp_path):
    with pytest.raises(chips.ChipError, match=r"there is no chip tahitl, only barts, bonaire, .*tahiti"):
        chips.load("tahitl")


def test_places_that_are_wrong_leave_the_other_chips(tmp_path, capfd):
    """A line says so, once."""
    (tmp_path / "nano.toml").write_text('like = "fiji"\n')
    nothing = tmp_path / "nothing"
    with config.override(GPU_CHIPS=f"{nothing}:{tmp_path}"):
        assert [chips.load(name).identity.device_name for name in ("tahiti", "nano")] == ["Tahiti", "Fiji"]
    assert capfd.readouterr().err == f"clpy: CLPY_GPU_CHIPS: {nothing} is neither a folder nor a file\n"


def test_page_is_current():
    assert (ROOT / "docs" / "gpu-chips.md").read_text() == page()
