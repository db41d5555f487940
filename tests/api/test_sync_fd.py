# SPDX-License-Identifier: Apache-2.0
"""cl_khr_external_semaphore_sync_fd: descriptors of fences of the system, and -1 for what is signaled already."""
import os
import struct
import threading
import time
from ctypes import byref, c_int32, c_size_t, c_uint64, c_void_p

import pytest
import vgem
from clapi import E, event_status, handles, numbers
from semaphores import BINARY, enqueue

pytestmark = pytest.mark.usefixtures("no_leak")

SYNC, OPAQUE = E.SEMAPHORE_HANDLE_SYNC_FD_KHR, E.SEMAPHORE_HANDLE_OPAQUE_FD_KHR
EXPORTS = (E.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, SYNC, 0)
SIGNALED = 0xFFFFFFFFFFFFFFFF    # -1


class Fences:
    """Fences that this process signals itself, of vgem."""

    def __init__(self, device):
        self.memory, self.number = vgem.Memory(device), None

    def fence(self):
        self.number, fd = self.memory.fence()
        return fd

    def signal(self):
        self.memory.signal(self.number)


@pytest.fixture
def makers():
    """One where the system has them; elsewhere only drivers of devices make fences, and the tests of -1 stay."""
    device = vgem.card()
    found = [Fences(device)] if device is not None else []
    yield found
    for each in found:
        each.memory.close()


def payload(api, sema):
    return api.number("clGetSemaphoreInfoKHR", sema, E.SEMAPHORE_PAYLOAD_KHR)


def export(api, device, sema):
    fd = c_int32(7)
    error = api.error("clGetSemaphoreHandleForTypeKHR", sema, device, SYNC, 4, byref(fd), None)
    return error, fd.value


class TestImport:
    def test_signaled(self, api, queue, semaphore):
        """A wait takes the imported state away; what is signaled after that is the semaphore's own."""
        sema = semaphore(SYNC, SIGNALED)
        assert payload(api, sema) == 1
        for turn in range(3):
            enqueue(api, "Wait", queue, sema)
            api.ok("clFinish", queue)
            assert payload(api, sema) == 0
            if turn == 0:
                enqueue(api, "Signal", queue, sema)
            else:
                api.ok("clReImportSemaphoreSyncFdKHR", sema, None, -1)
            api.ok("clFinish", queue)
            assert payload(api, sema) == 1

    def test_after_the_wait_there_is_no_signal(self, api, queues, semaphore):
        a, b, sema, event = queues(), queues(), semaphore(SYNC, SIGNALED), c_void_p()
        enqueue(api, "Wait", a, sema)
        enqueue(api, "Wait", a, sema, event=byref(event))
        time.sleep(0.01)
        assert event_status(api, event) > E.COMPLETE
        enqueue(api, "Signal", b, sema)
        api.ok("clWaitForEvents", 1, handles(event.value))
        api.ok("clReleaseEvent", event)

    def test_a_fence(self, api, queue, semaphore, makers):
        """Of the system, where it has any that a test can make."""
        for maker in makers:
            sema, event = semaphore(SYNC, maker.fence()), c_void_p()
            assert payload(api, sema) == 0
            enqueue(api, "Wait", queue, sema, event=byref(event))
            time.sleep(0.02)
            assert event_status(api, event) > E.COMPLETE
            maker.signal()
            api.ok("clWaitForEvents", 1, handles(event.value))
            api.ok("clReleaseEvent", event)
            api.ok("clReImportSemaphoreSyncFdKHR", sema, None, maker.fence())
            maker.signal()
            assert payload(api, sema) == 1
            enqueue(api, "Wait", queue, sema)
            api.ok("clFinish", queue)

    def test_a_fence_of_a_terminated_context(self, api, device, makers):
        for maker in makers:
            doomed = api.make("clCreateContext", numbers(c_size_t, E.CONTEXT_TERMINATE_KHR, 1, 0), 1, handles(device),
                              None, None)
            queue, event = api.make("clCreateCommandQueue", doomed, device, 0), c_void_p()
            sema = api.make("clCreateSemaphoreWithPropertiesKHR", doomed, numbers(
                c_uint64, *BINARY, SYNC, maker.fence(), 0))
            enqueue(api, "Wait", queue, sema, event=byref(event))
            api.ok("clTerminateContextKHR", doomed)
            api.error("clWaitForEvents", 1, handles(event.value))
            assert event_status(api, event) == E.CONTEXT_TERMINATED_KHR
            maker.signal()
            for kind, handle in (("Event", event), ("SemaphoreKHR", sema), ("CommandQueue", queue),
                                 ("Context", doomed)):
                api.ok(f"clRelease{kind}", handle)


class TestExport:
    def test_signaled(self, api, device, queue, queues, semaphore):
        """It has "the same side effects [...] as executing a semaphore wait operation"."""
        source = semaphore(*EXPORTS)
        for _ in range(2):
            enqueue(api, "Signal", queue, source)
            assert export(api, device, source) == ("CL_SUCCESS", -1)
            assert payload(api, source) == 0
            copy, other = semaphore(SYNC, SIGNALED), queues()
            enqueue(api, "Wait", other, copy)
            api.ok("clFinish", other)

    def test_waits_for_a_signal_that_is_pending(self, api, device, queue, semaphore, user_event):
        source, gate, done = semaphore(*EXPORTS), user_event(), []
        enqueue(api, "Signal", queue, source, after=[gate])
        thread = threading.Thread(target=lambda: done.append(export(api, device, source)))
        thread.start()
        time.sleep(0.02)
        assert done == []
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        thread.join(20)
        assert done == [("CL_SUCCESS", -1)]

    def test_no_signal(self, api, device, queue, semaphore, user_event):
        """Nothing to export: an error, rather than to wait for ever. So is a signal that failed."""
        source, gate = semaphore(*EXPORTS), user_event()
        assert export(api, device, source) == ("CL_OUT_OF_RESOURCES", 7)
        enqueue(api, "Signal", queue, source, after=[gate])
        api.ok("clSetUserEventStatus", gate, -5)
        assert export(api, device, source) == ("CL_OUT_OF_RESOURCES", 7)

    def test_size_alone(self, api, device, queue, semaphore):
        source, size = semaphore(*EXPORTS), c_size_t()
        enqueue(api, "Signal", queue, source)
        api.ok("clGetSemaphoreHandleForTypeKHR", source, device, SYNC, 0, None, byref(size))
        api.ok("clFinish", queue)
        assert (size.value, payload(api, source)) == (4, 1)

    def test_queries(self, api, semaphore):
        source, plain = semaphore(*EXPORTS), semaphore(SYNC, SIGNALED)
        name = "clGetSemaphoreInfoKHR"
        assert api.info(name, source, E.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) == struct.pack("=I", SYNC)
        assert api.info(name, plain, E.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) == b""
        assert api.number(name, source, E.SEMAPHORE_EXPORTABLE_KHR) == 1
        assert api.number(name, plain, E.SEMAPHORE_EXPORTABLE_KHR) == 0
        assert api.info(name, plain, E.SEMAPHORE_PROPERTIES_KHR) == struct.pack("=5Q", *BINARY, SYNC, SIGNALED, 0)


class TestErrors:
    def test_import(self, api, context):
        """What is no sync file is not taken for one, and stays its owner's."""
        fds = [os.memfd_create("clpy-test"), *os.pipe(), os.open("/dev/null", os.O_RDWR)]

        def create(*properties):
            return api.new("clCreateSemaphoreWithPropertiesKHR", context, numbers(c_uint64, *BINARY, *properties, 0))
        for fd in (*fds, 1 << 20):
            assert create(SYNC, fd) == (None, "CL_INVALID_PROPERTY")
        assert create(SYNC, SIGNALED, SYNC, SIGNALED) == (None, "CL_INVALID_PROPERTY")
        assert create(SYNC, SIGNALED, OPAQUE, fds[0]) == (None, "CL_INVALID_PROPERTY")
        assert create(OPAQUE, SIGNALED) == (None, "CL_INVALID_PROPERTY")
        assert create(SYNC, SIGNALED, *EXPORTS) == (None, "CL_INVALID_OPERATION")
        assert create(EXPORTS[0], SYNC, OPAQUE, 0) == (None, "CL_INVALID_VALUE")
        for fd in fds:
            os.close(fd)

    def test_export(self, api, device, queue, semaphore):
        source, fd, call = semaphore(*EXPORTS), c_int32(7), "clGetSemaphoreHandleForTypeKHR"
        enqueue(api, "Signal", queue, source)
        assert api.error(call, source, device, OPAQUE, 4, byref(fd), None) == "CL_INVALID_VALUE"
        assert api.error(call, semaphore(SYNC, SIGNALED), device, SYNC, 4, byref(fd), None) == "CL_INVALID_VALUE"
        assert api.error(call, source, device, SYNC, 3, byref(fd), None) == "CL_INVALID_VALUE"
        assert fd.value == 7

    def test_reimport(self, api, queue, semaphore):
        call, imported = "clReImportSemaphoreSyncFdKHR", semaphore(SYNC, SIGNALED)
        null = os.open("/dev/null", os.O_RDWR)
        for bad in (None, queue, semaphore(), semaphore(*EXPORTS)):
            assert api.error(call, bad, None, null) == "CL_INVALID_SEMAPHORE_KHR"
        assert api.error(call, imported, None, null) == "CL_INVALID_VALUE"
        assert api.error(call, imported, numbers(c_uint64, 4711, 0, 0), -1) == "CL_INVALID_VALUE"
        assert api.error(call, imported, numbers(c_uint64, 0), -1) == "CL_SUCCESS"
        os.close(null)
