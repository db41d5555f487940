# SPDX-License-Identifier: Apache-2.0
"""What the platform says of itself. The build bakes it into libclpy.so, which answers before an interpreter runs."""
from clpy import __version__

NAME = VENDOR = "clpy"
PROFILE = "FULL_PROFILE"
CL_VERSION = (3, 0, 0)
VERSION = f"OpenCL {CL_VERSION[0]}.{CL_VERSION[1]} clpy {__version__}"
ICD_SUFFIX = "CLPY"
# Extensions of the platform itself; it also has those that all its devices have.
EXTENSIONS = ("cl_khr_icd", "cl_khr_extended_versioning")
# Revisions of extensions that are not 1.0.0.
REVISIONS = {"cl_ext_buffer_device_address": (1, 0, 2), "cl_ext_image_requirements_info": (0, 5, 0),
             "cl_khr_command_buffer": (0, 9, 8),
             "cl_khr_command_buffer_multi_device": (0, 9, 2), "cl_khr_command_buffer_mutable_dispatch": (0, 9, 5),
             "cl_khr_external_memory": (1, 0, 1), "cl_khr_external_semaphore": (1, 0, 1),
             "cl_khr_external_semaphore_sync_fd": (1, 0, 1),
             "cl_khr_integer_dot_product": (2, 0, 0), "cl_khr_unified_svm": (0, 9, 0)}
