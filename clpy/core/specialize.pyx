# SPDX-License-Identifier: Apache-2.0
"""Launch specialization: machine code for one work-group size and one format of each image, made in the background for
kernels that run long.

With a known size, loops over work-items have constant trip counts, what lives across a barrier of a small group stays
in registers, and the parts of a vector at the end of a row vanish: a tiled matrix product is a third faster. With known
formats, what reads and writes others vanishes, and pixels of rare formats are read and written in line. A kernel is
compiled for a shape when it has spent Device.specialize_ns with it, or Code.specialize_ns where processors have nothing
to do, on a thread that is there meanwhile; launches go on with the code they have. What is no faster is not used: where
it seems so, the general code runs again for as many launches, as other programs may have come in between.

A kernel that does not see its groups needs no second one for another size: its range is cut into the groups that there
is code for. Programs try several sizes before they begin, and the code of a hash takes seconds to make.

Where the compiler cannot tell whether vectors are faster than one work-item after the other, as that depends on data,
the same thread makes code that does it the other way, and launches of both in turns tell (trial.pyx).
Bounded: MOST_SHAPES for each kernel, MOST_SPECIALS for the process.

Such code is in the cache of programs as any other. Where the kernel's own code came from there, or from a binary, the
first launch of a shape looks for it, and begins with it.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset
from clpy.abi cimport clpy_kernel_fn, clpy_launch
from clpy.atomics cimport (atomic_add_i32, atomic_cas_i32, atomic_cas_ptr,
                           atomic_load_i32_relaxed, atomic_load_i64_relaxed, atomic_load_ptr, atomic_load_u64,
                           atomic_store_i32, atomic_store_i64, atomic_store_ptr, atomic_store_u64)
from clpy.core.build cimport build_enters, build_leaves
from clpy.core.cut cimport cut, for_other_groups
from clpy.core.formats cimport MOST_FORMATS, formats_by_argument, formats_in_block
from clpy.core.interpreter cimport call_python, python_runs
from clpy.core.object cimport object_drop, object_hold
from clpy.core.program cimport Code, KernelCode, code_find, code_new, on_code_end
from clpy.core.trial cimport OTHER, UNDECIDED, Verdict, trial_ns, trial_turn
from clpy.device.base cimport Launch, Took
from clpy.futex cimport now_ns
from clpy.stack cimport stack_push, stack_take
from clpy.threads cimport at_fork_in_child, thread_start
from clpy.trace cimport trace_text, traces

from clpy.errors import CLError
from clpy.trace import report_fault, trace

cdef extern from "<sys/sysinfo.h>" nogil:
    ctypedef struct sysinfo_t "struct sysinfo":
        unsigned long loads[3]
    int SI_LOAD_SHIFT
    int sysinfo(sysinfo_t *info)

cdef enum:
    MOST_SHAPES = 4               # of one kernel
    MOST_SPECIALS = 256          # of the process
    MOST_LOOKS = 2 * MOST_SHAPES  # of one kernel for code that was made before
    COMPARED_AFTER = 32          # launches
    ASK_EVERY_NS = 10000000      # how busy processors are

cdef enum Wanted:
    MAKE                         # code for a shape
    MAKE_OTHER                   # and the other way, where that may be faster
    SETTLE                       # which of both is faster is known
    FORGET                       # the special code is there, and no faster

cdef struct Wish:
    Wish *next                   # first: the link of clpy.stack
    Special *special
    Code *code                   # of the kernel; held
    Wanted wanted

cdef struct Recalled:            # arguments of recall_with_gil
    Special *special
    Code *code

cdef void *wishes = NULL         # stack of Wish; atomic
cdef int32_t at_work = 0         # a thread takes them; atomic
cdef int32_t n_specials = 0      # of the process; atomic
cdef uint64_t spare_asked_ns = 0  # when the system was asked for it last; atomic
cdef int32_t is_spare = 0        # what it said; atomic


# ---- at the launch ---------------------------------------------------------------------------------------------------

cdef inline uint64_t packed(const size_t *local_size) noexcept nogil:
    return (<uint64_t>local_size[0] | <uint64_t>local_size[1] << SIZE_BITS | <uint64_t>local_size[2] << (2 * SIZE_BITS))


cdef inline Shape shape_of(const KernelCode *kernel, const Launch *launch) noexcept nogil:
    cdef Shape shape
    memset(&shape, 0, sizeof(Shape))
    shape.size = packed(launch.shape.local_size)
    if kernel.n_images:
        formats_in_block(kernel, launch.args, shape.formats)
    return shape


cdef inline uint64_t hashed(const KernelCode *kernel, const Shape *shape) noexcept nogil:
    """What tells launches of different code apart."""
    cdef uint64_t mixed = shape.size if kernel.traits.sees_groups else 1
    cdef uint32_t i
    for i in range(<uint32_t>MOST_FORMATS):
        if not shape.formats[i]:
            break
        mixed = (mixed ^ shape.formats[i]) * <uint64_t>0x9E3779B97F4A7C15
    return mixed


cdef KernelCode *specialized(KernelCode *kernel, Code *code, Launch *launch, bint may_wait,
                             Took **took) noexcept nogil:
    cdef Special *special
    cdef Shape shape
    cdef bint is_coming = False
    took[0] = NULL
    if not code.device.specialize_ns:
        return kernel
    special = <Special *>atomic_load_ptr(&kernel.specials)
    shape = shape_of(kernel, launch)
    while special != NULL:
        if special.shape.size == shape.size and memcmp(&special.shape, &shape, sizeof(Shape)) == 0:
            return in_use(special, code, took)
        special = special.next
    special = for_other_groups(kernel, code, &shape, &launch.shape, &is_coming)
    if special != NULL:
        cut(&launch.shape, special.shape.size)
        return in_use(special, code, took)
    if is_coming:
        return kernel
    if kernel.traits.sub_group_size != 1 and atomic_load_i32_relaxed(&kernel.n_specials) < MOST_SHAPES:
        if may_wait and code.recalls and atomic_load_u64(&kernel.last_shape) != hashed(kernel, &shape):
            special = recall(kernel, code, &shape)
            if special != NULL:
                return special.kernel
        add_up(kernel, code, &shape, &launch.shape)
    return kernel


cdef const Code *special_code(const KernelCode *kernel, const Code *code, const clpy_kernel_fn *fn) noexcept nogil:
    cdef Special *special = <Special *>atomic_load_ptr(<void **>&kernel.specials)
    while special != NULL:
        if special.made != NULL and special.made.fn == fn:
            return special.code
        if special.other != NULL and special.other.fn == fn:
            return special.other_code
        special = special.next
    return code


cdef inline KernelCode *in_use(Special *special, Code *code, Took **took) noexcept nogil:
    cdef KernelCode *kernel = <KernelCode *>atomic_load_ptr(<void **>&special.kernel)
    cdef int32_t uses = atomic_load_i32_relaxed(&special.uses)
    if atomic_load_i32_relaxed(&special.in_trial):
        return in_trial(special, code, kernel, took)
    if kernel != special.general:
        if uses < COMPARED_AFTER:
            compare(special, kernel)
    elif COMPARED_AFTER <= uses < 2 * COMPARED_AFTER:
        compare_again(special, code)
    return kernel


cdef void compare(Special *special, KernelCode *kernel) noexcept nogil:
    """Its best time counts: a thread that is interrupted makes an estimate longer, nothing makes it shorter."""
    cdef uint64_t now = <uint64_t>atomic_load_i64_relaxed(<int64_t *>&kernel.ns_per_group)
    cdef uint64_t best = atomic_load_u64(&special.best_ns)
    if now and (best == 0 or now < best):
        atomic_store_u64(&special.best_ns, now)
    if atomic_add_i32(&special.uses, 1) == COMPARED_AFTER - 1:
        if best > special.general_ns:
            atomic_store_ptr(<void **>&special.kernel, special.general)
        if traces(3):
            trace_comparison(special, b"doubted")


cdef void compare_again(Special *special, Code *code) noexcept nogil:
    """The general code seemed faster, and runs again. The first half is for its estimate to follow."""
    cdef uint64_t now = <uint64_t>atomic_load_i64_relaxed(<int64_t *>&special.general.ns_per_group)
    cdef int32_t uses = atomic_add_i32(&special.uses, 1)
    if now and (uses == COMPARED_AFTER + COMPARED_AFTER // 2 or now < special.general_ns):
        atomic_store_u64(&special.general_ns, now)
    if uses == 2 * COMPARED_AFTER - 1:
        if special.best_ns > special.general_ns:
            ask(special, code, FORGET)
        else:
            atomic_store_ptr(<void **>&special.kernel, special.other if special.other_won else special.made)
        if traces(3):
            trace_comparison(special, b"given up")


cdef KernelCode *in_trial(Special *special, Code *code, KernelCode *kernel, Took **took) noexcept nogil:
    cdef bint other
    cdef Verdict verdict = trial_turn(&special.trial, &other, took)
    cdef int32_t running = 1
    if verdict == UNDECIDED:
        return special.other if other else kernel
    if atomic_cas_i32(&special.in_trial, &running, 0):
        end_trial(special, verdict == OTHER)
        ask(special, code, SETTLE)
    return <KernelCode *>atomic_load_ptr(<void **>&special.kernel)


cdef void end_trial(Special *special, bint other_won) noexcept nogil:
    """Where the other way is faster it is what is compared with the general code, if anything is."""
    cdef uint64_t took = trial_ns(&special.trial, True)
    if traces(3):
        trace_trial(special, other_won)
    if not other_won:
        return
    special.other_won = True
    atomic_store_i64(<int64_t *>&special.other.ns_per_group, <int64_t>took)
    atomic_store_u64(&special.best_ns, took)
    if special.code == NULL:
        atomic_store_i32(&special.uses, 2 * COMPARED_AFTER)
    atomic_store_ptr(<void **>&special.kernel, special.other)


cdef void trace_trial(const Special *special, bint other_won) noexcept nogil:
    cdef char text[256]
    snprintf(text, sizeof(text), "%s: other code %s: %llu ns per group instead of %llu", special.general.name,
             b"is faster" if other_won else b"is no faster", <unsigned long long>trial_ns(&special.trial, True),
             <unsigned long long>trial_ns(&special.trial, False))
    trace_text(3, text)


cdef void trace_comparison(const Special *special, const char *if_slower) noexcept nogil:
    cdef char text[256]
    cdef uint64_t size = special.shape.size
    cdef uint64_t best = special.best_ns
    cdef const char *what = b"kept"
    if best > special.general_ns:
        what = if_slower
    snprintf(text, sizeof(text), "%s: code for work-groups of %u x %u x %u %s: %llu ns per group instead of %llu",
             special.general.name, <unsigned>size_along(size, 0), <unsigned>size_along(size, 1),
             <unsigned>size_along(size, 2), what,
             <unsigned long long>best, <unsigned long long>special.general_ns)
    trace_text(3, text)


cdef void add_up(KernelCode *kernel, Code *code, const Shape *shape, const clpy_launch *range_) noexcept nogil:
    """Add up what launches of one shape take, less what others take meanwhile. Races between threads that launch lose a
    launch or two."""
    cdef uint64_t mixed = hashed(kernel, shape)
    cdef uint64_t took = (<uint64_t>atomic_load_i64_relaxed(<int64_t *>&kernel.ns_per_group)
                          * range_.num_groups[0] * range_.num_groups[1] * range_.num_groups[2])
    cdef uint64_t spent = <uint64_t>atomic_load_i64_relaxed(<int64_t *>&kernel.spent_ns)
    if atomic_load_u64(&kernel.last_shape) != mixed:
        if took >= spent:
            atomic_store_u64(&kernel.last_shape, mixed)
        atomic_store_i64(<int64_t *>&kernel.spent_ns, <int64_t>(spent - took if took < spent else took - spent))
        return
    took += spent
    atomic_store_i64(<int64_t *>&kernel.spent_ns, <int64_t>took)
    if took >= code.specialize_ns and (took >= code.device.specialize_ns or has_spare(code.device.compute_units)):
        wish_for(kernel, code, shape)


cdef bint has_spare(uint64_t n) noexcept nogil:
    """Whether the processors had less to do than they could, in the last minute. The system is asked now and then."""
    global spare_asked_ns, is_spare
    cdef sysinfo_t said
    cdef uint64_t now = now_ns()
    if now - atomic_load_u64(&spare_asked_ns) > ASK_EVERY_NS:
        atomic_store_u64(&spare_asked_ns, now)
        atomic_store_i32(&is_spare, sysinfo(&said) == 0 and said.loads[0] < n << SI_LOAD_SHIFT)
    return atomic_load_i32_relaxed(&is_spare)


cdef Special *special_new(KernelCode *kernel, const Shape *shape) noexcept nogil:
    """One that nobody knows yet. NULL where there are enough, or there is no memory."""
    cdef Special *special
    if atomic_add_i32(&kernel.n_specials, 1) >= MOST_SHAPES:
        return NULL
    if atomic_add_i32(&n_specials, 1) < MOST_SPECIALS:
        special = <Special *>calloc(1, sizeof(Special))
        if special != NULL:
            special.shape, special.kernel, special.general = shape[0], kernel, kernel
            return special
    atomic_add_i32(&n_specials, -1)
    return NULL


cdef bint special_known(Special *special) noexcept nogil:
    """Known from now on; or gone where another thread has just made one known: that is enough."""
    cdef KernelCode *kernel = special.general
    cdef void *head = atomic_load_ptr(&kernel.specials)
    special.next = <Special *>head
    if atomic_cas_ptr(&kernel.specials, &head, special):
        return True
    special_gone(special)
    return False


cdef void special_gone(Special *special) noexcept nogil:
    if special.code != NULL:
        object_drop(special.code)
    if special.other_code != NULL:
        object_drop(special.other_code)
    free(special)
    atomic_add_i32(&n_specials, -1)


cdef void wish_for(KernelCode *kernel, Code *code, const Shape *shape) noexcept nogil:
    cdef Special *special = special_new(kernel, shape)
    atomic_store_i64(<int64_t *>&kernel.spent_ns, 0)
    if special != NULL:
        special.general_ns = <uint64_t>atomic_load_i64_relaxed(<int64_t *>&kernel.ns_per_group)
        if special_known(special):
            ask(special, code, MAKE)


cdef void ask(Special *special, Code *code, Wanted wanted) noexcept nogil:
    """Of the thread in the background. Without memory nothing is made, or forgotten."""
    cdef Wish *wish = <Wish *>calloc(1, sizeof(Wish))
    if wish == NULL:
        return
    object_hold(code)
    wish.code, wish.special, wish.wanted = code, special, wanted
    stack_push(&wishes, wish)
    start_work()


# ---- what was made before --------------------------------------------------------------------------------------------

cdef Special *recall(KernelCode *kernel, Code *code, const Shape *shape) noexcept nogil:
    """The code for this shape, if it is in the cache; else NULL. It is not compared with what nobody has run."""
    cdef Recalled recalled
    cdef Special *special
    if atomic_add_i32(&kernel.n_looked, 1) >= MOST_LOOKS:
        return NULL
    special = special_new(kernel, shape)
    if special == NULL:
        return NULL
    recalled = Recalled(special, code)
    if build_enters():
        call_python(recall_with_gil, &recalled)
        build_leaves()
    if special.kernel == kernel:
        special_gone(special)
        atomic_add_i32(&kernel.n_specials, -1)
        return NULL
    special.uses = COMPARED_AFTER
    if not special_known(special):
        return NULL
    if special.in_doubt:         # nobody saw the end of its trial
        ask(special, code, MAKE_OTHER)
    return special


cdef void recall_with_gil(void *argument) noexcept with gil:
    cdef Recalled *recalled = <Recalled *>argument
    try:
        if recalled.code.recipe != NULL:
            make(recalled.special, recalled.code, True)
    except BaseException as error:
        report_fault("looking for a kernel's code", error)


# ---- in the background -----------------------------------------------------------------------------------------------

cdef void start_work() noexcept nogil:
    cdef int32_t idle = 0
    if atomic_cas_i32(&at_work, &idle, 1) and not thread_start(work, NULL, "clpy special", 0):
        atomic_store_i32(&at_work, 0)        # no thread to be had: the wishes wait for the next that is made


cdef void work(void *nothing) noexcept nogil:
    cdef Wish *wish
    cdef Wish *following
    if not build_enters():                   # the process ends
        return
    while True:
        wish = <Wish *>stack_take(&wishes)
        while wish != NULL:
            following = wish.next
            if python_runs():
                with gil:
                    fulfil(wish)
            object_drop(wish.code)
            free(wish)
            wish = following
        atomic_store_i32(&at_work, 0)
        if atomic_load_ptr(&wishes) == NULL or not take_up_again():
            break
    build_leaves()


cdef bint take_up_again() noexcept nogil:
    """A wish came between the last look and the end of the work, whose thread found another at work."""
    cdef int32_t idle = 0
    return atomic_cas_i32(&at_work, &idle, 1)


cdef void fulfil(Wish *wish) noexcept:
    try:
        if wish.code.recipe == NULL:
            return
        if wish.wanted == MAKE:
            make(wish.special, wish.code, False)
        elif wish.wanted == MAKE_OTHER:
            make_other(wish.special, wish.code)
        elif wish.wanted == SETTLE:
            (<object>wish.code.recipe)[0].settle(*what_for(wish.special, wish.code), wish.special.other_won)
        else:
            (<object>wish.code.recipe)[0].forget_special(*what_for(wish.special, wish.code))
    except CLError as why:                   # the process ends; the general code does
        trace(3, f"compiling a kernel for its work-groups: {why}")
    except BaseException as error:
        report_fault("compiling a kernel for its work-groups", error)


cdef tuple what_for(const Special *special, Code *code):
    """Arguments of the toolchain's functions."""
    size = (size_along(special.shape.size, 0), size_along(special.shape.size, 1), size_along(special.shape.size, 2))
    name = special.general.name.decode("utf-8", "surrogateescape")
    _, executable, target = <object>code.recipe
    return executable, name, size, target, formats_by_argument(special.general, special.shape.formats)


cdef int make(Special *special, Code *code, bint made_before) except -1:
    toolchain = (<object>code.recipe)[0]
    given = what_for(special, code)
    product = toolchain.recall(*given) if made_before else toolchain.specialize(*given)
    if product is not None and load(special, code, toolchain, product, &special.code, &special.made):
        atomic_store_ptr(<void **>&special.kernel, special.made)
        tell_of_code(given, "code", ", made before" if made_before else "")
    special.in_doubt = toolchain.is_in_doubt(product, *given)
    if special.in_doubt and not made_before:
        ask(special, code, MAKE_OTHER)
    return 0


cdef int make_other(Special *special, Code *code) except -1:
    toolchain = (<object>code.recipe)[0]
    given = what_for(special, code)
    product = toolchain.other_way(*given)
    if product is not None and load(special, code, toolchain, product, &special.other_code, &special.other):
        atomic_store_i32(&special.in_trial, 1)
        tell_of_code(given, "other code")
    return 0


cdef bint load(Special *special, Code *code, object toolchain, object product, Code **place,
               KernelCode **made) except -1:
    """Whether it can be given what was captured for the general code."""
    cdef KernelCode *kernel
    place[0] = code_new(code.device, product.kernels, toolchain.load(product, (<object>code.recipe)[2]),
                        code.uniform_groups)
    kernel = code_find(place[0], special.general.name)
    if kernel.args_size != special.general.args_size or kernel.traits.local_bytes > special.general.traits.local_bytes:
        return False
    made[0] = kernel
    return True


cdef void tell_of_code(tuple given, str what, str how=""):
    _, name, size, _, formats = given
    images = ", ".join(f"{order:#x} {type_:#x}" for order, type_, pixel in formats.values() if pixel)
    trace(3, f"{name}: {what} for work-groups of {size[0]} x {size[1]} x {size[2]}"
             + (f" and images of {images}" if images else "") + how)


cdef void forget_specials(KernelCode *kernel) noexcept nogil:
    """Nobody launches the kernel any more: no command, no kernel object and no wish holds its Code."""
    cdef Special *special = <Special *>kernel.specials
    cdef Special *following
    while special != NULL:
        following = special.next
        special_gone(special)
        special = following


cdef void forget_work() noexcept nogil:
    """In the child of a fork: the thread is the parent's."""
    global at_work
    at_work = 0


on_code_end(forget_specials)
at_fork_in_child(forget_work)
