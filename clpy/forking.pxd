# SPDX-License-Identifier: Apache-2.0
"""Forks of the process wait until no thread is in the middle of what its child could not go on with: Python code, and
LLVM, which have locks that only their holder can give back."""

# Around such work; nests. work_enters waits while a fork is under way, and does so without the GIL.
cdef void work_enters() noexcept nogil
cdef void work_leaves() noexcept nogil
# A thread was in the middle of it nevertheless: what it held is held for ever, and nobody may enter any more.
cdef bint work_is_stuck() noexcept nogil
# Around a fork, in the thread that forks; nests: Python's preparations are around those of the C library. True: in the
# child, and there is more to come.
cdef void fork_begins() noexcept nogil
cdef void fork_ends_in_parent() noexcept nogil
cdef bint fork_ends_in_child() noexcept nogil
