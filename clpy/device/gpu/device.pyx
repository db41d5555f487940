# SPDX-License-Identifier: Apache-2.0
"""Models of AMD's and Intel's chips: `gpu:NAME` in CLPY_DEVICES adds one, `gpu` alone the default chip."""
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, uint64_t

from clpy import config
from clpy.compiler.amdgpu import installed
from clpy.device.base cimport (FORMATS_INTEL_GPU, FORMATS_USUAL, Device, DeviceOps, ImageLimits, device_add,
                               device_new, set_pipe_limits, set_queue_limits, set_svm_types)
from clpy.device.gpu import chip as chips
from clpy.device.gpu.clock cimport clock_account, clock_help_until, clock_new, clock_now, clock_submit
from clpy.device.gpu.info import answers
from clpy.device.gpu.kept_samples cimport kept_drop
from clpy.device.gpu.memory cimport pages_alloc, pages_free
from clpy.device.gpu.origins cimport origins_find
from clpy.device.gpu.policy cimport (free_facts, make_facts, policy_choose_local_size, policy_max_group_size,
                                     policy_prepare)
from clpy.device.gpu.record cimport record_free, record_text
from clpy.device.gpu.toolchain import target_of, toolchain_of
from clpy.device.host.guard cimport guards_interrupt
from clpy.device.host.pool cimport pool_abandon, pool_flush, pool_of_root
from clpy.device.host.topology cimport usable_cpus
from clpy.spec.consts cimport (CL_DEVICE_SVM_ATOMICS, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
                               CL_DEVICE_SVM_FINE_GRAIN_BUFFER, CL_DEVICE_TYPE_GPU, CL_EXEC_KERNEL)
from clpy.trace import report

cdef enum:                       # bytes of a queue on the device, as AMD's driver has them
    PREFERRED_QUEUE_SIZE = 256 << 10
    MOST_QUEUE_SIZE = 8 << 20
    LEAST_LANES = 8              # of a Gen chip's thread

cdef DeviceOps ops


cdef void interrupt(Device *dev) noexcept nogil:
    guards_interrupt()


ops.submit = clock_submit
ops.account = clock_account
ops.help_until = clock_help_until
ops.flush = pool_flush
ops.alloc = pages_alloc
ops.free = pages_free
ops.timer_ns = clock_now
ops.choose_local_size = policy_choose_local_size
ops.max_group_size = policy_max_group_size
ops.prepare = policy_prepare
ops.make_facts = make_facts
ops.free_facts = free_facts
ops.find_place = origins_find
ops.tell = record_text
ops.forget = record_free
ops.drop_kept = kept_drop
ops.interrupt = interrupt
ops.abandon = pool_abandon


cdef void *for_ever(object x):
    Py_INCREF(x)
    return <void *>x


cdef void set_sizes(Device *dev, object chip, bint has_sub_groups):
    dev.compute_units = chip.compute_units
    dev.max_work_group_size = chip.opencl.max_work_group_size
    for i in range(3):
        dev.max_work_item_sizes[i] = chip.opencl.max_work_group_size
    dev.local_mem_size = chip.lds.bytes_per_group
    dev.global_mem_size = chip.memory.bytes
    dev.max_alloc_size = <uint64_t>(chip.memory.bytes * chip.opencl.max_alloc_part)
    dev.mem_base_align_bytes = 128
    # A sub-group is a wavefront. Those that wait for others give way (docs/isa.md), so each comes to its end. Kernels
    # of Gen chips say how large theirs are.
    if has_sub_groups:
        dev.sub_groups.size = chip.compute.wave_size
        dev.sub_groups.most = chip.opencl.max_work_group_size // (LEAST_LANES if chip.is_gen else dev.sub_groups.size)
        dev.sub_groups.independent = True


def clock_of(size_t dev):
    return lambda: clock_now(<Device *>dev)


cdef void set_image_limits(ImageLimits *most, object opencl):
    """The chip's sizes; what a kernel may have is what fits its arguments."""
    most.width_2d = most.height_2d = opencl.image_width
    most.width_3d = most.height_3d = most.depth_3d = opencl.image_depth
    most.array_size = opencl.image_layers
    most.buffer_width = opencl.image_buffer
    most.pitch_align = most.base_align = 256
    most.read_args = most.write_args = most.read_write_args = 128
    most.samplers = 16


def add(str which):
    """The model of a chip; ValueError where there is none of that name, its file is wrong, or something is missing."""
    cdef Device *dev
    chip = chips.load(which or chips.DEFAULT)
    missing = installed.missing(chip.identity.architecture, chip.identity.processor)
    if missing:
        raise ValueError(missing)
    target = target_of(chip)
    dev = device_new()
    set_sizes(dev, chip, "cl_khr_subgroups" in target.extensions)
    dev.ops = &ops
    dev.wants_sizes = True
    dev.has_narrow_ids = not target.shares_addresses
    dev.impl = clock_new(chip)
    dev.type = CL_DEVICE_TYPE_GPU
    if "__opencl_c_pipes" in target.c_features:
        set_pipe_limits(dev)
    if "__opencl_c_device_enqueue" in target.c_features:
        set_queue_limits(dev)
        dev.queues.preferred_size = PREFERRED_QUEUE_SIZE
        dev.queues.max_size = MOST_QUEUE_SIZE
    dev.has_images = "__opencl_c_images" in target.c_features
    dev.has_mipmaps = "cl_khr_mipmap_image" in target.extensions
    if dev.has_images:
        dev.image_formats = FORMATS_USUAL | (FORMATS_INTEL_GPU if chip.is_gen and not chip.is_stood_in_for else 0)
        set_image_limits(&dev.images, chip.opencl)
    # Memory is the host's, and atomic operations are those of the host.
    if target.shares_addresses and target.version >= 200:
        dev.svm_capabilities = (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
                                | CL_DEVICE_SVM_ATOMICS)
    if chip.is_gen and not chip.is_stood_in_for:    # which has no other memory than the host's
        set_svm_types(dev.svm_types, False)
        dev.has_buffer_addresses = True
    dev.exec_capabilities = CL_EXEC_KERNEL
    dev.toolchain = for_ever(toolchain_of(chip, target))
    dev.info = for_ever(answers(chip, target, clock_of(<size_t>dev)))
    dev.has_visible_memory = True
    # The threads are the machine's: the same for all devices.
    dev.pool = pool_of_root(config.get("NUM_THREADS") or <int32_t>usable_cpus())
    device_add(dev)
    if config.get("DEBUG") >= 1:
        report(f"device gpu:{chip.name}: {chip.identity.board_name}, {chip.compute_units} compute units, "
               f"{'code of ' if chip.is_stood_in_for else ''}{chip.identity.processor}, "
               f"executed on this machine's processors")
