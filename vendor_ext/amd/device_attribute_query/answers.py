# SPDX-License-Identifier: Apache-2.0
"""What devices answer to the queries of cl_amd_device_attribute_query."""
import struct
import time

from clpy import config
from clpy.device.answers import Now
from clpy.device.host import topology
from clpy.device.host.budget import held_bytes

TOPOLOGY_TYPE_NONE, TOPOLOGY_TYPE_PCIE = 0, 1
BANKS_PER_CHANNEL = 4       # the drivers say so of every chip
KIB = 1024
BOARD = "/sys/class/dmi/id/board_name"


def answers(device):
    """By the name of the query; `device` is a clpy.device.gpu.info.Model or the Machine of clpy.device.cpu.info."""
    return of_chip(device) if "cpu" not in device.abilities() else of_processor(device)


def of_chip(device):
    """From the chip's file."""
    chip = device.chip
    return {
        "CL_DEVICE_PROFILING_TIMER_OFFSET_AMD": Now(lambda: time.time_ns() - device.now_ns()),
        "CL_DEVICE_TOPOLOGY_AMD": place(TOPOLOGY_TYPE_PCIE, device.bus),
        "CL_DEVICE_BOARD_NAME_AMD": chip.identity.board_name,
        "CL_DEVICE_GLOBAL_FREE_MEMORY_AMD": Now(lambda: free_memory(chip)),
        "CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD": chip.compute.simds,
        "CL_DEVICE_WAVEFRONT_WIDTH_AMD": chip.compute.wave_size,
        "CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD": chip.caches.l2_channels,
        "CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD": BANKS_PER_CHANNEL,
        "CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD": chip.caches.interleave_bytes,
        "CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD": chip.lds.bytes,
        "CL_DEVICE_LOCAL_MEM_BANKS_AMD": chip.lds.banks,
        "CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD": rings(chip),
        "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD": chip.opencl.max_work_group_size,
        "CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD": chip.opencl.max_work_group_size,
        "CL_DEVICE_PCIE_ID_AMD": chip.identity.pci_device_id,
        **of_architecture(chip),
        **of_all(),
    }


def of_architecture(chip):
    """No one tells which version of the graphics core VLIW chips are."""
    if not chip.is_gcn:
        return {"CL_DEVICE_SIMD_WIDTH_AMD": chip.compute.wave_size // chip.issue.bundle,
                "CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD": int(chip.identity.architecture.removeprefix("vliw")),
                "CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD": 16 * KIB}
    major, minor = version(chip.identity.processor)
    return {"CL_DEVICE_SIMD_WIDTH_AMD": chip.compute.wave_size // chip.issue.valu,
            "CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD": 1,
            "CL_DEVICE_GFXIP_MAJOR_AMD": major, "CL_DEVICE_GFXIP_MINOR_AMD": minor,
            "CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD": chip.caches.scalar_bytes}


def rings(chip):
    """Hardware queues that are used."""
    return min(chip.queues.hardware, config.get("GPU_RINGS") or chip.queues.hardware)


def of_processor(machine):
    """What means something there. A vector of kernels is the wavefront: one instruction for all its work-items. What
    only a chip has (channels of memory, banks, an identity on the bus) is CL_INVALID_VALUE."""
    lanes = machine.lanes(4)
    return {
        "CL_DEVICE_PROFILING_TIMER_OFFSET_AMD": Now(lambda: time.time_ns() - time.monotonic_ns()),
        "CL_DEVICE_TOPOLOGY_AMD": place(TOPOLOGY_TYPE_NONE, 0),
        "CL_DEVICE_BOARD_NAME_AMD": board_name,
        "CL_DEVICE_GLOBAL_FREE_MEMORY_AMD": Now(free_memory_of_host),
        "CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD": 1,
        "CL_DEVICE_SIMD_WIDTH_AMD": lanes,
        "CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD": 1,
        "CL_DEVICE_WAVEFRONT_WIDTH_AMD": lanes,
        "CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD": machine.local_bytes,
        "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD": machine.max_group,
        "CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD": machine.max_group,
        "CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD": lambda: machine.caches["l1d"],
        **of_all(),
    }


def of_all():
    """There is no interface to thread traces; no queue keeps compute units for itself."""
    return {"CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD": 0, "CL_DEVICE_MAX_REAL_TIME_COMPUTE_QUEUES_AMD": 0,
            "CL_DEVICE_MAX_REAL_TIME_COMPUTE_UNITS_AMD": 0}


def version(processor):
    """(6, 0) of gfx601: the last two figures are the minor version, which is hexadecimal, and the stepping."""
    figures = processor.removeprefix("gfx")
    return int(figures[:-2]), int(figures[-2], 16)


def place(kind, bus):
    """cl_device_topology_amd: type, 17 bytes that mean nothing, bus, device, function."""
    return struct.pack("=I17xBBB", kind, bus, 0, 0)


def free_memory(chip):
    """In KiB, all and the largest block. A buffer is its context's and not a device's: each counts here."""
    free = max(chip.memory.bytes - held_bytes(), 0)
    return [free // KIB, min(free, int(chip.memory.bytes * chip.opencl.max_alloc_part)) // KIB]


def free_memory_of_host():
    """In KiB, what the machine and the process's control groups have left; a buffer may be half of all memory."""
    memory = topology.facts()["memory"]
    free = topology.memory_left("/proc/self/cgroup", "/sys/fs/cgroup", "/proc")
    free = memory if free is None else min(free, memory)
    return [free // KIB, min(free, memory // 2) // KIB]


def board_name():
    """The machine's own, "" where its firmware does not tell."""
    try:
        with open(BOARD, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
