# SPDX-License-Identifier: Apache-2.0
"""Whether the process has more rights than who started it: what the environment says is that user's wish and not to be
followed then."""

cdef extern from "<sys/auxv.h>" nogil:
    unsigned long getauxval(unsigned long type)
    unsigned long AT_SECURE


cdef inline bint in_secure_mode() noexcept nogil:
    """Setuid, setgid, capabilities of the file: the system knows. Libraries that read variables of their own are not
    asked anything then."""
    return getauxval(AT_SECURE) != 0
