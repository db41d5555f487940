# SPDX-License-Identifier: Apache-2.0
"""What a command buffer keeps of each command recorded into it."""
from libc.stdint cimport uint32_t
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_command_properties_khr, cl_mutable_dispatch_fields_khr, cl_uint
from clpy.core.command cimport Command
from clpy.core.kernel cimport Kernel
from clpy.device.base cimport Device

ctypedef struct MutableCommand:  # the application's handle: it goes with its command buffer
    clpy_object obj
    void *buffer                 # CommandBuffer
    uint32_t index

ctypedef struct RecordedLaunch:  # of an NDRange, what can be asked for or changed afterwards
    Kernel *kernel               # the application's, held
    Kernel *args                 # a copy of it with the arguments at the time of recording, or updated since; held
    cl_uint work_dim
    size_t global_offset[3]
    size_t global_size[3]
    size_t local_size[3]         # zeros where the application gave none
    bint has_local_size
    bint lacks_args              # some have no value yet: the command cannot run
    cl_mutable_dispatch_fields_khr updatable
    size_t n_properties          # entries incl. the closing 0; 0 where no list was given
    cl_command_properties_khr *properties
    MutableCommand *handle       # the application's, if it asked for one

ctypedef struct Recorded:
    Command *command             # held; its captured form: never started itself, each replay has tasks of its own
    Device *device               # where it runs; alive: held through the queues of the command buffer
    uint32_t queue               # index among the command buffer's
    uint32_t waits_end           # in CommandBuffer.waits: of those it waits for; they begin where the last one's end
    bint is_named                # its sync point was asked for
    bint has_successor
    RecordedLaunch *launch       # owned; NULL for other commands
