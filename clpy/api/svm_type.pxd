# SPDX-License-Identifier: Apache-2.0
"""cl_khr_unified_svm."""
from clpy.cl cimport (cl_context, cl_device_id, cl_device_info, cl_int, cl_svm_alloc_properties_khr,
                      cl_svm_capabilities_khr, cl_svm_free_flags_khr, cl_svm_free_properties_khr,
                      cl_svm_pointer_info_khr, cl_uint)
from clpy.device.base cimport Device

cdef void *svm_alloc_with_properties(cl_context context, const cl_svm_alloc_properties_khr *properties,
                                     cl_uint svm_type_index, size_t size, cl_int *errcode_ret) noexcept nogil
cdef cl_int svm_free_with_properties(cl_context context, const cl_svm_free_properties_khr *properties,
                                     cl_svm_free_flags_khr flags, void *ptr) noexcept nogil
cdef cl_int get_svm_pointer_info(cl_context context, cl_device_id device, const void *ptr,
                                 cl_svm_pointer_info_khr param_name, size_t param_value_size, void *param_value,
                                 size_t *param_value_size_ret) noexcept nogil
cdef cl_int get_svm_suggested_type_index(cl_context context, cl_svm_capabilities_khr required_capabilities,
                                         cl_svm_capabilities_khr desired_capabilities,
                                         const cl_svm_alloc_properties_khr *properties, size_t size,
                                         cl_uint *suggested_svm_type_index) noexcept nogil
