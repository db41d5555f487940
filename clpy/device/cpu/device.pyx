# SPDX-License-Identifier: Apache-2.0
"""The CPU device, made of its parts."""
from cpython.ref cimport Py_INCREF
from libc.stdint cimport uint64_t

from clpy import config
from clpy.compiler.target import host_target
from clpy.device.base cimport (FORMATS_CPU, FORMATS_USUAL, Device, DeviceOps, ImageLimits, device_add, device_new,
                               set_pipe_limits, set_queue_limits, set_svm_types)
from clpy.device.cpu.info import Machine, answers, has_dma_bufs
from clpy.device.host import frames
from clpy.device.host.crew cimport pool_close, pool_new
from clpy.device.host.guard cimport guards_interrupt
from clpy.device.host.memory cimport memory_alloc, memory_free
from clpy.device.host.pool cimport pool_abandon, pool_flush, pool_help_until, pool_of_root, pool_submit
from clpy.device.host.topology cimport usable_cpus, usable_memory
from clpy.device.host.units cimport Cpus, cpus_of, units_along
from clpy.device.cpu.policy cimport (LOCAL_BYTES, MAX_GROUP, policy_choose_local_size, policy_max_group_size,
                                     policy_merge_groups, policy_prepare)
from clpy.device.cpu.toolchain import CpuToolchain
from clpy.futex cimport now_ns
from clpy.trace import report
from clpy.spec.consts cimport (CL_DEVICE_SVM_ATOMICS, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
                               CL_DEVICE_SVM_FINE_GRAIN_BUFFER, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, CL_DEVICE_TYPE_CPU,
                               CL_EXEC_KERNEL, CL_EXEC_NATIVE_KERNEL)

cdef enum:
    BASE_ALIGN = 128             # bytes: the largest type, long16
    MOST_PIXEL_BYTES = 16
    MOST_BUFFER_WIDTH = 1 << 28
    PREFERRED_QUEUE_SIZE = 4 << 20
    MOST_QUEUE_SIZE = 16 << 20   # a small block takes a hundred bytes of it
    MOST_QUEUES = 64
    MOST_QUEUE_EVENTS = 1 << 16

cdef DeviceOps ops


cdef uint64_t timer_ns(Device *dev) noexcept nogil:
    return now_ns()


cdef void interrupt(Device *dev) noexcept nogil:
    guards_interrupt()


cdef bint open_part(Device *part) noexcept nogil:
    cdef Cpus *cpus = cpus_of(part)
    if cpus == NULL:
        return False
    part.pool = pool_new(part.compute_units, cpus)
    return part.pool != NULL


cdef void close_part(Device *part) noexcept nogil:
    if part.pool != NULL:
        pool_close(part.pool)


cdef void *for_ever(object x):
    Py_INCREF(x)
    return <void *>x


cdef void set_sizes(Device *dev) noexcept nogil:
    cdef uint64_t memory = usable_memory()
    # A quarter is what the specification asks for; programs want more, and half still leaves room for a second one.
    cdef uint64_t half = (memory // 2) & ~<uint64_t>4095
    dev.compute_units = usable_cpus()
    dev.max_work_group_size = MAX_GROUP
    dev.max_work_item_sizes[0] = dev.max_work_item_sizes[1] = dev.max_work_item_sizes[2] = MAX_GROUP
    dev.local_mem_size = LOCAL_BYTES
    dev.global_mem_size = memory
    dev.max_alloc_size = half if half > 32 << 20 else 32 << 20
    dev.mem_base_align_bytes = BASE_ALIGN


cdef void set_image_limits(ImageLimits *most, uint64_t max_alloc) noexcept nogil:
    """Each can be had alone; all together the size of an allocation is the limit. Coordinates stay well within what a
    float tells apart, with room for the fraction."""
    most.width_2d = most.height_2d = 16384
    most.width_3d = most.height_3d = most.depth_3d = 2048
    most.array_size = 2048
    most.buffer_width = max_alloc // MOST_PIXEL_BYTES
    if most.buffer_width > MOST_BUFFER_WIDTH:
        most.buffer_width = MOST_BUFFER_WIDTH
    most.pitch_align = most.base_align = 1
    # More than fit in the bytes of a kernel's arguments would be no limit.
    most.read_args = most.write_args = most.read_write_args = 128
    most.samplers = 64


def add(str which):
    if which:
        raise ValueError("there is one CPU device, without a name of its own")
    make()


cdef int make() except -1:
    cdef Device *dev = device_new()
    target = host_target()
    ops.submit = pool_submit
    ops.help_until = pool_help_until
    ops.flush = pool_flush
    ops.alloc = memory_alloc
    ops.free = memory_free
    ops.timer_ns = timer_ns
    ops.choose_local_size = policy_choose_local_size
    ops.merge_groups = policy_merge_groups
    ops.max_group_size = policy_max_group_size
    ops.prepare = policy_prepare
    ops.interrupt = interrupt
    ops.abandon = pool_abandon
    ops.along_domain = units_along
    ops.open_part = open_part
    ops.close_part = close_part
    set_sizes(dev)
    if config.get("NUM_THREADS"):
        dev.compute_units = config.get("NUM_THREADS")
    if 0 < config.get("MAX_COMPUTE_UNITS") < dev.compute_units:
        dev.compute_units = config.get("MAX_COMPUTE_UNITS")
    dev.ops = &ops
    dev.specialize_ns = <uint64_t>config.get("SPECIALIZE_MS") * 1000000
    dev.type = CL_DEVICE_TYPE_CPU
    # Kernels are code of this process: any address and any atomic operation means to them what it means to the host.
    dev.svm_capabilities = (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
                            | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS)
    set_svm_types(dev.svm_types, True)
    dev.exec_capabilities = CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL
    dev.has_buffer_addresses = dev.runs_concurrently = True
    dev.has_dma_bufs = has_dma_bufs()
    if "__opencl_c_device_enqueue" in target.c_features:
        set_queue_limits(dev)
        dev.queues.preferred_size = PREFERRED_QUEUE_SIZE
        dev.queues.max_size = MOST_QUEUE_SIZE
        dev.queues.most = MOST_QUEUES
        dev.queues.events = MOST_QUEUE_EVENTS
    if "__opencl_c_pipes" in target.c_features:
        set_pipe_limits(dev)
    if "__opencl_c_subgroups" in target.c_features:
        dev.sub_groups.size = Machine(target).vector_bytes() // sizeof(float)
        dev.sub_groups.most = MAX_GROUP // dev.sub_groups.size
        dev.sub_groups.independent = True
    dev.has_images = "__opencl_c_images" in target.c_features
    dev.has_mipmaps = "cl_khr_mipmap_image" in target.extensions
    if dev.has_images:
        dev.image_formats = FORMATS_USUAL | FORMATS_CPU
        set_image_limits(&dev.images, dev.max_alloc_size)
    frames.known_to_kernels()
    dev.toolchain = for_ever(CpuToolchain(target))
    dev.info = for_ever(answers(target))
    dev.pool = pool_of_root(dev.compute_units)
    device_add(dev)
    if config.get("DEBUG") >= 1:
        report(Machine(target).summary(dev.compute_units))
    return 0
