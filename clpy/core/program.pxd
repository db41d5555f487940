# SPDX-License-Identifier: Apache-2.0
"""Programs: sources, binaries and builds per device; the metadata of their kernels in C form."""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from clpy.abi cimport clpy_kernel_fn, clpy_launch, clpy_object
from clpy.cl cimport cl_int, cl_uint, cl_build_status, cl_program_binary_type
from clpy.core.context cimport Context
from clpy.device.base cimport Costs, Device, KernelTraits

cdef enum:                       # as clpy.compiler.metadata says it of an argument
    DISTINCT_NOT = 0             # its memory may be that of others
    DISTINCT_READ = 1            # none of it is memory of an argument that is written
    DISTINCT_WRITTEN = 2         # none of it is memory of another argument that is not DISTINCT_NOT

cdef enum:
    ARG_TAKEN = 64               # beside CLPY_ARG_*: of a built-in kernel, plain data that KernelArg.take makes

# What vendors' extensions say of their built-in kernels (built_in.pyx). The first makes the data of an argument, `to`,
# of what clSetKernelArg is given, and returns that call's error. The second checks a launch of `kernel` (a Kernel), all
# of whose arguments are set, and may make another shape of it; `local_size` is as the application gave it. The third
# tells the largest global size on a device.
ctypedef cl_int (*take_fn)(const Context *context, size_t size, const void *value, void *to) noexcept nogil
ctypedef cl_int (*shape_fn)(const void *kernel, clpy_launch *shape, const size_t *local_size) noexcept nogil
ctypedef void (*most_fn)(const Device *dev, size_t *most) noexcept nogil

ctypedef struct KernelArg:
    uint32_t kind                # CLPY_ARG_*, ARG_TAKEN
    uint32_t offset              # in the argument block, bytes
    size_t size                  # bytes clSetKernelArg expects (pointers: 8; local: 8, the size it takes is free)
    size_t align                 # of the storage of a __local argument, bytes
    cl_uint address_qualifier, access_qualifier
    uint64_t type_qualifier
    uint32_t distinct            # DISTINCT_*: what the code takes for granted of its memory
    uint32_t format              # of an image (formats.pxd), that the code takes for granted; 0: any
    take_fn take                 # of ARG_TAKEN
    char *name
    char *type_name

# One kernel of one build for one device. Where `fn` is NULL its code waits (needed.pyx), and only what the host sees of
# its arguments and attributes is known.
ctypedef struct KernelCode:
    char *name
    char *attributes
    cl_uint n_args
    KernelArg *args
    cl_uint n_images             # of the arguments
    size_t args_size             # bytes of the argument block
    bint is_block                # what kernels enqueue: the host does not see it
    shape_fn shape               # of a built-in kernel that checks its launches, else NULL
    most_fn most                 # of one that says how large they may be
    size_t num_sub_groups        # that its work-groups must have, 0 where it does not say
    KernelTraits traits          # what its device knows of it
    bint wants_distinct          # an argument is DISTINCT_WRITTEN: launches have to look (distinct.pyx)
    void *general                # Code without that, held; NULL while no launch needed it; atomic
    bint wants_whole             # a group has a multiple of `whole` work-items: launches have to look (versions.pyx)
    bint wants_formats           # an argument has a `format`: likewise
    size_t whole[3]
    void *any_groups             # Code without either, likewise
    void *made                   # where `fn` is NULL: Code with this kernel, held; NULL before there is; atomic
    int32_t has_object           # the application has, or had, a kernel object of it; atomic
    int32_t faults               # of its launches; atomic
    clpy_kernel_fn *fn
    uint64_t ns_per_group
    Costs costs
    # launch specialization (specialize.pyx)
    void *specials               # Special: code for one local size and image formats each; atomic
    int32_t n_specials           # asked for; atomic
    int32_t n_looked             # shapes that code made before was looked for; atomic
    uint64_t last_shape          # what tells the last launches from others (a hash); atomic
    uint64_t spent_ns            # with it; atomic

# The place in the source of the byte at `offset` from the symbol `name` of an object file, to be freed, or NULL where
# it is not known. False: the byte is not in that function.
ctypedef bint (*find_line_fn)(const char *object, size_t size, const char *name, uint64_t offset,
                              char **place) noexcept nogil

cdef struct ObjectFile:          # kept by Code.loaded
    const char *data
    size_t size

# An object of its own (KIND_CODE, runtime references only): kernels and commands hold it, so that it outlives a
# rebuild or the release of the program.
ctypedef struct Code:
    clpy_object obj
    cl_uint n_kernels
    KernelCode *kernels
    Device *device               # the root device it was loaded for, which lives for ever
    bint uniform_groups          # work-groups must have the same size (before OpenCL C 2.0, or asked for)
    bint says_why                # a kernel's enqueue fails with the reason (-g)
    bint makes_kernels           # of a kernel without code it makes some when it is needed
    bint recalls                 # what it was specialized to before may be at hand
    size_t n_objects
    ObjectFile *objects          # owned array: what was loaded
    find_line_fn find_line       # in one of them
    void *loaded                 # PyObject*: the JITed code; dropped under the GIL, later, by a thread that has it
    void *recipe                 # PyObject*: (toolchain, product, target) it can be specialized from, or NULL; likewise
    uint64_t specialize_ns       # a kernel that took so long is worth other code where processors have nothing to do

ctypedef struct DeviceBuild:
    Device *device               # held
    cl_build_status status
    cl_program_binary_type binary_type
    Code *code                   # held; NULL unless the build made an executable

ctypedef struct Program:
    clpy_object obj
    Context *context             # held
    cl_uint n_devices
    DeviceBuild *builds          # one per device, in the order of the context or of the list given
    void *state                  # PyObject*: this module's State (source, IR, options, logs); GIL only
    int32_t n_kernels            # live cl_kernel objects: a rebuild is refused while there are any; atomic
    int32_t lock                 # guards the builds; held for a few instructions, never while Python code runs

# A program without builds, whose state is `state`; NULL with the exception set.
cdef Program *program_new(Context *context, cl_uint n_devices, Device **devices, object state) except NULL
# Whose build a device uses, as an index: its own, or where there is none its nearest ancestor's in the program. Or -1.
cdef int build_for(const Program *program, const Device *dev) noexcept nogil
cdef void program_lock(Program *program) noexcept nogil
cdef void program_unlock(Program *program) noexcept nogil
# Machine code as an object: `kernels` are clpy.compiler.metadata.KernelInfo by name, `loaded.address(name)` the entry.
cdef Code *code_new(Device *dev, dict kernels, object loaded, bint uniform_groups) except NULL
cdef int code_keeps(Code *code, object recipe) except -1         # once
# Other code with this kernel of `code` alone, made by its toolchain; it is kept in `place` unless there is some.
# False: it does not take the same arguments, and is not kept.
cdef bint code_adds(Code *code, const KernelCode *kernel, object product, void **place) except -1
# Code that was made for another kernel has this one as well: it is kept, too.
cdef void code_shares(Code *made, KernelCode *kernel) noexcept nogil
# Called for each kernel of a code that goes. For the module that keeps something of its own there.
ctypedef void (*code_end_fn)(KernelCode *kernel) noexcept nogil
cdef void on_code_end(code_end_fn fn) noexcept
cdef KernelCode *code_find(const Code *code, const char *name) noexcept nogil        # one that the host sees
# Python objects are not touched by the thread that drops the last reference of a program or a code, which may be any:
# they wait in a list for the next caller of this, which has the GIL.
cdef void drain_drops()
