# SPDX-License-Identifier: Apache-2.0
"""Program objects: creation, builds, queries."""
from libc.string cimport memcpy, strlen
from clpy.api.check cimport check_array, check_devices
from clpy.api.info cimport info_object, info_ptr, info_size, info_u32
from clpy.cl cimport (cl_context, cl_device_id, cl_int, cl_program, cl_program_build_info, cl_program_info, cl_uint,
                      program_notify_fn)
from clpy.core cimport build as builder
from clpy.core.built_in cimport built_in_build
from clpy.core.context cimport Context
from clpy.core.object cimport KIND_CONTEXT, KIND_PROGRAM, object_drop, object_is
from clpy.core.program cimport Code, Program, build_for, drain_drops, program_new
from clpy.device.base cimport Device
from clpy.spec.consts cimport (CL_INVALID_BINARY, CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_OPERATION,
                               CL_INVALID_PROGRAM, CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_VALUE,
                               CL_PROGRAM_BINARIES, CL_PROGRAM_BINARY_SIZES,
                               CL_PROGRAM_BINARY_TYPE, CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                               CL_PROGRAM_BINARY_TYPE_INTERMEDIATE,
                               CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, CL_PROGRAM_BUILD_LOG,
                               CL_PROGRAM_BUILD_OPTIONS, CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_CONTEXT,
                               CL_PROGRAM_DEVICES, CL_PROGRAM_IL, CL_PROGRAM_KERNEL_NAMES, CL_PROGRAM_NUM_DEVICES,
                               CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_REFERENCE_COUNT,
                               CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
                               CL_PROGRAM_SOURCE, CL_SUCCESS)

from clpy.core.program import State
from clpy.errors import CLError


# ---- creation --------------------------------------------------------------------------------------------------------

cdef bytes text_in(cl_uint count, const char **strings, const size_t *lengths):
    cdef cl_uint i
    if count == 0 or strings == NULL:
        raise CLError(CL_INVALID_VALUE, "no strings")
    for i in range(count):
        if strings[i] == NULL:
            raise CLError(CL_INVALID_VALUE, f"string {i} is NULL")
    # "If an element in lengths is zero, its accompanying string is null-terminated."
    parts = [strings[i][:lengths[i] if lengths != NULL and lengths[i] else strlen(strings[i])] for i in range(count)]
    # "The concatenation strips any nulls in the original source strings."
    return b"".join(parts).replace(b"\0", b"")


cdef cl_program create_program_with_source(cl_context context, cl_uint count, const char **strings,
                                           const size_t *lengths) except NULL:
    cdef Context *ctx = <Context *>context
    drain_drops()
    if not object_is(context, KIND_CONTEXT):
        raise CLError(CL_INVALID_CONTEXT)
    source = text_in(count, strings, lengths)
    return <cl_program>program_new(ctx, ctx.n_devices, ctx.devices, State(ctx.n_devices, source))


cdef cl_program create_program_with_binary(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                           const size_t *lengths, const unsigned char **binaries,
                                           cl_int *binary_status) except NULL:
    cdef Context *ctx = <Context *>context
    cdef Program *program
    cdef cl_int err
    cdef cl_uint i
    drain_drops()
    if not object_is(context, KIND_CONTEXT):
        raise CLError(CL_INVALID_CONTEXT)
    if device_list == NULL or num_devices == 0:
        raise CLError(CL_INVALID_VALUE, "no devices")
    err = check_devices(ctx, num_devices, device_list)
    if err != CL_SUCCESS:
        raise CLError(err, "a device that the context does not have")
    if lengths == NULL or binaries == NULL:
        raise CLError(CL_INVALID_VALUE, "no binaries")
    state = State(num_devices, from_binary=True)
    for i in range(num_devices):
        status = take_binary(state.builds[i], ctx, <Device *>device_list[i],
                             binaries[i][:lengths[i]] if binaries[i] != NULL else b"")
        if binary_status != NULL:
            binary_status[i] = status
        err = err or status
    if err != CL_SUCCESS:
        raise CLError(err, "a binary is missing, not one of this platform, or damaged")
    program = program_new(ctx, num_devices, <Device **>device_list, state)
    for i in range(num_devices):
        program.builds[i].binary_type = kind_of(state.builds[i])
    return <cl_program>program


cdef cl_uint kind_of(object build) except? 9999:
    """cl_program_binary_type of what was loaded."""
    if build.il is not None:
        return CL_PROGRAM_BINARY_TYPE_INTERMEDIATE
    return (build.exe or build.unit).kind


cdef cl_int take_binary(object build, const Context *ctx, Device *dev, bytes blob) except? -9999:
    """The status of one binary; what it holds goes into `build`."""
    if not blob:
        return CL_INVALID_VALUE
    from clpy.compiler import spirv
    try:
        if spirv.is_spirv(blob):
            spirv.parse(blob)
            build.il = build.binary = blob
            return CL_SUCCESS
        product = builder.product_of(blob, ctx, dev)
    except ValueError:
        return CL_INVALID_BINARY
    except CLError as error:
        return error.code
    if product.kind == CL_PROGRAM_BINARY_TYPE_EXECUTABLE:
        build.exe = product
    else:
        build.unit = product
    build.binary = blob
    return CL_SUCCESS


cdef cl_program create_program_with_built_in_kernels(cl_context context, cl_uint num_devices,
                                                     const cl_device_id *device_list,
                                                     const char *kernel_names) except NULL:
    cdef Context *ctx = <Context *>context
    cdef Program *program
    cdef cl_int err
    drain_drops()
    if not object_is(context, KIND_CONTEXT):
        raise CLError(CL_INVALID_CONTEXT)
    if device_list == NULL or num_devices == 0:
        raise CLError(CL_INVALID_VALUE, "no devices")
    if kernel_names == NULL:
        raise CLError(CL_INVALID_VALUE, "no names of kernels")
    err = check_devices(ctx, num_devices, device_list)
    if err != CL_SUCCESS:
        raise CLError(err, "a device that the context does not have")
    program = program_new(ctx, num_devices, <Device **>device_list, State(num_devices))
    try:
        built_in_build(program, text_of(kernel_names).split(";"))
    except BaseException:
        object_drop(program)
        raise
    return <cl_program>program


cdef cl_int set_program_release_callback(cl_program program, program_notify_fn pfn_notify,
                                         void *user_data) noexcept nogil:
    # "CL_INVALID_OPERATION if no devices [...] support destructors for program scope global variables"
    return CL_INVALID_OPERATION if object_is(program, KIND_PROGRAM) else CL_INVALID_PROGRAM


# ---- build, compile, link --------------------------------------------------------------------------------------------

cdef str text_of(const char *options):
    """An option string as Python text; bytes that are no UTF-8 survive the way to Clang and back."""
    return (<bytes>options).decode("utf-8", "surrogateescape") if options != NULL else ""


cdef list device_indices(Program *program, cl_uint n, const cl_device_id *devices):
    """Which of the program's devices are meant; CL_INVALID_DEVICE."""
    cdef cl_uint i, j
    if devices == NULL:
        return list(range(program.n_devices))
    found = []
    for i in range(n):
        for j in range(program.n_devices):
            if program.builds[j].device == <Device *>devices[i]:
                found.append(j)
                break
        else:
            raise CLError(CL_INVALID_DEVICE, "a device that the program does not have")
    return sorted(set(found))


cdef list check_build_call(Program *program, cl_uint n, const cl_device_id *devices, program_notify_fn notify,
                           void *user_data):
    """CL_INVALID_VALUE for the device list, for the callback, CL_INVALID_DEVICE."""
    check_lists(n, devices, notify, user_data)
    return device_indices(program, n, devices)


cdef int check_lists(cl_uint n, const cl_device_id *devices, program_notify_fn notify, void *user_data) except -1:
    if check_array(n, devices) != CL_SUCCESS:
        raise CLError(CL_INVALID_VALUE, "num_devices and device_list disagree")
    if notify == NULL and user_data != NULL:
        raise CLError(CL_INVALID_VALUE, "user_data without pfn_notify")
    return 0


cdef cl_int build_program(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                          const char *options, program_notify_fn pfn_notify, void *user_data) except? -9999:
    cdef Program *p = <Program *>program
    if not object_is(program, KIND_PROGRAM):
        raise CLError(CL_INVALID_PROGRAM)
    indices = check_build_call(p, num_devices, device_list, pfn_notify, user_data)
    state = <object>p.state
    for i in indices:            # of a program from a binary: "must be an executable binary"
        if state.from_binary and state.builds[i].exe is None and state.builds[i].il is None:
            raise CLError(CL_INVALID_BINARY, "the binary is not an executable")
    # "if program was not created with clCreateProgramWithSource, [...] or clCreateProgramWithBinary": by a link
    if state.source is None and state.il is None and state.assembly is None and not state.from_binary:
        raise CLError(CL_INVALID_OPERATION, "the program has neither source nor IL nor binary")
    return builder.build(p, indices, text_of(options), pfn_notify, user_data)


cdef dict headers_of(Program *program, cl_uint n, const cl_program *headers, const char **names):
    """Embedded headers by the name they are included by."""
    cdef Program *header
    cdef cl_uint i
    if (n == 0) != (headers == NULL) or (n == 0) != (names == NULL):
        raise CLError(CL_INVALID_VALUE, "the lists of headers disagree")
    found = {}
    for i in range(n):
        if not object_is(headers[i], KIND_PROGRAM):
            raise CLError(CL_INVALID_PROGRAM, f"header {i} is not a program")
        if names[i] == NULL:
            raise CLError(CL_INVALID_VALUE, f"header {i} has no name")
        header = <Program *>headers[i]
        # "if the context associated with program and programs in input_headers are not the same"
        if header.context != program.context:
            raise CLError(CL_INVALID_CONTEXT, f"header {i} is of another context")
        source = (<object>header.state).source
        if source is None:
            raise CLError(CL_INVALID_OPERATION, f"header {i} has no source")
        # "If multiple entries refer to the same header name, the first one encountered will be used."
        found.setdefault(text_of(names[i]), source)
    return found


cdef cl_int compile_program(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                            const char *options, cl_uint num_input_headers, const cl_program *input_headers,
                            const char **header_include_names, program_notify_fn pfn_notify,
                            void *user_data) except? -9999:
    cdef Program *p = <Program *>program
    if not object_is(program, KIND_PROGRAM):
        raise CLError(CL_INVALID_PROGRAM)
    check_lists(num_devices, device_list, NULL, NULL)
    # "If program was created using clCreateProgramWithIL, then num_input_headers [...] are ignored."
    from_il = (<object>p.state).il is not None
    headers = {} if from_il else headers_of(p, num_input_headers, input_headers, header_include_names)
    indices = check_build_call(p, num_devices, device_list, pfn_notify, user_data)
    return builder.compile(p, indices, text_of(options), headers, pfn_notify, user_data)


cdef dict units_by_device(Context *ctx, list devices, cl_uint n, const cl_program *inputs):
    """Index of a device in `devices` -> what is linked for it.

    "All programs contain a compiled binary or library for the device": they are linked. "None": the device is left out.
    "All other cases will return a CL_INVALID_OPERATION error."
    """
    cdef Program *program
    cdef cl_uint i
    units = {}
    for index, device in enumerate(devices):
        of_device = []
        for i in range(n):
            program = <Program *>inputs[i]
            at = build_for(program, <Device *><size_t>device)
            unit = (<object>program.state).builds[at].unit if at >= 0 else None
            if unit is not None:
                of_device.append(unit)
        if of_device and len(of_device) < n:
            raise CLError(CL_INVALID_OPERATION, "some programs have no compiled binary for a device, others have")
        if of_device:
            units[index] = of_device
    if not units:
        raise CLError(CL_INVALID_OPERATION, "no program has a compiled binary")
    return units


cdef int check_inputs(Context *ctx, cl_uint n, const cl_program *inputs) except -1:
    cdef cl_uint i
    if n == 0 or inputs == NULL:
        raise CLError(CL_INVALID_VALUE, "no programs to link")
    for i in range(n):
        if not object_is(inputs[i], KIND_PROGRAM):
            raise CLError(CL_INVALID_PROGRAM, f"input {i} is not a program")
    for i in range(n):
        if (<Program *>inputs[i]).context != ctx:
            raise CLError(CL_INVALID_CONTEXT, f"input {i} is of another context")
    return 0


cdef cl_program link_program(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                             const char *options, cl_uint num_input_programs, const cl_program *input_programs,
                             program_notify_fn pfn_notify, void *user_data, cl_int *errcode_ret) except NULL:
    """Returns a program, whose log says why, even where the link fails: then with CL_LINK_PROGRAM_FAILURE."""
    cdef Context *ctx = <Context *>context
    cdef Program *program
    cdef cl_uint i, n
    cdef cl_int err
    if not object_is(context, KIND_CONTEXT):
        raise CLError(CL_INVALID_CONTEXT)
    check_lists(num_devices, device_list, NULL, NULL)
    check_inputs(ctx, num_input_programs, input_programs)
    check_lists(num_devices, device_list, pfn_notify, user_data)
    if device_list != NULL and check_devices(ctx, num_devices, device_list) != CL_SUCCESS:
        raise CLError(CL_INVALID_DEVICE, "a device that the context does not have")
    devices = <Device **>device_list if device_list != NULL else ctx.devices
    n = num_devices if device_list != NULL else ctx.n_devices
    builder.check_link_options(text_of(options))
    units = units_by_device(ctx, [<size_t>devices[i] for i in range(n)], num_input_programs, input_programs)
    program = program_new(ctx, n, devices, State(n))
    try:
        err = builder.link(program, units, text_of(options), pfn_notify, user_data)
    except BaseException:
        object_drop(program)
        raise
    errcode_ret[0] = err
    return <cl_program>program


# ---- queries ---------------------------------------------------------------------------------------------------------

cdef list kernel_names(Program *program):
    """Names of the kernels of all builds, once each; CL_INVALID_PROGRAM_EXECUTABLE where nothing is built."""
    cdef Code *code
    cdef cl_uint i, j
    cdef bint built = False
    names = {}
    for i in range(program.n_devices):
        code = program.builds[i].code
        if code != NULL:
            built = True
            for j in range(code.n_kernels):
                if not code.kernels[j].is_block:
                    names[(<bytes>code.kernels[j].name).decode()] = True
    if not built:
        raise CLError(CL_INVALID_PROGRAM_EXECUTABLE, "no executable has been built")
    return list(names)


cdef bytes source_of(Program *program):
    """The source, OpenCL C or assembly; of a program from a binary, the one that is stored in there."""
    state = <object>program.state
    if state.source is None and state.from_binary and state.builds[0].il is None:
        return builder.source_in(program, 0)
    return state.source or state.assembly or b""


cdef cl_int binaries(Program *program, size_t size, void *value, size_t *size_ret) except? -9999:
    """`value` is an array of addresses to copy to; an address that is NULL is skipped."""
    cdef unsigned char **to = <unsigned char **>value
    cdef bytes blob
    cdef cl_uint i
    if value != NULL and size < program.n_devices * sizeof(void *):
        return CL_INVALID_VALUE
    if size_ret != NULL:
        size_ret[0] = program.n_devices * sizeof(void *)
    if value == NULL:
        return CL_SUCCESS
    for i in range(program.n_devices):
        blob = builder.binary_of(program, i)
        if to[i] != NULL:
            memcpy(to[i], <const unsigned char *>blob, len(blob))
    return CL_SUCCESS


cdef cl_int devices(Program *program, size_t size, void *value, size_t *size_ret) except? -9999:
    handles = [(<size_t>program.builds[i].device).to_bytes(8, "little") for i in range(program.n_devices)]
    return info_object(b"".join(handles), size, value, size_ret)


cdef cl_int binary_sizes(Program *program, size_t size, void *value, size_t *size_ret) except? -9999:
    sizes = [len(builder.binary_of(program, i)).to_bytes(8, "little") for i in range(program.n_devices)]
    return info_object(b"".join(sizes), size, value, size_ret)


cdef cl_uint has_global_objects(Program *program) except 2:
    """Such as have constructors: never, of what is built."""
    kernel_names(program)
    return 0


include "queries/program_info.pxi"


cdef cl_int get_program_info(cl_program program, cl_program_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) except? -9999:
    cdef Program *p = <Program *>program
    if not object_is(program, KIND_PROGRAM):
        raise CLError(CL_INVALID_PROGRAM)
    return answer_program_info(p, param_name, param_value_size, param_value, param_value_size_ret)


cdef object record_of(Program *program, cl_uint index):
    return (<object>program.state).builds[index]


include "queries/program_build_info.pxi"


cdef cl_int get_program_build_info(cl_program program, cl_device_id device, cl_program_build_info param_name,
                                   size_t param_value_size, void *param_value,
                                   size_t *param_value_size_ret) except? -9999:
    cdef Program *p = <Program *>program
    if not object_is(program, KIND_PROGRAM):
        raise CLError(CL_INVALID_PROGRAM)
    device_indices(p, 1, &device)
    return answer_program_build_info(p, build_for(p, <Device *>device), param_name, param_value_size, param_value,
                                     param_value_size_ret)


cdef bytes text_bytes(object text):
    """Text of the compiler as a C string."""
    return (text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)) + b"\0"
