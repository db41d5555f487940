# SPDX-License-Identifier: Apache-2.0
"""The machine as this process may use it: processors, memory, caches.

The affinity mask and the cgroup limits are read directly, as every process that lists devices waits for them. hwloc
takes milliseconds (tens on a large machine) and is asked only for what just it knows, when somebody wants that.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdio cimport FILE, fclose, fgets, fopen, snprintf, sscanf
from libc.stdlib cimport strtoull
from libc.string cimport strchr, strlen, strncmp
from clpy.atomics cimport atomic_cas_i32, atomic_load_i32, atomic_store_i32, cpu_pause
from clpy.secure_mode cimport in_secure_mode

from clpy import config

cdef extern from "system_size.h":
    uint32_t clpy_affinity_count() noexcept nogil
    unsigned long long clpy_ram() noexcept nogil

cdef extern from "hwloc.h" nogil:
    ctypedef struct hwloc_topology:
        pass
    ctypedef hwloc_topology *hwloc_topology_t
    ctypedef struct hwloc_cache_attr:
        uint64_t size
        unsigned linesize
    ctypedef union hwloc_obj_attr:
        hwloc_cache_attr cache
    ctypedef struct hwloc_obj:
        hwloc_obj_attr *attr
    ctypedef hwloc_obj *hwloc_obj_t
    ctypedef int hwloc_obj_type_t
    ctypedef int hwloc_type_filter_e
    hwloc_obj_type_t HWLOC_OBJ_CORE, HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_NUMANODE
    hwloc_type_filter_e HWLOC_TYPE_FILTER_KEEP_NONE, HWLOC_TYPE_FILTER_KEEP_ALL
    unsigned long HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM
    int hwloc_topology_init(hwloc_topology_t *t)
    int hwloc_topology_set_all_types_filter(hwloc_topology_t t, hwloc_type_filter_e f)
    int hwloc_topology_set_cache_types_filter(hwloc_topology_t t, hwloc_type_filter_e f)
    int hwloc_topology_set_type_filter(hwloc_topology_t t, hwloc_obj_type_t type, hwloc_type_filter_e f)
    int hwloc_topology_set_flags(hwloc_topology_t t, unsigned long flags)
    int hwloc_topology_load(hwloc_topology_t t)
    void hwloc_topology_destroy(hwloc_topology_t t)
    int hwloc_get_nbobjs_by_type(hwloc_topology_t t, hwloc_obj_type_t type)
    hwloc_obj_t hwloc_get_obj_by_type(hwloc_topology_t t, hwloc_obj_type_t type, unsigned index)

cdef enum:
    PATH_MAX = 4096
    LINE_MAX = 4096


# ---- cgroup limits

# What a controller's file says at one folder: bytes for memory, thousandths of a processor for cpu.
ctypedef uint64_t (*limit_fn)(const char *folder) noexcept nogil


cdef bint read_line(const char *folder, const char *name, char *line) noexcept nogil:
    """The first line of folder/name into line[LINE_MAX]."""
    cdef char path[PATH_MAX + 64]
    cdef FILE *f
    cdef bint ok
    snprintf(path, sizeof(path), b"%s/%s", folder, name)
    f = fopen(path, b"re")
    if f == NULL:
        return False
    ok = fgets(line, LINE_MAX, f) != NULL
    fclose(f)
    return ok


cdef uint64_t memory_limit_v2(const char *folder) noexcept nogil:
    cdef char line[LINE_MAX]
    if not read_line(folder, b"memory.max", line) or strncmp(line, b"max", 3) == 0:
        return NO_LIMIT
    return strtoull(line, NULL, 10)


cdef uint64_t memory_limit_v1(const char *folder) noexcept nogil:
    cdef char line[LINE_MAX]
    if not read_line(folder, b"memory.limit_in_bytes", line):
        return NO_LIMIT
    return strtoull(line, NULL, 10)      # no limit is a number beyond any machine's memory


cdef uint64_t cpu_limit_v2(const char *folder) noexcept nogil:
    cdef char line[LINE_MAX]
    cdef long long quota = 0, period = 0
    if not read_line(folder, b"cpu.max", line) or sscanf(line, b"%lld %lld", &quota, &period) != 2:
        return NO_LIMIT
    return <uint64_t>(quota * 1000 // period) if quota > 0 and period > 0 else NO_LIMIT


cdef uint64_t cpu_limit_v1(const char *folder) noexcept nogil:
    cdef char quota_line[LINE_MAX]
    cdef char period_line[LINE_MAX]
    cdef long long quota = 0, period = 0
    if not read_line(folder, b"cpu.cfs_quota_us", quota_line) \
            or not read_line(folder, b"cpu.cfs_period_us", period_line):
        return NO_LIMIT
    if sscanf(quota_line, b"%lld", &quota) != 1 or sscanf(period_line, b"%lld", &period) != 1:
        return NO_LIMIT
    return <uint64_t>(quota * 1000 // period) if quota > 0 and period > 0 else NO_LIMIT


cdef uint64_t number_after(const char *folder, const char *file, const char *name) noexcept nogil:
    """The number behind `name` at the beginning of a line of folder/file, 0 where there is none."""
    cdef char path[PATH_MAX]
    cdef char line[LINE_MAX]
    cdef size_t n = strlen(name)
    cdef uint64_t found = 0
    cdef FILE *f
    snprintf(path, sizeof(path), b"%s/%s", folder, file)
    f = fopen(path, b"re")
    if f == NULL:
        return 0
    while fgets(line, LINE_MAX, f) != NULL:
        if strncmp(line, name, n) == 0:
            found = strtoull(line + n, NULL, 10)
            break
    fclose(f)
    return found


cdef inline uint64_t less(uint64_t a, uint64_t b) noexcept nogil:
    return a - b if a > b else 0


cdef uint64_t free_memory_v2(const char *folder) noexcept nogil:
    """What is used of a group's memory for files can be had. Swap has a limit of its own."""
    cdef char line[LINE_MAX]
    cdef uint64_t limit = memory_limit_v2(folder), found, swap
    if limit == NO_LIMIT:
        return NO_LIMIT
    found = (number_after(folder, b"memory.stat", b"inactive_file ")
             + number_after(folder, b"memory.stat", b"active_file ")
             + number_after(folder, b"memory.stat", b"slab_reclaimable "))
    found += less(limit, number_after(folder, b"memory.current", b""))
    if not read_line(folder, b"memory.swap.max", line):
        return found
    limit = NO_LIMIT if strncmp(line, b"max", 3) == 0 else strtoull(line, NULL, 10)
    limit = less(limit, number_after(folder, b"memory.swap.current", b""))
    swap = number_after(b"/proc", b"meminfo", b"SwapFree:") << 10
    return found + (limit if limit < swap else swap)


cdef uint64_t free_memory_v1(const char *folder) noexcept nogil:
    cdef uint64_t limit = memory_limit_v1(folder)
    if limit == NO_LIMIT:
        return NO_LIMIT
    return (number_after(folder, b"memory.stat", b"total_inactive_file ")
            + number_after(folder, b"memory.stat", b"total_active_file ")
            + less(limit, number_after(folder, b"memory.usage_in_bytes", b"")))


cdef uint64_t least_up_the_tree(const char *mount, const char *group, limit_fn limit) noexcept nogil:
    """A group is bound by its own limit and those of all groups it is in.

    In a container the path may be the host's and not be there: the walk then ends at the mount, the container's group.
    """
    cdef char folder[PATH_MAX]
    cdef uint64_t least = NO_LIMIT, here
    cdef size_t n, root = strlen(mount)
    snprintf(folder, sizeof(folder), b"%s%s", mount, group)
    n = strlen(folder)
    while True:
        while n > root and folder[n - 1] == c'/':
            n -= 1
        folder[n] = 0
        here = limit(folder)
        if here < least:
            least = here
        if n <= root:
            return least
        while n > root and folder[n - 1] != c'/':
            n -= 1


cdef bint names_controller(const char *controllers, const char *name) noexcept nogil:
    """Whether the comma-separated list has the name."""
    cdef const char *at = controllers
    cdef size_t n = strlen(name)
    while at != NULL:
        if strncmp(at, name, n) == 0 and (at[n] == 0 or at[n] == c','):
            return True
        at = strchr(at, c',')
        if at != NULL:
            at += 1
    return False


cdef uint64_t cgroup_limit(const char *groups, const char *root, const char *controller, limit_fn v2,
                           limit_fn v1) noexcept nogil:
    """The least limit of the groups that the file `groups` lists; each of its lines is id:controllers:path."""
    cdef char line[LINE_MAX]
    cdef char mount[PATH_MAX]
    cdef char *controllers
    cdef char *path
    cdef uint64_t least = NO_LIMIT, here = NO_LIMIT
    cdef FILE *f = fopen(groups, b"re")
    if f == NULL:
        return NO_LIMIT
    while fgets(line, sizeof(line), f) != NULL:
        controllers = strchr(line, c':')
        path = strchr(controllers + 1, c':') if controllers != NULL else NULL
        if path == NULL:
            continue
        path[0] = 0
        controllers += 1
        path += 1
        path[strlen(path) - (1 if strchr(path, c'\n') != NULL else 0)] = 0
        if controllers[0] == 0:
            here = least_up_the_tree(root, path, v2)
        elif names_controller(controllers, controller):
            # mounted under its own name everywhere: distributions that join controllers add links
            snprintf(mount, sizeof(mount), b"%s/%s", root, controller)
            here = least_up_the_tree(mount, path, v1)
        else:
            continue
        if here < least:
            least = here
    fclose(f)
    return least


cdef uint64_t cpu_quota(const char *groups, const char *root) noexcept nogil:
    return cgroup_limit(groups, root, b"cpu", cpu_limit_v2, cpu_limit_v1)


cdef uint64_t memory_limit(const char *groups, const char *root) noexcept nogil:
    return cgroup_limit(groups, root, b"memory", memory_limit_v2, memory_limit_v1)


cdef uint32_t whole_cpus(uint64_t thousandths) noexcept nogil:
    """As many as the quota keeps busy: a part of one counts as one."""
    cdef uint64_t n = thousandths // 1000 + (1 if thousandths % 1000 else 0)
    if n > <uint64_t>0xFFFFFFFF:
        n = <uint64_t>0xFFFFFFFF
    return <uint32_t>n if n else 1


def cgroup_limits(groups, root):
    """(processors, bytes) that the groups of a file like /proc/self/cgroup allow, None for no limit: for tests."""
    cdef bytes file = groups.encode(), folder = root.encode()
    cdef uint64_t cpus = cpu_quota(file, folder), memory = memory_limit(file, folder)
    return None if cpus == NO_LIMIT else whole_cpus(cpus), None if memory == NO_LIMIT else memory


cdef uint64_t memory_available(const char *groups, const char *root, const char *proc) noexcept nogil:
    cdef uint64_t machine = number_after(proc, b"meminfo", b"MemAvailable:") << 10
    cdef uint64_t group = cgroup_limit(groups, root, b"memory", free_memory_v2, free_memory_v1)
    machine = machine + (number_after(proc, b"meminfo", b"SwapFree:") << 10) if machine else NO_LIMIT
    return group if group < machine else machine


def memory_left(groups, root, proc):
    """Bytes that can be had, by files like /proc/self/cgroup, /sys/fs/cgroup and /proc: for tests."""
    cdef uint64_t found = memory_available(groups.encode(), root.encode(), proc.encode())
    return None if found == NO_LIMIT else found


# ---- what the layers above ask

cdef uint64_t option_bytes = config.get("MEMORY_MB") << 20


cdef uint32_t usable_cpus() noexcept nogil:
    cdef uint32_t n = clpy_affinity_count()
    cdef uint32_t quota = whole_cpus(cpu_quota(b"/proc/self/cgroup", b"/sys/fs/cgroup"))
    return quota if quota < n else n


cdef uint64_t usable_memory() noexcept nogil:
    cdef uint64_t ram = clpy_ram(), limit = memory_limit(b"/proc/self/cgroup", b"/sys/fs/cgroup")
    limit = limit if limit < ram else ram
    return option_bytes if 0 < option_bytes < limit else limit


cdef uint64_t available_memory() noexcept nogil:
    cdef uint64_t found = memory_available(b"/proc/self/cgroup", b"/sys/fs/cgroup", b"/proc")
    return found if found < <uint64_t>1 << 62 else <uint64_t>1 << 62


cdef uint64_t private_memory() noexcept nogil:
    return number_after(b"/proc/self", b"status", b"RssAnon:") << 10


cdef Caches g_caches
cdef int32_t g_caches_state = 0      # 0 unknown, 1 being asked, 2 known


cdef uint64_t cache_size(hwloc_topology_t t, hwloc_obj_type_t type, uint32_t *line) noexcept nogil:
    cdef hwloc_obj_t obj = hwloc_get_obj_by_type(t, type, 0)
    if obj == NULL or obj.attr == NULL:
        return 0
    if line[0] == 0:
        line[0] = obj.attr.cache.linesize
    return obj.attr.cache.size


cdef void ask_hwloc(Caches *out) noexcept nogil:
    cdef hwloc_topology_t t = NULL
    if in_secure_mode() or hwloc_topology_init(&t) != 0:      # it reads variables, and loads plugins where they say
        return
    hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE)
    hwloc_topology_set_cache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL)
    hwloc_topology_set_type_filter(t, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL)
    hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM)
    if hwloc_topology_load(t) == 0:
        out.l1d = cache_size(t, HWLOC_OBJ_L1CACHE, &out.line)
        out.l2 = cache_size(t, HWLOC_OBJ_L2CACHE, &out.line)
        out.l3 = cache_size(t, HWLOC_OBJ_L3CACHE, &out.line)
        out.cores = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE)
        out.numa_nodes = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE)
    hwloc_topology_destroy(t)


cdef const Caches *caches() noexcept nogil:
    cdef int32_t unknown = 0
    if atomic_cas_i32(&g_caches_state, &unknown, 1):
        ask_hwloc(&g_caches)
        if g_caches.line == 0:
            g_caches.line = 64
        atomic_store_i32(&g_caches_state, 2)
    while atomic_load_i32(&g_caches_state) != 2:
        cpu_pause()
    return &g_caches


def facts():
    """For the device's answers to cold queries."""
    cdef const Caches *c
    with nogil:
        c = caches()
    return {"l1d": c.l1d, "l2": c.l2, "l3": c.l3, "line": c.line, "cores": c.cores, "numa_nodes": c.numa_nodes,
            "cpus": usable_cpus(), "memory": usable_memory()}
