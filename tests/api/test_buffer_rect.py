# SPDX-License-Identifier: Apache-2.0
"""clEnqueueReadBufferRect, clEnqueueWriteBufferRect, clEnqueueCopyBufferRect, against a byte-by-byte model."""
import random
from ctypes import create_string_buffer

import pytest
from clapi import E, handles, sizes

pytestmark = pytest.mark.usefixtures("no_leak")


def some_bytes(n, seed=1):
    return random.Random(seed).randbytes(n)


def pitches(region, row, slice_):
    row = row or region[0]
    return row, slice_ or row * region[1]


def copied(source, target, src_origin, dst_origin, region, src_pitch, dst_pitch):
    """The model: target after the box was copied into it."""
    target = bytearray(target)
    (src_row, src_slice), (dst_row, dst_slice) = pitches(region, *src_pitch), pitches(region, *dst_pitch)
    for z in range(region[2]):
        for y in range(region[1]):
            a = (src_origin[2] + z) * src_slice + (src_origin[1] + y) * src_row + src_origin[0]
            b = (dst_origin[2] + z) * dst_slice + (dst_origin[1] + y) * dst_row + dst_origin[0]
            target[b:b + region[0]] = source[a:a + region[0]]
    return bytes(target)


# (origin in the buffer, origin on the other side, region, buffer pitches, other pitches)
BOXES = [
    ((0, 0, 0), (0, 0, 0), (1, 1, 1), (0, 0), (0, 0)),
    ((0, 0, 0), (0, 0, 0), (64, 8, 4), (0, 0), (0, 0)),             # one run of bytes
    ((3, 0, 0), (5, 0, 0), (64, 1, 1), (0, 0), (0, 0)),
    ((3, 2, 1), (1, 0, 2), (10, 5, 3), (32, 256), (20, 120)),
    ((3, 2, 1), (1, 0, 2), (10, 5, 3), (32, 0), (0, 0)),            # slices of region[1] rows
    ((0, 1, 0), (0, 0, 1), (16, 4, 2), (16, 128), (16, 64)),        # whole rows, gaps between slices
    ((7, 0, 0), (0, 3, 0), (1, 9, 2), (11, 99), (3, 27)),
]
BIG_BOX = ((5, 3, 1), (2, 1, 0), (1500, 700, 3), (2048, 2048 * 800), (1600, 1600 * 710))


def extent(origin, region, pitch):
    row, slice_ = pitches(region, *pitch)
    return (origin[2] + region[2] - 1) * slice_ + (origin[1] + region[1] - 1) * row + origin[0] + region[0]


@pytest.mark.parametrize("blocking", [0, 1])
@pytest.mark.parametrize("box", [*BOXES, BIG_BOX])
def test_read_rect(api, queue, buffer, box, blocking):
    origin, host_origin, region, pitch, host_pitch = box
    data = some_bytes(extent(origin, region, pitch))
    host = create_string_buffer(extent(host_origin, region, host_pitch))
    api.ok("clEnqueueReadBufferRect", queue, buffer(contents=data), blocking, sizes(*origin), sizes(*host_origin),
           sizes(*region), *pitch, *host_pitch, host, 0, None, None)
    api.ok("clFinish", queue)
    assert host.raw == copied(data, bytes(len(host)), origin, host_origin, region, pitch, host_pitch)


@pytest.mark.parametrize("blocking", [0, 1])
@pytest.mark.parametrize("box", [*BOXES, BIG_BOX])
def test_write_rect(api, queue, buffer, contents, box, blocking):
    origin, host_origin, region, pitch, host_pitch = box
    before = some_bytes(extent(origin, region, pitch), 2)
    data = some_bytes(extent(host_origin, region, host_pitch))
    mem = buffer(contents=before)
    api.ok("clEnqueueWriteBufferRect", queue, mem, blocking, sizes(*origin), sizes(*host_origin), sizes(*region),
           *pitch, *host_pitch, data, 0, None, None)
    assert contents(mem, len(before)) == copied(data, before, host_origin, origin, region, host_pitch, pitch)


@pytest.mark.parametrize("box", [*BOXES, BIG_BOX])
def test_copy_rect(api, queue, buffer, contents, box):
    origin, dst_origin, region, pitch, dst_pitch = box
    data = some_bytes(extent(origin, region, pitch))
    before = some_bytes(extent(dst_origin, region, dst_pitch), 2)
    mem = buffer(contents=before)
    api.ok("clEnqueueCopyBufferRect", queue, buffer(contents=data), mem, sizes(*origin), sizes(*dst_origin),
           sizes(*region), *pitch, *dst_pitch, 0, None, None)
    assert contents(mem, len(before)) == copied(data, before, origin, dst_origin, region, pitch, dst_pitch)


def meet(a, b, region, row, slice_):
    """Do two boxes of a buffer have a byte in common? By listing the bytes."""
    def touched(origin):
        return {(origin[2] + z) * slice_ + (origin[1] + y) * row + origin[0] + x
                for z in range(region[2]) for y in range(region[1]) for x in range(region[0])}
    return bool(touched(a) & touched(b))


def test_overlap_is_found(api, queue, buffer):
    """Small boxes at random in one buffer. The specification's check may call boxes overlapping that share no byte
    (those that reach around the end of a row); it must never miss any."""
    mem, draw = buffer(contents=bytes(4096)), random.Random(5)
    found = missed = 0
    for _ in range(400):
        region = [draw.randint(1, 4) for _ in range(3)]
        a, b = ([draw.randint(0, 4) for _ in range(3)] for _ in range(2))
        error = api.error("clEnqueueCopyBufferRect", queue, mem, mem, sizes(*a), sizes(*b), sizes(*region), 16, 160,
                          16, 160, 0, None, None)
        assert error in ("CL_SUCCESS", "CL_MEM_COPY_OVERLAP")
        overlap = meet(a, b, region, 16, 160)
        assert (error == "CL_MEM_COPY_OVERLAP") == overlap, (a, b, region)
        found += overlap
        missed += not overlap
    assert found > 50 and missed > 50


def test_overlap_of_sub_buffers(api, queue, buffer, device):
    align = api.number("clGetDeviceInfo", device, E.DEVICE_MEM_BASE_ADDR_ALIGN) // 8
    mem = buffer(align * 8)
    children = [api.make("clCreateSubBuffer", mem, 0, E.BUFFER_CREATE_TYPE_REGION, sizes(at, align * 4))
                for at in (0, align)]

    def error(a, b):
        return api.error("clEnqueueCopyBufferRect", queue, *children, sizes(a, 0, 0), sizes(b, 0, 0),
                         sizes(align // 2, 2, 1), align, 0, align, 0, 0, None, None)

    assert error(0, 0) == "CL_MEM_COPY_OVERLAP"          # rows 0 and 1 against rows 1 and 2
    assert error(0, align // 2) == "CL_SUCCESS"          # left halves against right halves
    assert error(0, align) == "CL_SUCCESS"
    for child in children:
        api.ok("clReleaseMemObject", child)


# ---- errors, in the order of the specification

ZERO = (0, 0, 0)
BAD_BOXES = [
    ((0, 0, 0), (65, 1, 1), (0, 0)),             # past the end of a 64-byte buffer
    ((1, 0, 0), (64, 1, 1), (0, 0)),
    ((0, 2, 0), (8, 3, 1), (16, 0)),
    ((0, 0, 1), (8, 2, 1), (8, 64)),
    ((2**63, 0, 0), (8, 1, 1), (0, 0)),
    ((0, 2**62, 0), (8, 1, 1), (8, 0)),
    ((0, 0, 2**61), (8, 1, 1), (8, 8)),
    ((0, 0, 0), (2**63, 2, 2), (0, 0)),
    ((0, 0, 0), (0, 1, 1), (0, 0)),              # an element of region is zero
    ((0, 0, 0), (1, 0, 1), (0, 0)),
    ((0, 0, 0), (1, 1, 0), (0, 0)),
    ((0, 0, 0), (8, 2, 1), (7, 0)),              # row pitch below region[0]
    ((0, 0, 0), (8, 2, 1), (8, 15)),             # slice pitch below region[1] rows
    ((0, 0, 0), (8, 2, 1), (8, 20)),             # slice pitch no multiple of the row pitch
]


@pytest.mark.parametrize("function", ["clEnqueueReadBufferRect", "clEnqueueWriteBufferRect"])
def test_read_write_errors(api, queue, context, other_context, buffer, user_event, function):
    mem, host = buffer(64), create_string_buffer(4096)
    good = sizes(*ZERO), sizes(*ZERO), sizes(8, 2, 1)

    def error(q=queue, m=mem, where=good, pitch=(8, 16, 8, 16), pointer=host, n=0, events=None):
        return api.error(function, q, m, 1, *where, *pitch, pointer, n, events, None)

    assert error() == "CL_SUCCESS"
    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    assert error(m=buffer(64, within=other_context)) == "CL_INVALID_CONTEXT"
    assert error(m=None) == error(m=queue) == "CL_INVALID_MEM_OBJECT"
    for missing in range(3):
        assert error(where=[None if i == missing else x for i, x in enumerate(good)]) == "CL_INVALID_VALUE"
    for origin, region, pitch in BAD_BOXES:
        where = sizes(*origin), sizes(*ZERO), sizes(*region)
        assert error(where=where, pitch=(*pitch, 0, 0)) == "CL_INVALID_VALUE", (origin, region, pitch)
    for pitch in ((8, 16, 7, 0), (8, 16, 8, 15), (8, 16, 8, 20)):
        assert error(pitch=pitch) == "CL_INVALID_VALUE"
    assert error(pointer=None) == error(pointer=None, n=1) == "CL_INVALID_VALUE"
    assert error(n=1) == error(events=handles(user_event())) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=1, events=handles(user_event(other_context))) == "CL_INVALID_CONTEXT"
    forbidden = E.MEM_HOST_WRITE_ONLY if "Read" in function else E.MEM_HOST_READ_ONLY
    assert error(m=buffer(64, forbidden)) == error(m=buffer(64, E.MEM_HOST_NO_ACCESS)) == "CL_INVALID_OPERATION"


def test_copy_errors(api, queue, context, other_context, buffer, user_event):
    mem, other = buffer(64), buffer(64)

    def error(q=queue, a=mem, b=other, at=ZERO, to=ZERO, region=(8, 2, 1), pitch=(0, 0, 0, 0), n=0, events=None):
        where = (sizes(*x) if x else None for x in (at, to, region))
        return api.error("clEnqueueCopyBufferRect", q, a, b, *where, *pitch, n, events, None)

    assert error() == "CL_SUCCESS"
    assert error(q=context) == "CL_INVALID_COMMAND_QUEUE"
    foreign = buffer(64, within=other_context)
    assert error(a=foreign) == error(b=foreign) == "CL_INVALID_CONTEXT"
    assert error(a=None) == error(b=queue) == "CL_INVALID_MEM_OBJECT"
    assert error(at=None) == error(to=None) == error(region=None) == "CL_INVALID_VALUE"
    for origin, region, pitch in BAD_BOXES:
        assert error(at=origin, region=region, pitch=(*pitch, 0, 0)) == "CL_INVALID_VALUE", (origin, region, pitch)
        assert error(to=origin, region=region, pitch=(0, 0, *pitch)) == "CL_INVALID_VALUE", (origin, region, pitch)
    assert error(b=mem, to=(32, 0, 0), pitch=(8, 16, 16, 32)) == "CL_INVALID_VALUE"
    assert error(b=mem, to=(32, 0, 0), pitch=(8, 16, 8, 24)) == "CL_INVALID_VALUE"
    assert error(n=1) == "CL_INVALID_EVENT_WAIT_LIST"
    assert error(n=1, events=handles(user_event(other_context))) == "CL_INVALID_CONTEXT"
    assert error(b=mem) == "CL_MEM_COPY_OVERLAP"
    assert error(b=mem, n=1) == "CL_INVALID_EVENT_WAIT_LIST", "before CL_MEM_COPY_OVERLAP"
