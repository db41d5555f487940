# SPDX-License-Identifier: Apache-2.0
"""clCommand*KHR. What all of them check comes first; then each goes the way of the function that enqueues such a
command, with a place in the command buffer in the stead of a wait list.
"""
from libc.stdlib cimport calloc, malloc
from libc.string cimport memcpy
from clpy.api.check cimport property_entries, property_twice, property_value
from clpy.api.ndrange cimport Request, check_launch
from clpy.atomics cimport atomic_load_i32
from clpy.cl cimport (cl_command_buffer_khr, cl_command_properties_khr, cl_command_queue, cl_int, cl_kernel,
                      cl_mutable_command_khr, cl_mutable_dispatch_asserts_khr, cl_mutable_dispatch_fields_khr,
                      cl_sync_point_khr, cl_uint)
from clpy.core.command cimport Command, Queue, Wait, check_wait, command_new, command_place
from clpy.core.command_buffer cimport CommandBuffer, Recording, launch_free, recording_begin
from clpy.core.kernel cimport kernel_clone
from clpy.core.mutable cimport mutable_command_new
from clpy.core.ndrange cimport ndrange_command
from clpy.core.object cimport KIND_COMMAND_BUFFER, object_is, object_try_hold
from clpy.core.recorded cimport RecordedLaunch
from clpy.spec.consts cimport (CL_COMMAND_BARRIER, CL_COMMAND_BUFFER_MUTABLE_KHR,
                               CL_COMMAND_BUFFER_STATE_RECORDING_KHR, CL_COMMAND_NDRANGE_KERNEL,
                               CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_COMMAND_QUEUE, CL_INVALID_OPERATION,
                               CL_INVALID_VALUE, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
                               CL_MUTABLE_DISPATCH_ASSERTS_KHR,
                               CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
                               CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
                               CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
                               CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_OUT_OF_HOST_MEMORY, CL_SUCCESS)

cdef cl_mutable_dispatch_fields_khr FIELDS = (
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
    | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR)
cdef cl_mutable_dispatch_asserts_khr ASSERTS = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR


# ---- shared ----------------------------------------------------------------------------------------------------------

cdef cl_int find_queue(Recording *to, cl_command_queue queue) noexcept nogil:
    # "either command_queue is NULL and command_buffer was created with more than one queue, or command_queue is not
    # NULL and not a command-queue listed on command_buffer creation"
    cdef cl_uint i
    to.queue = 0
    if queue == NULL:
        return CL_SUCCESS if to.buffer.n_queues == 1 else CL_INVALID_COMMAND_QUEUE
    for i in range(to.buffer.n_queues):
        if to.buffer.queues[i] == <Queue *>queue:
            to.queue = i
            return CL_SUCCESS
    return CL_INVALID_COMMAND_QUEUE


cdef cl_int begin(Recording *to, cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint n_sync_points,
                  const cl_sync_point_khr *sync_points, cl_sync_point_khr *sync_point) noexcept nogil:
    cdef cl_int err
    if not object_is(buffer, KIND_COMMAND_BUFFER):
        return CL_INVALID_COMMAND_BUFFER_KHR
    recording_begin(to)
    to.buffer = <CommandBuffer *>buffer
    to.n_sync_points = n_sync_points
    to.sync_points = sync_points
    to.sync_point = sync_point
    to.is_barrier = False
    to.launch = NULL
    err = find_queue(to, queue)
    if err == CL_SUCCESS and atomic_load_i32(&to.buffer.state) != CL_COMMAND_BUFFER_STATE_RECORDING_KHR:
        err = CL_INVALID_OPERATION
    return err


cdef cl_int begin_plain(Recording *to, cl_command_buffer_khr buffer, cl_command_queue queue,
                        const cl_command_properties_khr *properties, cl_uint n_sync_points,
                        const cl_sync_point_khr *sync_points, cl_sync_point_khr *sync_point,
                        cl_mutable_command_khr *mutable_handle) noexcept nogil:
    """A command that has no properties, and no handle."""
    cdef cl_int err = begin(to, buffer, queue, n_sync_points, sync_points, sync_point)
    if err != CL_SUCCESS:
        return err
    # "if values specified in properties are not valid", "if mutable_handle is not NULL"
    if properties != NULL and properties[0] != 0 or mutable_handle != NULL:
        return CL_INVALID_VALUE
    return CL_SUCCESS


# ---- barriers --------------------------------------------------------------------------------------------------------

cdef cl_int command_barrier_with_wait_list(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
        const cl_command_properties_khr *properties, cl_uint num_sync_points_in_wait_list,
        const cl_sync_point_khr *sync_point_wait_list, cl_sync_point_khr *sync_point,
        cl_mutable_command_khr *mutable_handle) noexcept nogil:
    cdef Recording to
    cdef Wait wait = Wait(&to.base, 0, NULL, NULL, False)
    cdef Command *cmd
    cdef cl_int err = begin_plain(&to, command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                                  sync_point_wait_list, sync_point, mutable_handle)
    if err == CL_SUCCESS:
        err = check_wait(to.buffer.context, &wait)
    if err != CL_SUCCESS:
        return err
    to.is_barrier = True
    cmd = command_new(to.buffer.queues[to.queue], CL_COMMAND_BARRIER, &err)
    return err if cmd == NULL else command_place(cmd, &wait)


# ---- kernels ---------------------------------------------------------------------------------------------------------

cdef cl_int check_launch_properties(const cl_command_properties_khr *list) noexcept nogil:
    cdef size_t i, n = property_entries(list)
    if property_twice(list):
        return CL_INVALID_VALUE
    for i in range(0, n // 2 * 2, 2):
        if list[i] == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR:
            # "CL_INVALID_OPERATION if the requested [...] properties are not reported by" the device's capabilities:
            # all there are, so another bit is no property at all
            if list[i + 1] & ~FIELDS:
                return CL_INVALID_VALUE
        elif list[i] != CL_MUTABLE_DISPATCH_ASSERTS_KHR or list[i + 1] & ~ASSERTS:
            return CL_INVALID_VALUE
    return CL_SUCCESS


cdef bint may_lack_args(const CommandBuffer *buffer, const cl_command_properties_khr *properties) noexcept nogil:
    """"if the kernel argument values have not been specified and the CL_MUTABLE_DISPATCH_ARGUMENTS_KHR flag was not set
    in the properties parameter" it is an error; so it is where nobody could ever set them."""
    return (buffer.flags & CL_COMMAND_BUFFER_MUTABLE_KHR and CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
            & property_value(properties, CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 0))


cdef Command *launch_command(Request *r, cl_int *err) noexcept nogil:
    if r.lacks_args:
        return command_new(r.queue, CL_COMMAND_NDRANGE_KERNEL, err)
    return ndrange_command(r.queue, r.kernel, r.variant, r.code, &r.shape, CL_COMMAND_NDRANGE_KERNEL, err)


cdef RecordedLaunch *launch_of(const Request *r, CommandBuffer *buffer, const cl_command_properties_khr *properties,
                               const size_t *offset, const size_t *global_size, const size_t *local_size,
                               bint has_handle) noexcept nogil:
    """NULL when out of memory. Sizes are those of the call: a built-in kernel has made another shape of them."""
    cdef RecordedLaunch *launch = <RecordedLaunch *>calloc(1, sizeof(RecordedLaunch))
    cdef cl_int err = CL_SUCCESS
    cdef cl_uint i
    if launch == NULL:
        return NULL
    if not object_try_hold(r.kernel):    # released by another thread since the check
        launch_free(launch)
        return NULL
    launch.kernel = r.kernel
    launch.args = kernel_clone(r.kernel, &err)
    launch.work_dim = r.shape.work_dim
    launch.has_local_size = local_size != NULL
    launch.lacks_args = r.lacks_args
    launch.updatable = property_value(properties, CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, FIELDS)
    for i in range(r.shape.work_dim):
        launch.global_offset[i] = offset[i] if offset != NULL else 0
        launch.global_size[i] = global_size[i] if global_size != NULL else 0
        if local_size != NULL:
            launch.local_size[i] = local_size[i]
    launch.n_properties = property_entries(properties)
    if launch.n_properties:
        launch.properties = <cl_command_properties_khr *>malloc(
            launch.n_properties * sizeof(cl_command_properties_khr))
        if launch.properties != NULL:
            memcpy(launch.properties, properties, launch.n_properties * sizeof(cl_command_properties_khr))
    if has_handle:
        launch.handle = mutable_command_new(buffer)
    if launch.args == NULL or (launch.n_properties and launch.properties == NULL) \
            or (has_handle and launch.handle == NULL):
        launch_free(launch)
        return NULL
    return launch


cdef cl_int check_ndrange(Recording *to, Request *r, const cl_command_properties_khr *properties, cl_kernel kernel,
                          cl_uint work_dim, const size_t *offset, const size_t *global_size,
                          const size_t *local_size) noexcept nogil:
    cdef CommandBuffer *buffer = to.buffer
    cdef cl_int err = check_launch_properties(properties)
    if err != CL_SUCCESS:
        return err
    # "[...] NO_ADDITIONAL_WORK_GROUPS_KHR and local_work_size is NULL", of the command buffer or of the command
    if local_size == NULL and (buffer.asserts | property_value(properties, CL_MUTABLE_DISPATCH_ASSERTS_KHR, 0)):
        return CL_INVALID_VALUE
    err = check_launch(r, queue_of(to), kernel, work_dim, offset, global_size, local_size,
                       may_lack_args(buffer, properties))
    return err if err != CL_SUCCESS else to.base.check(&to.base)


cdef cl_int command_ndrange_kernel(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
        const cl_command_properties_khr *properties, cl_kernel kernel, cl_uint work_dim,
        const size_t *global_work_offset, const size_t *global_work_size, const size_t *local_work_size,
        cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,
        cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) noexcept nogil:
    cdef Recording to
    cdef Request r
    cdef Command *cmd
    cdef cl_mutable_command_khr handle
    cdef cl_int err = begin(&to, command_buffer, command_queue, num_sync_points_in_wait_list, sync_point_wait_list,
                            sync_point)
    if err == CL_SUCCESS:
        err = check_ndrange(&to, &r, properties, kernel, work_dim, global_work_offset, global_work_size,
                            local_work_size)
    if err != CL_SUCCESS:
        return err
    to.launch = launch_of(&r, to.buffer, properties, global_work_offset, global_work_size, local_work_size,
                          mutable_handle != NULL)
    if to.launch == NULL:
        return CL_OUT_OF_HOST_MEMORY
    cmd = launch_command(&r, &err)
    if cmd == NULL:
        launch_free(to.launch)
        return err
    handle = <cl_mutable_command_khr>to.launch.handle
    err = to.base.add(&to.base, cmd)
    if err == CL_SUCCESS and mutable_handle != NULL:
        mutable_handle[0] = handle
    return err
