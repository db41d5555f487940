# SPDX-License-Identifier: Apache-2.0
"""Puts the values of the chips that come with clpy into a module: `build.py PACKAGE` writes
PACKAGE/device/gpu/made_chips.py. Checks their files by the way. Called by setup.py, when the modules are compiled.
"""
import sys
from pathlib import Path
from pprint import pformat


def sections_of(chip):
    from clpy.device.gpu.chip_schema import SECTIONS
    return {section: vars(getattr(chip, section)) for section in SECTIONS}


def build(package):
    sys.path.insert(0, str(package.parent))
    from clpy import config
    from clpy.device.gpu import chip_file
    with config.override(GPU_CHIPS=""):
        chips = {path.stem: sections_of(chip_file.read(path)) for path in sorted(chip_file.FOLDER.glob("*.toml"))}
    text = "\n".join(["# Made by chips/build.py from the files beside it.",
                      '"""The chips that come with clpy: {name: {section: {key: value}}}."""', "",
                      "CHIPS = " + pformat(chips, width=116, compact=True, sort_dicts=False)]) + "\n"
    target = package / "device" / "gpu" / "made_chips.py"
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve())
