# SPDX-License-Identifier: Apache-2.0
"""Buffers that must be in host memory, as all are where a device lists the extension: what is left to check is whether
memory that the application gives is whole lines of the cache."""
from clpy.cl cimport cl_int, cl_uint, cl_ulong
from clpy.core.context cimport Context
from clpy.core.device cimport device_answer
from clpy.core.interpreter cimport python_runs
from clpy.spec.consts cimport (CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR,
                               CL_MEM_USE_HOST_PTR, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)

from clpy.trace import report_fault


cdef size_t largest_line(const Context *ctx) noexcept with gil:
    """CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, the largest of the devices; 0 when out of memory."""
    cdef size_t line = 1         # of a device without a cache
    cdef cl_uint i
    try:
        for i in range(ctx.n_devices):
            answer = device_answer(ctx.devices[i], CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE)
            line = max(line, int.from_bytes(answer, "little"))
    except Exception as error:
        report_fault("the cache lines of a context's devices", error)
        return 0
    return line


cdef cl_int in_host_memory(const Context *ctx, cl_ulong flags, size_t size, const void *host_ptr) noexcept nogil:
    cdef size_t line
    if not flags & CL_MEM_USE_HOST_PTR:
        return CL_SUCCESS
    line = largest_line(ctx) if python_runs() else 0
    if line == 0:
        return CL_OUT_OF_HOST_MEMORY
    # "if [...] host_ptr is not aligned to the largest CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE", then "if [...] size is not
    # a multiple of" it
    if <size_t>host_ptr % line:
        return CL_INVALID_HOST_PTR
    return CL_INVALID_BUFFER_SIZE if size % line else CL_SUCCESS
