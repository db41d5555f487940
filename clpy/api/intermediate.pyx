# SPDX-License-Identifier: Apache-2.0
"""Programs from intermediate language: creation, specialization constants. What else can be done with them is in
program.pyx."""
from clpy.cl cimport cl_context, cl_int, cl_program, cl_uint
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_CONTEXT, KIND_PROGRAM, object_is
from clpy.core.program cimport Program, drain_drops, program_new
from clpy.spec.consts cimport (CL_INVALID_CONTEXT, CL_INVALID_OPERATION, CL_INVALID_PROGRAM, CL_INVALID_SPEC_ID,
                               CL_INVALID_VALUE, CL_SUCCESS)

from clpy.core.program import State
from clpy.errors import CLError


cdef cl_program create_program_with_il(cl_context context, const void *il, size_t length) except NULL:
    cdef Context *ctx = <Context *>context
    drain_drops()
    if not object_is(context, KIND_CONTEXT):
        raise CLError(CL_INVALID_CONTEXT)
    from clpy.compiler import translator
    if not translator.path():    # "if no devices in context support intermediate language programs"
        raise CLError(CL_INVALID_OPERATION, translator.MISSING)
    if il == NULL or length == 0:
        raise CLError(CL_INVALID_VALUE, "no IL")
    blob = (<const char *>il)[:length]
    from clpy.compiler import spirv
    try:
        spirv.parse(blob)
    except ValueError as why:    # "does not contain well-formed intermediate language input that can be consumed"
        raise CLError(CL_INVALID_VALUE, str(why)) from None
    return <cl_program>program_new(ctx, ctx.n_devices, ctx.devices, State(ctx.n_devices, il=blob))


cdef cl_int set_program_specialization_constant(cl_program program, cl_uint spec_id, size_t spec_size,
                                                const void *spec_value) except? -9999:
    # "if program is not a valid program object created from an intermediate language"
    if not object_is(program, KIND_PROGRAM) or (<object>(<Program *>program).state).il is None:
        raise CLError(CL_INVALID_PROGRAM)
    state = <object>(<Program *>program).state
    from clpy.compiler import spirv
    constant = spirv.constants(spirv.parse(state.il)).get(spec_id)
    if constant is None:
        raise CLError(CL_INVALID_SPEC_ID, f"the module has no specialization constant {spec_id}")
    if constant.size != spec_size or spec_value == NULL:
        raise CLError(CL_INVALID_VALUE, f"specialization constant {spec_id} takes {constant.size} bytes")
    # "will be used by subsequent calls": a build that runs has its own copy of the values.
    state.constants = {**state.constants, spec_id: (<const char *>spec_value)[:spec_size]}
    return CL_SUCCESS
