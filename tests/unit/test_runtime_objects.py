# SPDX-License-Identifier: Apache-2.0
"""Slots and reference counts: any pointer can be tested, counts that come back from zero, many threads at once."""
import ctypes
import random
from ctypes import c_int, c_int32, c_int64, c_void_p

import pytest
from at_once import at_once

import clpy.core.command  # noqa: F401   registers events
from clpy.core import object as objects

EVENT, QUEUE, CONTEXT = 9, 4, 3
INVALID_EVENT, INVALID_QUEUE, OUT_OF_RESOURCES, SUCCESS = -58, -36, -5, 0
APP_REFS, RUN_REFS = 64, 68      # offsets in include/clpy_abi.h
HEAD = 80                        # bytes of clpy_object


def function(name, result, *arguments):
    """A C function that the module exports to other modules."""
    capsule = objects.__pyx_capi__[name]
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
    of = ctypes.pythonapi.PyCapsule_GetName
    of.restype, of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return ctypes.CFUNCTYPE(result, *arguments)(get(capsule, of(capsule)))


new = function("object_new", c_void_p, c_int)
new_internal = function("object_new_internal", c_void_p, c_int)
retain = function("object_retain", c_int32, c_void_p, c_int)
release = function("object_release", c_int32, c_void_p, c_int)
hold = function("object_hold", None, c_void_p)
try_hold = function("object_try_hold", c_int, c_void_p)
drop = function("object_drop", None, c_void_p)
live = function("live_count", c_int64, c_int)


def is_kind(handle, kind):
    return objects.is_alive(handle or 0, kind)


def refs(obj):
    return c_int32.from_address(obj + APP_REFS).value, c_int32.from_address(obj + RUN_REFS).value


@pytest.fixture
def event():
    made = new(EVENT)
    yield made
    while release(made, EVENT) == SUCCESS:
        pass


def test_any_pointer_can_be_tested(event):
    assert is_kind(event, EVENT)
    assert not is_kind(event, QUEUE)
    dice = random.Random(1)
    beside = [event + n for n in (-2**40, -2**32, -4096, -64, -8, -1, 1, 4, 8, 64, 128, 1 << 18, 1 << 30, 1 << 40)]
    anything = [0, 1, 8, 64, 2**47, 2**63, 2**64 - 1, 2**64 - 64, id(event), ctypes.addressof(c_int())]
    for pointer in beside + anything + [dice.getrandbits(64) for _ in range(1000)]:
        for kind in range(1, 11):
            assert not is_kind(pointer, kind), hex(pointer)


def test_contents_cannot_pass_for_an_object(event):
    """A slot whose data looks like the head of an object of the kind, at an offset that is aligned like one."""
    head = ctypes.string_at(event, 32)
    for offset in range(128, 512, 64):
        ctypes.memmove(event + offset, head, 32)
        assert not is_kind(event + offset, EVENT)
        ctypes.memset(event + offset, 0, 32)


def test_two_counts(event):
    assert refs(event) == (1, 1)
    assert retain(event, EVENT) == SUCCESS
    assert refs(event) == (2, 1)
    hold(event)
    assert refs(event) == (2, 2)
    assert [release(event, EVENT) for _ in range(3)] == [SUCCESS, SUCCESS, INVALID_EVENT]
    assert refs(event) == (0, 1)             # alive: the runtime holds it
    assert is_kind(event, EVENT)
    assert retain(event, EVENT) == SUCCESS   # and the application may have it back
    assert refs(event) == (1, 2)
    drop(event)
    assert refs(event) == (1, 1)
    assert retain(event, QUEUE) == INVALID_QUEUE
    before = live(EVENT)
    assert release(event, EVENT) == SUCCESS
    assert not is_kind(event, EVENT)
    assert live(EVENT) == before - 1
    assert [retain(event, EVENT), release(event, EVENT)] == [INVALID_EVENT] * 2


def test_new_objects_are_zero(event):
    ctypes.memset(event + 400, 0xAB, 100)    # of a command's payload
    assert release(event, EVENT) == SUCCESS
    again = new_internal(EVENT)
    assert again == event, "the last slot freed is warm in the cache"
    assert refs(again) == (0, 1)
    assert ctypes.string_at(again + HEAD, 500) == bytes(500)
    drop(again)


def test_many(event):
    """More than a step of address space; the census counts them."""
    before = live(EVENT)
    made = [new(EVENT) for _ in range(5000)]
    assert len(set(made)) == 5000
    assert live(EVENT) == before + 5000
    assert objects.census()["event"] == before + 5000
    for each in made:
        assert release(each, EVENT) == SUCCESS
    assert live(EVENT) == before


def test_many_threads():
    """No slot is given to two at once."""
    before, errors = live(EVENT), []

    def one(seed):
        dice, mine = random.Random(seed), []
        for _ in range(4000):
            if dice.random() < 0.5 or not mine:
                made = new_internal(EVENT)
                if ctypes.string_at(made + HEAD, 8) != bytes(8):
                    errors.append("not zero")
                mine.append(made)
            else:
                drop(mine.pop(dice.randrange(len(mine))))
        for each in mine:
            if refs(each) != (0, 1):
                errors.append("two owners")
            drop(each)

    at_once(one, 6)
    assert errors == []
    assert live(EVENT) == before


def test_a_count_that_many_revive():
    """Retain and release race with each other while only the runtime holds the object."""
    made, errors = new(EVENT), []
    hold(made)
    assert release(made, EVENT) == SUCCESS

    def one(_):
        for _ in range(3000):
            if retain(made, EVENT) != SUCCESS or release(made, EVENT) != SUCCESS:
                errors.append("lost")

    at_once(one, 4)
    assert errors == []
    assert refs(made) == (0, 1)
    drop(made)
    assert not is_kind(made, EVENT)


def test_releases_too_many_take_nothing_from_the_runtime():
    made, errors = new(EVENT), []
    hold(made)
    assert release(made, EVENT) == SUCCESS

    def one(seed):
        dice = random.Random(seed)
        for _ in range(5000):
            if dice.random() < 0.4:
                errors.extend(code for code in [retain(made, EVENT)] if code != SUCCESS)
            else:
                errors.extend(code for code in [release(made, EVENT)] if code not in (SUCCESS, INVALID_EVENT))

    at_once(one, 4)
    assert errors == []
    while release(made, EVENT) == SUCCESS:
        pass
    assert refs(made) == (0, 1)
    drop(made)
    assert not is_kind(made, EVENT)


def test_a_count_has_an_end(event):
    c_int32.from_address(event + APP_REFS).value = 1 << 30
    assert retain(event, EVENT) == OUT_OF_RESOURCES
    assert refs(event) == (1 << 30, 1)
    c_int32.from_address(event + APP_REFS).value = 1


def test_an_object_that_is_gone_cannot_be_held():
    """An object that only the runtime holds may go at any moment: who gets it from the application asks first."""
    event = new_internal(EVENT)
    assert try_hold(event) and refs(event) == (0, 2)
    drop(event)
    drop(event)
    assert not is_kind(event, EVENT) and not try_hold(event) and refs(event) == (0, 0)
