# SPDX-License-Identifier: Apache-2.0
"""Shared virtual memory: coarse-grained and fine-grained buffers, and the host's own memory, with atomics."""
import ctypes
import subprocess
import sys
import threading
from ctypes import byref, c_int32, c_uint32, c_void_p, create_string_buffer, string_at
from pathlib import Path

import pytest
from clapi import E, handles, numbers, sizes

pytestmark = pytest.mark.usefixtures("no_leak")

FREE = ctypes.CFUNCTYPE(None, c_void_p, c_uint32, ctypes.POINTER(c_void_p), c_void_p)
LONG16 = 128                     # bytes of the largest type
FLAGS = [0, E.MEM_READ_WRITE, E.MEM_READ_ONLY, E.MEM_WRITE_ONLY, E.MEM_SVM_FINE_GRAIN_BUFFER,
         E.MEM_READ_ONLY | E.MEM_SVM_FINE_GRAIN_BUFFER | E.MEM_SVM_ATOMICS]


@pytest.fixture
def svm(api, context):
    """new(size, flags, alignment) -> address"""
    made = []

    def new(size, flags=0, alignment=0):
        made.append(api.clSVMAlloc(context, flags, size, alignment))
        assert made[-1]
        return made[-1]

    yield new
    for pointer in made:
        api.clSVMFree(context, pointer)


def kind_of(api, event):
    return api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE)


class TestAllocations:
    @pytest.mark.needs("SVM of the system")
    def test_capabilities(self, api, device):
        assert api.number("clGetDeviceInfo", device, E.DEVICE_SVM_CAPABILITIES) == (
            E.DEVICE_SVM_COARSE_GRAIN_BUFFER | E.DEVICE_SVM_FINE_GRAIN_BUFFER | E.DEVICE_SVM_FINE_GRAIN_SYSTEM
            | E.DEVICE_SVM_ATOMICS)

    @pytest.mark.parametrize("flags", FLAGS)
    def test_memory_of_the_host(self, svm, flags):
        """Written and read through the address, and apart from every other allocation."""
        all_sizes = (1, 3, 127, 4096, 70000, 3 << 20)
        pointers = [svm(size, flags) for size in all_sizes]
        for number, (pointer, size) in enumerate(zip(pointers, all_sizes, strict=True)):
            ctypes.memset(pointer, number + 1, size)
        for number, (pointer, size) in enumerate(zip(pointers, all_sizes, strict=True)):
            assert string_at(pointer, size) == bytes([number + 1]) * size

    @pytest.mark.parametrize("alignment", [0, 1, 2, 4, 8, 16, 32, 64, 128])
    def test_alignment(self, svm, alignment):
        """"If alignment is 0, a default [...] equal to the size of largest data type"."""
        for size in (1, 200, 5 << 20):
            assert svm(size, 0, alignment) % (alignment or LONG16) == 0

    def test_what_fails(self, api, context, device, queue):
        most = api.number("clGetDeviceInfo", device, E.DEVICE_MAX_MEM_ALLOC_SIZE)
        for args in ((None, 0, 64, 0), (queue, 0, 64, 0), (context, 0, 0, 0), (context, 0, most + 1, 0),
                     (context, 0, 2**64 - 1, 0), (context, 0, 64, 3), (context, 0, 64, 24), (context, 0, 64, 256),
                     (context, E.MEM_SVM_ATOMICS, 64, 0), (context, E.MEM_COPY_HOST_PTR, 64, 0),
                     (context, E.MEM_READ_ONLY | E.MEM_WRITE_ONLY, 64, 0), (context, 1 << 40, 64, 0),
                     (context, E.MEM_READ_WRITE | E.MEM_WRITE_ONLY | E.MEM_SVM_FINE_GRAIN_BUFFER, 64, 0)):
            assert api.clSVMAlloc(*args) is None, args

    def test_free_of_what_is_none(self, api, context, other_context, svm):
        """"If a NULL pointer is passed in svm_pointer, no action occurs"; likewise for what is not an allocation."""
        pointer, on_stack = svm(64), create_string_buffer(64)
        for args in ((context, None), (None, pointer), (other_context, pointer), (context, pointer + 8),
                     (context, ctypes.addressof(on_stack))):
            api.clSVMFree(*args)
        ctypes.memset(pointer, 7, 64)
        assert string_at(pointer, 64) == bytes([7]) * 64

    def test_outlives_the_context_of_the_application(self, api, device):
        """An allocation holds its context, as its free needs it."""
        context = api.make("clCreateContext", None, 1, handles(device), None, None)
        pointer = api.clSVMAlloc(context, 0, 4096, 0)
        api.ok("clReleaseContext", context)
        ctypes.memset(pointer, 1, 4096)
        api.clSVMFree(context, pointer)
        assert api.error("clRetainContext", context) == "CL_INVALID_CONTEXT"

    def test_many_from_many_threads(self, api, context):
        failures = []

        def work(number):
            pointers = [api.clSVMAlloc(context, 0, 64 + i, 0) for i in range(200)]
            for i, pointer in enumerate(pointers):
                ctypes.memset(pointer, number, 64 + i)
            for i in reversed(range(200)):
                if string_at(pointers[i], 64 + i) != bytes([number]) * (64 + i):
                    failures.append(i)
                api.clSVMFree(context, pointers[i])

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert failures == []


    def test_after_fork(self):
        """The child's allocations are its own; the parent's are none of its business, and stay the parent's."""
        script = f"""if 1:
            import ctypes, os, sys
            sys.path.insert(0, {str(Path(__file__).parents[1])!r})
            from clapi import API, handles
            api = API()

            def context():
                return api.make("clCreateContext", None, 1, handles(api.devices()[0]), None, None)

            def use(context):
                pointers = [api.clSVMAlloc(context, 0, 100, 0) for _ in range(100)]
                for pointer in pointers:
                    ctypes.memset(pointer, 1, 100)
                return pointers

            before = context()
            pointers = use(before)
            child = os.fork()
            if child == 0:
                api.clSVMFree(before, pointers[0])
                mine = context()
                for pointer in use(mine):
                    api.clSVMFree(mine, pointer)
                api.ok("clReleaseContext", mine)
                assert api.error("clRetainContext", mine) == "CL_INVALID_CONTEXT"
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            for pointer in pointers:
                api.clSVMFree(before, pointer)
            api.ok("clReleaseContext", before)
            assert api.error("clRetainContext", before) == "CL_INVALID_CONTEXT"
            print("end")
        """
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


class TestBuffersOverSVM:
    def test_uses_svm_pointer(self, api, context, device, buffer, svm):
        def uses(mem):
            return api.number("clGetMemObjectInfo", mem, E.MEM_USES_SVM_POINTER)

        align = api.number("clGetDeviceInfo", device, E.DEVICE_MEM_BASE_ADDR_ALIGN) // 8
        pointer = svm(3 * align)
        whole = api.make("clCreateBuffer", context, E.MEM_USE_HOST_PTR, 3 * align, pointer)
        part = api.make("clCreateSubBuffer", whole, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(align, align))
        inner = api.make("clCreateBuffer", context, E.MEM_USE_HOST_PTR, align, pointer + align)
        copied = api.make("clCreateBuffer", context, E.MEM_COPY_HOST_PTR, align, pointer)
        assert [uses(mem) for mem in (whole, part, inner)] == [1, 1, 1]
        assert [uses(mem) for mem in (copied, buffer(64))] == [0, 0]
        for mem in (part, whole, inner, copied):
            api.ok("clReleaseMemObject", mem)

    def test_same_storage(self, api, context, queue, contents, svm):
        pointer = svm(64)
        mem = api.make("clCreateBuffer", context, E.MEM_USE_HOST_PTR, 64, pointer)
        ctypes.memset(pointer, 5, 64)
        assert contents(mem, 64) == bytes([5]) * 64
        mapped = api.make("clEnqueueMapBuffer", queue, mem, 1, E.MAP_WRITE, 8, 8, 0, None, None)
        assert mapped == pointer + 8
        api.ok("clEnqueueUnmapMemObject", queue, mem, mapped, 0, None, None)
        api.ok("clReleaseMemObject", mem)

    def test_larger_than_the_allocation(self, api, context, svm):
        pointer = svm(64)
        for flags in (E.MEM_USE_HOST_PTR, E.MEM_COPY_HOST_PTR):
            assert api.new("clCreateBuffer", context, flags, 65, pointer)[1] == "CL_INVALID_BUFFER_SIZE"


class TestCommands:
    def test_copy(self, api, queue, svm):
        """Between allocations, from and to memory of the host; of any size."""
        for size in (0, 1, 100, 5 << 20):
            a, b, host = svm(size + 1), svm(size + 1), create_string_buffer(b"x" * size, size + 1)
            api.ok("clEnqueueSVMMemcpy", queue, 0, a, host, size, 0, None, None)
            api.ok("clEnqueueSVMMemcpy", queue, 0, b, a, size, 0, None, None)
            back = create_string_buffer(size + 1)
            api.ok("clEnqueueSVMMemcpy", queue, 1, back, b, size, 0, None, None)
            assert back.raw == b"x" * size + b"\0"

    @pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64, 128])
    def test_fill(self, api, queue, svm, size):
        pointer, pattern = svm(size * 5), bytes(range(1, size + 1))
        ctypes.memset(pointer, 0xEE, size * 5)
        given = create_string_buffer(pattern, size)
        api.ok("clEnqueueSVMMemFill", queue, pointer + size, given, size, size * 3, 0, None, None)
        given.raw = b"?" * size      # "The memory associated with pattern can be reused"
        api.ok("clFinish", queue)
        assert string_at(pointer, size * 5) == b"\xEE" * size + pattern * 3 + b"\xEE" * size

    def test_command_types_and_order(self, api, queue, user_event, svm):
        """Each is a command with its event, waits for its list, and is in order with the others."""
        pointer, gate = svm(64), user_event()
        ctypes.memset(pointer, 0, 64)
        events = {kind: c_void_p() for kind in (E.COMMAND_SVM_MAP, E.COMMAND_SVM_UNMAP, E.COMMAND_SVM_MEMFILL,
                                                E.COMMAND_SVM_MEMCPY, E.COMMAND_SVM_MIGRATE_MEM, E.COMMAND_SVM_FREE)}
        api.ok("clEnqueueSVMMemFill", queue, pointer, b"ab", 2, 32, 1, handles(gate),
               byref(events[E.COMMAND_SVM_MEMFILL]))
        api.ok("clEnqueueSVMMemcpy", queue, 0, pointer + 32, pointer, 32, 0, None, byref(events[E.COMMAND_SVM_MEMCPY]))
        api.ok("clEnqueueSVMMap", queue, 0, E.MAP_READ, pointer, 64, 0, None, byref(events[E.COMMAND_SVM_MAP]))
        api.ok("clEnqueueSVMUnmap", queue, pointer, 0, None, byref(events[E.COMMAND_SVM_UNMAP]))
        api.ok("clEnqueueSVMMigrateMem", queue, 2, handles(pointer, pointer + 8), sizes(64, 0), 0, 0, None,
               byref(events[E.COMMAND_SVM_MIGRATE_MEM]))
        api.ok("clEnqueueSVMFree", queue, 0, None, None, None, 0, None, byref(events[E.COMMAND_SVM_FREE]))
        for kind, event in events.items():
            assert kind_of(api, event) == kind
            assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_EXECUTION_STATUS) != E.COMPLETE
        assert string_at(pointer, 64) == bytes(64)
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clWaitForEvents", 6, handles(*[event.value for event in events.values()]))
        assert string_at(pointer, 64) == b"ab" * 32
        for event in events.values():
            api.ok("clReleaseEvent", event)

    def test_blocking_map_sees_what_ran_before(self, api, queue, svm):
        pointer = svm(4 << 20)
        for byte in (b"a", b"b", b"c"):
            api.ok("clEnqueueSVMMemFill", queue, pointer, byte, 1, 4 << 20, 0, None, None)
            api.ok("clEnqueueSVMMap", queue, 1, E.MAP_READ | E.MAP_WRITE, pointer, 4 << 20, 0, None, None)
            assert string_at(pointer, 4 << 20) == byte * (4 << 20)
            api.ok("clEnqueueSVMUnmap", queue, pointer, 0, None, None)

    def test_failed_wait(self, api, queue, user_event, svm):
        gate, pointer, other = user_event(), svm(64), svm(64)
        api.ok("clSetUserEventStatus", gate, -5)
        for error in (api.error("clEnqueueSVMMemcpy", queue, 1, pointer, other, 64, 1, handles(gate), None),
                      api.error("clEnqueueSVMMap", queue, 1, E.MAP_READ, pointer, 64, 1, handles(gate), None)):
            assert error == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"


class TestEnqueuedFree:
    def test_by_the_implementation(self, api, context, queue, user_event):
        """The list is captured; entries that are no allocations are left alone."""
        gate, event, on_stack = user_event(), c_void_p(), create_string_buffer(8)
        mine = [api.clSVMAlloc(context, 0, 1000, 0) for _ in range(3)]
        pointers = handles(*mine, None, ctypes.addressof(on_stack))
        api.ok("clEnqueueSVMFree", queue, 5, pointers, None, None, 1, handles(gate), byref(event))
        pointers[0] = pointers[1] = None
        for pointer in mine:
            ctypes.memset(pointer, 1, 1000)
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clWaitForEvents", 1, byref(event))
        assert api.info("clGetSVMPointerInfoKHR", context, None, mine[0], E.SVM_INFO_BASE_PTR_KHR) == bytes(8)
        api.ok("clReleaseEvent", event)

    def test_by_a_callback(self, api, context, queue, svm):
        pointers, calls = [svm(64), svm(64)], []

        @FREE
        def free(its_queue, count, list_of_pointers, user_data):
            calls.append((its_queue, [list_of_pointers[i] for i in range(count)], user_data))

        api.ok("clEnqueueSVMFree", queue, 2, handles(*pointers), free, 4711, 0, None, None)
        api.ok("clFinish", queue)
        assert calls == [(queue, pointers, 4711)]
        for pointer in pointers:
            ctypes.memset(pointer, 1, 64)        # the callback did not free them, and nobody else did

    def test_a_callback_may_free(self, api, context, queue):
        @FREE
        def free(_, count, pointers, user_data):
            for i in range(count):
                api.clSVMFree(context, pointers[i])

        pointers = [api.clSVMAlloc(context, 0, 64, 0) for _ in range(4)]
        api.ok("clEnqueueSVMFree", queue, 4, handles(*pointers), free, None, 0, None, None)
        api.ok("clFinish", queue)


ADD = "kernel void k(global int *p, int n) { p[get_global_id(0)] += n; }"
AROUND = """kernel void k(global const int *middle, int n, global int *sum) {
    sum[0] = middle[-3] + middle[n]; for (int i = -n; i < n; i += 2) sum[1] += middle[i]; }"""
LIST = """typedef struct Node { global struct Node *next; int value; } Node;
kernel void k(global Node *n, global int *sum) { for (*sum = 0; n; n = n->next) *sum += n->value; }"""
COUNT = "kernel void k(volatile global atomic_int *n) { atomic_fetch_add_explicit(n, 1, memory_order_relaxed, " \
        "memory_scope_all_svm_devices); }"
# The host answers each number that the kernel writes: only atomics at the scope of all devices can carry this.
TALK = """kernel void k(volatile global atomic_int *ask, volatile global atomic_int *answer, int rounds) {
    for (int i = 1; i <= rounds; i++) {
        atomic_store_explicit(ask, i, memory_order_release, memory_scope_all_svm_devices);
        while (atomic_load_explicit(answer, memory_order_acquire, memory_scope_all_svm_devices) != i) ;
    }
}"""


def run(api, queue, kernel, size=1):
    api.ok("clEnqueueNDRangeKernel", queue, kernel, 1, None, sizes(size), None, 0, None, None)


class TestKernels:
    def test_argument(self, api, queue, kernel, svm):
        """An allocation, an address inside it, and memory of the host."""
        k, pointer, host = kernel(ADD), svm(4 * 8), numbers(c_int32, *range(8))
        ctypes.memmove(pointer, host, 32)
        api.ok("clSetKernelArg", k, 1, 4, byref(c_int32(10)))
        for address, size in ((pointer, 8), (pointer + 16, 4), (ctypes.addressof(host), 8)):
            api.ok("clSetKernelArgSVMPointer", k, 0, address)
            run(api, queue, k, size)
        api.ok("clFinish", queue)
        assert list((c_int32 * 8).from_address(pointer)) == [10, 11, 12, 13, 24, 25, 26, 27]
        assert list(host) == [n + 10 for n in range(8)]

    def test_memory_before_the_address(self, api, queue, kernel, svm):
        """It is the kernel's as well, by places that the compiler knows and does not know."""
        k, pointer, total = kernel(AROUND), svm(4 * 16), svm(8)
        ctypes.memmove(pointer, numbers(c_int32, *range(100, 116)), 64)
        ctypes.memset(total, 0, 8)
        api.ok("clSetKernelArgSVMPointer", k, 0, pointer + 32)
        api.ok("clSetKernelArg", k, 1, 4, byref(c_int32(4)))
        api.ok("clSetKernelArgSVMPointer", k, 2, total)
        run(api, queue, k)
        api.ok("clFinish", queue)
        assert list((c_int32 * 2).from_address(total)) == [105 + 112, 104 + 106 + 108 + 110]

    def test_last_setting_counts(self, api, queue, kernel, buffer, contents, svm):
        """Buffer after pointer, pointer after buffer; a launch keeps what was set when it was enqueued."""
        k, pointer, mem = kernel(ADD), svm(4), buffer(contents=bytes(4))
        ctypes.memset(pointer, 0, 4)
        api.ok("clSetKernelArg", k, 1, 4, byref(c_int32(1)))
        for _ in range(3):
            api.ok("clSetKernelArgSVMPointer", k, 0, pointer)
            run(api, queue, k)
            api.ok("clSetKernelArg", k, 0, 8, handles(mem))
            run(api, queue, k)
        assert contents(mem, 4) == string_at(pointer, 4) == b"\3\0\0\0"

    def test_clone_copies_the_pointer(self, api, queue, kernel, svm):
        k, pointer = kernel(ADD), svm(4)
        ctypes.memset(pointer, 0, 4)
        api.ok("clSetKernelArg", k, 1, 4, byref(c_int32(7)))
        api.ok("clSetKernelArgSVMPointer", k, 0, pointer)
        copy = api.make("clCloneKernel", k)
        api.ok("clSetKernelArgSVMPointer", k, 0, None)
        run(api, queue, copy)
        api.ok("clFinish", queue)
        assert string_at(pointer, 4) == b"\7\0\0\0"
        api.ok("clReleaseKernel", copy)

    def test_linked_list_across_allocations(self, api, queue, kernel, svm):
        """Pointers stored in shared memory are the same on both sides."""
        k, total, nodes = kernel(LIST), svm(4), [svm(16) for _ in range(10)]
        for value, (node, following) in enumerate(zip(nodes, [*nodes[1:], 0], strict=True)):
            ctypes.memmove(node, following.to_bytes(8, "little") + value.to_bytes(8, "little"), 16)
        api.ok("clSetKernelArgSVMPointer", k, 0, nodes[0])
        api.ok("clSetKernelArgSVMPointer", k, 1, total)
        api.ok("clSetKernelExecInfo", k, E.KERNEL_EXEC_INFO_SVM_PTRS, 80, handles(*nodes))
        run(api, queue, k)
        api.ok("clFinish", queue)
        assert c_int32.from_address(total).value == 45

    def test_atomics(self, api, queue, kernel, svm):
        k, counter = kernel(COUNT, options="-cl-std=CL3.0"), svm(4, E.MEM_SVM_FINE_GRAIN_BUFFER | E.MEM_SVM_ATOMICS)
        ctypes.memset(counter, 0, 4)
        api.ok("clSetKernelArgSVMPointer", k, 0, counter)
        for _ in range(10):
            run(api, queue, k, 1000)
        api.ok("clFinish", queue)
        assert c_int32.from_address(counter).value == 10000

    @pytest.mark.parametrize("of_host", [False, True])
    def test_host_and_running_kernel_talk(self, api, device, context, kernel, svm, of_host):
        """Through an allocation, and through memory that the host has made itself."""
        k, words = kernel(TALK, options="-cl-std=CL3.0"), (c_int32 * 64)()
        address = ctypes.addressof(words) if of_host else svm(256, E.MEM_SVM_FINE_GRAIN_BUFFER | E.MEM_SVM_ATOMICS)
        ask, answer = c_int32.from_address(address), c_int32.from_address(address + 128)
        ask.value = answer.value = 0
        api.ok("clSetKernelArgSVMPointer", k, 0, address)
        api.ok("clSetKernelArgSVMPointer", k, 1, address + 128)
        api.ok("clSetKernelArg", k, 2, 4, byref(c_int32(50)))
        queue = api.make("clCreateCommandQueue", context, device, 0)
        heard = []

        def talk():
            while len(heard) < 50:
                if ask.value == len(heard) + 1:
                    heard.append(ask.value)
                    answer.value = heard[-1]

        host = threading.Thread(target=talk)
        host.start()
        run(api, queue, k)
        api.ok("clFinish", queue)
        host.join(60)
        assert heard == list(range(1, 51))
        api.ok("clReleaseCommandQueue", queue)


class TestErrors:
    """In the order of the specification."""

    def test_set_pointer(self, api, queue, kernel, svm):
        k, pointer = kernel(ADD + "\nkernel void l(local int *x, constant int *c) { x[0] = c[0]; }"), svm(64)
        local = api.make("clCreateKernel", api.number("clGetKernelInfo", k, E.KERNEL_PROGRAM), b"l")

        def error(*args):
            return api.error("clSetKernelArgSVMPointer", *args)
        assert error(None, 0, pointer) == error(queue, 9, pointer) == "CL_INVALID_KERNEL"
        assert error(k, 2, pointer) == "CL_INVALID_ARG_INDEX"
        assert error(k, 1, pointer) == error(local, 0, pointer) == "CL_INVALID_ARG_VALUE"
        assert error(k, 0, pointer) == error(local, 1, pointer) == error(k, 0, None) == "CL_SUCCESS"
        api.ok("clReleaseKernel", local)

    @pytest.mark.needs("SVM of the system")
    def test_exec_info(self, api, queue, kernel, svm):
        k, yes = kernel(ADD), byref(c_uint32(1))
        pointers = handles(svm(64))

        def error(*args):
            return api.error("clSetKernelExecInfo", *args)
        assert error(queue, 0, 8, pointers) == "CL_INVALID_KERNEL"
        assert error(k, 0, 8, pointers) == "CL_INVALID_VALUE"
        assert error(k, E.KERNEL_EXEC_INFO_SVM_PTRS, 8, None) == "CL_INVALID_VALUE"
        assert error(k, E.KERNEL_EXEC_INFO_SVM_PTRS, 7, pointers) == "CL_INVALID_VALUE"
        assert error(k, E.KERNEL_EXEC_INFO_SVM_PTRS, 8, pointers) == "CL_SUCCESS"
        assert error(k, E.KERNEL_EXEC_INFO_SVM_PTRS, 0, None) == "CL_SUCCESS", "an empty set"
        assert error(k, E.KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 4, None) == "CL_INVALID_VALUE"
        assert error(k, E.KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 8, yes) == "CL_INVALID_VALUE"
        assert error(k, E.KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 4, yes) == "CL_SUCCESS"

    @pytest.fixture
    def wait_lists(self, user_event, other_context):
        """(n, events) -> error"""
        return ((1, None, "CL_INVALID_EVENT_WAIT_LIST"), (0, handles(user_event()), "CL_INVALID_EVENT_WAIT_LIST"),
                (1, handles(other_context), "CL_INVALID_EVENT_WAIT_LIST"),
                (1, handles(user_event(other_context)), "CL_INVALID_CONTEXT"))

    def test_free(self, api, queue, context, wait_lists):
        name, one = "clEnqueueSVMFree", handles(None)
        assert api.error(name, context, 0, one, None, None, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
        assert api.error(name, queue, 0, one, None, None, 1, None, None) == "CL_INVALID_VALUE"
        assert api.error(name, queue, 1, None, None, None, 1, None, None) == "CL_INVALID_VALUE"
        for n, events, expected in wait_lists:
            assert api.error(name, queue, 1, one, None, None, n, events, None) == expected

    def test_memcpy(self, api, queue, context, svm, wait_lists):
        name, a, b = "clEnqueueSVMMemcpy", svm(64), svm(64)
        assert api.error(name, context, 1, None, b, 64, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
        assert api.error(name, queue, 1, None, b, 64, 1, None, None) == "CL_INVALID_VALUE"
        assert api.error(name, queue, 1, a, None, 64, 1, None, None) == "CL_INVALID_VALUE"
        for n, events, expected in wait_lists:
            assert api.error(name, queue, 1, a, a, 64, n, events, None) == expected
        for dst, src, size in ((a, a, 1), (a, a + 63, 64), (a + 63, a, 64)):
            assert api.error(name, queue, 1, dst, src, size, 0, None, None) == "CL_MEM_COPY_OVERLAP"
        assert api.error(name, queue, 1, a, a + 32, 32, 0, None, None) == "CL_SUCCESS"

    def test_fill(self, api, queue, context, svm, wait_lists):
        name, a, pattern = "clEnqueueSVMMemFill", svm(256), b"x" * 256
        assert api.error(name, context, None, pattern, 4, 64, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
        for pointer, given, length, size in ((None, pattern, 4, 64), (a + 2, pattern, 4, 64), (a, None, 4, 64),
                                             (a, pattern, 0, 64), (a, pattern, 3, 63), (a, pattern, 256, 256),
                                             (a, pattern, 4, 63)):
            assert api.error(name, queue, pointer, given, length, size, 1, None, None) == "CL_INVALID_VALUE"
        for n, events, expected in wait_lists:
            assert api.error(name, queue, a, pattern, 4, 64, n, events, None) == expected

    def test_map_and_unmap(self, api, queue, context, svm, wait_lists):
        a = svm(64)
        assert api.error("clEnqueueSVMMap", context, 1, 0, a, 64, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
        assert api.error("clEnqueueSVMUnmap", context, a, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
        for flags, pointer, size in ((E.MAP_READ, None, 64), (E.MAP_READ, a, 0), (1 << 20, a, 64),
                                     (E.MAP_READ | E.MAP_WRITE_INVALIDATE_REGION, a, 64)):
            assert api.error("clEnqueueSVMMap", queue, 1, flags, pointer, size, 1, None, None) == "CL_INVALID_VALUE"
        assert api.error("clEnqueueSVMUnmap", queue, None, 1, None, None) == "CL_INVALID_VALUE"
        for n, events, expected in wait_lists:
            assert api.error("clEnqueueSVMMap", queue, 1, E.MAP_READ, a, 64, n, events, None) == expected
            assert api.error("clEnqueueSVMUnmap", queue, a, n, events, None) == expected

    def test_migrate(self, api, queue, context, other_context, svm, wait_lists):
        name, a = "clEnqueueSVMMigrateMem", svm(64)
        foreign = api.clSVMAlloc(other_context, 0, 64, 0)
        inside, null, elsewhere = handles(a + 32), handles(None), handles(foreign)
        assert api.error(name, context, 0, None, None, 0, 0, None, None) == "CL_INVALID_COMMAND_QUEUE"
        for count, pointers, lengths, flags in ((0, inside, None, 0), (1, None, None, 0), (1, inside, None, 1 << 10),
                                                (1, inside, sizes(33), 0), (1, null, sizes(1), 0),
                                                (1, elsewhere, sizes(64), 0), (1, inside, sizes(2**64 - 1), 0)):
            assert api.error(name, queue, count, pointers, lengths, flags, 1, None, None) == "CL_INVALID_VALUE"
        for n, events, expected in wait_lists:
            assert api.error(name, queue, 1, inside, sizes(32), 0, n, events, None) == expected
        flags = E.MIGRATE_MEM_OBJECT_HOST | E.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED
        assert api.error(name, queue, 1, inside, sizes(32), flags, 0, None, None) == "CL_SUCCESS"
        api.clSVMFree(other_context, foreign)
