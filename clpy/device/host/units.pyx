# SPDX-License-Identifier: Apache-2.0
"""Compute units as runs of processors, in the order of the machine's topology.

The processors that the process may use are put into hwloc's order and divided evenly among the units of the root
device. Mostly that is one for each; a quota or CLPY_NUM_THREADS makes it several, or several units on one processor.
hwloc is asked once, when a device is to be divided.
"""
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset
from clpy.atomics cimport atomic_cas_i32, atomic_load_i32, atomic_store_i32, cpu_pause
from clpy.cl cimport cl_device_affinity_domain, cl_device_partition_property, cl_uint
from clpy.device.base cimport Device, device_root
from clpy.secure_mode cimport in_secure_mode
from clpy.spec.consts cimport (CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
                               CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
                               CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_PARTITION_BY_NAMES_EXT)

cdef extern from "processor_set.h" nogil:
    struct clpy_cpus:
        size_t size
    clpy_cpus *clpy_cpus_new(int most)
    clpy_cpus *clpy_cpus_allowed()
    bint clpy_cpus_has(const clpy_cpus *cpus, int i)
    void clpy_cpus_add(clpy_cpus *cpus, int i)
    int clpy_cpus_count(const clpy_cpus *cpus)
    int clpy_cpus_room(const clpy_cpus *cpus)
    void clpy_stay_on(const clpy_cpus *cpus)
    int clpy_stay_on_one(int i, int n)
    bint clpy_is_virtual()

cdef extern from "hwloc.h" nogil:
    ctypedef struct hwloc_topology:
        pass
    ctypedef hwloc_topology *hwloc_topology_t
    ctypedef struct hwloc_bitmap:
        pass
    ctypedef hwloc_bitmap *hwloc_bitmap_t
    ctypedef struct hwloc_obj:
        unsigned os_index
        hwloc_bitmap_t cpuset
    ctypedef hwloc_obj *hwloc_obj_t
    ctypedef int hwloc_obj_type_t
    hwloc_obj_type_t HWLOC_OBJ_PU, HWLOC_OBJ_NUMANODE
    hwloc_obj_type_t HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE
    unsigned long HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM
    int hwloc_topology_init(hwloc_topology_t *t)
    int hwloc_topology_set_flags(hwloc_topology_t t, unsigned long flags)
    int hwloc_topology_set_synthetic(hwloc_topology_t t, const char *description)
    int hwloc_topology_load(hwloc_topology_t t)
    void hwloc_topology_destroy(hwloc_topology_t t)
    int hwloc_get_nbobjs_by_type(hwloc_topology_t t, hwloc_obj_type_t type)
    hwloc_obj_t hwloc_get_obj_by_type(hwloc_topology_t t, hwloc_obj_type_t type, unsigned index)
    int hwloc_bitmap_isset(const hwloc_bitmap *map, unsigned i)

cdef enum:
    DOMAINS = 5
    NOWHERE = -1
    MOST_NAMES = 64

cdef struct Processor:
    int os_index
    int32_t within[DOMAINS]      # number of the NUMA node and of the caches, from level 4 to 1, it is in; or NOWHERE

cdef struct Processors:
    int n
    Processor *each              # in the order of the topology

cdef Processors g_processors
cdef int32_t g_state = 0         # 0 unknown, 1 being asked, 2 known


# ---- processors ------------------------------------------------------------------------------------------------------

cdef hwloc_obj_type_t type_of(int domain) noexcept nogil:
    """Of hwloc; domains in the order of CL_DEVICE_AFFINITY_DOMAIN_*."""
    if domain == 0:
        return HWLOC_OBJ_NUMANODE
    if domain == 1:
        return HWLOC_OBJ_L4CACHE
    if domain == 2:
        return HWLOC_OBJ_L3CACHE
    return HWLOC_OBJ_L2CACHE if domain == 3 else HWLOC_OBJ_L1CACHE


cdef int32_t number_of(hwloc_topology_t t, hwloc_obj_type_t type, unsigned cpu) noexcept nogil:
    cdef int i
    cdef hwloc_obj_t obj
    for i in range(hwloc_get_nbobjs_by_type(t, type)):
        obj = hwloc_get_obj_by_type(t, type, i)
        if obj != NULL and obj.cpuset != NULL and hwloc_bitmap_isset(obj.cpuset, cpu):
            return i
    return NOWHERE


cdef void read_topology(hwloc_topology_t t, const clpy_cpus *allowed, Processors *out) noexcept nogil:
    """All processors of `allowed`; of the topology where that is NULL."""
    cdef int i, d, n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU)
    cdef hwloc_obj_t pu
    cdef Processor *to
    if n <= 0:
        return
    out.each = <Processor *>malloc(n * sizeof(Processor))
    if out.each == NULL:
        return
    for i in range(n):
        pu = hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, i)
        if pu == NULL or (allowed != NULL and not clpy_cpus_has(allowed, pu.os_index)):
            continue
        to = &out.each[out.n]
        to.os_index = pu.os_index
        for d in range(DOMAINS):
            to.within[d] = number_of(t, type_of(d), pu.os_index)
        out.n += 1


cdef void ask_hwloc(const char *synthetic, const clpy_cpus *allowed, Processors *out) noexcept nogil:
    cdef hwloc_topology_t t = NULL
    if in_secure_mode() or hwloc_topology_init(&t) != 0:
        return
    # Packages and groups too: a NUMA node's set of processors is that of the object it hangs on.
    if synthetic == NULL:
        hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM)
    if (synthetic == NULL or hwloc_topology_set_synthetic(t, synthetic) == 0) and hwloc_topology_load(t) == 0:
        read_topology(t, allowed, out)
    hwloc_topology_destroy(t)


cdef void number_plainly(const clpy_cpus *allowed, Processors *out) noexcept nogil:
    """Where hwloc knows nothing: the processors as the system numbers them, sharing nothing."""
    cdef int i, d
    free(out.each)
    out.n = 0
    out.each = <Processor *>malloc(clpy_cpus_count(allowed) * sizeof(Processor))
    if out.each == NULL:
        return
    for i in range(clpy_cpus_room(allowed)):
        if not clpy_cpus_has(allowed, i):
            continue
        out.each[out.n].os_index = i
        for d in range(DOMAINS):
            out.each[out.n].within[d] = NOWHERE
        out.n += 1


cdef const Processors *processors() noexcept nogil:
    """None where the system does not tell either: threads then run anywhere."""
    cdef int32_t unknown = 0
    cdef clpy_cpus *allowed
    if atomic_cas_i32(&g_state, &unknown, 1):
        allowed = clpy_cpus_allowed()
        if allowed != NULL:
            ask_hwloc(NULL, allowed, &g_processors)
            if g_processors.n != clpy_cpus_count(allowed):
                number_plainly(allowed, &g_processors)
            free(allowed)
        atomic_store_i32(&g_state, 2)
    while atomic_load_i32(&g_state) != 2:
        cpu_pause()
    return &g_processors


# ---- units -----------------------------------------------------------------------------------------------------------

cdef cl_uint nth_name(const Device *dev, cl_uint nth) noexcept nogil:
    """The nth of the names, in ascending order: units that share something are to be neighbours."""
    cdef cl_uint i, j, smaller
    for i in range(dev.compute_units):
        smaller = 0
        for j in range(dev.compute_units):
            if dev.partition[1 + j] < dev.partition[1 + i]:
                smaller += 1
        if smaller == nth:
            return <cl_uint>dev.partition[1 + i]
    return 0


cdef cl_uint unit_of(const Device *dev, cl_uint i) noexcept nogil:
    """Of the root device: the unit that i is."""
    while dev.parent != NULL:
        if dev.partition[0] == CL_DEVICE_PARTITION_BY_NAMES_EXT:
            i = nth_name(dev, i)
        else:
            i += dev.first_unit - dev.parent.first_unit
        dev = dev.parent
    return i


cdef inline int first_processor(int n, cl_uint unit, cl_uint n_units) noexcept nogil:
    return <int>(<unsigned long long>unit * <unsigned long long>n // n_units)


cdef int domain_number(cl_device_affinity_domain domain) noexcept nogil:
    if domain == CL_DEVICE_AFFINITY_DOMAIN_NUMA:
        return 0
    if domain == CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE:
        return 1
    if domain == CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE:
        return 2
    if domain == CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE:
        return 3
    return 4 if domain == CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE else NOWHERE


cdef cl_uint runs(const Processors *all, const Device *dev, int d, cl_uint *sizes) noexcept nogil:
    """Neighbours in the same place d: how many such runs, and their sizes."""
    cdef cl_uint i, found = 0, n_units = device_root(dev).compute_units
    cdef int32_t here, before = NOWHERE
    if all.n == 0:
        return 0
    for i in range(dev.compute_units):
        here = all.each[first_processor(all.n, unit_of(dev, i), n_units)].within[d]
        if here == NOWHERE:
            return 0
        if i == 0 or here != before:
            found += 1
            if sizes != NULL:
                sizes[found - 1] = 0
        if sizes != NULL:
            sizes[found - 1] += 1
        before = here
    return found


cdef cl_uint units_along(Device *dev, cl_device_affinity_domain domain, cl_uint *sizes) noexcept nogil:
    cdef int d = domain_number(domain)
    if d == NOWHERE:
        return 0
    return runs(processors(), dev, d, sizes)


cdef void add_processors(const Processors *all, const Device *dev, clpy_cpus *cpus) noexcept nogil:
    """Those of the device's units; several units may be on one processor."""
    cdef cl_uint i, unit, n_units = device_root(dev).compute_units
    cdef int at, first, end
    for i in range(dev.compute_units if all.n > 0 else 0):
        unit = unit_of(dev, i)
        first = first_processor(all.n, unit, n_units)
        end = first_processor(all.n, unit + 1, n_units)
        for at in range(first, end if end > first else first + 1):
            clpy_cpus_add(cpus, all.each[at].os_index)


cdef Cpus *cpus_of(const Device *dev) noexcept nogil:
    cdef const Processors *all = processors()
    cdef int i, most = 0
    cdef clpy_cpus *cpus
    for i in range(all.n):
        most = all.each[i].os_index + 1 if all.each[i].os_index >= most else most
    cpus = clpy_cpus_new(most if most else 1)
    if cpus == NULL:
        return NULL
    add_processors(all, dev, cpus)
    return <Cpus *>cpus


cdef void stay_on(const Cpus *cpus) noexcept nogil:
    clpy_stay_on(<const clpy_cpus *>cpus)    # nothing to be done where the system refuses: an empty set, say


cdef int stay_on_one(int i, int n) noexcept nogil:
    return clpy_stay_on_one(i, n)


cdef bint machine_is_virtual() noexcept nogil:
    return clpy_is_virtual()


def divide(description, unsigned n_units, unsigned first, unsigned n, units=()):
    """What hwloc makes of a synthetic topology: for the units first .. first + n - 1 of n_units, or for those named,
    the parts along NUMA nodes and caches of level 4 to 1, each a list of sizes, and their processors. For tests."""
    cdef Processors all
    cdef Device root, part
    cdef cl_device_partition_property names[MOST_NAMES]
    cdef bytes text = description.encode()
    cdef cl_uint sizes[1024]
    cdef clpy_cpus *cpus
    all.n = 0
    all.each = NULL
    memset(&root, 0, sizeof(Device))
    memset(&part, 0, sizeof(Device))
    memset(names, 0, sizeof(names))
    root.compute_units = n_units
    part.parent, part.partition = &root, names
    part.first_unit, part.compute_units = first, n
    if units:
        names[0] = CL_DEVICE_PARTITION_BY_NAMES_EXT
        part.compute_units = len(units)
        for i, unit in enumerate(units[:MOST_NAMES - 1]):
            names[1 + i] = unit
    ask_hwloc(text, NULL, &all)
    cpus = clpy_cpus_new(1024)
    try:
        parts = [[sizes[i] for i in range(runs(&all, &part, d, sizes))] for d in range(DOMAINS)]
        add_processors(&all, &part, cpus)
        return parts, [all.each[i].os_index for i in range(all.n) if clpy_cpus_has(cpus, all.each[i].os_index)]
    finally:
        free(all.each)
        free(cpus)
