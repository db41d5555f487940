# SPDX-License-Identifier: Apache-2.0
"""The L2 of a chip, in channels that take turns every interleave_bytes; each serves a line at a time.

Stores stay in it until their place is wanted; it knows which bytes were written, so that a store fetches nothing. It
keeps its lines from one launch to the next where both are given the same DeviceMemory; the others begin empty. Lines of
the host's memory go past it (link.pxd). Where some compute units are followed, requests go through among.pyx.
"""
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.among cimport others_ask, write_among
from clpy.device.gpu.timing.dram cimport dram_read
from clpy.device.gpu.timing.link cimport is_of_host, link_read, link_write
from clpy.device.gpu.timing.model cimport Model, Outcome, Service, port_among, service_of
from clpy.device.gpu.timing.slices cimport rest_of


cdef int64_t l2_pass(Model *model, const Line *line, int64_t at) noexcept nogil:
    cdef int64_t start = port_among(model.l2_ports + line.channel, at, &model.l2_line), there
    model.stats.l2_read_lines += 1
    if is_of_host(model, line.number):
        return link_read(model, start)
    there = dram_read(model, line.channel, line.block, start)
    if model.n_others:
        others_ask(model, line.number, rest_of(model, line.number), at, False)
    return there


cdef int64_t l2_write(Model *model, uint32_t number, int64_t at) noexcept nogil:
    cdef Line line = l2_line(model, number)
    cdef int64_t start = port_among(model.l2_ports + line.channel, at, &model.l2_line)
    cdef Outcome outcome
    model.stats.l2_write_lines += 1
    if is_of_host(model, number):
        return link_write(model, start)
    if not model.n_others:
        return write_followed(model, &line, start, &outcome)
    start = write_among(model, number, start)
    others_ask(model, number, rest_of(model, number), at, True)
    return start


cdef int64_t l2_atomic(Model *model, uint32_t number, int64_t at, int64_t operations) noexcept nogil:
    """It is busy with the line for as many as meet at one address; those on the host's memory are done there."""
    cdef bint is_there
    cdef Line line = l2_line(model, number)
    cdef Service service = service_of(model, model.l2_cycles * operations)
    cdef int64_t start = port_among(model.l2_ports + line.channel, at, &service), place
    model.stats.atomics += operations
    model.stats.l2_read_lines += 1
    if is_of_host(model, number):
        model.stats.l2_misses += 1
        link_write(model, start)
        return link_read(model, start)
    if model.n_others:
        others_ask(model, number, rest_of(model, number), at, True)
    place = take(model, line.set_, number, &is_there)
    if not is_there:
        model.stats.l2_misses += 1
        if model.l2.dirty[place]:
            write_back(model, place, start)
        model.l2.ready[place] = dram_read(model, line.channel, line.block, start)
    else:
        model.stats.l2_hits += 1
    model.l2.dirty[place] = 1
    return max(start, model.l2.ready[place]) + model.l2_cycles * operations
