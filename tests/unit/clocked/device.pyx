# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""A device whose time is a rule: a kernel takes so many ns for each of its groups (a fact of the kernel, from the
toolchain), all else one for each byte. The host's threads run it. What it is told is kept for `told`."""
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from clpy.atomics cimport atomic_add_i32, atomic_load_i32
from clpy.cl cimport cl_int
from clpy.device.base cimport (Device, DeviceOps, TASK_KERNEL, Task, TaskHooks, device_add, device_new)
from clpy.device.cpu.policy cimport policy_choose_local_size, policy_max_group_size
from clpy.device.host.memory cimport memory_alloc, memory_free
from clpy.device.host.pool cimport pool_flush, pool_help_until, pool_of_root, pool_submit
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport CL_DEVICE_TYPE_ACCELERATOR, CL_EXEC_KERNEL

from clpy.compiler.target import host_target
from clpy.device.cpu import info as cpu_info
from clpy.device.cpu.toolchain import CpuToolchain

cdef enum:
    MOST = 64
    BEGINNING = 1000000

cdef struct Facts:
    uint64_t ns_per_group

cdef DeviceOps ops
cdef TaskHooks hooks
cdef Task notes[MOST]
cdef int n_notes = 0
cdef int32_t lock = 0
cdef int32_t attached = 0        # atomic
cdef int32_t attached_ever = 0   # atomic
cdef int32_t facts_alive = 0     # atomic
cdef uint64_t clock = BEGINNING


class Toolchain(CpuToolchain):
    def build(self, source, options, target):
        made = super().build(source, options, target)
        for info in made.kernels.values():
            info.facts = {"ns_per_group": 7 * len(info.args)}
        return made


cdef void run_on_clock(Task *task, uint64_t length) noexcept nogil:
    global clock, n_notes
    mutex_lock(&lock)
    task.start_ns = task.ready_ns if task.ready_ns > clock else clock
    task.end_ns = clock = task.start_ns + length
    if n_notes < MOST:
        notes[n_notes] = task[0]
        n_notes += 1
    mutex_unlock(&lock)


cdef void *attach(Task *task) noexcept nogil:
    atomic_add_i32(&attached, 1)
    atomic_add_i32(&attached_ever, 1)
    return malloc(1)


cdef void detach(Task *task, void *observer) noexcept nogil:
    atomic_add_i32(&attached, -1)
    free(observer)


cdef void done(Task *task, cl_int status) noexcept nogil:
    cdef uint64_t length = task.bytes
    if task.flags & TASK_KERNEL:
        length = (<Facts *>task.launch.traits.facts).ns_per_group * <uint64_t>task.n_units
    run_on_clock(task, length)
    task.finished(task, status)


cdef void submit(Device *dev, Task *task, int here) noexcept nogil:
    task.hooks = &hooks
    pool_submit(dev, task, here)


cdef void account(Device *dev, Task *task) noexcept nogil:
    run_on_clock(task, task.bytes)


cdef uint64_t timer_ns(Device *dev) noexcept nogil:
    return clock


cdef void *make_facts(Device *dev, object info) except? NULL:
    cdef Facts *facts = <Facts *>calloc(1, sizeof(Facts))
    facts.ns_per_group = info.facts["ns_per_group"]
    atomic_add_i32(&facts_alive, 1)
    return facts


cdef void free_facts(void *facts) noexcept nogil:
    atomic_add_i32(&facts_alive, -1)
    free(facts)


def told():
    """(type, flow, bytes, ready, start, end) of the tasks since the last call, times from the beginning."""
    global n_notes
    rows = [(notes[i].type, notes[i].flow, notes[i].bytes, notes[i].ready_ns, notes[i].start_ns - BEGINNING,
             notes[i].end_ns - BEGINNING) for i in range(n_notes)]
    n_notes = 0
    return rows


def threads():
    """(attached now, attached ever, facts in memory)."""
    return atomic_load_i32(&attached), atomic_load_i32(&attached_ever), atomic_load_i32(&facts_alive)


def add(str which):
    cdef Device *dev
    if which != "slow":
        raise ValueError("there is clocked:slow and no other")
    target = host_target()
    toolchain, answers = Toolchain(target), cpu_info.answers(target)
    Py_INCREF(toolchain)
    Py_INCREF(answers)
    ops.submit, ops.help_until, ops.flush = submit, pool_help_until, pool_flush
    ops.account, ops.alloc, ops.free, ops.timer_ns = account, memory_alloc, memory_free, timer_ns
    ops.choose_local_size, ops.max_group_size = policy_choose_local_size, policy_max_group_size
    ops.make_facts, ops.free_facts = make_facts, free_facts
    hooks.attach, hooks.detach, hooks.done = attach, detach, done
    dev = device_new()
    dev.ops = &ops
    dev.type = CL_DEVICE_TYPE_ACCELERATOR
    dev.compute_units = 1
    dev.max_work_group_size = dev.max_work_item_sizes[0] = 256
    dev.max_work_item_sizes[1] = dev.max_work_item_sizes[2] = 256
    dev.local_mem_size, dev.max_alloc_size, dev.global_mem_size = 1 << 15, 1 << 28, 1 << 30
    dev.mem_base_align_bytes = 128
    dev.exec_capabilities = CL_EXEC_KERNEL
    dev.toolchain, dev.info = <void *>toolchain, <void *>answers
    dev.pool = pool_of_root(2)
    device_add(dev)
