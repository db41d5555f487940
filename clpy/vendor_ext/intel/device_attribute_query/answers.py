# SPDX-License-Identifier: Apache-2.0
"""What a processor answers to the queries of cl_intel_device_attribute_query."""
import glob
import os

from clpy.device.answers import version

SYSTEM = "/sys/devices/system/cpu"
DP4A, DPAS = 1, 2           # CL_DEVICE_FEATURE_FLAG_*_INTEL
# Instructions of four products of bytes and their sum, and of products of matrices, as /proc/cpuinfo calls them.
INSTRUCTIONS = {DP4A: {"avx_vnni", "avx512_vnni"}, DPAS: {"amx_int8"}}


def answers(device):
    """By the name of the query; `device` is a clpy.device.cpu.info.Machine."""
    model = [number(device.cpuinfo.get(name)) for name in ("cpu family", "model", "stepping")]
    shape = shape_of(processors())
    flags = set(device.cpuinfo.get("flags", "").split())
    return {
        "CL_DEVICE_IP_VERSION_INTEL": version(*model),
        "CL_DEVICE_ID_INTEL": signature(*model),
        "CL_DEVICE_NUM_SLICES_INTEL": shape[0],
        "CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL": shape[1],
        "CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL": shape[2],
        "CL_DEVICE_NUM_THREADS_PER_EU_INTEL": shape[3],
        "CL_DEVICE_FEATURE_CAPABILITIES_INTEL": sum(bit for bit, names in INSTRUCTIONS.items() if names & flags),
    }


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
    """(package, processors that share the last cache, core) of each processor of the machine that is online."""
    found = []
    for cpu in glob.glob(os.path.join(system, "cpu[0-9]*")):
        package = read(f"{cpu}/topology/physical_package_id")
        if package:
            caches = sorted(glob.glob(f"{cpu}/cache/index[0-9]*"))
            found.append((package, read(f"{caches[-1]}/shared_cpu_list") if caches else "",
                          read(f"{cpu}/topology/thread_siblings_list")))
    return found


def shape_of(rows):
    """Packages; parts of one that share a cache; cores of such a part; processors of a core: of the largest, each."""
    packages = {package for package, _, _ in rows}
    parts = {row[:2] for row in rows}
    cores = set(rows)
    return (len(packages) or 1,
            max([sum(part[0] == package for part in parts) for package in packages], default=1),
            max([sum(core[:2] == part for core in cores) for part in parts], default=1),
            max([rows.count(core) for core in cores], default=1))
