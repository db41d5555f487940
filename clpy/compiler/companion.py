# SPDX-License-Identifier: Apache-2.0
"""What wheels bring beside the package: clpy_llvm and clpy_spirv, which are folders of files and no code. Imports next
to nothing: devices are listed with it."""
import os

BESIDE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def path(*parts):
    """Of a file or folder there, "" where there is none."""
    place = os.path.join(BESIDE, *parts)
    return place if os.path.exists(place) else ""
