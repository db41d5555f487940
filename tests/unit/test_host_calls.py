# SPDX-License-Identifier: Apache-2.0
"""What a chip's code may ask of the host: the header, the compiler and the core name the same functions."""
import re
from pathlib import Path

from clpy.compiler.amdgpu import host_calls

HEADER = Path(__file__).resolve().parents[2] / "include/clpy_host_calls.h"


def test_names_are_the_headers_in_its_order():
    names = re.findall(r"\bM\(([A-Z_]+)\)", HEADER.read_text())
    assert [name.lower() for name in names] == list(host_calls.NAMES)


def test_the_core_has_them():
    core = (HEADER.parents[1] / "clpy/core/enqueue_kernel.pyx").read_text()
    assert set(re.findall(r'functions\["(\w+)"\]', core)) == set(host_calls.NUMBERS)
