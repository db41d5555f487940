# SPDX-License-Identifier: Apache-2.0
"""One stream of what happens: objects come and go, commands are enqueued, start and end, programs are built, kernels
fault. Who wants to know adds a sink; without one each place costs a load and a compare.

`tell` of a sink is called by the thread that it happens on, with no lock held that a command needs and without the GIL
(what is BUILT: with it). It may not wait, nor call back into what it is told of.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.abi cimport clpy_object
from clpy.futex cimport now_ns

cdef enum:                       # what happened, and to what
    CREATED = 1                  # an object of any kind: it has no contents yet
    DESTROYED = 2                # an object of any kind: its contents are still there
    ENQUEUED = 4                 # a command
    STARTED = 8                  # a command that a device runs
    FINISHED = 16                # a command: what it used is still held
    BUILT = 32                   # a program, for one device: `with_it` is the device
    FAULTED = 64                 # a command: `with_it` is the Fault

ctypedef struct Happening:
    uint32_t what
    int32_t status               # of FINISHED, BUILT and FAULTED: an execution status, or a code
    const clpy_object *object    # a Command, a Program, ...; its kind is object.kind. Alive during the call
    const void *with_it
    uint64_t ns                  # now, on the host's clock (clpy.futex.now_ns)
    uint64_t since_ns            # of BUILT, when that began

ctypedef struct Sink:
    uint32_t wants               # what, added up
    void (*tell)(const Happening *it) noexcept nogil
    Sink *next

cdef Sink *sinks                 # NULL: nobody wants to know

# For ever. When the core is imported; who adds one later is not told of all that has begun before.
cdef void sink_add(Sink *sink) noexcept nogil
cdef void tell_sinks(uint32_t what, const void *of, int32_t status, const void *with_it,
                     uint64_t since_ns) noexcept nogil


cdef inline void happened(uint32_t what, const void *of) noexcept nogil:
    if sinks != NULL:
        tell_sinks(what, of, 0, NULL, 0)


cdef inline void happened_with(uint32_t what, const void *of, int32_t status, const void *with_it) noexcept nogil:
    if sinks != NULL:
        tell_sinks(what, of, status, with_it, 0)
