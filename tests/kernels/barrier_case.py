# SPDX-License-Identifier: Apache-2.0
"""How a barrier test is written: a kernel k(out, in, n, tmp) in OpenCL C, and the same thing in Python.

`in` has an element per work-item, `tmp` is __local with an element per work-item of a group, n is 5.
"""
CASES = {}
HEAD = "(global int *out, global const int *in, int n, local int *tmp)"
IDS = "  int l = get_local_id(0), L = get_local_size(0), g = get_global_id(0);\n"


def case(source):
    """The body decorated with this is the reference of `source`, whose kernel head and ids are filled in."""
    def add(body):
        CASES[body.__name__] = source.replace("HEAD", HEAD).replace("IDS;", IDS), body
        return body
    return add


def ids(item):
    return item.local_id(), item.local_size(), item.global_id()
