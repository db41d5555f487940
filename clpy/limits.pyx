# SPDX-License-Identifier: Apache-2.0
"""Limits of processes: what the module `resource` has for them, which the private interpreter has not."""

cdef extern from "process_limits.h":
    unsigned long long get_limit "clpy_limit_of"(int kind)
    int set_limit "clpy_limit"(int pid, int kind, unsigned long long most)
    enum: RLIMIT_AS, RLIMIT_CORE, RLIMIT_CPU, RLIMIT_FSIZE

KINDS = {"RLIMIT_AS": RLIMIT_AS, "RLIMIT_CORE": RLIMIT_CORE, "RLIMIT_CPU": RLIMIT_CPU, "RLIMIT_FSIZE": RLIMIT_FSIZE}


def limit(pid, name, most):
    """Whether the process `pid` has `most` of this at most from now on. It may have ended, or have less already."""
    return set_limit(pid, KINDS[name], most) == 0


def limit_of(name):
    """Of this process; a number beyond all that can be asked for where there is none."""
    return get_limit(KINDS[name])
