# SPDX-License-Identifier: Apache-2.0
"""Signals of a Python program, in threads that wait: their handlers run, and what they raise ends the wait.

A signal of a Python program only leaves a note. Its handler runs when the main thread is back in Python code, or where
C code gives it a chance. So the main thread of a Python program, and it alone, looks from time to time while it waits.
"""

cdef enum:
    LOOK_NS = 100000000          # so often

# Is the calling thread the one that handles signals? Cheap.
cdef bint signals_are_mine() noexcept nogil
# In that thread: run the handlers that are due. True: one has raised an exception, which comes up as soon as the thread
# is back in Python code; until then it is True each time.
cdef bint signals_interrupt() noexcept nogil
# In that thread, in the middle of anything, with or without the GIL: has Python noted an interrupt, and is its handler
# the usual one, which raises? Cheap, and safe in a handler of the system.
cdef bint signals_interrupt_is_due() noexcept nogil
# In any thread: may functions of the host be called, which may be written in Python? Not once that ends.
cdef bint host_takes_calls() noexcept nogil
# In that thread, then: True once for each exception.
cdef bint signals_first() noexcept nogil
