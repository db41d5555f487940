# SPDX-License-Identifier: Apache-2.0
"""cl_intel_concurrent_dispatch: all groups of a launch run at the same time, and meet at barriers of the device."""
import os
import subprocess
import sys
import threading
import time
from ctypes import byref, c_char_p, c_size_t, c_uint32, c_uint64

import numpy as np
import pytest
import spirv_source
from clapi import E, event_status, handles, numbers, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

NAME = "cl_intel_concurrent_dispatch"
TYPE, DEFAULT, CONCURRENT = 0x4257, 0, 1
QUERY = "clGetKernelMaxConcurrentWorkGroupCountINTEL"
ITEMS = 32

# Each item has its number; in each round it adds that of the item opposite, whose group is another one.
MEET = """
kernel void meet(global uint *a, global uint *valid) {
    uint n = get_global_size(0), i = get_global_id(0);
    a[i] = i + 1;
    if (i == 0)
        *valid = intel_is_device_barrier_valid();
    if (!intel_is_device_barrier_valid())
        return;
    for (int round = 0; round < 5; round++) {
        intel_device_barrier(CLK_GLOBAL_MEM_FENCE);
        uint other = a[n - 1 - i];
        intel_device_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
        a[i] += other;
    }
}
"""
# Each group waits for all others in a loop, without a barrier of the device.
SPIN = """
kernel void spin(volatile global uint *a) {
    if (get_local_id(0) == 0) {
        atomic_inc(a);
        while (*a < get_num_groups(0));
    }
}
"""
PARTS = """
kernel void parts(global uint *a) {
    if (get_group_id(0) == 0) { a[0] = 7; return; }
    intel_device_barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_group_id(0)] = 9;
}
"""
FAULT = """
kernel void wrong(global uint *a) {
    if (get_group_id(0) == 0)
        *(global uint *)((size_t)1 << 46) = 1;
    intel_device_barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_group_id(0)] = 9;
}
"""
ENDLESS = "kernel void endless(global uint *a) { while (true) intel_device_barrier(CLK_GLOBAL_MEM_FENCE); }"
STUCK = """
kernel void stuck(volatile global uint *a) {
    if (get_group_id(0) == 0)
        while (*a == 0);
    intel_device_barrier(CLK_GLOBAL_MEM_FENCE);
}
"""


@pytest.fixture
def launch(api):
    """(error of the enqueue, the event's status or None) of a launch, which is waited for."""
    def call(queue, kernel, n, local, dim=1, waits=True):
        event = handles(None)
        error = api.error("clEnqueueNDRangeKernel", queue, kernel, dim, None, sizes(*n),
                          sizes(*local) if local else None, 0, None, event)
        if error != "CL_SUCCESS":
            return error, None
        if not waits:
            return error, event[0]
        api.clWaitForEvents(1, event)
        status = event_status(api, event[0])
        api.ok("clReleaseEvent", event[0])
        return error, status
    return call


@pytest.fixture
def concurrent(api, set_args):
    """A kernel with its arguments set, for such launches."""
    def make(source, name, *args, options="-cl-std=CL3.0"):
        made = set_args(source, *args, name=name, options=options)
        assert dispatch(api, made, CONCURRENT) == "CL_SUCCESS"
        return made
    return make


def dispatch(api, kernel, kind, size=4):
    return api.error("clSetKernelExecInfo", kernel, TYPE, size, byref(c_uint32(kind)))


def most(api, queue, kernel, *local, offset=None):
    """(error, groups) of the query."""
    count = c_size_t(0)
    error = api.error("clGetKernelMaxConcurrentWorkGroupCountINTEL", queue, kernel, len(local) or 1, offset,
                      sizes(*local) if local else None, byref(count))
    return error, count.value


def units(api, device):
    return api.number("clGetDeviceInfo", device, E.DEVICE_MAX_COMPUTE_UNITS)


def met(n, rounds=5):
    a = np.arange(1, n + 1, dtype=np.uint32)
    for _ in range(rounds):
        a = a + a[::-1]
    return a


def test_is_listed(api, device, program):
    assert NAME in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()
    program(f"#ifndef {NAME}\n#error no macro\n#endif\nkernel void k(int a) {{ }}")


@pytest.mark.parametrize("options", ["-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CLC++2021"])
def test_groups_meet(api, device, queue, buffer, contents, concurrent, launch, options):
    n = units(api, device) * ITEMS
    a, valid = buffer(4 * n), buffer(4)
    k = concurrent(MEET, "meet", a, valid, options=options)
    for _ in range(20):
        assert launch(queue, k, (n,), (ITEMS,)) == ("CL_SUCCESS", E.COMPLETE)
    assert np.array_equal(np.frombuffer(contents(a, 4 * n), np.uint32), met(n))
    assert contents(valid, 4) == b"\1\0\0\0"


def test_other_launches_are_told(api, device, queue, buffer, contents, concurrent, launch):
    """Of the default type the barrier is not valid; any number of groups, of any size."""
    n = 1001
    a, valid = buffer(4 * n), buffer(4)
    k = concurrent(MEET, "meet", a, valid)
    assert dispatch(api, k, DEFAULT) == "CL_SUCCESS"
    for local in ((7,), None):
        assert launch(queue, k, (n,), local) == ("CL_SUCCESS", E.COMPLETE)
    assert contents(valid, 4) == b"\0\0\0\0"
    assert np.array_equal(np.frombuffer(contents(a, 4 * n), np.uint32), np.arange(1, n + 1))


def test_clones_keep_the_type(api, device, queue, buffer, contents, concurrent, launch):
    n = units(api, device) * ITEMS
    a, valid = buffer(4 * n), buffer(4)
    clone = api.make("clCloneKernel", concurrent(MEET, "meet", a, valid))
    assert launch(queue, clone, (n,), (ITEMS,)) == ("CL_SUCCESS", E.COMPLETE)
    assert contents(valid, 4) == b"\1\0\0\0"
    api.ok("clReleaseKernel", clone)


def test_many_launches_at_once(api, context, device, buffer, contents, concurrent):
    """From several queues and threads, with other work beside them: none waits for another one's threads."""
    n = units(api, device) * ITEMS
    memory = [(buffer(4 * n), buffer(4)) for _ in range(6)]
    kernels = [concurrent(MEET, "meet", *pair) for pair in memory]

    def work(k):
        queue = api.make("clCreateCommandQueue", context, device, E.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        for _ in range(10):
            api.ok("clEnqueueNDRangeKernel", queue, k, 1, None, sizes(n), sizes(ITEMS), 0, None, None)
            api.ok("clFinish", queue)
        api.ok("clReleaseCommandQueue", queue)
    threads = [threading.Thread(target=work, args=(k,)) for k in kernels]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for a, _ in memory:
        assert np.array_equal(np.frombuffer(contents(a, 4 * n), np.uint32), met(n))


def test_command_buffers(api, device, queue, buffer, contents, concurrent, record):
    n = units(api, device) * ITEMS
    a, valid = buffer(4 * n), buffer(4)
    recorded = record(queue)
    recorded("NDRangeKernel", concurrent(MEET, "meet", a, valid), 1, None, sizes(n), sizes(ITEMS))
    recorded.run()
    for _ in range(3):
        recorded.again()
    api.ok("clFinish", queue)
    assert np.array_equal(np.frombuffer(contents(a, 4 * n), np.uint32), met(n))


def test_a_group_that_ends_is_not_waited_for(api, device, queue, buffer, contents, concurrent, launch):
    n = units(api, device)
    a = buffer(4 * n)
    assert launch(queue, concurrent(PARTS, "parts", a), (n * ITEMS,), (ITEMS,)) == ("CL_SUCCESS", E.COMPLETE)
    assert contents(a, 4 * n) == np.array([7] + [9] * (n - 1), np.uint32).tobytes()


def test_a_fault_ends_all(api, device, queue, buffer, concurrent, launch):
    n = units(api, device) * ITEMS
    for _ in range(3):
        assert launch(queue, concurrent(FAULT, "wrong", buffer(4 * n)), (n,), (ITEMS,)) == (
            "CL_SUCCESS", E.OUT_OF_RESOURCES)


@pytest.mark.parametrize("source, name", [(ENDLESS, "endless"), (STUCK, "stuck")])
def test_terminating_a_context(api, device, launch, source, name):
    """Those at the barrier are left as well as those that run."""
    n = units(api, device) * ITEMS
    context = api.make("clCreateContext", numbers(c_size_t, E.CONTEXT_TERMINATE_KHR, 1, 0), 1, handles(device), None,
                       None)
    queue = api.make("clCreateCommandQueue", context, device, 0)
    strings = (c_char_p * 1)(source.encode())
    program = api.make("clCreateProgramWithSource", context, 1, strings, None)
    api.ok("clBuildProgram", program, 0, None, b"-cl-std=CL3.0", None, None)
    k = api.make("clCreateKernel", program, name.encode())
    memory = api.make("clCreateBuffer", context, 0, 4, None)
    api.ok("clEnqueueFillBuffer", queue, memory, b"\0\0\0\0", 4, 0, 4, 0, None, None)
    api.ok("clSetKernelArg", k, 0, 8, handles(memory))
    assert dispatch(api, k, CONCURRENT) == "CL_SUCCESS"
    _, event = launch(queue, k, (n,), (ITEMS,), waits=False)
    api.ok("clFlush", queue)
    while event_status(api, event) == E.SUBMITTED or event_status(api, event) == E.QUEUED:
        time.sleep(0.001)
    api.ok("clTerminateContextKHR", context)
    api.clWaitForEvents(1, handles(event))
    assert event_status(api, event) == E.CONTEXT_TERMINATED_KHR
    for function, each in (("Event", event), ("Kernel", k), ("Program", program), ("MemObject", memory),
                           ("CommandQueue", queue), ("Context", context)):
        api.ok(f"clRelease{function}", each)


def test_the_query(api, device, queue, kernel):
    """Arguments need not be set."""
    k = kernel(MEET, "meet", "-cl-std=CL3.0")
    for local in ((ITEMS,), (4, 4), (2, 2, 2)):
        assert most(api, queue, k, *local) == ("CL_SUCCESS", units(api, device))
    assert most(api, queue, k, ITEMS, offset=sizes(5)) == ("CL_SUCCESS", units(api, device))


def test_errors_of_the_query(api, queue, kernel):
    k = kernel(MEET, "meet", "-cl-std=CL3.0")
    assert most(api, None, k, 1)[0] == "CL_INVALID_COMMAND_QUEUE"
    assert most(api, queue, None, 1)[0] == "CL_INVALID_KERNEL"
    assert most(api, queue, k, 1, 1, 1, 1)[0] == "CL_INVALID_WORK_DIMENSION"
    assert most(api, queue, k, 1, offset=sizes(2**64 - 1))[0] == "CL_INVALID_GLOBAL_OFFSET"
    assert most(api, queue, k)[0] == "CL_INVALID_WORK_GROUP_SIZE"
    assert most(api, queue, k, 0)[0] == "CL_INVALID_WORK_GROUP_SIZE"
    assert most(api, queue, k, 1 << 20)[0] == "CL_INVALID_WORK_GROUP_SIZE"
    assert api.error("clGetKernelMaxConcurrentWorkGroupCountINTEL", queue, k, 1, None, sizes(1), None) == (
        "CL_INVALID_VALUE")


def test_errors_of_launches(api, device, queue, buffer, concurrent, launch):
    n = units(api, device)
    k = concurrent(MEET, "meet", buffer(4 * ITEMS * (n + 1)), buffer(4))
    assert launch(queue, k, (n * ITEMS,), None)[0] == "CL_INVALID_WORK_GROUP_SIZE"
    assert launch(queue, k, (n * ITEMS - 1,), (ITEMS,))[0] == "CL_INVALID_WORK_GROUP_SIZE"
    assert launch(queue, k, ((n + 1) * ITEMS,), (ITEMS,))[0] == "CL_INVALID_VALUE"
    assert launch(queue, k, (n, 2), (1, 1), dim=2)[0] == "CL_INVALID_VALUE"
    assert launch(queue, k, (2**31, 2**30), (1, 1), dim=2)[0] == "CL_INVALID_VALUE"
    assert launch(queue, k, (0,), (ITEMS,)) == ("CL_SUCCESS", E.COMPLETE)


def test_errors_of_the_type(api, queue, kernel):
    k = kernel(MEET, "meet", "-cl-std=CL3.0")
    assert dispatch(api, k, 2) == "CL_INVALID_VALUE"
    assert dispatch(api, k, CONCURRENT, size=8) == "CL_INVALID_VALUE"
    assert api.error("clSetKernelExecInfo", k, TYPE, 4, None) == "CL_INVALID_VALUE"
    assert dispatch(api, None, CONCURRENT) == "CL_INVALID_KERNEL"


def test_built_in_kernels_are_no_such_launches(api, context, device, queue):
    """They divide their ranges themselves; what is wrong with one is no answer to the query."""
    names = api.text("clGetDeviceInfo", device, E.DEVICE_BUILT_IN_KERNELS).split(";")
    if not names[0]:
        pytest.skip("there is no built-in kernel")
    program = api.make("clCreateProgramWithBuiltInKernels", context, 1, handles(device), names[0].encode())
    k = api.make("clCreateKernel", program, names[0].encode())
    assert dispatch(api, k, DEFAULT) == "CL_SUCCESS"
    assert dispatch(api, k, CONCURRENT) == "CL_INVALID_OPERATION"
    assert most(api, queue, k, 1, 1)[0] == "CL_INVALID_OPERATION"
    api.ok("clReleaseKernel", k)
    api.ok("clReleaseProgram", program)


def test_a_device_without(api, program):
    """"if no devices in the context associated with kernel support concurrent dispatch\""""
    fake_device = api.devices(E.DEVICE_TYPE_CUSTOM)[0]
    context = api.make("clCreateContext", None, 1, handles(fake_device), None, None)
    queue = api.make("clCreateCommandQueue", context, fake_device, 0)
    k = api.make("clCreateKernel", program("kernel void k(int a) { }", "", context), b"k")
    assert dispatch(api, k, DEFAULT) == "CL_SUCCESS"
    assert dispatch(api, k, CONCURRENT) == "CL_INVALID_OPERATION"
    assert most(api, queue, k, 1)[0] == "CL_INVALID_OPERATION"
    for function, each in (("Kernel", k), ("CommandQueue", queue), ("Context", context)):
        api.ok(f"clRelease{function}", each)


def test_a_queue_of_the_caller(api, context, device, buffer, concurrent, launch):
    """There is one thread, so one group."""
    local = api.make("clCreateCommandQueue", context, device, E.QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL)
    k = concurrent(MEET, "meet", buffer(8 * ITEMS), buffer(4))
    assert most(api, local, k, ITEMS) == ("CL_SUCCESS", 1)
    assert launch(local, k, (ITEMS,), (ITEMS,)) == ("CL_SUCCESS", E.COMPLETE)
    assert launch(local, k, (2 * ITEMS,), (ITEMS,))[0] == "CL_INVALID_VALUE"
    api.ok("clReleaseCommandQueue", local)


WIDE = """
import sys
import numpy as np, pyopencl as cl
from ctypes import CDLL, byref, c_uint, c_void_p
exec_info = CDLL("libOpenCL.so.1").clSetKernelExecInfo
device = next(d for p in cl.get_platforms() for d in p.get_devices() if d.type == cl.device_type.CPU)
assert device.max_compute_units == 7
context = cl.Context([device]); queue = cl.CommandQueue(context)
program = cl.Program(context, sys.argv[1]).build("-cl-std=CL3.0")
k = getattr(program, sys.argv[2])
exec_info(c_void_p(k.int_ptr), 0x4257, 4, byref(c_uint(1)))
a = np.zeros(7 * 64, np.uint32)
mem, more = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a) for _ in range(2)]
for _ in range(5):
    k(queue, a.shape, (64,), *(mem, more)[:k.num_args])
    cl.enqueue_copy(queue, a, mem)
print(a.sum(dtype=np.uint64), a[0])
"""


@pytest.mark.parametrize("source, name", [(MEET, "meet"), (SPIN, "spin")])
def test_more_groups_than_processors(source, name):
    """Each has a thread: also groups that only look go on."""
    said = subprocess.run([sys.executable, "-c", WIDE, source, name], stdout=subprocess.PIPE, timeout=300, check=True,
                          env={**os.environ, "CLPY_NUM_THREADS": "7"}).stdout.split()
    expected = [met(7 * 64).sum(dtype=np.uint64), 449 * 16] if name == "meet" else [35, 35]
    assert [int(word) for word in said] == expected


SPIRV = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
{capability}
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "meet" %valid %id
OpName %valid "valid"
OpDecorate %valid BuiltIn {built_in}
OpDecorate %valid Constant
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %id Constant
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%vector = OpTypeVector %ulong 3
%of_bool = OpTypePointer Input %bool
%of_vector = OpTypePointer Input %vector
%pointer = OpTypePointer CrossWorkgroup %uint
%signature = OpTypeFunction %void %pointer %ulong
%one = OpConstant %uint 1
%last = OpConstant %ulong 1
%semantics = OpConstant %uint 520
%valid = OpVariable %of_bool Input
%id = OpVariable %of_vector Input
%k = OpFunction %void None %signature
%a = OpFunctionParameter %pointer
%n = OpFunctionParameter %ulong
%entry = OpLabel
%ids = OpLoad %vector %id
%i = OpCompositeExtract %ulong %ids 0
%mine = OpInBoundsPtrAccessChain %pointer %a %i
%number = OpUConvert %uint %i
OpStore %mine %number Aligned 4
%may = OpLoad %bool %valid
OpBranchConditional %may %meet %end
%meet = OpLabel
OpControlBarrier %one %one %semantics
%rest = OpISub %ulong %n %last
%opposite = OpISub %ulong %rest %i
%at = OpInBoundsPtrAccessChain %pointer %a %opposite
%other = OpLoad %uint %at Aligned 4
OpControlBarrier %one %one %semantics
OpStore %mine %other Aligned 4
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
"""


def module():
    """The assembler does not know the capability and the built-in variable: put in behind it."""
    stands_for = "OpCapability Groups"
    text = SPIRV.format(capability=stands_for, built_in="NumWorkgroups")
    words = np.frombuffer(spirv_source.assemble(text), np.uint32).copy()
    words[np.flatnonzero((words[:-1] == (2 << 16 | 17)) & (words[1:] == 18)) + 1] = 6185
    at = np.flatnonzero((words[:-1] == 11) & (words[1:] == 24)) + 1
    assert len(at) == 1
    words[at] = 6186
    extension = np.frombuffer(b"SPV_INTEL_device_barrier\0\0\0\0", np.uint32)
    place = np.flatnonzero(words == (3 << 16 | 14))[0]
    return np.concatenate([words[:place], [len(extension) + 1 << 16 | 10], extension, words[place:]]).astype(np.uint32)


@pytest.mark.parametrize("kind", [CONCURRENT, DEFAULT])
def test_spirv(api, context, device, queue, buffer, contents, launch, kind):
    n = units(api, device) * ITEMS
    data = module().tobytes()
    program = api.make("clCreateProgramWithIL", context, data, len(data))
    error = api.error("clBuildProgram", program, 0, None, None, None, None)
    assert error == "CL_SUCCESS", api.text("clGetProgramBuildInfo", program, device, E.PROGRAM_BUILD_LOG)
    k, a = api.make("clCreateKernel", program, b"meet"), buffer(4 * n)
    api.ok("clSetKernelArg", k, 0, 8, handles(a))
    api.ok("clSetKernelArg", k, 1, 8, byref(c_uint64(n)))
    assert dispatch(api, k, kind) == "CL_SUCCESS"
    assert launch(queue, k, (n,), (ITEMS,)) == ("CL_SUCCESS", E.COMPLETE)
    ids = np.arange(n, dtype=np.uint32)
    assert np.array_equal(np.frombuffer(contents(a, 4 * n), np.uint32), ids[::-1] if kind == CONCURRENT else ids)
    api.ok("clReleaseKernel", k)
    api.ok("clReleaseProgram", program)
