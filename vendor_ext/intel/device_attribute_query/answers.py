# SPDX-License-Identifier: Apache-2.0
"""What devices answer to the queries of cl_intel_device_attribute_query. Of a processor it is found out when one is
asked."""
import os
from functools import cache

from clpy.device.answers import version

VERSIONS = {"gen8": (8, 0, 0), "gen9": (9, 0, 9)}      # of processors of chips, as ocloc has them
SYSTEM = "/sys/devices/system/cpu"
DP4A, DPAS = 1, 2           # CL_DEVICE_FEATURE_FLAG_*_INTEL
# Instructions of four products of bytes and their sum, and of products of matrices, as /proc/cpuinfo calls them.
INSTRUCTIONS = {DP4A: {"avx_vnni", "avx512_vnni"}, DPAS: {"amx_int8"}}


def answers(device):
    """By the name of the query; `device` is a clpy.device.cpu.info.Machine, or a clpy.device.gpu.info.Model."""
    return of_processor(device) if "cpu" in device.abilities() else of_chip(device.chip)


def of_chip(chip):
    """From the chip's file. None of them has the instructions."""
    return {
        "CL_DEVICE_IP_VERSION_INTEL": version(*VERSIONS[chip.identity.processor]),
        "CL_DEVICE_ID_INTEL": chip.identity.pci_device_id,
        "CL_DEVICE_NUM_SLICES_INTEL": chip.compute.shader_engines,
        "CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL": chip.compute.units // chip.compute.shader_engines,
        "CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL": chip.compute.simds,
        "CL_DEVICE_NUM_THREADS_PER_EU_INTEL": chip.compute.waves_per_simd,
        "CL_DEVICE_FEATURE_CAPABILITIES_INTEL": 0,
    }


def of_processor(device):
    return {
        "CL_DEVICE_IP_VERSION_INTEL": lambda: version(*model(device)),
        "CL_DEVICE_ID_INTEL": lambda: signature(*model(device)),
        "CL_DEVICE_NUM_SLICES_INTEL": lambda: shape()[0],
        "CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL": lambda: shape()[1],
        "CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL": lambda: shape()[2],
        "CL_DEVICE_NUM_THREADS_PER_EU_INTEL": lambda: shape()[3],
        "CL_DEVICE_FEATURE_CAPABILITIES_INTEL": lambda: features(device.cpuinfo.get("flags", "").split()),
    }


def model(device):
    return [number(device.cpuinfo.get(name)) for name in ("cpu family", "model", "stepping")]


def features(flags):
    return sum(bit for bit, names in INSTRUCTIONS.items() if names & set(flags))


@cache
def shape():
    return shape_of(processors())


def number(text):
    return int(text) if text and text.isdigit() else 0


def signature(family, model, stepping):
    """As the instruction CPUID gives it: families beyond 15 and models beyond 15 have fields of their own."""
    return ((max(family - 15, 0) << 20) | (model >> 4 << 16) | (min(family, 15) << 8) | ((model & 15) << 4) | stepping)


def read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def processors(system=SYSTEM):
    """(package, processors that share the last cache, those of the core) of each processor that is online."""
    found = []
    for cpu in [name for name in os.listdir(system) if name.startswith("cpu") and name[3:].isdigit()]:
        folder = os.path.join(system, cpu)
        package = read(f"{folder}/topology/physical_package_id")
        if package:
            found.append((package, last_cache(folder), read(f"{folder}/topology/thread_siblings_list")))
    return found


def last_cache(folder):
    """Processors that share it, as text."""
    try:
        levels = sorted(name for name in os.listdir(f"{folder}/cache") if name.startswith("index"))
    except OSError:
        return ""
    return read(f"{folder}/cache/{levels[-1]}/shared_cpu_list") if levels else ""


def shape_of(rows):
    """Packages; parts of one that share a cache; cores of such a part; processors of a core: of the largest, each."""
    packages = {package for package, _, _ in rows}
    parts = {row[:2] for row in rows}
    cores = set(rows)
    return (len(packages) or 1,
            max([sum(part[0] == package for part in parts) for package in packages], default=1),
            max([sum(core[:2] == part for core in cores) for part in parts], default=1),
            max([rows.count(core) for core in cores], default=1))
