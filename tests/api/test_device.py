# SPDX-License-Identifier: Apache-2.0
"""clGetDeviceIDs, clGetDeviceInfo, clRetainDevice, clCreateSubDevices."""
import os
import struct
import subprocess
import sys
from ctypes import byref, c_size_t, c_uint32, create_string_buffer
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from clapi import SPEC, E, handles

# The queries of the core specification up to 3.0, by the size of the answer in bytes.
SIZES = {
    4: """VENDOR_ID MAX_COMPUTE_UNITS MAX_WORK_ITEM_DIMENSIONS PREFERRED_VECTOR_WIDTH_CHAR PREFERRED_VECTOR_WIDTH_SHORT
        PREFERRED_VECTOR_WIDTH_INT PREFERRED_VECTOR_WIDTH_LONG PREFERRED_VECTOR_WIDTH_FLOAT
        PREFERRED_VECTOR_WIDTH_DOUBLE PREFERRED_VECTOR_WIDTH_HALF NATIVE_VECTOR_WIDTH_CHAR NATIVE_VECTOR_WIDTH_SHORT
        NATIVE_VECTOR_WIDTH_INT NATIVE_VECTOR_WIDTH_LONG NATIVE_VECTOR_WIDTH_FLOAT NATIVE_VECTOR_WIDTH_DOUBLE
        NATIVE_VECTOR_WIDTH_HALF MAX_CLOCK_FREQUENCY ADDRESS_BITS MAX_READ_IMAGE_ARGS MAX_WRITE_IMAGE_ARGS
        MAX_READ_WRITE_IMAGE_ARGS IMAGE_SUPPORT MAX_SAMPLERS IMAGE_PITCH_ALIGNMENT IMAGE_BASE_ADDRESS_ALIGNMENT
        MAX_PIPE_ARGS PIPE_MAX_ACTIVE_RESERVATIONS PIPE_MAX_PACKET_SIZE MEM_BASE_ADDR_ALIGN MIN_DATA_TYPE_ALIGN_SIZE
        GLOBAL_MEM_CACHE_TYPE GLOBAL_MEM_CACHELINE_SIZE MAX_CONSTANT_ARGS LOCAL_MEM_TYPE ERROR_CORRECTION_SUPPORT
        HOST_UNIFIED_MEMORY ENDIAN_LITTLE AVAILABLE COMPILER_AVAILABLE LINKER_AVAILABLE QUEUE_ON_DEVICE_PREFERRED_SIZE
        QUEUE_ON_DEVICE_MAX_SIZE MAX_ON_DEVICE_QUEUES MAX_ON_DEVICE_EVENTS PREFERRED_INTEROP_USER_SYNC
        PARTITION_MAX_SUB_DEVICES REFERENCE_COUNT PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        PREFERRED_GLOBAL_ATOMIC_ALIGNMENT PREFERRED_LOCAL_ATOMIC_ALIGNMENT MAX_NUM_SUB_GROUPS
        SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS NON_UNIFORM_WORK_GROUP_SUPPORT
        WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT GENERIC_ADDRESS_SPACE_SUPPORT PIPE_SUPPORT NUMERIC_VERSION""",
    8: """TYPE MAX_WORK_GROUP_SIZE MAX_MEM_ALLOC_SIZE IMAGE2D_MAX_WIDTH IMAGE2D_MAX_HEIGHT IMAGE3D_MAX_WIDTH
        IMAGE3D_MAX_HEIGHT IMAGE3D_MAX_DEPTH IMAGE_MAX_BUFFER_SIZE IMAGE_MAX_ARRAY_SIZE MAX_PARAMETER_SIZE
        SINGLE_FP_CONFIG DOUBLE_FP_CONFIG GLOBAL_MEM_CACHE_SIZE GLOBAL_MEM_SIZE MAX_CONSTANT_BUFFER_SIZE
        MAX_GLOBAL_VARIABLE_SIZE GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE LOCAL_MEM_SIZE PROFILING_TIMER_RESOLUTION
        EXECUTION_CAPABILITIES QUEUE_PROPERTIES QUEUE_ON_HOST_PROPERTIES QUEUE_ON_DEVICE_PROPERTIES PLATFORM
        PRINTF_BUFFER_SIZE PARENT_DEVICE PARTITION_AFFINITY_DOMAIN SVM_CAPABILITIES ATOMIC_MEMORY_CAPABILITIES
        ATOMIC_FENCE_CAPABILITIES DEVICE_ENQUEUE_CAPABILITIES PREFERRED_WORK_GROUP_SIZE_MULTIPLE
        PARTITION_TYPE""",
    24: "MAX_WORK_ITEM_SIZES",
}
FIXED = {name: size for size, names in SIZES.items() for name in names.split()}
TEXTS = ("NAME", "VENDOR", "PROFILE", "VERSION", "OPENCL_C_VERSION", "EXTENSIONS", "IL_VERSION", "BUILT_IN_KERNELS",
         "LATEST_CONFORMANCE_VERSION_PASSED")
LISTS = ("ILS_WITH_VERSION", "BUILT_IN_KERNELS_WITH_VERSION", "OPENCL_C_ALL_VERSIONS", "OPENCL_C_FEATURES",
         "EXTENSIONS_WITH_VERSION", "PARTITION_PROPERTIES")
# Names of the same block that are no queries of clGetDeviceInfo.
VALUES = ("DEVICE_TYPE_", "DEVICE_NOT_", "DEVICE_PARTITION_EQUALLY", "DEVICE_PARTITION_BY_", "DEVICE_PARTITION_FAILED",
          "DEVICE_AFFINITY_", "DEVICE_SVM_COARSE", "DEVICE_SVM_FINE", "DEVICE_SVM_ATOMICS", "DEVICE_ATOMIC_ORDER",
          "DEVICE_ATOMIC_SCOPE", "DEVICE_QUEUE_SUPPORTED", "DEVICE_QUEUE_REPLACEABLE")


@pytest.fixture
def info(api, device):
    return lambda name: api.info("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))


@pytest.fixture
def number(api, device):
    return lambda name: api.number("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))


@pytest.fixture
def text(api, device):
    return lambda name: api.text("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name))


def core_queries():
    wanted, names = False, []
    for line in (SPEC / "enums.txt").read_text().splitlines():
        if line.startswith("#"):
            wanted = line[2:] in {f"CL_VERSION_{v}" for v in ("1_0", "1_1", "1_2", "2_0", "2_1", "2_2", "3_0")}
        elif wanted and line.startswith("CL_DEVICE_") and not line[3:].startswith(VALUES):
            names.append(line.split()[0][len("CL_DEVICE_"):])
    return names


def test_the_table_above_is_complete():
    assert sorted(set(core_queries()) - {*FIXED, *TEXTS, *LISTS}) == []
    assert len(core_queries()) > 90


@pytest.mark.parametrize("name", sorted(FIXED))
def test_every_query_of_fixed_size(name, api, device, info):
    data = info(name)
    assert len(data) == FIXED[name]
    too_small = create_string_buffer(len(data) - 1)
    assert api.error("clGetDeviceInfo", device, getattr(E, "DEVICE_" + name), len(data) - 1, too_small,
                     None) == "CL_INVALID_VALUE"
    assert too_small.raw == bytes(len(data) - 1), "nothing is written on error"


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.needs("IL")) if name == "IL_VERSION" else name for name in TEXTS])
def test_every_text(name, text):
    assert text(name).strip() == text(name)
    assert text(name) or name == "BUILT_IN_KERNELS", "only of these there may be none"


@pytest.mark.parametrize("room", [1024, 2048])
def test_a_fixed_array_gets_the_extensions_that_fit(room, api, device, info, text):
    """ViennaCL, mfakto and John the Ripper have 2,048 bytes for them. Other sizes are errors, as for every query."""
    every, size, listed = text("EXTENSIONS").split(), c_size_t(), create_string_buffer(b"?" * (room + 8), room + 8)
    api.ok("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS, room, listed, byref(size))
    names = listed.value.decode().split()
    assert size.value == len(listed.value) + 1 <= room and set(names) <= set(every) and listed.raw[room:] == b"?" * 8
    left = [name for name in every if name not in names]
    assert "cl_khr_fp64" in names and all(len(listed.value) + 1 + len(name) >= room for name in left)
    assert room == 1024 or not any(name.startswith("cl_khr_") for name in left)
    for wrong in (len(info("EXTENSIONS")) - 1, room // 4, room - 1):
        if wrong < len(info("EXTENSIONS")):
            assert api.error("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS, wrong, listed, None) == "CL_INVALID_VALUE"


def versions(data):
    assert len(data) % 68 == 0
    return {name.rstrip(b"\0").decode(): (v >> 22, v >> 12 & 1023, v & 4095) for v, name in struct.iter_unpack("=I64s",
                                                                                                             data)}


def test_names_with_versions_match_the_texts(info, text):
    assert list(versions(info("EXTENSIONS_WITH_VERSION"))) == text("EXTENSIONS").split()
    kernels = text("BUILT_IN_KERNELS")
    assert list(versions(info("BUILT_IN_KERNELS_WITH_VERSION"))) == (kernels.split(";") if kernels else [])
    features = versions(info("OPENCL_C_FEATURES"))
    assert all(name.startswith("__opencl_c_") and number == (3, 0, 0) for name, number in features.items())
    assert ("__opencl_c_fp64" in features) == ("cl_khr_fp64" in text("EXTENSIONS").split())


def is_newest(extensions):
    """"must be returned by all devices that support OpenCL 3.1 or newer" """
    return {"cl_khr_device_uuid", "cl_khr_extended_bit_ops", "cl_khr_integer_dot_product", "cl_khr_spirv_queries",
            "cl_khr_subgroup_extended_types", "cl_khr_subgroup_rotate", "cl_khr_subgroup_shuffle",
            "cl_khr_subgroup_shuffle_relative", "cl_khr_suggested_local_work_size"} <= set(extensions)


def test_versions_agree(info, text, number):
    newest = 3 << 22 | (1 << 12 if is_newest(text("EXTENSIONS").split()) else 0)
    assert text("VERSION").startswith(f"OpenCL 3.{newest >> 12 & 1} ")
    assert number("NUMERIC_VERSION") == newest
    assert text("OPENCL_C_VERSION").startswith("OpenCL C 1.2 ")
    listed = [v for v, name in struct.iter_unpack("=I64s", info("OPENCL_C_ALL_VERSIONS"))
              if name.rstrip(b"\0") == b"OpenCL C"]
    assert listed[:4] == [1 << 22, 1 << 22 | 1 << 12, 1 << 22 | 2 << 12, 3 << 22]
    assert listed[4:] == [newest] * (newest > 3 << 22)
    assert text("PROFILE") == "FULL_PROFILE"


def test_minimum_of_the_full_profile(number, info):
    memory = number("GLOBAL_MEM_SIZE")
    assert number("MAX_MEM_ALLOC_SIZE") >= max(min(1 << 30, memory // 4), 32 << 20)
    assert number("LOCAL_MEM_SIZE") >= 32 << 10
    assert number("MAX_CONSTANT_BUFFER_SIZE") >= 64 << 10
    assert number("MAX_CONSTANT_ARGS") >= 8
    assert number("MAX_PARAMETER_SIZE") >= 1024
    assert number("MEM_BASE_ADDR_ALIGN") >= 8 * 128
    assert number("MIN_DATA_TYPE_ALIGN_SIZE") >= 128
    assert number("PRINTF_BUFFER_SIZE") >= 1 << 20
    assert number("MAX_WORK_ITEM_DIMENSIONS") == 3
    largest = number("MAX_WORK_GROUP_SIZE")
    assert largest >= 256
    assert struct.unpack("=3Q", info("MAX_WORK_ITEM_SIZES")) == (largest,) * 3
    assert number("SINGLE_FP_CONFIG") & (E.FP_ROUND_TO_NEAREST | E.FP_INF_NAN) == E.FP_ROUND_TO_NEAREST | E.FP_INF_NAN
    double = (E.FP_FMA | E.FP_ROUND_TO_NEAREST | E.FP_ROUND_TO_ZERO | E.FP_ROUND_TO_INF | E.FP_INF_NAN | E.FP_DENORM)
    assert number("DOUBLE_FP_CONFIG") & double == double
    assert number("ATOMIC_MEMORY_CAPABILITIES") & 0x11 == 0x11
    assert number("ATOMIC_FENCE_CAPABILITIES") & 0x13 == 0x13
    assert number("QUEUE_ON_HOST_PROPERTIES") == 3
    assert number("EXECUTION_CAPABILITIES") & E.EXEC_KERNEL


@pytest.mark.needs("CPU")
def test_what_the_machine_has(number, text):
    assert number("TYPE") == E.DEVICE_TYPE_CPU
    assert number("MAX_COMPUTE_UNITS") <= len(os.sched_getaffinity(0))
    assert number("GLOBAL_MEM_SIZE") <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    assert text("NAME") in " ".join(Path("/proc/cpuinfo").read_text().split()) or "model name" not in Path(
        "/proc/cpuinfo").read_text()
    assert number("GLOBAL_MEM_CACHE_SIZE") > 0
    assert number("GLOBAL_MEM_CACHELINE_SIZE") in (32, 64, 128)
    assert number("MAX_CLOCK_FREQUENCY") > 0
    assert number("NATIVE_VECTOR_WIDTH_CHAR") == 4 * number("NATIVE_VECTOR_WIDTH_FLOAT") in (16, 32, 64)


def test_what_it_does_not_have_is_zero(number, info):
    for name in FIXED:
        if name.startswith(("QUEUE_ON_DEVICE", "MAX_ON_DEVICE")):
            assert any(info(name)) == bool(number("DEVICE_ENQUEUE_CAPABILITIES")), name
        if name.startswith(("MAX_PIPE", "PIPE_")):
            assert any(info(name)) == bool(number("PIPE_SUPPORT")), name


def test_root_device(api, device, number):
    assert number("PARENT_DEVICE") == 0
    assert number("PLATFORM") == api.platform()
    for function in ("clRetainDevice", "clRetainDevice", "clReleaseDevice", "clReleaseDevice", "clReleaseDevice"):
        api.ok(function, device)
        assert number("REFERENCE_COUNT") == 1


def test_affinity_and_thread_count_are_honoured():
    code = ("import sys; sys.path.insert(0, 'tests'); from clapi import API, E; a = API(); "
            "print(a.number('clGetDeviceInfo', a.devices()[0], E.DEVICE_MAX_COMPUTE_UNITS))")
    one = min(os.sched_getaffinity(0))

    def units(prefix, **environ):
        run = subprocess.run([*prefix, sys.executable, "-c", code], env={**os.environ, **environ}, capture_output=True,
                             text=True, timeout=60, check=True, cwd=SPEC.parents[1])
        return int(run.stdout)

    assert units(["taskset", "-c", str(one)]) == 1
    assert units([], CLPY_NUM_THREADS="3") == 3
    assert units([], CLPY_NUM_THREADS="3", CPU_MAX_COMPUTE_UNITS="2") == 2
    assert units([], CLPY_NUM_THREADS="3", CPU_MAX_COMPUTE_UNITS="4") == 3


def test_a_kernel_can_have_as_many_arguments_as_it_says(number):
    device = next(d for p in cl.get_platforms() if p.name == "clpy" for d in p.get_devices())
    context = cl.Context([device])
    queue, count = cl.CommandQueue(context), number("MAX_PARAMETER_SIZE") // 8 - 1
    parameters = ", ".join(f"long a{i}" for i in range(count))
    body = "\n".join(f"sum += {i % 7 + 1} * a{i};" for i in range(count))
    source = f"kernel void many({parameters}, global long *out) {{ long sum = 0; {body} *out = sum; }}"
    kernel = cl.Program(context, source).build(cache_dir=False).many
    out = np.zeros(1, np.int64)
    result = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, 8)
    kernel.set_args(*(np.int64(3 * i) for i in range(count)), result)
    cl.enqueue_nd_range_kernel(queue, kernel, (1,), None)
    cl.enqueue_copy(queue, out, result)
    assert out[0] == sum((i % 7 + 1) * 3 * i for i in range(count))


# ---- errors

def test_device_info_errors(api, device, context):
    value = c_uint32()
    assert api.error("clGetDeviceInfo", None, E.DEVICE_TYPE, 8, None, None) == "CL_INVALID_DEVICE"
    assert api.error("clGetDeviceInfo", context, E.DEVICE_TYPE, 8, None, None) == "CL_INVALID_DEVICE"
    assert api.error("clGetDeviceInfo", device, 0xDEAD, 4, byref(value), None) == "CL_INVALID_VALUE"
    assert api.error("clGetDeviceInfo", device, E.DEVICE_TYPE_CPU, 4, byref(value), None) == "CL_INVALID_VALUE"
    api.ok("clGetDeviceInfo", device, E.DEVICE_TYPE, 0, None, None)


@pytest.mark.parametrize(("kind", "error"), [
    (E.DEVICE_TYPE_CPU, "CL_SUCCESS"), (E.DEVICE_TYPE_DEFAULT, "CL_SUCCESS"), (E.DEVICE_TYPE_ALL, "CL_SUCCESS"),
    (E.DEVICE_TYPE_CPU | E.DEVICE_TYPE_GPU, "CL_SUCCESS"), (E.DEVICE_TYPE_GPU, "CL_DEVICE_NOT_FOUND"),
    (E.DEVICE_TYPE_ACCELERATOR, "CL_DEVICE_NOT_FOUND"),
    (0, "CL_INVALID_DEVICE_TYPE"), (1 << 10, "CL_INVALID_DEVICE_TYPE"), (1 << 40, "CL_INVALID_DEVICE_TYPE")])
@pytest.mark.needs("CPU")
def test_device_types(api, device, kind, error):
    found, count = handles(None), c_uint32()
    assert api.error("clGetDeviceIDs", api.platform(), kind, 1, found, byref(count)) == error
    if error == "CL_SUCCESS":
        assert found[0] == device and count.value >= 1


@pytest.mark.needs("CPU")
def test_a_custom_device_is_not_among_all(api, device, fake_device):
    """"All OpenCL devices available in the system except CL_DEVICE_TYPE_CUSTOM devices"."""
    assert api.devices(E.DEVICE_TYPE_CUSTOM) == [fake_device] != [device]
    assert fake_device not in api.devices()
    for each, kind in ((device, E.DEVICE_TYPE_CPU), (fake_device, E.DEVICE_TYPE_CUSTOM)):
        assert api.number("clGetDeviceInfo", each, E.DEVICE_TYPE) == kind


def test_device_ids_errors(api, device):
    platform, found, count = api.platform(), handles(None), c_uint32()
    assert api.error("clGetDeviceIDs", device, E.DEVICE_TYPE_ALL, 1, found, None) == "CL_INVALID_PLATFORM"
    assert api.error("clGetDeviceIDs", platform, 0, 0, None, None) == "CL_INVALID_DEVICE_TYPE"
    assert api.error("clGetDeviceIDs", platform, E.DEVICE_TYPE_ALL, 0, found, byref(count)) == "CL_INVALID_VALUE"
    assert api.error("clGetDeviceIDs", platform, E.DEVICE_TYPE_ALL, 0, None, None) == "CL_INVALID_VALUE"


def test_reference_count_errors(api, context):
    assert api.error("clRetainDevice", context) == "CL_INVALID_DEVICE"
    assert api.error("clReleaseDevice", context) == "CL_INVALID_DEVICE"
