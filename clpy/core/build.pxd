# SPDX-License-Identifier: Apache-2.0
"""What clBuildProgram, clCompileProgram and clLinkProgram do. All with the GIL; errors are CLError."""
from clpy.cl cimport cl_int, cl_uint, program_notify_fn
from clpy.core.context cimport Context
from clpy.core.program cimport Code, Program
from clpy.device.base cimport Device

# `indices`: which of the devices. With `notify` a thread of its own does the work and calls it at the end; else
# the calling thread does it and the result is CL_SUCCESS or the failure code of the call.
cdef cl_int build(Program *program, list indices, str options, program_notify_fn notify,
                  void *user_data) except? -9999
cdef cl_int compile(Program *program, list indices, str options, dict headers, program_notify_fn notify,
                    void *user_data) except? -9999
# For one device, which keeps no binary: these kernels of a source of our own. A source that does not build is a fault.
cdef Code *build_executable(Program *program, cl_uint i, bytes source, list kernels) except NULL
# CL_INVALID_LINKER_OPTIONS, which the specification lists before what may be wrong with the units.
cdef int check_link_options(str options) except -1
# `units`: device index -> what is linked for it; other devices are left alone.
cdef cl_int link(Program *program, dict units, str options, program_notify_fn notify, void *user_data) except? -9999
# The binary of one device as bytes, b"" where there is none.
cdef bytes binary_of(Program *program, cl_uint i)
# What a binary for a device holds: a product of its toolchain, or CLError.
cdef object product_of(bytes binary, const Context *ctx, const Device *dev)
# The source that the binary of one device carries.
cdef bytes source_in(Program *program, cl_uint i)
# Storage of program-scope variables in the global address space.
cdef size_t variable_bytes(Program *program, cl_uint i) except? 9999
# Around work of a thread that LLVM takes part in: the end of the process waits for it. False: it ends already.
cdef bint build_enters() noexcept nogil
cdef void build_leaves() noexcept nogil
# The same, where a thread cannot wait for Python: it has loaded no library of LLVM.
cdef void build_leaves_alone() noexcept nogil
