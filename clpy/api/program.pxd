# SPDX-License-Identifier: Apache-2.0
"""Program objects: creation, builds, queries."""
from clpy.cl cimport (cl_context, cl_device_id, cl_int, cl_program, cl_program_build_info, cl_program_info, cl_uint,
                      program_notify_fn)

# The strings of clCreateProgramWithSource as one; CL_INVALID_VALUE where there are none.
cdef bytes text_in(cl_uint count, const char **strings, const size_t *lengths)
cdef cl_program create_program_with_source(cl_context context, cl_uint count, const char **strings,
                                           const size_t *lengths) except NULL
cdef cl_program create_program_with_binary(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                           const size_t *lengths, const unsigned char **binaries,
                                           cl_int *binary_status) except NULL
cdef cl_program create_program_with_built_in_kernels(cl_context context, cl_uint num_devices,
                                                     const cl_device_id *device_list,
                                                     const char *kernel_names) except NULL
cdef cl_int build_program(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                          const char *options, program_notify_fn pfn_notify, void *user_data) except? -9999
cdef cl_int compile_program(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                            const char *options, cl_uint num_input_headers, const cl_program *input_headers,
                            const char **header_include_names, program_notify_fn pfn_notify,
                            void *user_data) except? -9999
cdef cl_program link_program(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                             const char *options, cl_uint num_input_programs, const cl_program *input_programs,
                             program_notify_fn pfn_notify, void *user_data, cl_int *errcode_ret) except NULL
cdef cl_int set_program_release_callback(cl_program program, program_notify_fn pfn_notify,
                                         void *user_data) noexcept nogil
cdef cl_int get_program_info(cl_program program, cl_program_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) except? -9999
cdef cl_int get_program_build_info(cl_program program, cl_device_id device, cl_program_build_info param_name,
                                   size_t param_value_size, void *param_value,
                                   size_t *param_value_size_ret) except? -9999
