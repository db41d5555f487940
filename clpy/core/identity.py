# SPDX-License-Identifier: Apache-2.0
"""What the platform says of itself. The build bakes it into libclpy.so, which answers before an interpreter runs."""
from clpy import __version__, extensions

NAME = VENDOR = "clpy"
PROFILE = "FULL_PROFILE"
CL_VERSION = (3, 1, 0)
VERSION = f"OpenCL {CL_VERSION[0]}.{CL_VERSION[1]} clpy {__version__}"
ICD_SUFFIX = "CLPY"
# Of the platform itself; it also has those that all its devices have.
EXTENSIONS = extensions.OF_PLATFORM
