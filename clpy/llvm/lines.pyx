# SPDX-License-Identifier: Apache-2.0
"""Where machine code comes from in the source (lines_shim.cpp)."""
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport free
from clpy.llvm.guard cimport guarded
from clpy.llvm.module cimport Module

cdef extern from "lines_shim.h" nogil:
    struct clpy_line_question:
        const char *object
        size_t size
        const char *name
        uint64_t offset
        int inside
        char *answer
    void clpy_place_lines(void *, const char *, const char *) noexcept
    void clpy_find_line(void *) noexcept


def place_lines(Module module, str prefix, str part):
    """Functions whose names begin with `prefix`, or that have the attribute `part`, say where in the source their
    instructions come from."""
    cdef bytes text = prefix.encode(), attribute = part.encode()
    cdef const char *c_prefix = text
    cdef const char *c_part = attribute
    with nogil:
        clpy_place_lines(module.module, c_prefix, c_part)


cdef bint find_line(const char *object, size_t size, const char *name, uint64_t offset, char **place) noexcept nogil:
    cdef clpy_line_question question
    cdef char *failed
    question.object, question.size, question.name, question.offset = object, size, name, offset
    question.inside = 0
    question.answer = NULL
    place[0] = NULL
    failed = guarded(clpy_find_line, &question)
    if failed == NULL:
        place[0] = question.answer
    free(failed)
    return question.inside != 0


def line_finder():
    """The address of a find_line_fn (clpy/core/program.pxd), which needs no Python."""
    return <uintptr_t>&find_line


def place_of(bytes object, str name, uint64_t offset):
    """The place in the source of a byte of an object file's function, None where it is not known."""
    cdef char *place = NULL
    cdef bytes c_name = name.encode()
    find_line(object, len(object), c_name, offset, &place)
    if place == NULL:
        return None
    text = place.decode("utf-8", "replace")
    free(place)
    return text
