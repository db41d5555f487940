# SPDX-License-Identifier: Apache-2.0
"""Launches of translated kernels on the host's threads: what each thread counts and traces, put together at the end."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t, uintptr_t
from clpy.abi cimport clpy_kernel_fn
from clpy.device.base cimport Device, Launch, Task
from clpy.device.gpu.timing.chip_model cimport ChipModel, Held
from clpy.device.gpu.timing.program cimport Steps
from clpy.device.gpu.timing.room cimport Room
from clpy.device.gpu.timing.sample cimport Sample, Way
from clpy.device.gpu.timing.sampled cimport Sampled
from clpy.device.gpu.timing.simulated cimport Simulated
from clpy.device.gpu.timing.waves cimport clpy_wave_sink

ctypedef void (*construct_fn)() noexcept nogil

cdef enum:
    KINDS = 3                    # of code of a kernel: isa/native.KINDS

ctypedef struct Origin:          # of one of them: where a fault in it is looked up. Kept by what has the code
    const char *object           # the file that it was loaded from
    size_t size
    char symbol[1024]
    uintptr_t start              # of the symbol, in memory; 0: there is no such code; atomic

ctypedef struct Facts:           # KernelTraits.facts: KernelInfo.facts as the runtime needs them
    Facts *next                  # first: the link of clpy.stack
    int32_t users                # the code's own, records of launches and kept samples; atomic
    int32_t is_gone              # the code is; atomic
    size_t wave_bytes            # of a wavefront: registers that live across a barrier, and scratch
    bint prints                  # its groups may leave records of printf
    construct_fn construct       # sees to it that the program's objects are there; NULL: it has none
    clpy_kernel_fn *plain        # counts blocks, and no more; atomic
    void *quiet                  # a wavefront of it that has told enough, optimized; NULL: there is none; atomic
    uint64_t spent_ns            # in code that is not optimized, by launches so far; atomic
    uint64_t fast_ns             # then it is optimized; 0: it is
    clpy_kernel_fn *traced       # tells each wavefront's way; NULL: there is no such code
    int32_t wants_traced         # it is to be made when somebody launches the kernel; atomic
    int64_t kernel               # what launch_time.py knows it by
    const ChipModel *chip
    Steps steps                  # its static program, of `program`
    float *alone                 # malloc'ed, by block: cycles of a wavefront that is alone
    void *program                # PyObject*
    int64_t vgprs, sgprs, scratch_bytes
    int64_t wave_lanes           # work-items of a wavefront
    bint has_barriers
    Way way
    Origin *origins              # malloc'ed: KINDS of them
    uint32_t *pointers           # malloc'ed: where pointers are among the arguments, and then images
    int64_t n_pointers, n_images
    uint8_t *leads               # malloc'ed: of each of these, whether what stands there may be part of addresses

ctypedef struct Sink:            # of one thread and one launch
    clpy_wave_sink wave          # first: what code of kernels sees
    Run *run
    Room room                    # for traces; wave.at and wave.end lie in it
    Sink *next

ctypedef struct Likeness:        # what launches are compared by that may take the same time: likeness.pyx
    uint64_t *words              # malloc'ed; NULL: nothing is like it
    size_t n

ctypedef struct Kept:            # a sample of a launch, for those that are like it: kept_samples.pyx
    Kept *next
    Facts *facts                 # held
    Likeness like
    Sampled *sampled
    int64_t launch               # whose it is
    int32_t uses                 # launches since that had their times from it
    int32_t agreed               # samples in a row, up to this one, that agreed with the one before
    int32_t needed               # so many have to before one is used

ctypedef struct KeptSamples:     # of a queue: Task.kept
    Kept *first                  # the one that was used last
    int64_t launches             # of kernels of models so far
    int32_t seen_gone            # of `gone`, in kept_samples.pyx

ctypedef struct Run:             # a launch on a model: Task.own
    Device *device
    const Facts *facts
    uint64_t enqueued            # on the device's clock
    bint is_child                # a kernel has enqueued it
    Held held                    # by a compute unit
    Sample sample                # total 0: nothing is traced
    bint leads                   # traced groups run first: ahead.pyx
    int64_t untold               # traced groups that are not done; atomic
    int32_t is_followed          # somebody follows those that are, or has; atomic
    Simulated *followed          # malloc'ed; NULL: nobody has, or it could not be
    Sampled *sampled             # what that came to; malloc'ed
    KeptSamples *kept            # of its queue; NULL: it is not certain which launches were before
    uint32_t queue               # Task.queue
    int64_t launch               # its number in that queue, from 1 on; 0: it has none
    Likeness like                # what its sample may be kept by
    Kept *reused                 # the sample that it has its time from; NULL: its own, or none
    int32_t lock
    size_t words                 # that threads have told which are done
    bint failed                  # there was no room for all that was told
    uint64_t *counts             # by block, of all wavefronts
    uint64_t *lanes
    Sink *sinks                  # with traces
    bint is_profiled
    void *told                   # then: clpy.device.gpu.record.Record, for the task

cdef know_host_calls()
cdef Run *run_new(Device *dev, Task *task, uint64_t enqueued) noexcept nogil
cdef void run_free(Run *run) noexcept nogil
# Whether threads have told more by now than there is room for.
cdef bint tells_too_much(Run *run) noexcept nogil
# Hooks of the task (clpy.device.base.TaskHooks).
cdef void *sink_attach(Task *task) noexcept nogil
cdef void sink_detach(Task *task, void *observer) noexcept nogil
# The code of all launches: for each group the kernel's plain or traced code.
cdef clpy_kernel_fn run_model
