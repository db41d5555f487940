# SPDX-License-Identifier: Apache-2.0
"""cl_intel_required_subgroup_size: kernels have the sub-groups that they ask for, or do not build."""
import struct
from ctypes import byref, c_size_t

import pytest
from clapi import E, handles, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

SOURCE = """
kernel ASKED void k(global uint *out) {
    size_t i = get_global_id(0);
    out[3 * i] = get_max_sub_group_size();
    out[3 * i + 1] = get_num_sub_groups();
    out[3 * i + 2] = sub_group_reduce_add((uint)i);
}
kernel ASKED void plain(global uint *out) { out[get_global_id(0)] = 7; }
kernel void free(global uint *out) { out[0] = get_max_sub_group_size(); }
"""


def asked(size):
    return f"-DASKED=__attribute__((intel_reqd_sub_group_size({size})))"


def offered(api, device):
    data = api.info("clGetDeviceInfo", device, E.DEVICE_SUB_GROUP_SIZES_INTEL)
    return [size for size, in struct.iter_unpack("=Q", data)]


def test_sizes_of_the_device(api, device):
    assert {8, 16, 32} <= set(offered(api, device))
    assert "cl_intel_required_subgroup_size" in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()


def compiled(api, kernel, device):
    value = c_size_t(77)
    api.ok("clGetKernelSubGroupInfo", kernel, device, E.KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, None, 8, byref(value),
           None)
    return value.value


def largest(api, kernel, device):
    value = c_size_t()
    api.ok("clGetKernelSubGroupInfo", kernel, device, E.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, byref(c_size_t(64)),
           8, byref(value), None)
    return value.value


@pytest.mark.parametrize("size", [8, 16, 32])
def test_a_kernel_has_it(api, context, device, queue, kernel, buffer, contents, size):
    k, out = kernel(SOURCE, "k", asked(size)), buffer(64 * 12)
    assert (compiled(api, k, device), largest(api, k, device)) == (size, size)
    assert f"intel_reqd_sub_group_size({size})" in api.text("clGetKernelInfo", k, E.KERNEL_ATTRIBUTES).split()
    api.ok("clSetKernelArg", k, 0, 8, handles(out))
    api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(64), sizes(64), 0, None, None)
    found = [x for x, in struct.iter_unpack("=I", contents(out, 64 * 12))]
    assert found[0::3] == [size] * 64 and found[1::3] == [64 // size] * 64
    assert found[2::3] == [sum(range(i - i % size, i - i % size + size)) for i in range(64)]


def test_without_functions_of_sub_groups(api, device, kernel):
    k = kernel(SOURCE, "plain", asked(32))
    assert (compiled(api, k, device), largest(api, k, device)) == (32, 32)


def test_who_does_not_ask(api, device, kernel):
    k = kernel(SOURCE, "free", asked(16))
    assert compiled(api, k, device) == 0
    assert largest(api, k, device) == min(offered(api, device), key=lambda size: abs(size - largest(api, k, device)))


@pytest.mark.parametrize("size", [1, 5, 64])
def test_sizes_that_there_are_not(api, context, device, program, size):
    built = program(SOURCE, None)
    assert api.error("clBuildProgram", built, 0, None, asked(size).encode(), None, None) == "CL_BUILD_PROGRAM_FAILURE"
    log = api.text("clGetProgramBuildInfo", built, device, E.PROGRAM_BUILD_LOG)
    assert f"no sub-groups of {size} work-items" in log and "8, 16, 32" in log


def test_spilled_memory(api, device, kernel):
    """What of a kernel's variables lies in memory."""
    value = api.number("clGetKernelWorkGroupInfo", kernel(SOURCE, "plain", asked(8)), device,
                       E.KERNEL_SPILL_MEM_SIZE_INTEL)
    assert value == 0
    array = "kernel void k(global int *a) { int x[99]; for (int i = 0; i < 99; i++) x[i] = a[i]; a[0] = x[a[1] & 63]; }"
    made = kernel(array)
    value = api.number("clGetKernelWorkGroupInfo", made, device, E.KERNEL_SPILL_MEM_SIZE_INTEL)
    assert value == api.number("clGetKernelWorkGroupInfo", made, device, E.KERNEL_PRIVATE_MEM_SIZE) > 0


def test_query_errors(api, device, kernel):
    k, value = kernel(SOURCE, "k", asked(8)), c_size_t()
    for size in (4, 7):
        assert api.error("clGetKernelSubGroupInfo", k, device, E.KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, None, size,
                         byref(value), None) == "CL_INVALID_VALUE"
