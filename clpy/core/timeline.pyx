# SPDX-License-Identifier: Apache-2.0
"""CLPY_TIMELINE=FILE: what happens, as trace events in JSON (that Perfetto and chrome://tracing read), a line
each, in microseconds of the host's clock. Imported for that alone.

A queue is a "thread" of the process. Each line is one write to the end of the file, so several processes may write to
one, and what is there when a program is killed is whole. The format allows the array to stay open. Of a forked child
nothing is told.
"""
from libc.stdint cimport int32_t, uint64_t
from libc.stdio cimport _IOLBF, FILE, fclose, fopen, fprintf, fputs, setvbuf, snprintf
from posix.unistd cimport getpid
from clpy.abi cimport clpy_launch
from clpy.core.command cimport Command
from clpy.core.happening cimport BUILT, FAULTED, FINISHED, Happening, Sink, sink_add
from clpy.device.base cimport TASK_KERNEL, Device
from clpy.futex cimport mutex_lock, mutex_unlock
from clpy.spec.consts cimport (
    CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, CL_COMMAND_BARRIER, CL_COMMAND_COMMAND_BUFFER_KHR,
    CL_COMMAND_COPY_BUFFER, CL_COMMAND_COPY_BUFFER_RECT, CL_COMMAND_COPY_BUFFER_TO_IMAGE, CL_COMMAND_COPY_IMAGE,
    CL_COMMAND_COPY_IMAGE_TO_BUFFER, CL_COMMAND_FILL_BUFFER, CL_COMMAND_FILL_IMAGE, CL_COMMAND_MAP_BUFFER,
    CL_COMMAND_MAP_IMAGE, CL_COMMAND_MARKER, CL_COMMAND_MIGRATE_MEM_OBJECT_EXT,
    CL_COMMAND_MIGRATE_MEM_OBJECTS, CL_COMMAND_NATIVE_KERNEL, CL_COMMAND_READ_BUFFER, CL_COMMAND_READ_BUFFER_RECT,
    CL_COMMAND_READ_IMAGE,
    CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, CL_COMMAND_SEMAPHORE_SIGNAL_KHR, CL_COMMAND_SEMAPHORE_WAIT_KHR,
    CL_COMMAND_SVM_FREE, CL_COMMAND_SVM_MAP, CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MEMFILL, CL_COMMAND_SVM_MIGRATE_MEM,
    CL_COMMAND_SVM_UNMAP, CL_COMMAND_UNMAP_MEM_OBJECT, CL_COMMAND_WRITE_BUFFER, CL_COMMAND_WRITE_BUFFER_RECT,
    CL_COMMAND_WRITE_IMAGE)
from clpy.threads cimport at_fork_in_child
from clpy.trace cimport report_text

from clpy import config

cdef extern from "<errno.h>" nogil:
    int errno

cdef extern from "<string.h>" nogil:
    char *strerror(int number)

cdef struct Name:
    unsigned type
    const char *name

cdef Name[32] NAMES = [
    Name(CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, "acquire external memory"), Name(CL_COMMAND_BARRIER, "barrier"),
    Name(CL_COMMAND_COMMAND_BUFFER_KHR, "command buffer"), Name(CL_COMMAND_COPY_BUFFER, "copy buffer"),
    Name(CL_COMMAND_COPY_BUFFER_RECT, "copy buffer rectangle"),
    Name(CL_COMMAND_COPY_BUFFER_TO_IMAGE, "copy buffer to image"), Name(CL_COMMAND_COPY_IMAGE, "copy image"),
    Name(CL_COMMAND_COPY_IMAGE_TO_BUFFER, "copy image to buffer"), Name(CL_COMMAND_FILL_BUFFER, "fill buffer"),
    Name(CL_COMMAND_FILL_IMAGE, "fill image"), Name(CL_COMMAND_MAP_BUFFER, "map buffer"),
    Name(CL_COMMAND_MAP_IMAGE, "map image"), Name(CL_COMMAND_MARKER, "marker"),
    Name(CL_COMMAND_MIGRATE_MEM_OBJECTS, "migrate"), Name(CL_COMMAND_MIGRATE_MEM_OBJECT_EXT, "migrate"),
    Name(CL_COMMAND_NATIVE_KERNEL, "native kernel"), Name(CL_COMMAND_READ_BUFFER, "read buffer"),
    Name(CL_COMMAND_READ_BUFFER_RECT, "read buffer rectangle"),
    Name(CL_COMMAND_READ_IMAGE, "read image"),
    Name(CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, "release external memory"),
    Name(CL_COMMAND_SEMAPHORE_SIGNAL_KHR, "signal semaphore"),
    Name(CL_COMMAND_SEMAPHORE_WAIT_KHR, "wait for semaphore"),
    Name(CL_COMMAND_SVM_FREE, "free SVM"), Name(CL_COMMAND_SVM_MAP, "map SVM"), Name(CL_COMMAND_SVM_MEMCPY, "copy SVM"),
    Name(CL_COMMAND_SVM_MEMFILL, "fill SVM"), Name(CL_COMMAND_SVM_MIGRATE_MEM, "migrate SVM"),
    Name(CL_COMMAND_SVM_UNMAP, "unmap SVM"), Name(CL_COMMAND_UNMAP_MEM_OBJECT, "unmap"),
    Name(CL_COMMAND_WRITE_BUFFER, "write buffer"), Name(CL_COMMAND_WRITE_BUFFER_RECT, "write buffer rectangle"),
    Name(CL_COMMAND_WRITE_IMAGE, "write image"),
]

cdef enum:
    MOST_NAME = 256

cdef FILE *out = NULL            # NULL in a forked child
cdef int pid = getpid()
cdef int32_t lock = 0            # a line is written as a whole


cdef double us(uint64_t ns) noexcept nogil:
    return <double>ns / 1e3


cdef void quote(char *to, const char *name) noexcept nogil:
    """As the inside of a JSON string, into MOST_NAME bytes. An identifier has nothing to escape, other names may."""
    cdef size_t used = 0
    while name[0] and used < MOST_NAME - 3:
        if name[0] == c'"' or name[0] == c'\\':
            to[used] = c'\\'
            used += 1
        to[used] = name[0] if <unsigned char>name[0] >= 32 else c' '
        used += 1
        name += 1
    to[used] = 0


cdef const char *name_of(unsigned type) noexcept nogil:
    cdef size_t i
    for i in range(32):
        if NAMES[i].type == type:
            return NAMES[i].name
    return "command"


cdef void write_line(const char *line) noexcept nogil:
    mutex_lock(&lock)
    if out != NULL:
        fputs(line, out)
    mutex_unlock(&lock)


cdef void tell_kernel(const Command *cmd, uint64_t start, uint64_t end, int status) noexcept nogil:
    cdef const clpy_launch *shape = &cmd.task.launch.shape
    cdef char line[1024]
    cdef char name[MOST_NAME]
    quote(name, cmd.payload.kernel.kernel.name)
    snprintf(line, sizeof(line), "{\"name\":\"%s\",\"cat\":\"kernel\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,"
             "\"dur\":%.3f,\"args\":{\"waited\":%.3f,\"status\":%d,\"global\":[%zu,%zu,%zu],\"local\":[%zu,%zu,%zu],"
             "\"device_us\":%.3f}},\n", name, pid, <unsigned>cmd.task.queue, us(start), us(end - start),
             us(start - cmd.told_ns), status, shape.global_size[0], shape.global_size[1], shape.global_size[2],
             shape.local_size[0], shape.local_size[1], shape.local_size[2], us(cmd.task.end_ns - cmd.task.start_ns))
    write_line(line)


cdef void tell_command(const Command *cmd, uint64_t start, uint64_t end, int status) noexcept nogil:
    cdef char line[512]
    snprintf(line, sizeof(line), "{\"name\":\"%s\",\"cat\":\"command\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,"
             "\"dur\":%.3f,\"args\":{\"waited\":%.3f,\"status\":%d,\"bytes\":%llu}},\n", name_of(cmd.type), pid,
             <unsigned>cmd.task.queue, us(start), us(end - start), us(start - cmd.told_ns), status,
             <unsigned long long>cmd.task.bytes)
    write_line(line)


cdef void tell_end(const Happening *it) noexcept nogil:
    cdef const Command *cmd = <const Command *>it.object
    cdef uint64_t start = cmd.began_ns if cmd.began_ns else it.ns        # some have nothing to run
    if cmd.told_ns == 0:
        return                   # of a command buffer, which is told as a whole
    if cmd.task.flags & TASK_KERNEL:
        tell_kernel(cmd, start, it.ns, it.status)
    else:
        tell_command(cmd, start, it.ns, it.status)


cdef void tell_build(const Happening *it) noexcept nogil:
    cdef const Device *device = <const Device *>it.with_it
    cdef char line[512]
    snprintf(line, sizeof(line), "{\"name\":\"build\",\"cat\":\"build\",\"ph\":\"X\",\"pid\":%d,\"tid\":0,\"ts\":%.3f,"
             "\"dur\":%.3f,\"args\":{\"program\":%u,\"device\":%u,\"status\":%d}},\n", pid, us(it.since_ns),
             us(it.ns - it.since_ns), <unsigned>it.object.index, <unsigned>device.obj.index, <int>it.status)
    write_line(line)


cdef void tell_fault(const Happening *it) noexcept nogil:
    cdef const Command *cmd = <const Command *>it.object
    cdef char line[1024]
    cdef char name[MOST_NAME]
    quote(name, cmd.payload.kernel.kernel.name)
    snprintf(line, sizeof(line), "{\"name\":\"fault of %s\",\"cat\":\"fault\",\"ph\":\"i\",\"s\":\"t\",\"pid\":%d,"
             "\"tid\":%u,\"ts\":%.3f,\"args\":{\"status\":%d}},\n", name, pid, <unsigned>cmd.task.queue, us(it.ns),
             <int>it.status)
    write_line(line)


cdef void tell(const Happening *it) noexcept nogil:
    if it.what == FINISHED:
        tell_end(it)
    elif it.what == BUILT:
        tell_build(it)
    else:
        tell_fault(it)


cdef void leave_to_parent() noexcept nogil:
    global out, lock
    out = NULL
    lock = 0


cdef Sink sink
sink.wants = FINISHED | BUILT | FAULTED
sink.tell = tell


cdef int begin(str path) except -1:
    global out
    cdef bytes name = path.encode("utf-8", "surrogateescape")
    cdef const char *c_name = name
    out = fopen(c_name, "wxe")
    if out != NULL:              # the first process opens the array
        fputs("[\n", out)
        fclose(out)
    out = fopen(c_name, "ae")
    if out == NULL:
        why = strerror(errno).decode("utf-8", "replace")
        report_text(f"CLPY_TIMELINE={path}: {why}: there is no timeline".encode())
        return 0
    setvbuf(out, NULL, _IOLBF, 0)
    fprintf(out, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":\"OpenCL\"}},\n",
            pid)
    sink_add(&sink)
    at_fork_in_child(leave_to_parent)
    return 0


begin(config.get("TIMELINE"))
