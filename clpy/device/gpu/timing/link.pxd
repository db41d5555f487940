# SPDX-License-Identifier: Apache-2.0
"""Memory of the host, which kernels reach over the link: by lines, like the device's own.

- The L1 and the scalar cache keep its lines for the launch, as they do all lines, so that work-items of a wavefront
  share one. The L2 does not: it would keep what the host has changed meanwhile, and so such lines go past it.
- Reads come link.latency_ns after the link has got to them, at link.host_read_gbs; writes leave at
  link.host_write_gbs, and nobody waits for their arrival but the end of the launch.
- Atomic operations go to the host and back, one for each line.
- A device that shares the host's memory has none of this: all memory is its own.
"""
from libc.stdint cimport int64_t, uint32_t
from clpy.device.gpu.timing.lines cimport PLACE_BITS
from clpy.device.gpu.timing.model cimport FINE, Model, port_share


cdef inline bint is_of_host(const Model *model, uint32_t line) noexcept nogil:
    return model.host_places >> (line >> PLACE_BITS) & 1


cdef inline int64_t link_read(Model *model, int64_t at) noexcept nogil:
    """When a line is at the L2's door."""
    model.stats.host_read_lines += 1
    return port_share(&model.host_reads, at * FINE, &model.host_line) // FINE + model.link_latency


cdef inline int64_t link_write(Model *model, int64_t at) noexcept nogil:
    """When the link gets to it."""
    model.stats.host_write_lines += 1
    return port_share(&model.host_writes, at * FINE, &model.host_write_line) // FINE


cdef inline int64_t link_is_done(const Model *model) noexcept nogil:
    """When all that was written has left."""
    return model.host_writes.until // FINE
