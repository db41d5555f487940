# SPDX-License-Identifier: Apache-2.0
"""Programs from intermediate language: creation, specialization constants."""
from clpy.cl cimport cl_context, cl_int, cl_program, cl_uint

cdef cl_program create_program_with_il(cl_context context, const void *il, size_t length) except NULL
cdef cl_int set_program_specialization_constant(cl_program program, cl_uint spec_id, size_t spec_size,
                                                const void *spec_value) except? -9999
