# SPDX-License-Identifier: Apache-2.0
"""printf of OpenCL C: the format is read here, each number is written by the C library, a call's text goes out at once.

Where a format and its arguments disagree, the specification leaves the result open: a conversion that has no fitting
argument is written as it stands in the format, and nothing outside the packed arguments is read.
"""
from libc.math cimport INFINITY, NAN
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdio cimport fflush, fwrite, snprintf, stdout
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, strchr, strlen

from clpy.compiler.runtime import functions
from clpy.device.host.fault cimport faults_go_on, faults_leave_here, faults_pause
from clpy.device.host.guard cimport guard_stop_here
from clpy.host_thread cimport clpy_host_state, host_go_back, host_leave_out

cdef extern from "<locale.h>" nogil:
    ctypedef void *locale_t
    int LC_ALL_MASK
    locale_t newlocale(int mask, const char *name, locale_t base)
    locale_t uselocale(locale_t)

cdef extern from "<string.h>" nogil:
    size_t strnlen(const char *text, size_t most)

cdef enum:
    INTEGER = 0
    FLOATING = 1
    POINTER = 2
    LARGEST_FIELD = 65535   # of width and precision; a format may say any number

cdef struct Text:
    char *data
    size_t used
    size_t room
    char inside[1024]

cdef struct Conversion:
    char flags[6]
    int width         # -1: none
    int precision     # -1: none
    unsigned lanes    # 1 without a vector specifier
    unsigned bytes    # by the length modifier; 0: none
    char kind

cdef struct Argument:
    uint32_t kind
    uint32_t bytes
    uint32_t count
    uint32_t unused
    const unsigned char *value

cdef extern from "printf_thread.h" nogil:
    int has_printed "clpy_has_printed"

# A decimal point is a point, whatever locale the host program has set.
cdef locale_t C_LOCALE = newlocale(LC_ALL_MASK, b"C", NULL)


cdef bint reserve(Text *text, size_t more) noexcept nogil:
    cdef size_t room = text.room
    cdef char *data
    if text.used + more <= room:
        return True
    while room < text.used + more:
        room *= 2
    data = <char *>malloc(room)
    if data == NULL:
        return False
    memcpy(data, text.data, text.used)
    if text.data != text.inside:
        free(text.data)
    text.data, text.room = data, room
    return True


cdef void put(Text *text, const char *data, size_t size) noexcept nogil:
    if reserve(text, size):
        memcpy(text.data + text.used, data, size)
        text.used += size


cdef const char *parse_number(const char *at, int *number) noexcept nogil:
    cdef int value = 0
    while c'0' <= at[0] <= c'9':
        value = min(value * 10 + (at[0] - c'0'), LARGEST_FIELD)
        at += 1
    number[0] = value
    return at


cdef const char *parse_length(const char *at, Conversion *c) noexcept nogil:
    """hh, h, hl (vectors of 4-byte elements), l, and of OpenCL C 3.1 z and t (size_t and ptrdiff_t)."""
    c.bytes = 0
    if at[0] == c'h':
        at += 1
        c.bytes = 2
        if at[0] == c'h':
            at += 1
            c.bytes = 1
        elif at[0] == c'l':
            at += 1
            c.bytes = 4
    elif at[0] == c'l' or at[0] == c'z' or at[0] == c't':
        at += 1
        c.bytes = 8
    return at


cdef const char *parse(const char *at, Conversion *c) noexcept nogil:
    """Read what follows a '%'. The end of it, NULL when it is no conversion."""
    cdef unsigned n_flags = 0
    cdef int number
    while at[0] != 0 and strchr("-+ #0", at[0]) != NULL:
        if n_flags < 5:                       # a repeated flag says nothing new
            c.flags[n_flags] = at[0]
            n_flags += 1
        at += 1
    c.flags[n_flags] = 0
    c.width = c.precision = -1
    c.lanes = 1
    if c'1' <= at[0] <= c'9':
        at = parse_number(at, &c.width)
    if at[0] == c'.':
        at = parse_number(at + 1, &c.precision)
    if at[0] == c'v':
        at = parse_number(at + 1, &number)
        if number not in (2, 3, 4, 8, 16):
            return NULL
        c.lanes = number
    at = parse_length(at, c)
    c.kind = at[0]
    if c.kind == 0 or strchr("diouxXfFeEgGaAcsp", c.kind) == NULL:
        return NULL
    return at + 1


cdef const unsigned char *next_argument(const unsigned char *at, const unsigned char *end, Argument *a) noexcept nogil:
    """Read the argument at `at`; where the next one starts, NULL when there is none."""
    cdef size_t size
    if end - at < 16:
        return NULL
    memcpy(a, at, 16)
    if a.bytes not in (1, 2, 4, 8) or a.count < 1 or a.count > 16:
        return NULL
    size = (a.bytes * a.count + 7) & ~<size_t>7
    if <size_t>(end - at) - 16 < size:
        return NULL
    a.value = at + 16
    return at + 16 + size


cdef double half_value(uint16_t bits) noexcept nogil:
    cdef int exponent = (bits >> 10) & 31
    cdef double value = bits & 1023
    if exponent == 31:
        value = NAN if bits & 1023 else INFINITY
    elif exponent == 0:
        value *= 2.0 ** -24
    else:
        value = (value + 1024) * (<uint64_t>1 << exponent) * 2.0 ** -25
    return -value if bits >> 15 else value


cdef int64_t integer_of(Argument *a, unsigned lane) noexcept nogil:
    """Sign-extended."""
    cdef int8_t as8
    cdef int16_t as16
    cdef int32_t as32
    cdef int64_t value = 0
    cdef double number
    cdef const unsigned char *at = a.value + lane * a.bytes
    if a.kind == FLOATING:
        number = number_of(a, lane)
        return <int64_t>number if -9.2e18 < number < 9.2e18 else 0
    if a.bytes == 1:
        memcpy(&as8, at, 1)
        value = as8
    elif a.bytes == 2:
        memcpy(&as16, at, 2)
        value = as16
    elif a.bytes == 4:
        memcpy(&as32, at, 4)
        value = as32
    else:
        memcpy(&value, at, 8)
    return value


cdef double number_of(Argument *a, unsigned lane) noexcept nogil:
    cdef uint16_t as_half
    cdef float as_float
    cdef double value
    cdef const unsigned char *at = a.value + lane * a.bytes
    if a.kind != FLOATING or a.bytes == 1:
        return <double>integer_of(a, lane) if a.kind != FLOATING else 0.0
    if a.bytes == 2:
        memcpy(&as_half, at, 2)
        return half_value(as_half)
    if a.bytes == 4:
        memcpy(&as_float, at, 4)
        return as_float
    memcpy(&value, at, 8)
    return value


cdef int64_t narrowed(int64_t value, unsigned bytes, bint signed) noexcept nogil:
    if bytes == 1:
        return <int8_t>value if signed else <int64_t><uint8_t>value
    if bytes == 2:
        return <int16_t>value if signed else <int64_t><uint16_t>value
    if bytes == 4:
        return <int32_t>value if signed else <int64_t><uint32_t>value
    return value


cdef void write_spec(const Conversion *c, char *spec) noexcept nogil:
    """The conversion for the C library, in 32 bytes: a 64-bit integer, a double, an int for %c, a pointer."""
    cdef int used = snprintf(spec, 32, "%%%s", c.flags)
    if c.width >= 0:
        used += snprintf(spec + used, 32 - used, "%d", c.width)
    if c.precision >= 0:
        used += snprintf(spec + used, 32 - used, ".%d", c.precision)
    snprintf(spec + used, 32 - used, "%s%c", b"ll" if strchr("diouxX", c.kind) != NULL else b"", <int>c.kind)


cdef int write_lane(char *to, size_t room, const Conversion *c, const char *spec, Argument *a,
                    unsigned lane) noexcept nogil:
    cdef bint signed
    cdef unsigned bytes
    if strchr("fFeEgGaA", c.kind) != NULL:
        return snprintf(to, room, spec, number_of(a, lane))
    if c.kind == c'c':
        return snprintf(to, room, spec, <int>integer_of(a, lane))
    if c.kind == c'p':
        return snprintf(to, room, spec, <void *><uintptr_t>integer_of(a, lane))
    signed = c.kind == c'd' or c.kind == c'i'
    bytes = a.bytes if c.bytes == 0 or c.bytes > a.bytes else c.bytes
    return snprintf(to, room, spec, narrowed(integer_of(a, lane), bytes, signed))


cdef void write_string(Text *text, const Conversion *c, const char *spec, Argument *a) noexcept nogil:
    cdef const char *string
    cdef int size
    memcpy(&string, a.value, sizeof(string))
    if string == NULL:
        string = b"(null)"
    size = snprintf(NULL, 0, spec, string)
    if size > 0 and reserve(text, <size_t>size + 1):
        snprintf(text.data + text.used, <size_t>size + 1, spec, string)
        text.used += size


cdef bint write_argument(Text *text, const Conversion *c, Argument *a) noexcept nogil:
    """False when the argument does not fit the conversion."""
    cdef char spec[32]
    cdef unsigned lane
    cdef int size
    if c.lanes != a.count or (c.kind == c's' and (a.kind != POINTER or a.count != 1)):
        return False
    write_spec(c, spec)
    if c.kind == c's':
        write_string(text, c, spec, a)
        return True
    for lane in range(c.lanes):
        if lane:
            put(text, ",", 1)
        size = write_lane(NULL, 0, c, spec, a, lane)
        if size > 0 and reserve(text, <size_t>size + 1):
            write_lane(text.data + text.used, <size_t>size + 1, c, spec, a, lane)
            text.used += size
    return True


cdef void write_all(Text *text, const char *at, const unsigned char *argument,
                    const unsigned char *end) noexcept nogil:
    cdef Conversion c
    cdef Argument a
    cdef const char *percent
    cdef const char *after
    cdef const unsigned char *following
    while True:
        percent = strchr(at, c'%')
        if percent == NULL:
            put(text, at, strlen(at))
            return
        put(text, at, percent - at)
        after = parse(percent + 1, &c)
        if after == NULL:                     # "%%", or no conversion: as it stands
            put(text, percent, 1)
            at = percent + (2 if percent[1] == c'%' else 1)
            continue
        following = next_argument(argument, end, &a)
        if following != NULL:
            argument = following
        if following == NULL or not write_argument(text, &c, &a):
            put(text, percent, after - percent)
        at = after


cdef bint can_read(const char *at, const unsigned char *argument, const unsigned char *end) noexcept nogil:
    """Read what %s will read, while nothing is held: where that is a fault, it is the kernel's."""
    cdef Conversion c
    cdef Argument a
    cdef const char *string
    cdef const char *after
    cdef size_t size = 0
    at = strchr(at, c'%')
    while at != NULL:
        after = parse(at + 1, &c)
        if after == NULL:
            after = at + (2 if at[1] == c'%' else 1)
        else:
            argument = next_argument(argument, end, &a)
            if argument == NULL:
                break
            if c.kind != c's' or a.kind != POINTER or a.count != 1:
                string = NULL
            else:
                memcpy(&string, a.value, sizeof(string))
            if string != NULL:
                size += strnlen(string, <size_t>c.precision if c.precision >= 0 else <size_t>-1)
        at = strchr(after, c'%')
    return size < <size_t>-1


cdef void clpy_printf(const char *fmt, const unsigned char *packed, uint64_t size) noexcept nogil:
    global has_printed
    cdef Text text
    cdef locale_t before
    cdef int paused
    guard_stop_here()
    if fmt == NULL or (packed != NULL and not can_read(fmt, packed, packed + size)):
        return
    paused = faults_pause()
    text.data, text.used, text.room = text.inside, 0, sizeof(text.inside)
    before = uselocale(C_LOCALE)
    write_all(&text, fmt, packed, packed + (size if packed != NULL else 0))
    uselocale(before)
    fwrite(text.data, 1, text.used, stdout)   # stdout's lock keeps the calls apart
    has_printed = True
    if text.data != text.inside:
        free(text.data)
    faults_go_on(paused)
    faults_leave_here()


cdef void printf_flush() noexcept nogil:
    """Write out what this thread has printed: cheap when it has printed nothing."""
    global has_printed
    cdef clpy_host_state host
    if has_printed:
        has_printed = False
        host = host_leave_out()
        fflush(stdout)
        host_go_back(host)


def printf_address():
    """For the JIT: `void __clpy_printf(const char *, const unsigned char *, uint64_t)`."""
    return <uintptr_t>&clpy_printf


def flush():
    printf_flush()


functions["__clpy_printf"] = printf_address()
