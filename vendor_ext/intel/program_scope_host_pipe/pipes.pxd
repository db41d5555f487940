# SPDX-License-Identifier: Apache-2.0
from clpy.cl cimport cl_command_queue, cl_int, cl_program
from clpy.core.command cimport Wait
from clpy.core.program cimport Program

cdef cl_int enqueue_read(cl_command_queue command_queue, cl_program program, const char *pipe_symbol, void *ptr,
                         size_t size, const Wait *wait) noexcept nogil
cdef cl_int enqueue_write(cl_command_queue command_queue, cl_program program, const char *pipe_symbol,
                          const void *ptr, size_t size, const Wait *wait) noexcept nogil
# Queries of a program.
cdef cl_int number(Program *program, size_t size, void *value, size_t *size_ret) noexcept nogil
cdef cl_int names(Program *program, size_t size, void *value, size_t *size_ret) noexcept nogil
