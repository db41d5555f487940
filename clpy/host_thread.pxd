# SPDX-License-Identifier: Apache-2.0
"""What a thread of the host program brings along that our code must not meet: see clpy_host_thread.h. nogil."""

cdef enum:
    LEAST_STACK = 128 << 10      # bytes that a host thread must have left to run kernels

cdef extern from "clpy_host_thread.h" nogil:
    # Floating point as kernels and compilers expect it, and back to what the host program has.
    ctypedef struct clpy_fp_state:
        pass
    clpy_fp_state fp_enter "clpy_fp_enter"()
    void fp_leave "clpy_fp_leave"(clpy_fp_state before)
    # The same, and the thread is not cancelled meanwhile: it may have the GIL, or hold a lock.
    ctypedef struct clpy_host_state:
        pass
    clpy_host_state host_leave_out "clpy_host_leave_out"()
    void host_go_back "clpy_host_go_back"(clpy_host_state before)
    # Are there as many bytes left of this thread's stack?
    bint stack_has "clpy_stack_has"(size_t bytes)
