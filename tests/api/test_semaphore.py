# SPDX-License-Identifier: Apache-2.0
"""cl_khr_semaphore, cl_khr_external_semaphore with opaque file descriptors."""
import array
import os
import socket
import struct
import subprocess
import sys
import time
from ctypes import byref, c_int32, c_size_t, c_uint64, c_void_p, create_string_buffer
from pathlib import Path

import pytest
from clapi import E, event_status, handles, numbers, sizes
from recording import OUT_OF_ORDER, ints
from semaphores import BINARY, enqueue

pytestmark = pytest.mark.usefixtures("no_leak")

EXPORTS = (E.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, E.SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0)
FD = E.SEMAPHORE_HANDLE_OPAQUE_FD_KHR


def is_signaled(api, sema):
    return api.number("clGetSemaphoreInfoKHR", sema, E.SEMAPHORE_PAYLOAD_KHR) == 1


def export(api, device, sema):
    fd, size = c_int32(-1), c_size_t()
    api.ok("clGetSemaphoreHandleForTypeKHR", sema, device, FD, 4, byref(fd), byref(size))
    assert size.value == 4
    assert fd.value >= 0
    return fd.value


@pytest.fixture
def kinds(api, device, semaphore):
    """new(kind) -> (to signal, to wait for): the same one, an exportable one, or one and its import."""
    def new(kind):
        if kind != "imported":
            made = semaphore(*(EXPORTS if kind == "exportable" else ()))
            return made, made
        source = semaphore(*EXPORTS)
        return source, semaphore(FD, export(api, device, source))
    return new


@pytest.mark.parametrize("kind", ["local", "exportable", "imported"])
class TestSignalAndWait:
    def test_payload(self, api, queue, kinds, kind):
        out, into = kinds(kind)
        assert not is_signaled(api, out)
        enqueue(api, "Signal", queue, out)
        api.ok("clFinish", queue)
        assert is_signaled(api, out)
        assert is_signaled(api, into)
        enqueue(api, "Wait", queue, into)
        api.ok("clFinish", queue)
        assert not is_signaled(api, out)
        assert not is_signaled(api, into)

    def test_wait_first(self, api, queues, kinds, kind):
        (out, into), a, b, event = kinds(kind), queues(), queues(), c_void_p()
        enqueue(api, "Wait", a, into, event=byref(event))
        api.ok("clFlush", a)
        time.sleep(0.02)
        assert event_status(api, event) > E.COMPLETE
        enqueue(api, "Signal", b, out)
        api.ok("clWaitForEvents", 1, handles(event.value))
        assert not is_signaled(api, into)
        api.ok("clReleaseEvent", event)

    def test_orders_two_queues(self, api, queues, kinds, kind, buffer, set_args, contents):
        """A ring of two semaphores between two queues: each adds in its turn."""
        a, b, mem = queues(), queues(), buffer(contents=bytes(4))
        to_b, to_a = kinds(kind), kinds(kind)
        add = set_args("kernel void k(global int *p, int n) { *p = *p * 3 + n; }", mem, 1)
        twice = set_args("kernel void k(global int *p, int n) { *p = *p * 2 - n; }", mem, 1)
        value = 0
        for _ in range(8):
            api.ok("clEnqueueNDRangeKernel", a, add, 1, None, sizes(1), None, 0, None, None)
            enqueue(api, "Signal", a, to_b[0])
            enqueue(api, "Wait", b, to_b[1])
            api.ok("clEnqueueNDRangeKernel", b, twice, 1, None, sizes(1), None, 0, None, None)
            enqueue(api, "Signal", b, to_a[0])
            enqueue(api, "Wait", a, to_a[1])
            value = (value * 3 + 1) * 2 - 1
        api.ok("clFinish", a)
        api.ok("clFinish", b)
        assert ints(contents(mem, 4)) == [value]

    def test_waits_for_events_too(self, api, queue, kinds, kind, user_event):
        (out, into), gate, event = kinds(kind), user_event(), c_void_p()
        enqueue(api, "Signal", queue, out)
        enqueue(api, "Wait", queue, into, after=[gate], event=byref(event))
        time.sleep(0.01)
        assert event_status(api, event) > E.COMPLETE
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clWaitForEvents", 1, handles(event.value))
        api.ok("clReleaseEvent", event)

    def test_signal_waits_for_events(self, api, queue, kinds, kind, user_event):
        (out, into), gate = kinds(kind), user_event()
        enqueue(api, "Signal", queue, out, after=[gate])
        assert not is_signaled(api, into)
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clFinish", queue)
        assert is_signaled(api, into)

    def test_several_at_once(self, api, queues, kinds, kind):
        q, both = queues(OUT_OF_ORDER), [kinds(kind) for _ in range(12)]
        event = c_void_p()
        enqueue(api, "Wait", q, *[into for _, into in both], event=byref(event))
        enqueue(api, "Signal", q, *[out for out, _ in both[:11]])
        time.sleep(0.02)
        assert event_status(api, event) > E.COMPLETE
        enqueue(api, "Signal", q, both[11][0])
        api.ok("clWaitForEvents", 1, handles(event.value))
        assert not any(is_signaled(api, into) for _, into in both)
        api.ok("clReleaseEvent", event)

    def test_event_types(self, api, queue, kinds, kind):
        out, into = kinds(kind)
        for what, sema in (("Signal", out), ("Wait", into)):
            event = c_void_p()
            enqueue(api, what, queue, sema, event=byref(event))
            assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == getattr(
                E, f"COMMAND_SEMAPHORE_{what.upper()}_KHR")
            api.ok("clWaitForEvents", 1, handles(event.value))
            api.ok("clReleaseEvent", event)


class TestLocal:
    def test_a_wait_has_its_own_signal(self, api, queues, semaphore, user_event):
        """The second wait may not take the first signal, though it could run earlier."""
        a, b, sema, gate, event = queues(OUT_OF_ORDER), queues(), semaphore(), user_event(), c_void_p()
        late = user_event()
        enqueue(api, "Signal", b, sema)
        enqueue(api, "Wait", a, sema, after=[gate])
        enqueue(api, "Signal", a, sema, after=[late])
        enqueue(api, "Wait", a, sema, event=byref(event))
        time.sleep(0.02)
        assert event_status(api, event) > E.COMPLETE
        api.ok("clSetUserEventStatus", late, E.COMPLETE)
        api.ok("clWaitForEvents", 1, handles(event.value))
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clFinish", a)
        api.ok("clReleaseEvent", event)

    @pytest.mark.parametrize("wait_first", [False, True])
    def test_a_failed_signal(self, api, queues, semaphore, user_event, wait_first):
        a, b, sema, gate, event = queues(), queues(), semaphore(), user_event(), c_void_p()
        if wait_first:
            enqueue(api, "Wait", b, sema, event=byref(event))
        enqueue(api, "Signal", a, sema, after=[gate])
        if not wait_first:
            enqueue(api, "Wait", b, sema, event=byref(event))
        api.ok("clSetUserEventStatus", gate, -5)
        assert api.error("clWaitForEvents", 1, handles(event.value)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
        api.ok("clReleaseEvent", event)

    def test_signaled_twice(self, api, queue, semaphore):
        """Undefined; here it stays signaled, and keeps nothing that grows."""
        sema = semaphore()
        for _ in range(100):
            enqueue(api, "Signal", queue, sema)
            api.ok("clFinish", queue)
        assert is_signaled(api, sema)
        enqueue(api, "Wait", queue, sema)
        api.ok("clFinish", queue)

    def test_released_while_a_wait_is_pending(self, api, context, queues, semaphore):
        a, b, event = queues(), queues(), c_void_p()
        sema = api.make("clCreateSemaphoreWithPropertiesKHR", context, numbers(c_uint64, *BINARY, 0))
        api.ok("clRetainSemaphoreKHR", sema)
        enqueue(api, "Wait", a, sema, event=byref(event))
        api.ok("clReleaseSemaphoreKHR", sema)
        enqueue(api, "Signal", b, sema)
        api.ok("clReleaseSemaphoreKHR", sema)
        api.ok("clWaitForEvents", 1, handles(event.value))
        api.ok("clReleaseEvent", event)


OTHER_PROCESS = """if 1:
    import array, socket, sys
    sys.path[:0] = [{tests!r}, {api!r}]
    from ctypes import c_uint64
    from clapi import API, E, handles, numbers
    line = socket.socket(fileno=int(sys.argv[1]))
    data, rest, _, _ = line.recvmsg(1, socket.CMSG_SPACE(8))
    fds = array.array("i", rest[0][2])
    api = API()
    device = api.devices()[0]
    context = api.make("clCreateContext", None, 1, handles(device), None, None)
    queue = api.make("clCreateCommandQueue", context, device, 0)
    there, back = [api.make("clCreateSemaphoreWithPropertiesKHR", context, numbers(
        c_uint64, E.SEMAPHORE_TYPE_KHR, E.SEMAPHORE_TYPE_BINARY_KHR, E.SEMAPHORE_HANDLE_OPAQUE_FD_KHR, fd, 0))
        for fd in fds]
    for _ in range({rounds}):
        api.ok("clEnqueueWaitSemaphoresKHR", queue, 1, handles(there), None, 0, None, None)
        api.ok("clEnqueueSignalSemaphoresKHR", queue, 1, handles(back), None, 0, None, None)
    api.ok("clFinish", queue)
"""


class TestExternal:
    def test_another_process(self, api, device, queue, semaphore):
        """Descriptors go through a socket (SCM_RIGHTS); signals go there and back."""
        rounds, here = 20, Path(__file__).resolve().parent
        there, back = semaphore(*EXPORTS), semaphore(*EXPORTS)
        mine, theirs = socket.socketpair()
        script = OTHER_PROCESS.format(tests=str(here.parent), api=str(here), rounds=rounds)
        child = subprocess.Popen([sys.executable, "-c", script, str(theirs.fileno())], pass_fds=[theirs.fileno()])
        fds = [export(api, device, there), export(api, device, back)]
        mine.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
        for fd in fds:
            os.close(fd)
        for _ in range(rounds):
            event = c_void_p()
            enqueue(api, "Signal", queue, there)
            enqueue(api, "Wait", queue, back, event=byref(event))
            api.ok("clWaitForEvents", 1, handles(event.value))
            api.ok("clReleaseEvent", event)
        assert child.wait(60) == 0
        mine.close()
        theirs.close()
        assert not is_signaled(api, there)
        assert not is_signaled(api, back)

    def test_dup(self, api, device, queue, semaphore):
        source = semaphore(*EXPORTS)
        fd = export(api, device, source)
        copy = semaphore(FD, os.dup(fd))
        os.close(fd)
        enqueue(api, "Signal", queue, source)
        enqueue(api, "Wait", queue, copy)
        api.ok("clFinish", queue)
        assert not is_signaled(api, source)

    def test_descriptors_are_given_back(self, api, device, context):
        def count():
            return len(os.listdir("/proc/self/fd"))
        before = count()
        for _ in range(5):
            source = api.make("clCreateSemaphoreWithPropertiesKHR", context, numbers(c_uint64, *BINARY, *EXPORTS, 0))
            fd = export(api, device, source)
            copy = api.make("clCreateSemaphoreWithPropertiesKHR", context, numbers(c_uint64, *BINARY, FD, fd, 0))
            api.ok("clReleaseSemaphoreKHR", source)
            api.ok("clReleaseSemaphoreKHR", copy)
        assert count() == before

    def test_handle_errors(self, api, device, context, queue, semaphore):
        made, plain, fd, call = semaphore(*EXPORTS), semaphore(), c_int32(7), "clGetSemaphoreHandleForTypeKHR"
        for bad in (None, queue):
            assert api.error(call, bad, device, FD, 4, byref(fd), None) == "CL_INVALID_SEMAPHORE_KHR"
            assert api.error(call, made, bad, FD, 4, byref(fd), None) == "CL_INVALID_DEVICE"
        assert api.error(call, plain, device, FD, 4, byref(fd), None) == "CL_INVALID_VALUE"
        sync_fd = E.SEMAPHORE_HANDLE_SYNC_FD_KHR
        assert api.error(call, made, device, sync_fd, 4, byref(fd), None) == "CL_INVALID_VALUE"
        assert api.error(call, made, device, FD, 3, byref(fd), None) == "CL_INVALID_VALUE"
        assert fd.value == 7
        size = c_size_t()
        api.ok(call, made, device, FD, 0, None, byref(size))
        assert size.value == 4


class TestQueries:
    def info(self, api, sema, name):
        return api.info("clGetSemaphoreInfoKHR", sema, getattr(E, f"SEMAPHORE_{name}_KHR"))

    def test_all(self, api, context, device, semaphore):
        devices = (E.SEMAPHORE_DEVICE_HANDLE_LIST_KHR, device, 0)
        sema, plain = semaphore(*devices, *EXPORTS), semaphore()
        assert self.info(api, sema, "CONTEXT") == struct.pack("=Q", context)
        assert self.info(api, sema, "REFERENCE_COUNT") == struct.pack("=I", 1)
        assert self.info(api, sema, "PROPERTIES") == struct.pack("=9Q", *BINARY, *devices, *EXPORTS, 0)
        assert self.info(api, sema, "TYPE") == struct.pack("=I", E.SEMAPHORE_TYPE_BINARY_KHR)
        assert self.info(api, sema, "PAYLOAD") == struct.pack("=Q", 0)
        for each in (sema, plain):
            assert self.info(api, each, "DEVICE_HANDLE_LIST") == struct.pack("=Q", device)
        assert self.info(api, sema, "EXPORT_HANDLE_TYPES") == struct.pack("=I", FD)
        assert self.info(api, plain, "EXPORT_HANDLE_TYPES") == b""
        assert self.info(api, sema, "EXPORTABLE") == struct.pack("=I", 1)
        assert self.info(api, plain, "EXPORTABLE") == struct.pack("=I", 0)

    def test_reference_count(self, api, semaphore):
        sema = semaphore()
        api.ok("clRetainSemaphoreKHR", sema)
        assert self.info(api, sema, "REFERENCE_COUNT") == struct.pack("=I", 2)
        api.ok("clReleaseSemaphoreKHR", sema)

    def test_device_and_platform(self, api, device):
        for function, of, who in (("clGetDeviceInfo", "DEVICE", device), ("clGetPlatformInfo", "PLATFORM",
                                                                        api.platform())):
            def ask(name, function=function, of=of, who=who):
                return api.info(function, who, getattr(E, f"{of}_SEMAPHORE_{name}_KHR"))
            assert ask("TYPES") == struct.pack("=I", E.SEMAPHORE_TYPE_BINARY_KHR)
            both = struct.pack("=2I", FD, E.SEMAPHORE_HANDLE_SYNC_FD_KHR)
            assert ask("IMPORT_HANDLE_TYPES") == ask("EXPORT_HANDLE_TYPES") == both

    def test_errors(self, api, queue, semaphore):
        room, call = create_string_buffer(8), "clGetSemaphoreInfoKHR"
        for bad in (None, queue):
            assert api.error(call, bad, E.SEMAPHORE_TYPE_KHR, 8, room, None) == "CL_INVALID_SEMAPHORE_KHR"
            assert api.error("clRetainSemaphoreKHR", bad) == "CL_INVALID_SEMAPHORE_KHR"
            assert api.error("clReleaseSemaphoreKHR", bad) == "CL_INVALID_SEMAPHORE_KHR"
        assert api.error(call, semaphore(), 4711, 8, room, None) == "CL_INVALID_VALUE"
        assert api.error(call, semaphore(), E.SEMAPHORE_TYPE_KHR, 3, room, None) == "CL_INVALID_VALUE"


class TestCreateErrors:
    def create(self, api, context, *properties):
        return api.new("clCreateSemaphoreWithPropertiesKHR", context,
                       numbers(c_uint64, *properties, 0) if properties else None)[1]

    def test_all(self, api, context, device, queue, semaphore):
        devices = E.SEMAPHORE_DEVICE_HANDLE_LIST_KHR
        for bad in (None, queue):
            assert self.create(api, bad, *BINARY) == "CL_INVALID_CONTEXT"
        for bad in ((E.SEMAPHORE_TYPE_KHR, 2), (*BINARY, *BINARY), (*BINARY, 4711, 1),
                    (*BINARY, devices, device, 0, devices, device, 0),
                    (*BINARY, EXPORTS[0], E.SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR, 0)):
            assert self.create(api, context, *bad) == "CL_INVALID_PROPERTY"
        for bad in ((0,), (device, device, 0), (queue, 0)):
            assert self.create(api, context, *BINARY, devices, *bad) == "CL_INVALID_DEVICE"
        assert self.create(api, context) == "CL_INVALID_VALUE"
        assert self.create(api, context, devices, device, 0) == "CL_INVALID_VALUE"
        assert self.create(api, context, *BINARY, EXPORTS[0], FD, FD, 0) == "CL_INVALID_VALUE"

    def test_imports(self, api, context, device, semaphore):
        fd, (reader, writer) = export(api, device, semaphore(*EXPORTS)), os.pipe()
        assert self.create(api, context, *BINARY, FD, fd, *EXPORTS) == "CL_INVALID_OPERATION"
        for bad in (reader, 1 << 20, 0xFFFFFFFF):
            assert self.create(api, context, *BINARY, FD, bad) == "CL_INVALID_PROPERTY"
        assert self.create(api, context, *BINARY, FD, fd, FD, fd) == "CL_INVALID_PROPERTY"
        for each in (fd, reader, writer):    # still ours: nothing was imported
            os.close(each)


@pytest.mark.parametrize("what", ["Signal", "Wait"])
class TestCommandErrors:
    def test_all(self, api, context, other_context, queue, queues, semaphore, user_event, what):
        def call(q, n, list_, n_wait=0, wait=None):
            return api.error(f"clEnqueue{what}SemaphoresKHR", q, n, list_, None, n_wait, wait, None)
        sema = semaphore()
        one = handles(sema)
        for bad in (None, context):
            assert call(bad, 1, one) == "CL_INVALID_COMMAND_QUEUE"
        assert call(queue, 0, one) == "CL_INVALID_VALUE"
        assert call(queue, 1, None) == "CL_INVALID_VALUE"
        assert call(queue, 2, handles(sema, queue)) == "CL_INVALID_SEMAPHORE_KHR"
        assert call(queues(within=other_context), 1, one) == "CL_INVALID_CONTEXT"
        assert call(queue, 1, one, 1, None) == "CL_INVALID_EVENT_WAIT_LIST"
        assert call(queue, 1, one, 0, handles(queue)) == "CL_INVALID_EVENT_WAIT_LIST"
        assert call(queue, 1, one, 1, handles(user_event(within=other_context))) == "CL_INVALID_CONTEXT"
        failed = user_event()
        api.ok("clSetUserEventStatus", failed, -3)
        assert call(queue, 1, one, 1, handles(failed)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
