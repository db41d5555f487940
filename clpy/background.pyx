# SPDX-License-Identifier: Apache-2.0
"""Threads that help in a piece of Python work. Not those of `threading`: the module takes the thread that imports it
first for the main one, and that is the host program's business."""
from clpy.threads cimport pthread_t, thread_end, thread_make

cdef enum:
    STACK_BYTES = 16 << 20


cdef void run(void *given) noexcept nogil:
    call(given)


cdef void call(void *given) noexcept with gil:
    try:
        (<Thread>given).function()
    except BaseException as error:
        (<Thread>given).error = error


cdef class Thread:
    """Runs a function, with all signals blocked: they are the application's. RuntimeError where no thread can be had.
    It has to be joined, by whoever the work is for: a fork that waits for that one waits for its helpers."""
    cdef pthread_t thread
    cdef object function
    cdef object error

    def __init__(self, function):
        self.function = function
        if not thread_make(run, <void *>self, b"clpy-python", STACK_BYTES, &self.thread):
            raise RuntimeError("no thread")

    def join(self):
        """When this returns the thread is gone. Raises what its function raised."""
        with nogil:
            thread_end(self.thread, NULL)
        if self.error is not None:
            raise self.error
