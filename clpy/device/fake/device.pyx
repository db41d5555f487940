# SPDX-License-Identifier: Apache-2.0
"""A device for tests of the host's side: it runs what it is given as the CPU device does, and reports what a test asks
for, whether its kernels can do it or not. CLPY_DEVICES=cpu,fake lists it, as a custom device, which no program gets
that does not ask for one.
"""
from libc.string cimport memset
from clpy.abi cimport clpy_object
from clpy.cl cimport cl_uint
from clpy.device.base cimport (Device, SVM_TYPE_COUNT, device_add, device_list, device_new, set_pipe_limits,
                               set_queue_limits)
from clpy.spec.consts cimport CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CUSTOM

cdef Device *fake = NULL
cdef Device truth                # what it reports where nobody asks for anything else: the CPU device's


cdef Device *cpu_device() except NULL:
    cdef cl_uint n, i
    cdef Device **devices = device_list(&n)
    for i in range(n):
        if devices[i].type == CL_DEVICE_TYPE_CPU:
            return devices[i]
    raise ValueError("it is made from the CPU device, which has to be named before it")


def add(str which):
    global fake, truth
    cdef Device *dev
    cdef clpy_object obj
    if which:
        raise ValueError("there is one of them, without a name of its own")
    cpu_device()                 # before there is a device that cannot be made whole
    dev = device_new()
    obj = dev.obj
    dev[0] = cpu_device()[0]
    dev.obj = obj
    dev.type = CL_DEVICE_TYPE_CUSTOM
    dev.runs_concurrently = False    # what is a processor lists the extension, and this is none
    device_add(dev)
    fake, truth = dev, dev[0]


def report(queues=None, pipes=None, sub_groups=None, dma_bufs=None, svm_types=None):
    """From now on: that it has queues of its own, pipes, sub-groups of so many work-items, dma-bufs, or not, and only
    these types of SVM; None: as the CPU device."""
    fake.queues, fake.pipes, fake.sub_groups = truth.queues, truth.pipes, truth.sub_groups
    fake.has_dma_bufs = truth.has_dma_bufs if dma_bufs is None else dma_bufs
    for i in range(SVM_TYPE_COUNT):
        fake.svm_types[i] = truth.svm_types[i] if svm_types is None or i in svm_types else 0
    if queues is not None:
        memset(&fake.queues, 0, sizeof(fake.queues))
    if pipes is not None:
        memset(&fake.pipes, 0, sizeof(fake.pipes))
    if sub_groups is not None:
        fake.sub_groups.size = sub_groups
        fake.sub_groups.most = fake.max_work_group_size // sub_groups if sub_groups else 0
    if queues:
        set_queue_limits(fake)
    if pipes:
        set_pipe_limits(fake)
