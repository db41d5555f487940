# SPDX-License-Identifier: Apache-2.0
"""Whether there is an interpreter to call: the host program's may end while clpy is still in use."""

# May this thread take the GIL? False for ever once the interpreter that imported clpy has ended.
cdef bint python_runs() noexcept nogil
