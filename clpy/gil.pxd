# SPDX-License-Identifier: Apache-2.0
"""The GIL of threads that may have it or not. For nogil code; all of it inline."""

cdef extern from "clpy_gil.h" nogil:
    bint holds_gil "clpy_holds_gil"()
    # To wait without it; nothing happens where the thread has it not.
    void *gil_give "clpy_gil_give"()
    void gil_take "clpy_gil_take"(void *given)
