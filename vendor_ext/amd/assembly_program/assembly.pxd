# SPDX-License-Identifier: Apache-2.0
"""Programs from assembly of a chip."""
from clpy.cl cimport cl_context, cl_program, cl_uint

cdef cl_program create_program_with_assembly(cl_context context, cl_uint count, const char **strings,
                                             const size_t *lengths) except NULL
