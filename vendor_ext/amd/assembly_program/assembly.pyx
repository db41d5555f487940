# SPDX-License-Identifier: Apache-2.0
"""Programs from assembly of a chip: their creation. What becomes of them is in clpy/compiler/amdgpu/assembler.py."""
from clpy.api.program cimport text_in
from clpy.cl cimport cl_context, cl_program, cl_uint
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_CONTEXT, object_is
from clpy.core.program cimport drain_drops, program_new
from clpy.spec.consts cimport CL_DEVICE_TYPE_GPU, CL_INVALID_CONTEXT, CL_INVALID_OPERATION

from clpy.core.program import State
from clpy.errors import CLError


cdef bint takes_assembly(const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i].type == CL_DEVICE_TYPE_GPU:
            return True
    return False


cdef cl_program create_program_with_assembly(cl_context context, cl_uint count, const char **strings,
                                             const size_t *lengths) except NULL:
    cdef Context *ctx = <Context *>context
    drain_drops()
    if not object_is(context, KIND_CONTEXT):
        raise CLError(CL_INVALID_CONTEXT)
    text = text_in(count, strings, lengths)
    if not takes_assembly(ctx):
        raise CLError(CL_INVALID_OPERATION, "no device of the context takes assembly")
    return <cl_program>program_new(ctx, ctx.n_devices, ctx.devices, State(ctx.n_devices, assembly=text))
