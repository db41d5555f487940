# SPDX-License-Identifier: Apache-2.0
"""Contexts."""
from libc.stdint cimport int32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_int, cl_uint, cl_ulong, cl_context_properties, context_notify_fn, context_destructor_fn
from clpy.core.destructor cimport Destructor
from clpy.device.base cimport Device

cdef struct OnDevice:            # what core/device_queue knows of one of the devices
    void *default_queue          # not held
    cl_uint n_queues

ctypedef struct Context:
    clpy_object obj
    cl_uint n_devices
    Device **devices                      # owned array; each device held
    OnDevice *on_device                   # owned array, parallel to it
    size_t n_properties                   # entries incl. the closing 0; 0 when the application gave NULL
    cl_context_properties *properties     # owned copy
    cl_ulong initialize                   # CL_CONTEXT_MEMORY_INITIALIZE_*: what kernels find cleared
    context_notify_fn notify
    void *notify_data
    Destructor *destructors
    int32_t *stop                         # its `terminated` where it can be terminated, else NULL
    int32_t terminated                    # atomic
    int32_t device_events                 # events that kernels made and have not released; atomic

cdef bint context_has(const Context *ctx, const Device *dev) noexcept nogil
cdef bint context_has_buffer_addresses(const Context *ctx) noexcept nogil      # one of its devices does
cdef bint context_has_times(const Context *ctx) noexcept nogil                 # ... has a clock of its own
cdef bint context_has_visible_memory(const Context *ctx) noexcept nogil        # all of its devices have
# Copies both lists. `n_properties` counts the closing 0; it is 0 when the application gave no list.
cdef Context *context_new(cl_uint n_devices, Device *const *devices, size_t n_properties,
                          const cl_context_properties *properties, context_notify_fn notify,
                          void *notify_data) noexcept nogil      # NULL when out of memory
cdef cl_int context_on_destroy(Context *ctx, context_destructor_fn fn, void *user_data) noexcept nogil
