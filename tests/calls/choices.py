# SPDX-License-Identifier: Apache-2.0
"""What a valid argument may be, by its type: flags, enumerants, names of properties and their values."""
import re

from .table import VALUES, enumerants

FLAGS = {
    "cl_mem_flags": "CL_MEM_(READ|WRITE|USE_|ALLOC_|COPY_|HOST_|KERNEL_READ|IMMUTABLE|BUS_|EXTERNAL_PHYSICAL|FORCE_"
                    "|NO_ACCESS|ACCESS_FLAGS_UNR)",
    "cl_svm_mem_flags": "CL_MEM_(READ_WRITE|READ_ONLY|WRITE_ONLY|SVM_)", "cl_map_flags": "CL_MAP_(READ|WRITE)",
    "cl_mem_migration_flags": "CL_MIGRATE_", "cl_command_queue_properties": "CL_QUEUE_(OUT|PROF|ON_|THREAD_LOCAL)",
    "cl_device_type": "CL_DEVICE_TYPE_"}
ENUMS = {
    "cl_addressing_mode": "CL_ADDRESS_", "cl_filter_mode": "CL_FILTER_",
    "cl_mem_object_type": "CL_MEM_OBJECT_(BUFFER|IMAGE|PIPE)", "cl_buffer_create_type": "CL_BUFFER_CREATE_TYPE",
    "cl_kernel_exec_info": "CL_KERNEL_EXEC_INFO_(?!DISPATCH_TYPE_[CD])"}
PROPERTIES = {
    "cl_context_properties": "CL_CONTEXT_(PLATFORM|INTEROP_USER_SYNC|TERMINATE_KHR|MEMORY_INIT|SHOW_DIAG|OFFLINE)",
    "cl_queue_properties": "CL_QUEUE_((PROPERTIES|SIZE)$|(PRIORITY|THROTTLE)_KHR|(FAMILY|INDEX)_INTEL)",
    "cl_sampler_properties": "CL_SAMPLER_", "cl_pipe_properties": "CL_PIPE_",
    "cl_mem_properties": "CL_(MEM_)?DEVICE_(HANDLE_LIST|PRIVATE_ADDRESS)|CL_EXTERNAL_MEMORY_HANDLE"
                         "|CL_MEM_(CHANNEL|ALLOC_(FLAGS|BUFFER_LOCATION))_INTEL",
    "cl_device_partition_property": "CL_DEVICE_PARTITION_(EQUALLY|BY_)",
    "cl_command_buffer_properties_khr": "CL_COMMAND_BUFFER_FLAGS_KHR$",
    "cl_command_properties_khr": "CL_MUTABLE_DISPATCH_(UPDATABLE_FIELDS|ASSERTS)_KHR$",
    "cl_svm_alloc_properties_khr": "CL_SVM_ALLOC_(ASSOCIATED_DEVICE_HANDLE|ACCESS_FLAGS|ALIGNMENT)_KHR$",
    "cl_semaphore_properties_khr": "CL_SEMAPHORE_(TYPE|EXPORT_HANDLE_TYPES|HANDLE_OPAQUE_FD)_KHR$"}
# What each list's valid values may be besides small numbers: names of enumerants, or kinds of objects.
PROPERTY_VALUES = {"cl_context_properties": ["cl_platform_id"], "cl_mem_properties": ["cl_device_id"],
                   "cl_svm_alloc_properties_khr": [0, 1, 2, 64, "cl_device_id", "cl_device_id"],
                   "cl_queue_properties": [0, 1, 2, 3], "cl_sampler_properties": enumerants("CL_(ADDRESS|FILTER)_"),
                   "cl_semaphore_properties_khr": [VALUES["CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR"]],
                   "cl_command_buffer_properties_khr": [0, 1, 1, 2, 3], "cl_command_properties_khr": [1, 2, 31, 31],
                   "cl_device_partition_property": enumerants("CL_DEVICE_AFFINITY_DOMAIN_")}
# Those of single properties, where they differ from the rest of the list.
VALUES_OF_ONE = {"CL_CONTEXT_(SHOW_DIAG|INTEROP|TERMINATE|MEMORY_INIT|OFFLINE)": [0, 1, 1, 2, 4, 7],
                 "CL_QUEUE_(FAMILY|INDEX)_INTEL": [0, 0, 0, 1],
                 "CL_QUEUE_PROPERTIES$": [0, 1, 2, 3, 1 << 31, 1 << 31 | 2],
                 "CL_MEM_(CHANNEL|ALLOC_(FLAGS|BUFFER_LOCATION))_INTEL": [0, 1, 2, 7],
                 "CL_DEVICE_PARTITION_(EQUALLY|BY_NAMES)": [0, 1, 1, 2]}
BY_FILE = re.compile("CL_(EXTERNAL_MEMORY|SEMAPHORE)_HANDLE_")
TYPED = {kind: enumerants(pattern) for kind, pattern in (FLAGS | ENUMS).items()}
LISTED = {kind: enumerants(pattern) for kind, pattern in PROPERTIES.items()}
FILES = {value for name, value in VALUES.items() if BY_FILE.match(name)}
BY_PROPERTY = {value: choices for pattern, choices in VALUES_OF_ONE.items() for value in enumerants(pattern)}
YUV = enumerants("CL_(YUYV|UYVY|YVYU|VYUY|NV12)_INTEL$")
ORDERS = enumerants("CL_(R|A|RG|RGB|RGBA|BGRA|ARGB|DEPTH|sRGBA|INTENSITY)$") + YUV
TYPES = enumerants("CL_(UN|SN)?(S|U)?(ORM_)?INT|CL_FLOAT")
# What clSetKernelExecInfo takes a word for, not a list of pointers.
ONE_WORD = enumerants("CL_KERNEL_EXEC_INFO_(DISPATCH_TYPE_INTEL|SVM_FINE|INDIRECT|SVM_INDIRECT)")
