# SPDX-License-Identifier: Apache-2.0
"""The log, for nogil code."""

cdef bint traces(int level) noexcept nogil                          # is anything of this level written?
cdef void trace_text(int level, const char *text) noexcept nogil    # one line, without the line's end
cdef void report_text(const char *text) noexcept nogil              # whatever the level, some lines
