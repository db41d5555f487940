# SPDX-License-Identifier: Apache-2.0
"""cl_khr_command_buffer_mutable_dispatch, and clRemapCommandBufferKHR."""
from clpy.cl cimport (cl_command_buffer_khr, cl_command_buffer_update_type_khr, cl_int, cl_mutable_command_info_khr,
                      cl_mutable_command_khr, cl_uint)

cdef cl_int update_mutable_commands(cl_command_buffer_khr command_buffer, cl_uint num_configs,
        const cl_command_buffer_update_type_khr *config_types, const void **configs) noexcept nogil
cdef cl_int get_mutable_command_info(cl_mutable_command_khr command, cl_mutable_command_info_khr param_name,
        size_t param_value_size, void *param_value, size_t *param_value_size_ret) noexcept nogil
