# SPDX-License-Identifier: Apache-2.0
"""Launches: the shape of an NDRange and its enqueue."""
from clpy.abi cimport clpy_launch
from clpy.cl cimport cl_command_type, cl_int
from clpy.core.command cimport Command, Queue, Wait
from clpy.core.kernel cimport Kernel
from clpy.core.program cimport Code, KernelCode
from clpy.device.base cimport Device, Launch

# Fill shape.local_size for a launch without one; `uniform`: it divides the global size.
cdef void choose_local_size(clpy_launch *shape, const KernelCode *kernel, bint uniform, Device *dev) noexcept nogil
# Larger groups in place of shape.local_size, where the device likes that and the kernel cannot tell.
cdef void merge_groups(clpy_launch *shape, const KernelCode *kernel, Device *dev) noexcept nogil
# Groups of a launch that may wait for each other (Kernel.concurrent), on this queue; 0: it has no such launches.
cdef size_t most_concurrent_groups(const Queue *q) noexcept nogil
# Give a captured launch, `kernel` being its general code, the code that is best for it now.
# A thread that `may_wait` waits for what the cache of programs has.
cdef void launch_specialize(Launch *launch, KernelCode *kernel, Code *code, bint may_wait) noexcept nogil
# The machine code of a captured launch, whose shape is there.
cdef void use_code(Launch *launch, KernelCode *kernel) noexcept nogil
# Capture kernel and arguments, all checked, in a command; NULL and the error. An empty range does nothing, in order.
cdef Command *ndrange_command(Queue *q, Kernel *k, KernelCode *variant, Code *code, clpy_launch *shape,
                              cl_command_type type, cl_int *err) noexcept nogil
# The same, and submit it.
cdef cl_int ndrange_enqueue(Queue *q, Kernel *k, KernelCode *variant, Code *code, clpy_launch *shape,
                            cl_command_type type, const Wait *wait) noexcept nogil
