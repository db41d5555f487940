# SPDX-License-Identifier: Apache-2.0
"""Calling Python code: whether there is an interpreter to call, which the host program may end while clpy is still in
use, and on which thread."""
from clpy.threads cimport thread_fn

# May this thread take the GIL? False for ever once the interpreter that imported clpy has ended.
cdef bint python_runs() noexcept nogil
# The interpreter is libclpy.so's own: nobody else's code runs in it, signal handlers either.
cdef void interpreter_is_ours() noexcept nogil
# In the child of a fork that Python does not know of: its lock may be held for ever, by a thread that is not there.
cdef void fork_without_python() noexcept nogil
# Call `fn`, which takes the GIL itself. False: Python cannot be called. call_python does it, where a signal handler of
# the host program might raise an exception in the middle of it, on another thread, which takes some 20 us; call_briefly
# is for what runs no Python code.
cdef bint call_python(thread_fn fn, void *argument) noexcept nogil
cdef bint call_briefly(thread_fn fn, void *argument) noexcept nogil
