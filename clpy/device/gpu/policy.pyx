# SPDX-License-Identifier: Apache-2.0
"""Launches on a model: groups of wavefronts, as AMD's driver chooses them."""
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from clpy.abi cimport clpy_kernel_fn, clpy_launch
from clpy.atomics cimport (atomic_cas_u64, atomic_load_i32, atomic_load_i64_relaxed, atomic_load_ptr,
                           atomic_load_u64, atomic_store_i32, atomic_store_ptr, atomic_store_u64)
from clpy.cl cimport cl_uint
from clpy.device.base cimport Device, KernelTraits, Launch
from clpy.device.gpu.clock cimport Clock
from clpy.device.gpu.execution cimport Facts, construct_fn, know_host_calls, run_model
from clpy.device.gpu.facts cimport facts_dropped, facts_go
from clpy.device.gpu.origins cimport origins_keep
from clpy.device.gpu.timing.program cimport Program, program_alone
from clpy.device.gpu.timing.sample cimport find_way
from clpy.device.host.launch cimport task_running

from clpy import config
from clpy.background import Thread
from clpy.trace import report_fault

cdef extern from "Python.h" nogil:
    int Py_IsInitialized()
    int _Py_IsFinalizing()

cdef str ONCE = "clpy.once"      # compiler/passes/initializers.py
cdef bint traces = config.get("GPU_DETAIL") != "off"

cdef enum:
    WAVE = 64                    # work-items of a wavefront
    GROUP_ITEMS = 256            # of a group in one dimension; in two or three a square of one wavefront
    SQUARE = 8
    USUAL = 1024                 # bytes of a kernel's code
    AROUND = 8 << 20             # bytes to the code of its wavefronts, at most


cdef size_t divisor(size_t size, size_t most, bint uniform) noexcept nogil:
    """The largest divisor up to `most`; `most` itself where groups need not divide the range."""
    if size <= most:
        return size
    if not uniform:
        return most
    while size % most:
        most -= 1
    return most


cdef void policy_choose_local_size(Device *dev, clpy_launch *shape, const KernelTraits *kernel,
                                   bint uniform) noexcept nogil:
    cdef bint is_row = shape.global_size[1] == 1 and shape.global_size[2] == 1
    cdef size_t most = GROUP_ITEMS if is_row else SQUARE
    cdef cl_uint i
    if most > dev.max_work_group_size:
        most = dev.max_work_group_size
    shape.local_size[0] = divisor(shape.global_size[0], most, uniform)
    shape.local_size[1] = divisor(shape.global_size[1], SQUARE, uniform)
    shape.local_size[2] = divisor(shape.global_size[2], WAVE // SQUARE // SQUARE, uniform)
    for i in range(3):
        if shape.local_size[i] > dev.max_work_item_sizes[i]:
            shape.local_size[i] = divisor(shape.global_size[i], dev.max_work_item_sizes[i], uniform)


cdef size_t policy_max_group_size(const Device *dev, const KernelTraits *kernel) noexcept nogil:
    """Code is made for groups of as many, unless a kernel asks for a size itself."""
    return dev.max_work_group_size


cdef void policy_prepare(Device *dev, Launch *launch) noexcept nogil:
    cdef const size_t *size = launch.shape.local_size
    cdef Facts *facts = <Facts *>launch.traits.facts
    if task_running() == NULL:       # else a kernel enqueues it, whose host may wait with Python's lock in its hands
        if atomic_load_i32(&facts.wants_traced):
            make(facts, False)
            atomic_store_i32(&facts.wants_traced, 0)
        if wants_fast(facts, launch):
            make(facts, True)
    launch.code = run_model
    launch.returns[0] = <uintptr_t>atomic_load_ptr(<void **>&facts.plain) - AROUND
    launch.returns[1] = <uintptr_t>facts.traced - AROUND if facts.traced != NULL else launch.returns[0]
    launch.context_bytes = (size[0] * size[1] * size[2] + facts.wave_lanes - 1) // facts.wave_lanes * facts.wave_bytes


cdef bint wants_fast(Facts *facts, const Launch *launch) noexcept nogil:
    """Whether the kernel has run for so long that code which runs faster will pay. Races between threads that launch
    lose a launch or two."""
    cdef uint64_t after = atomic_load_u64(&facts.fast_ns), spent
    cdef const size_t *groups = launch.shape.num_groups
    if after == 0:
        return False
    spent = atomic_load_u64(&facts.spent_ns)
    if spent < after:
        spent += (<uint64_t>atomic_load_i64_relaxed(<int64_t *>launch.ns_per_group) * groups[0] * groups[1]
                  * groups[2])
        atomic_store_u64(&facts.spent_ns, spent)
    return spent >= after and atomic_cas_u64(&facts.fast_ns, &after, 0)


cdef void make(Facts *facts, bint fast) noexcept nogil:
    """The launch waits for traced or fast code, as it would for a build. Where there can be none it goes on with what
    there is: a formula gives the time of kernels without traced code."""
    if Py_IsInitialized() and not _Py_IsFinalizing():
        with gil:
            try:
                # Apart from the host's main thread, whose handlers of signals may be Python.
                maker = Thread(lambda: (load_fast if fast else load_traced)(<size_t>facts))
                maker.join()
            except Exception as error:
                report_fault(f"the {'fast' if fast else 'traced'} code of a kernel on a model", error)


cdef object launch_time():
    """The module, which is not there before the first program is."""
    from clpy.device.gpu import launch_time
    return launch_time


def load_traced(size_t place):
    cdef Facts *facts = <Facts *>place
    kernel = launch_time().kernel(facts.kernel)
    facts.traced = <clpy_kernel_fn *><size_t>kernel.code().traced(kernel.name)
    origins_keep(facts, kernel)


def load_fast(size_t place):
    """Launches that are running go on with it as well."""
    cdef Facts *facts = <Facts *>place
    cdef void *fast
    kernel = launch_time().kernel(facts.kernel)
    fast = <void *><size_t>kernel.code().fast(kernel.name)
    origins_keep(facts, kernel)
    atomic_store_ptr(<void **>&facts.plain, fast)
    atomic_store_ptr(&facts.quiet, <void *><size_t>kernel.code().quiet(kernel.name))


cdef int choose_plain(Facts *facts, object kernel) except -1:
    """Optimized code where it is there already. Longer code takes longer to optimize."""
    code = kernel.code()
    cdef size_t fast = code.fast(kernel.name, True)
    facts.plain = <clpy_kernel_fn *>(fast if fast else <size_t>code.address(kernel.name))
    facts.quiet = <void *><size_t>code.quiet(kernel.name)
    if not fast:
        ns = config.get("SPECIALIZE_MS") * 1000000 * max(kernel.facts["code_bytes"] // USUAL, 1)
        facts.fast_ns = min(ns, <uint64_t>INT64_MAX)
    return 0


cdef void *make_facts(Device *dev, object info) except? NULL:
    """NULL: the kernel waits for its code."""
    cdef Facts *facts
    forget_dropped()
    if info.facts.get("waits"):
        return NULL
    facts = <Facts *>calloc(1, sizeof(Facts))
    if facts == NULL:
        raise MemoryError
    kernel = launch_time().kernel(info.facts["kernel"])
    facts.users = 1
    facts.kernel = info.facts["kernel"]
    facts.wave_bytes = kernel.facts["waves"]["wave_bytes"]
    facts.prints = kernel.facts["prints"]
    if kernel.facts["constructs"]:
        facts.construct = <construct_fn><size_t>kernel.code().address(ONCE)
    know_host_calls()
    choose_plain(facts, kernel)
    facts.wants_traced = traces and not kernel.code().tells
    try:
        origins_keep(facts, kernel)
        if traces and (info.is_block or not facts.wants_traced):     # no launch of the host's makes it, or it is there
            load_traced(<size_t>facts)
        fill_facts(dev, facts, kernel)
        fill_leads(facts, info)
    except BaseException:
        free(facts.origins)
        free(facts.pointers)
        free(facts.leads)
        free(facts.alone)
        free(facts)
        raise
    return facts


cdef int fill_leads(Facts *facts, object info) except -1:
    """All of them where nobody knows, or a binary says what cannot be."""
    cdef int64_t i, n = facts.n_pointers + facts.n_images
    leads = info.facts.get("leads")
    known = isinstance(leads, list) and all(isinstance(each, int) and 0 <= each < len(info.args) for each in leads)
    offsets = {info.args[each].offset for each in leads} if known else ()
    facts.leads = <uint8_t *>calloc(n + 1, 1)
    if facts.leads == NULL:
        raise MemoryError
    for i in range(n):
        facts.leads[i] = not known or facts.pointers[i] in offsets
    return 0


cdef int fill_facts(Device *dev, Facts *facts, object kernel) except -1:
    cdef Program program = kernel.program()
    pointers = kernel.facts["pointers"] + kernel.facts["images"]
    facts.chip = &(<Clock *>dev.impl).model
    facts.vgprs, facts.sgprs = kernel.facts["vgprs"], kernel.facts["sgprs"]
    facts.scratch_bytes = kernel.facts["scratch_bytes"]
    facts.wave_lanes, facts.has_barriers = kernel.facts["wave_lanes"], kernel.facts["barriers"] > 0
    facts.pointers = <uint32_t *>calloc(len(pointers) + 1, sizeof(uint32_t))
    if facts.pointers == NULL:
        raise MemoryError
    for offset in pointers:
        facts.pointers[facts.n_pointers] = offset
        facts.n_pointers += 1
    facts.n_images = len(kernel.facts["images"])
    facts.n_pointers -= facts.n_images
    facts.steps = program.view
    find_way(&facts.way, &facts.steps, kernel.facts["waves"]["longest"])
    facts.alone = program_alone(program, facts.chip.rates.l2_up + facts.chip.rates.l2_down,
                                facts.chip.rates.branch_taken)
    if facts.alone == NULL:
        raise MemoryError
    Py_INCREF(program)
    facts.program = <void *>program
    return 0


cdef void free_facts(void *facts) noexcept nogil:
    """By any thread; what Python knows of the kernel is forgotten when the next one is loaded."""
    facts_go(<Facts *>facts)


cdef forget_dropped():
    cdef Facts *facts = facts_dropped()
    cdef Facts *following
    while facts != NULL:
        following = facts.next
        launch_time().forget(facts.kernel)
        Py_DECREF(<object>facts.program)
        free(facts.origins)
        free(facts.pointers)
        free(facts.leads)
        free(facts.alone)
        free(facts)
        facts = following
