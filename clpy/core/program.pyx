# SPDX-License-Identifier: Apache-2.0
"""Program objects, and machine code as an object.

What a launch needs is C: the metadata of each kernel is converted once, at the end of a build. What a build needs is
Python (`State`), and only entries that have the GIL touch it. The last reference to either may be dropped by a worker
thread, which must never wait for the GIL (a Python host may hold it while it waits for that worker): such a thread puts
the Python object on a list, and the next call that has the GIL anyway releases it.
"""
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, strcmp
from clpy.abi cimport CLPY_ARG_IMAGE, clpy_kernel_fn, clpy_object
from clpy.atomics cimport atomic_cas_ptr, atomic_load_ptr, atomic_store_i32, atomic_xchg_i32, cpu_pause
from clpy.cl cimport cl_uint
from clpy.core.context cimport Context
from clpy.core.object cimport (KIND_CODE, KIND_PROGRAM, kind_register, object_drop, object_hold, object_new,
                               object_new_internal)
from clpy.device.base cimport Device, KernelTraits, device_root
from clpy.spec.consts cimport CL_BUILD_NONE, CL_PROGRAM_BINARY_TYPE_NONE
from clpy.stack cimport stack_push, stack_take


class Build:
    """What is known of a program for one device. `il` is SPIR-V to build from, `unit` what can be linked, `exe` what
    can be loaded."""

    __slots__ = ("binary", "exe", "il", "log", "options", "unit")

    def __init__(self):
        self.options = ""
        self.log = ""
        self.unit = None
        self.exe = None
        self.il = None
        self.binary = None       # packed on demand, or as the application gave it


class State:
    """The Python side of a program. `source` is None for programs made from IL, binaries, assembly or by a link, `il`
    for all but the first, `assembly` for all but those of a chip's assembly. `constants` are the values given to
    specialization constants, {SpecId: bytes}."""

    __slots__ = ("assembly", "builds", "constants", "from_binary", "il", "source")

    def __init__(self, n_devices, source=None, from_binary=False, il=None, assembly=None):
        self.source = source
        self.from_binary = from_binary
        self.il = il
        self.assembly = assembly
        self.constants = {}
        self.builds = [Build() for _ in range(n_devices)]
        for build in self.builds:
            build.il = il

    def executable(self, i, il, options, toolchain, target):
        """What clBuildProgram makes for device `i`; `il` is SPIR-V whose constants have their values, by device."""
        if i in il:
            return toolchain.build_il(il[i], options, target)
        if self.from_binary:
            return self.builds[i].exe
        if self.assembly is not None:
            return toolchain.build_assembly(self.assembly, options, target)
        return toolchain.build(self.source, options, target)


# ---- Python objects to release later ---------------------------------------------------------------------------------

cdef struct Drop:
    Drop *next                   # first: the link of clpy.stack
    PyObject *obj

cdef void *drops = NULL


cdef void drop_later(void *obj) noexcept nogil:
    cdef Drop *drop
    if obj == NULL:
        return
    drop = <Drop *>malloc(sizeof(Drop))
    if drop == NULL:             # the object stays for ever: better than to wait for the GIL
        return
    drop.obj = <PyObject *>obj
    stack_push(&drops, drop)


cdef void drain_drops():
    cdef Drop *drop
    cdef Drop *following
    if atomic_load_ptr(&drops) == NULL:
        return
    drop = <Drop *>stack_take(&drops)
    while drop != NULL:
        following = drop.next
        Py_DECREF(<object>drop.obj)
        free(drop)
        drop = following


# ---- machine code ----------------------------------------------------------------------------------------------------

cdef char *copy_text(object text) except? NULL:
    """A C string for a str; NULL for None."""
    cdef bytes data
    cdef char *out
    if text is None:
        return NULL
    data = text.encode("utf-8", "surrogateescape")
    out = <char *>malloc(len(data) + 1)
    if out == NULL:
        raise MemoryError
    memcpy(out, <const char *>data, len(data) + 1)
    return out


cdef int fill_traits(KernelTraits *traits, const char *name, object info) except -1:
    traits.name = name
    for i in range(3):
        traits.reqd_size[i] = info.reqd_size[i] if info.reqd_size else 0
    traits.local_bytes = info.local_bytes
    traits.private_bytes = info.private_bytes
    traits.context_bytes = info.context_bytes
    traits.preferred_multiple = max(1, info.preferred_multiple)
    traits.narrow_multiple = min(max(1, info.narrow_multiple), traits.preferred_multiple)
    traits.lane_dimension = info.lane_dimension
    traits.long_rows = info.long_rows
    traits.sees_groups = info.sees_groups
    traits.may_spin = info.may_spin
    traits.spins = info.spins
    traits.sub_group_size = info.sub_group_size
    return 0


cdef int fill_kernel(KernelCode *kernel, object info) except -1:
    """Metadata of one kernel into its C struct, which is zero before; code_destroy frees what a failure leaves."""
    cdef cl_uint i
    cdef KernelArg *arg
    kernel.name = copy_text(info.name)
    kernel.attributes = copy_text(info.attributes)
    kernel.args_size = info.args_size
    kernel.is_block = info.is_block
    kernel.num_sub_groups = info.num_sub_groups
    fill_traits(&kernel.traits, kernel.name, info)
    for i in range(3):
        kernel.whole[i] = info.whole[i]
        kernel.wants_whole |= info.whole[i] > 1
    kernel.args = <KernelArg *>calloc(len(info.args) + 1, sizeof(KernelArg))
    if kernel.args == NULL:
        raise MemoryError
    kernel.n_args = len(info.args)
    for i, source in enumerate(info.args):
        arg = &kernel.args[i]
        arg.kind = source.kind
        arg.offset = source.offset
        arg.size = source.size
        arg.align = source.align
        arg.address_qualifier = source.address_qualifier
        arg.access_qualifier = source.access_qualifier
        arg.type_qualifier = source.type_qualifier
        arg.distinct = source.distinct
        arg.format = source.format
        kernel.wants_formats |= source.format != 0
        kernel.wants_distinct |= source.distinct == DISTINCT_WRITTEN
        kernel.n_images += source.kind == CLPY_ARG_IMAGE
        arg.name = copy_text(source.name)
        arg.type_name = copy_text(source.type_name or None)
    return 0


cdef int load_kernel(KernelCode *kernel, Device *dev, object info, object loaded) except -1:
    fill_kernel(kernel, info)
    kernel.fn = <clpy_kernel_fn *><size_t>(loaded.address(info.name) | info.unit)    # device/host/each_group.pxd
    if dev.ops.make_facts != NULL:
        kernel.traits.facts = dev.ops.make_facts(dev, info)
    return 0


cdef Code *code_new(Device *dev, dict kernels, object loaded, bint uniform_groups) except NULL:
    cdef Code *code = <Code *>object_new_internal(KIND_CODE)
    if code == NULL:
        raise MemoryError
    try:
        code.device = device_root(dev)
        code.uniform_groups = uniform_groups
        code.kernels = <KernelCode *>calloc(len(kernels) + 1, sizeof(KernelCode))
        if code.kernels == NULL:
            raise MemoryError
        for info in kernels.values():
            code.n_kernels += 1
            load_kernel(&code.kernels[code.n_kernels - 1], code.device, info, loaded)
        keep_objects(code, loaded)
    except BaseException:
        object_drop(code)
        raise
    Py_INCREF(loaded)
    code.loaded = <void *>loaded
    return code


cdef int keep_objects(Code *code, object loaded) except -1:
    """Where a fault is looked up, by threads that have no Python. Not of every device."""
    cdef bytes data
    if not hasattr(loaded, "line_finder"):
        return 0
    code.find_line = <find_line_fn><size_t>loaded.line_finder()
    code.objects = <ObjectFile *>calloc(len(loaded.objects) + 1, sizeof(ObjectFile))
    if code.objects == NULL:
        raise MemoryError
    for data in loaded.objects:
        code.objects[code.n_objects].data = data
        code.objects[code.n_objects].size = len(data)
        code.n_objects += 1
    return 0


cdef uint64_t worth_ns(uint64_t usual, uint64_t made) noexcept:
    """Other code takes about twice as long to make as the first. A kernel that has run for twice that and then ends,
    loses half as much again at most. One whose first code took seconds runs for longer than others before."""
    return max(min(usual, max(usual // 10, 4 * made)), made // 2) if made else usual


cdef int code_keeps(Code *code, object recipe) except -1:
    Py_INCREF(recipe)
    code.recipe = <void *>recipe
    code.makes_kernels = recipe[0].makes_kernels
    code.recalls = recipe[0].recalls(recipe[1])
    code.specialize_ns = worth_ns(code.device.specialize_ns, recipe[0].made_ns(recipe[1]))
    return 0


cdef bint code_adds(Code *code, const KernelCode *kernel, object product, void **place) except -1:
    cdef Code *made
    cdef void *none = NULL
    toolchain, _, target = <object>code.recipe
    made = code_new(code.device, product.kernels, toolchain.load(product, target), code.uniform_groups)
    if not has_same(made, kernel):
        object_drop(made)
        return False
    made.says_why = code.says_why
    code_keeps(made, (toolchain, product, target))
    if not atomic_cas_ptr(place, &none, made):       # a thread that came first has stored its own
        object_drop(made)
    return True


cdef bint has_same(const Code *made, const KernelCode *kernel) noexcept nogil:
    cdef KernelCode *found = code_find(made, kernel.name)
    return (found != NULL and found.fn != NULL and found.args_size == kernel.args_size
            and found.n_args == kernel.n_args)


cdef void code_shares(Code *made, KernelCode *kernel) noexcept nogil:
    cdef void *none = NULL
    if has_same(made, kernel):
        object_hold(made)
        if not atomic_cas_ptr(&kernel.made, &none, made):
            object_drop(made)


cdef code_end_fn code_ends = NULL


cdef void on_code_end(code_end_fn fn) noexcept:
    global code_ends
    code_ends = fn


cdef void code_destroy(clpy_object *obj) noexcept nogil:
    cdef Code *code = <Code *>obj
    cdef KernelCode *kernel
    cdef cl_uint i, j
    for i in range(code.n_kernels):
        kernel = &code.kernels[i]
        if kernel.specials != NULL:
            code_ends(kernel)
        if kernel.general != NULL:
            object_drop(kernel.general)
        if kernel.any_groups != NULL:
            object_drop(kernel.any_groups)
        if kernel.made != NULL:
            object_drop(kernel.made)
        for j in range(kernel.n_args):
            free(kernel.args[j].name)
            free(kernel.args[j].type_name)
        if kernel.traits.facts != NULL:
            code.device.ops.free_facts(kernel.traits.facts)
        free(kernel.args)
        free(kernel.name)
        free(kernel.attributes)
    free(code.kernels)
    free(code.objects)
    drop_later(code.loaded)
    drop_later(code.recipe)


cdef KernelCode *code_find(const Code *code, const char *name) noexcept nogil:
    cdef cl_uint i
    for i in range(code.n_kernels):
        if not code.kernels[i].is_block and strcmp(code.kernels[i].name, name) == 0:
            return &code.kernels[i]
    return NULL


# ---- programs --------------------------------------------------------------------------------------------------------

cdef void program_lock(Program *program) noexcept nogil:
    while atomic_xchg_i32(&program.lock, 1):
        cpu_pause()


cdef void program_unlock(Program *program) noexcept nogil:
    atomic_store_i32(&program.lock, 0)


cdef int build_for(const Program *program, const Device *dev) noexcept nogil:
    """"If a program binary has not been built for a sub-device, the program binary associated with the parent device
    will be used." """
    cdef cl_uint i
    cdef int own = -1
    while dev != NULL:
        for i in range(program.n_devices):
            if program.builds[i].device != dev:
                continue
            if program.builds[i].status != CL_BUILD_NONE \
                    or program.builds[i].binary_type != CL_PROGRAM_BINARY_TYPE_NONE:
                return <int>i
            if own < 0:
                own = <int>i
        dev = dev.parent
    return own


cdef Program *program_new(Context *context, cl_uint n_devices, Device **devices, object state) except NULL:
    cdef Program *program = <Program *>object_new(KIND_PROGRAM)
    cdef cl_uint i
    if program == NULL:
        raise MemoryError
    object_hold(context)
    program.context = context
    program.builds = <DeviceBuild *>calloc(n_devices, sizeof(DeviceBuild))
    if program.builds == NULL:
        object_drop(program)
        raise MemoryError
    for i in range(n_devices):
        object_hold(devices[i])
        program.builds[i].device = devices[i]
        program.builds[i].status = CL_BUILD_NONE
        program.builds[i].binary_type = CL_PROGRAM_BINARY_TYPE_NONE
    program.n_devices = n_devices
    Py_INCREF(state)
    program.state = <void *>state
    return program


cdef void program_destroy(clpy_object *obj) noexcept nogil:
    cdef Program *program = <Program *>obj
    cdef cl_uint i
    for i in range(program.n_devices):
        if program.builds[i].code != NULL:
            object_drop(program.builds[i].code)
        object_drop(program.builds[i].device)
    free(program.builds)
    drop_later(program.state)
    object_drop(program.context)


kind_register(KIND_CODE, sizeof(Code), code_destroy)
kind_register(KIND_PROGRAM, sizeof(Program), program_destroy)
