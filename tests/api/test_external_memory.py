# SPDX-License-Identifier: Apache-2.0
"""cl_khr_external_memory with opaque file descriptors and dma-bufs: import, handing over, errors."""
import fcntl
import mmap
import os
import struct
import subprocess
import sys
from ctypes import Structure, byref, c_size_t, c_uint32, c_uint64, c_void_p, create_string_buffer
from pathlib import Path

import pytest
import vgem
from clapi import E, handles, numbers, sizes
from recording import ADD, ints

from clpy.compiler.target import host_target

pytestmark = pytest.mark.usefixtures("no_leak")

FD, DMA_BUF = E.EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, E.EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR
PAGE = mmap.PAGESIZE


class Desc(Structure):
    _fields_ = [("type", c_uint32), ("width", c_size_t), ("height", c_size_t), ("depth", c_size_t),
                ("array", c_size_t), ("row", c_size_t), ("slice", c_size_t), ("levels", c_uint32),
                ("samples", c_uint32), ("mem", c_void_p)]


def memory(size=PAGE, contents=b""):
    """A file of memory: its descriptor."""
    fd = os.memfd_create("clpy-test", os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, size)
    os.pwrite(fd, contents, 0)
    return fd


HEAPS, UDMABUF = Path("/dev/dma_heap"), Path("/dev/udmabuf")


def of_heap(size=PAGE):
    """A dma-buf from a heap of the system."""
    with (HEAPS / "system").open("rb") as heap:
        request = bytearray(struct.pack("=QIIQ", size, 0, os.O_RDWR | os.O_CLOEXEC, 0))
        fcntl.ioctl(heap, 0xC0184800, request)
        return struct.unpack("=QIIQ", request)[1]


def of_memory(size=PAGE):
    """A dma-buf made of a file of memory."""
    fd = memory(size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    with UDMABUF.open("wb") as maker:
        made = fcntl.ioctl(maker, 0x40187542, struct.pack("=IIQQ", fd, 1, 0, size))
    os.close(fd)
    return made


def dma_bufs():
    """One from each of the system's makers that this user may open."""
    found = [make() for path, make in ((HEAPS / "system", of_heap), (UDMABUF, of_memory))
             if os.access(path, os.R_OK | os.W_OK)]
    device = vgem.card()
    if device is not None:
        made = vgem.Memory(device)
        found.append(os.dup(made.fd))
        made.close()
    return found


@pytest.fixture
def says_dma_bufs(api):
    """say(True or False): whether the device has them, whatever the system has"""
    api.platform()
    from clpy.device.fake.device import report
    yield lambda has: report(dma_bufs=has)
    report()


@pytest.fixture
def imported(api, context):
    """new(fd, size, type, further properties, flags) -> buffer"""
    made = []

    def new(fd, size=PAGE, kind=FD, more=(), flags=0):
        made.append(api.make("clCreateBufferWithProperties", context, numbers(c_uint64, kind, fd, *more, 0), flags,
                             size, None))
        return made[-1]

    yield new
    for each in made:
        api.ok("clReleaseMemObject", each)


def hand_over(api, what, queue, *mems, after=(), event=None):
    api.ok(f"clEnqueue{what}ExternalMemObjectsKHR", queue, len(mems), handles(*mems) if mems else None, len(after),
           handles(*after) if after else None, event)


class TestBuffers:
    def test_both_ways(self, api, queue, imported, set_args):
        """What was there is seen; what a kernel and a copy write is there afterwards."""
        mine = memory(contents=struct.pack("=16i", *range(16)))
        mem = imported(os.dup(mine))
        hand_over(api, "Acquire", queue, mem)
        api.ok("clEnqueueNDRangeKernel", queue, set_args(ADD, mem, 100), 1, None, sizes(16), None, 0, None, None)
        api.ok("clEnqueueFillBuffer", queue, mem, b"done", 4, 64, 8, 0, None, None)
        hand_over(api, "Release", queue, mem)
        api.ok("clFinish", queue)
        assert ints(os.pread(mine, 64, 0)) == [100 + i for i in range(16)]
        assert os.pread(mine, 8, 64) == b"donedone"
        os.close(mine)

    def test_changes_between_two_turns(self, api, queue, imported, contents):
        mine = memory()
        mem = imported(os.dup(mine))
        for value in (b"one!", b"two!"):
            os.pwrite(mine, value, 0)
            hand_over(api, "Acquire", queue, mem)
            assert contents(mem, 4) == value
            hand_over(api, "Release", queue, mem)
        os.close(mine)

    def test_map_sub_buffer_and_twice(self, api, queue, imported, contents):
        mine = memory(contents=b"x" * PAGE)
        a, b = imported(os.dup(mine)), imported(os.dup(mine))
        sub = api.make("clCreateSubBuffer", a, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(1024, 64))
        hand_over(api, "Acquire", queue, a, b)
        api.ok("clEnqueueFillBuffer", queue, sub, b"abcd", 4, 0, 64, 0, None, None)
        assert contents(b, 8, 1020) == b"xxxxabcd"
        pointer, error = api.new("clEnqueueMapBuffer", queue, a, 1, E.MAP_WRITE, 0, 64, 0, None, None)
        assert error == "CL_SUCCESS"
        (c_uint32 * 1).from_address(pointer)[0] = 0x41414141
        api.ok("clEnqueueUnmapMemObject", queue, a, pointer, 0, None, None)
        hand_over(api, "Release", queue, a, b)
        api.ok("clFinish", queue)
        assert os.pread(mine, 5, 0) == b"AAAAx"
        api.ok("clReleaseMemObject", sub)
        os.close(mine)

    def test_another_process(self, api, queue, imported, contents):
        mine = memory()
        mem = imported(os.dup(mine))
        script = f"import os; os.pwrite({mine}, b'from the child', 0)"
        subprocess.run([sys.executable, "-c", script], pass_fds=[mine], check=True, timeout=60)
        hand_over(api, "Acquire", queue, mem)
        assert contents(mem, 14) == b"from the child"
        os.close(mine)

    def test_a_part_of_the_memory(self, api, imported):
        mem = imported(memory(3 * PAGE), 100)
        assert api.number("clGetMemObjectInfo", mem, E.MEM_SIZE) == 100

    @pytest.mark.needs("cl_ext_buffer_device_address")
    def test_queries(self, api, device, imported):
        fd, devices = memory(), (E.MEM_DEVICE_HANDLE_LIST_KHR, device, 0)
        more = (*devices, E.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1)
        mem = imported(fd, more=more)
        assert api.info("clGetMemObjectInfo", mem, E.MEM_PROPERTIES) == struct.pack("=8Q", FD, fd, *more, 0)
        assert api.number("clGetMemObjectInfo", mem, E.MEM_DEVICE_ADDRESS_EXT)
        assert api.number("clGetMemObjectInfo", mem, E.MEM_HOST_PTR) == 0

    def test_descriptors_and_mappings_are_given_back(self, api, context):
        def state():
            with open("/proc/self/maps") as maps:
                return len(os.listdir("/proc/self/fd")), sum("clpy-test" in line for line in maps)
        before = state()
        for _ in range(3):
            mem = api.make("clCreateBufferWithProperties", context, numbers(c_uint64, FD, memory(), 0), 0, PAGE, None)
            assert state() == (before[0] + 1, before[1] + 1)
            api.ok("clReleaseMemObject", mem)
            assert state() == before


class TestDmaBufs:
    @pytest.fixture
    def device(self, fake_device):
        return fake_device

    NAME = "cl_khr_external_memory_dma_buf"

    def test_listed_where_the_system_makes_them(self, api, device):
        listed = HEAPS.exists() or UDMABUF.exists()
        assert (self.NAME in api.text("clGetDeviceInfo", device, E.DEVICE_EXTENSIONS).split()) is listed
        assert (self.NAME in api.text("clGetPlatformInfo", api.platform(), E.PLATFORM_EXTENSIONS).split()) is listed
        assert (DMA_BUF in types(api, device)) is listed

    @pytest.mark.parametrize("has", [False, True])
    def test_either_kind_of_system(self, monkeypatch, tmp_path, has):
        from clpy.device.cpu import info
        monkeypatch.setattr(info, "DMA_BUF_MAKERS", (str(tmp_path / "absent"), *([str(tmp_path)] if has else [])))
        assert info.has_dma_bufs() is has
        assert (self.NAME in info.Machine(host_target()).extensions()) is has

    def test_both_ways(self, api, queue, imported, contents, set_args, says_dma_bufs):
        """On a system that makes them; elsewhere there is nothing to import, and no promise (see above)."""
        says_dma_bufs(True)
        for fd in dma_bufs():
            with mmap.mmap(os.dup(fd), PAGE) as view:
                view[:64] = struct.pack("=16i", *range(16))
                mem = imported(fd, kind=DMA_BUF)
                for turn in (1, 2):
                    hand_over(api, "Acquire", queue, mem)
                    api.ok("clEnqueueNDRangeKernel", queue, set_args(ADD, mem, 100), 1, None, sizes(16), None, 0, None,
                           None)
                    assert ints(contents(mem, 64)) == [100 * turn + i for i in range(16)]
                    hand_over(api, "Release", queue, mem)
                    api.ok("clFinish", queue)
                    assert ints(view[:64]) == [100 * turn + i for i in range(16)]

    def test_size(self, api, context, says_dma_bufs):
        says_dma_bufs(True)
        for fd in dma_bufs():
            assert api.new("clCreateBufferWithProperties", context, numbers(c_uint64, DMA_BUF, fd, 0), 0, PAGE + 1,
                           None) == (None, "CL_INVALID_BUFFER_SIZE")
            os.close(fd)

    @pytest.mark.parametrize("has", [False, True])
    def test_nothing_else_passes_for_one(self, api, context, device, says_dma_bufs, has):
        says_dma_bufs(has)
        assert (DMA_BUF in types(api, device)) is has
        fds = [memory(), *os.pipe(), os.open("/dev/null", os.O_RDWR)]
        for fd in fds:
            assert api.new("clCreateBufferWithProperties", context, numbers(c_uint64, DMA_BUF, fd, 0), 0, PAGE,
                           None) == (None, "CL_INVALID_PROPERTY")
            os.close(fd)         # still ours: nothing was imported

    def test_refused_without_the_extension(self, api, context, says_dma_bufs):
        says_dma_bufs(False)
        for fd in dma_bufs():
            assert api.new("clCreateBufferWithProperties", context, numbers(c_uint64, DMA_BUF, fd, 0), 0, PAGE,
                           None) == (None, "CL_INVALID_PROPERTY")
            os.close(fd)


class TestImages:
    FORMAT = (c_uint32 * 2)(E.RGBA, E.UNSIGNED_INT8)

    @pytest.fixture
    def image(self, api, context, device):
        """new(fd, Desc, format) -> (image or None, error)"""
        made = []

        def new(fd, desc, kind=FD, flags=0, host_ptr=None):
            found = api.new("clCreateImageWithProperties", context, numbers(c_uint64, kind, fd, 0), flags,
                            self.FORMAT, byref(desc), host_ptr)
            if found[0]:
                made.append(found[0])
            return found

        yield new
        for each in made:
            api.ok("clReleaseMemObject", each)

    def has_images(self, api, device):
        return api.number("clGetDeviceInfo", device, E.DEVICE_IMAGE_SUPPORT)

    def test_linear_with_a_pitch(self, api, device, queue, image):
        mine = memory(contents=bytes(range(256)))
        mem, error = image(os.dup(mine), Desc(E.MEM_OBJECT_IMAGE2D, 4, 4, row=32))
        if not self.has_images(api, device):
            assert error == "CL_INVALID_OPERATION"
            return
        assert error == "CL_SUCCESS"
        hand_over(api, "Acquire", queue, mem)
        found = create_string_buffer(32)
        api.ok("clEnqueueReadImage", queue, mem, 1, sizes(1, 0, 0), sizes(2, 4, 1), 8, 0, found, 0, None, None)
        assert found.raw == b"".join(bytes(range(32 * y + 4, 32 * y + 12)) for y in range(4))
        colour = (c_uint32 * 4)(1, 2, 3, 4)
        api.ok("clEnqueueFillImage", queue, mem, colour, sizes(3, 1, 0), sizes(1, 1, 1), 0, None, None)
        hand_over(api, "Release", queue, mem)
        api.ok("clFinish", queue)
        assert os.pread(mine, 5, 44) == bytes([1, 2, 3, 4, 48])
        assert api.number("clGetImageInfo", mem, E.IMAGE_ROW_PITCH) == 32
        os.close(mine)

    def test_errors(self, api, device, image):
        if not self.has_images(api, device):
            return
        fd, small = memory(), Desc(E.MEM_OBJECT_IMAGE2D, 4, 4)
        assert image(fd, Desc(E.MEM_OBJECT_IMAGE2D, 1024, 1024)) == (None, "CL_INVALID_IMAGE_SIZE")
        assert image(fd, Desc(E.MEM_OBJECT_IMAGE2D, 4, 4, row=8)) == (None, "CL_INVALID_IMAGE_DESCRIPTOR")
        room = create_string_buffer(64)
        assert image(fd, small, host_ptr=room) == (None, "CL_INVALID_HOST_PTR")
        assert image(fd, small, flags=E.MEM_ALLOC_HOST_PTR) == (None, "CL_INVALID_VALUE")
        assert image(fd, small, kind=DMA_BUF) == (None, "CL_INVALID_PROPERTY")
        os.close(fd)


class TestCreateErrors:
    def create(self, api, context, *properties, size=PAGE, flags=0, host_ptr=None):
        return api.new("clCreateBufferWithProperties", context, numbers(c_uint64, *properties, 0), flags, size,
                       host_ptr)[1]

    def test_properties(self, api, context, device, queue):
        fd, (reader, writer), devices = memory(), os.pipe(), E.MEM_DEVICE_HANDLE_LIST_KHR
        for bad in ((FD, fd, FD, fd), (FD, fd, DMA_BUF, fd), (FD, 1 << 20), (FD, 0xFFFFFFFF), (FD, reader),
                    (devices, device, 0), (FD, fd, devices, 0), (FD, fd, devices, device, 0, devices, device, 0),
                    (DMA_BUF, fd), (DMA_BUF, reader), (E.EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR, fd)):
            assert self.create(api, context, *bad) == "CL_INVALID_PROPERTY"
        assert self.create(api, context, FD, fd, devices, queue, 0) == "CL_INVALID_DEVICE"
        for each in (fd, reader, writer):    # still ours: nothing was imported
            os.close(each)

    def test_values(self, api, context):
        fd, room = memory(), create_string_buffer(PAGE)
        for flag in (E.MEM_USE_HOST_PTR, E.MEM_ALLOC_HOST_PTR, E.MEM_COPY_HOST_PTR):
            assert self.create(api, context, FD, fd, flags=flag, host_ptr=room) == "CL_INVALID_VALUE"
        assert self.create(api, context, FD, fd, size=0) == "CL_INVALID_BUFFER_SIZE"
        assert self.create(api, context, FD, fd, size=PAGE + 1) == "CL_INVALID_BUFFER_SIZE"      # more than there is
        assert self.create(api, context, FD, fd, host_ptr=room) == "CL_INVALID_HOST_PTR"
        os.close(fd)


class TestCommands:
    def test_events(self, api, queue, imported, user_event):
        mem, gate, event = imported(memory()), user_event(), c_void_p()
        hand_over(api, "Acquire", queue, mem, after=[gate], event=byref(event))
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR
        api.ok("clSetUserEventStatus", gate, E.COMPLETE)
        api.ok("clWaitForEvents", 1, handles(event.value))
        api.ok("clReleaseEvent", event)
        hand_over(api, "Release", queue, mem, event=byref(event))
        assert api.number("clGetEventInfo", event, E.EVENT_COMMAND_TYPE) == E.COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR
        api.ok("clWaitForEvents", 1, handles(event.value))
        api.ok("clReleaseEvent", event)

    def test_nothing(self, api, queue):
        for what in ("Acquire", "Release"):
            hand_over(api, what, queue)

    @pytest.mark.parametrize("what", ["Acquire", "Release"])
    def test_errors(self, api, queue, queues, other_context, buffer, imported, user_event, what):
        def call(q, n, list_, n_wait=0, wait=None):
            return api.error(f"clEnqueue{what}ExternalMemObjectsKHR", q, n, list_, n_wait, wait, None)
        mem = imported(memory())
        one = handles(mem)
        sub = api.make("clCreateSubBuffer", mem, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(0, 64))
        assert call(queue, 1, None) == "CL_INVALID_VALUE"
        assert call(queue, 0, one) == "CL_INVALID_VALUE"
        for bad in (None, queue, buffer(64), sub):
            assert call(queue, 2, handles(mem, bad)) == "CL_INVALID_MEM_OBJECT"
        for bad in (None, mem):
            assert call(bad, 1, one) == "CL_INVALID_COMMAND_QUEUE"
        assert call(queues(within=other_context), 1, one) == "CL_INVALID_CONTEXT"
        assert call(queue, 1, one, 1, None) == "CL_INVALID_EVENT_WAIT_LIST"
        failed = user_event()
        api.ok("clSetUserEventStatus", failed, -3)
        assert call(queue, 1, one, 1, handles(failed)) == "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
        api.ok("clReleaseMemObject", sub)


def types(api, device):
    """The handle types that can be imported, the same by both ways to ask; the platform has what all devices have."""
    def ask(function, who, name):
        data = api.info(function, who, getattr(E, name))
        return {value[0] for value in struct.iter_unpack("=I", data)}
    found = [ask("clGetPlatformInfo", api.platform(), "PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR"),
             *(ask("clGetDeviceInfo", device, f"DEVICE_EXTERNAL_MEMORY_IMPORT_{name}HANDLE_TYPES_KHR")
               for name in ("", "ASSUME_LINEAR_IMAGES_"))]
    assert found[0] <= found[1] == found[2]
    return found[1]


class TestQueries:
    @pytest.fixture
    def device(self, fake_device):
        return fake_device

    @pytest.mark.parametrize("has", [False, True])
    def test_device_and_platform(self, api, device, says_dma_bufs, has):
        says_dma_bufs(has)
        assert types(api, device) == ({FD, DMA_BUF} if has else {FD})
