# SPDX-License-Identifier: Apache-2.0
"""Image formats.

The rows below are all there is to say of an order: with which types, for what. What other orders and types of the
specification lack: CL_Rx and CL_RGx are no memory layouts that the specification and its conformance suite agree on,
CL_RGB and CL_sRGB of whole bytes have pixels that are no power of two, and CL_DEPTH_STENCIL comes from OpenGL only.
"""
from libc.math cimport isnan, pow
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset
from clpy.cl cimport cl_channel_order, cl_channel_type, cl_image_format, cl_mem_flags, cl_mem_object_type, cl_uint
from clpy.core.context cimport Context
from clpy.core.memory_flags cimport MEM_NO_ACCESS
from clpy.device.base cimport FORMATS_USUAL
from clpy.spec.consts cimport (CL_A, CL_ABGR, CL_ARGB, CL_BGRA, CL_DEPTH, CL_DEPTH_STENCIL, CL_FLOAT, CL_HALF_FLOAT,
                               CL_INTENSITY, CL_LUMINANCE, CL_MEM_HOST_NO_ACCESS, CL_MEM_IMMUTABLE_EXT,
                               CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D,
                               CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_R, CL_RA, CL_RG,
                               CL_RGB, CL_RGBA, CL_RGBx, CL_RGx, CL_SIGNED_INT8, CL_SIGNED_INT16,
                               CL_SIGNED_INT32, CL_SNORM_INT8, CL_SNORM_INT16, CL_UNORM_INT8, CL_UNORM_INT16,
                               CL_UNORM_INT10X6_EXT, CL_UNORM_INT12X4_EXT, CL_UNORM_INT14X2_EXT, CL_UNORM_INT24,
                               CL_UNORM_INT_101010, CL_UNORM_INT_101010_2, CL_UNORM_INT_2_101010_EXT,
                               CL_UNORM_SHORT_555, CL_UNORM_SHORT_565, CL_UNSIGNED_INT8, CL_UNSIGNED_INT10X6_EXT,
                               CL_UNSIGNED_INT12X4_EXT, CL_UNSIGNED_INT14X2_EXT, CL_UNSIGNED_INT16,
                               CL_UNSIGNED_INT32, CL_sBGRA, CL_sRGB, CL_sRGBA, CL_sRGBx)

cdef extern from "half.h" nogil:
    float roundevenf(float x)
    uint16_t half_bits "clpy_half"(float x)

cdef enum:
    MOST_FORMATS = 128
    ALL_USES = FORMAT_READ | FORMAT_WRITE | FORMAT_READ_WRITE

cdef ImageFormat formats[MOST_FORMATS]
cdef cl_uint n_formats = 0

BYTES = (CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8)
NOT_INTEGERS = (CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16, CL_HALF_FLOAT, CL_FLOAT)
WHOLE = (*NOT_INTEGERS, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32, CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
         CL_UNSIGNED_INT32)
# cl_ext_image_unsigned_10x6_12x4_14x2
IN_16_BITS = (CL_UNSIGNED_INT10X6_EXT, CL_UNSIGNED_INT12X4_EXT, CL_UNSIGNED_INT14X2_EXT, CL_UNORM_INT10X6_EXT,
              CL_UNORM_INT12X4_EXT, CL_UNORM_INT14X2_EXT)
PACKED = (CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010)

# (order, channels in memory, types, what for). That kernels write sRGB is cl_khr_srgb_image_writes.
ROWS = (
    (CL_RGBA, 4, WHOLE, ALL_USES),
    (CL_RGBA, 4, (CL_UNORM_INT_101010_2,), ALL_USES),
    (CL_BGRA, 4, BYTES, ALL_USES),
    (CL_ARGB, 4, BYTES, ALL_USES),
    (CL_ABGR, 4, BYTES, ALL_USES),
    (CL_ABGR, 4, (CL_UNORM_INT_2_101010_EXT,), ALL_USES),
    (CL_R, 1, WHOLE, ALL_USES),
    (CL_A, 1, WHOLE, ALL_USES),
    (CL_RG, 2, WHOLE, ALL_USES),
    (CL_RA, 2, WHOLE, ALL_USES),
    (CL_RGB, 3, PACKED, ALL_USES),
    (CL_RGBx, 4, (*PACKED, CL_UNORM_INT8), ALL_USES),
    (CL_INTENSITY, 1, NOT_INTEGERS, ALL_USES),
    (CL_LUMINANCE, 1, NOT_INTEGERS, ALL_USES),
    (CL_DEPTH, 1, (CL_UNORM_INT16, CL_FLOAT), ALL_USES),
    (CL_sRGBA, 4, (CL_UNORM_INT8,), ALL_USES),
    (CL_sBGRA, 4, (CL_UNORM_INT8,), ALL_USES),
    (CL_sRGBx, 4, (CL_UNORM_INT8,), ALL_USES),
    (CL_R, 1, IN_16_BITS, ALL_USES),
    (CL_RG, 2, IN_16_BITS, ALL_USES),
    (CL_RGBA, 4, IN_16_BITS, ALL_USES),
)


cdef uint32_t type_bytes(cl_channel_type type, bint *packed) noexcept nogil:
    """Of a channel; of a whole pixel where all channels are packed into one number."""
    packed[0] = False
    if type == CL_UNORM_INT8 or type == CL_SNORM_INT8 or type == CL_SIGNED_INT8 or type == CL_UNSIGNED_INT8:
        return 1
    if type == CL_FLOAT or type == CL_SIGNED_INT32 or type == CL_UNSIGNED_INT32:
        return 4
    packed[0] = is_packed(type)
    return 4 if packed[0] and type != CL_UNORM_SHORT_565 and type != CL_UNORM_SHORT_555 else 2


cdef int fill_table() except -1:
    cdef bint packed = False
    cdef uint32_t size
    for order, channels, types, uses in ROWS:
        for type in types:
            size = type_bytes(type, &packed)
            add_format(order, type, 1, size if packed else size * <uint32_t>channels, uses)
    return 0


cdef ImageFormat *add_format(cl_channel_order order, cl_channel_type type, uint32_t group, uint32_t group_bytes,
                             uint32_t uses) except NULL:
    global n_formats
    cdef ImageFormat *row = &formats[n_formats]
    if n_formats == MOST_FORMATS:
        raise OverflowError("the table of image formats is full")
    memset(row, 0, sizeof(row[0]))
    row.order, row.type, row.group, row.group_bytes, row.uses = order, type, group, group_bytes, uses
    row.sets = FORMATS_USUAL
    row.step = 1
    n_formats += 1
    return row


cdef ImageFormat *add_other(cl_channel_order order, cl_channel_type type, uint32_t group, uint32_t group_bytes,
                            uint32_t uses, uint32_t sets, uint32_t step, pack_fn pack) except NULL:
    """Of an extension."""
    cdef ImageFormat *row = add_format(order, type, group, group_bytes, uses)
    row.is_other = True
    row.sets, row.step, row.pack = sets, step, pack
    return row


cdef int add_plane(ImageFormat *row, cl_channel_order order, uint32_t divisor) except -1:
    if row.n_planes == MOST_PLANES:
        raise OverflowError("an image format has too many planes")
    row.planes[row.n_planes] = Plane(order, divisor)
    row.n_planes += 1
    return 0


# The formats of extensions: add_others().
include "of_vendors/image_formats.pxi"


# ---- what there is

cdef inline bint is_packed(cl_channel_type type) noexcept nogil:
    return (type == CL_UNORM_SHORT_565 or type == CL_UNORM_SHORT_555 or type == CL_UNORM_INT_101010
            or type == CL_UNORM_INT_101010_2 or type == CL_UNORM_INT_2_101010_EXT)


cdef inline uint32_t unused_bits(cl_channel_type type) noexcept nogil:
    """Of a channel of 16: those below its number."""
    if type == CL_UNSIGNED_INT10X6_EXT or type == CL_UNORM_INT10X6_EXT:
        return 6
    if type == CL_UNSIGNED_INT12X4_EXT or type == CL_UNORM_INT12X4_EXT:
        return 4
    return 2 if type == CL_UNSIGNED_INT14X2_EXT or type == CL_UNORM_INT14X2_EXT else 0


cdef bint is_integer_type(cl_channel_type type) noexcept nogil:
    return CL_SIGNED_INT8 <= type <= CL_UNSIGNED_INT32 or CL_UNSIGNED_INT10X6_EXT <= type <= CL_UNSIGNED_INT14X2_EXT


cdef bint format_is_valid(const cl_image_format *format) noexcept nogil:
    cdef cl_channel_order order = format.image_channel_order
    cdef cl_channel_type type = format.image_channel_data_type
    cdef const ImageFormat *row = format_find(format)
    if row != NULL and row.is_other:
        return True
    if order < CL_R or order > CL_ABGR or type < CL_SNORM_INT8:
        return False
    if type == CL_UNORM_INT_2_101010_EXT:
        return order == CL_ABGR
    if unused_bits(type):
        return order == CL_R or order == CL_RG or order == CL_RGBA
    if type > CL_UNORM_INT_101010_2:
        return False
    if type == CL_UNORM_INT_101010_2:
        return order == CL_RGBA
    if is_packed(type):
        return order == CL_RGB or order == CL_RGBx
    # "can only be used if the image channel data type is CL_UNORM_INT24 or CL_FLOAT"
    if order == CL_DEPTH_STENCIL:
        return type == CL_UNORM_INT24 or type == CL_FLOAT
    # "The number of bits per element [...] must be a power of two."
    return type != CL_UNORM_INT24 and order != CL_RGB and order != CL_sRGB and order != CL_RGx


cdef const ImageFormat *format_find(const cl_image_format *format) noexcept nogil:
    cdef cl_uint i
    for i in range(n_formats):
        if formats[i].order == format.image_channel_order and formats[i].type == format.image_channel_data_type:
            return &formats[i]
    return NULL


cdef bint format_fits(const ImageFormat *format, cl_mem_object_type image_type, cl_mem_flags flags) noexcept nogil:
    cdef uint32_t needed = FORMAT_READ | FORMAT_WRITE
    if flags & CL_MEM_KERNEL_READ_AND_WRITE:
        needed = FORMAT_READ_WRITE
    elif flags & MEM_NO_ACCESS:
        needed = 0
    elif flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT):
        needed = FORMAT_READ
    elif flags & CL_MEM_WRITE_ONLY:
        needed = FORMAT_WRITE
    # No text of an extension with formats knows of immutable images.
    if format.is_other and (image_type != CL_MEM_OBJECT_IMAGE2D or flags & CL_MEM_IMMUTABLE_EXT):
        return False
    # OpenCL C has depth images of two dimensions only.
    if format.order == CL_DEPTH and image_type != CL_MEM_OBJECT_IMAGE2D and image_type != CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return False
    return format.uses & needed == needed


cdef bint format_is_known(const ImageFormat *format, const Context *ctx) noexcept nogil:
    cdef cl_uint i
    for i in range(ctx.n_devices):
        if ctx.devices[i].image_formats & format.sets:
            return True
    return False


cdef cl_uint formats_list(const Context *ctx, cl_mem_object_type image_type, cl_mem_flags flags, cl_uint room,
                          cl_image_format *out) noexcept nogil:
    cdef cl_uint i, n = 0
    for i in range(n_formats):
        if not format_fits(&formats[i], image_type, flags) or not format_is_known(&formats[i], ctx):
            continue
        # what nobody could make with these flags is not told: programs go through the whole list
        if formats[i].n_planes and not flags & CL_MEM_HOST_NO_ACCESS:
            continue
        if out != NULL and n < room:
            out[n].image_channel_order = formats[i].order
            out[n].image_channel_data_type = formats[i].type
        n += 1
    return n


cdef inline bint are(cl_channel_order a, cl_channel_order b, cl_channel_order x, cl_channel_order y) noexcept nogil:
    return (a == x and b == y) or (a == y and b == x)


cdef bint format_views(const cl_image_format *view, const cl_image_format *of) noexcept nogil:
    cdef cl_channel_order a = view.image_channel_order, b = of.image_channel_order
    if view.image_channel_data_type != of.image_channel_data_type:
        return False
    # "Compatible Image Channel Orders"
    return (are(a, b, CL_sBGRA, CL_BGRA) or are(a, b, CL_sRGBA, CL_RGBA) or are(a, b, CL_sRGBx, CL_RGBx)
            or (a == CL_DEPTH and b == CL_R))


cdef bint format_views_plane(const cl_image_format *view, const ImageFormat *of, size_t plane) noexcept nogil:
    # as what they hold, or as plain numbers
    return (of.planes[plane].order == view.image_channel_order
            and (view.image_channel_data_type == of.type
                 or of.type == CL_UNORM_INT8 and view.image_channel_data_type == CL_UNSIGNED_INT8))


# ---- colours into pixels

cdef int in_memory(cl_channel_order order, int *rgba) noexcept nogil:
    """How many channels, and which component of the colour each one is."""
    cdef int i
    for i in range(4):
        rgba[i] = i
    if order == CL_A:
        rgba[0] = 3
        return 1
    if order == CL_RG or order == CL_RA:
        rgba[1] = 3 if order == CL_RA else 1
        return 2
    if order == CL_BGRA or order == CL_sBGRA:
        rgba[0], rgba[2] = 2, 0
        return 4
    if order == CL_ARGB:
        rgba[0], rgba[1], rgba[2], rgba[3] = 3, 0, 1, 2
        return 4
    if order == CL_ABGR:
        rgba[0], rgba[1], rgba[2], rgba[3] = 3, 2, 1, 0
        return 4
    if order == CL_R or order == CL_INTENSITY or order == CL_LUMINANCE or order == CL_DEPTH:
        return 1
    return 3 if order == CL_RGB else 4


cdef inline uint32_t unorm(float x, float most) noexcept nogil:
    if not x > 0:                # NaN too
        return 0
    return <uint32_t>most if x >= 1 else <uint32_t>roundevenf(x * most)


cdef inline int32_t snorm(float x, float most) noexcept nogil:
    if isnan(x):
        return 0
    if x >= 1:
        return <int32_t>most
    # "convert_char_sat_rte(f * 127.0f)": down to -128, which reads as -1.0 as -127 does
    return -<int32_t>most - 1 if x * most <= -most - 1 else <int32_t>roundevenf(x * most)


cdef float to_srgb(float linear) noexcept nogil:
    """The specification's conversion from linear RGB, to 0.0 .. 1.0."""
    cdef double c = linear
    if not c > 0:
        return 0
    if c > 1:
        return 1
    return <float>(12.92 * c if c < 0.0031308 else 1.055 * pow(c, 5.0 / 12.0) - 0.055)


cdef inline int32_t clamp(int32_t x, int32_t least, int32_t most) noexcept nogil:
    return least if x < least else most if x > most else x


cdef void put_float(cl_channel_type type, float x, void *to) noexcept nogil:
    cdef uint16_t half
    if type == CL_UNORM_INT8:
        (<uint8_t *>to)[0] = <uint8_t>unorm(x, 255)
    elif type == CL_UNORM_INT16:
        (<uint16_t *>to)[0] = <uint16_t>unorm(x, 65535)
    elif unused_bits(type):
        (<uint16_t *>to)[0] = <uint16_t>(unorm(x, <float>(65535 >> unused_bits(type))) << unused_bits(type))
    elif type == CL_SNORM_INT8:
        (<int8_t *>to)[0] = <int8_t>snorm(x, 127)
    elif type == CL_SNORM_INT16:
        (<int16_t *>to)[0] = <int16_t>snorm(x, 32767)
    elif type == CL_HALF_FLOAT:
        half = half_bits(x)
        memcpy(to, &half, sizeof(half))
    else:
        memcpy(to, &x, sizeof(x))


cdef void put_integer(cl_channel_type type, uint32_t x, void *to) noexcept nogil:
    cdef int32_t signed = <int32_t>x
    cdef uint32_t unused = unused_bits(type), most = <uint32_t>65535 >> unused
    if type == CL_SIGNED_INT8:
        (<int8_t *>to)[0] = <int8_t>clamp(signed, -128, 127)
    elif type == CL_SIGNED_INT16:
        (<int16_t *>to)[0] = <int16_t>clamp(signed, -32768, 32767)
    elif type == CL_UNSIGNED_INT8:
        (<uint8_t *>to)[0] = <uint8_t>(255 if x > 255 else x)
    elif type == CL_UNSIGNED_INT16 or unused:
        (<uint16_t *>to)[0] = <uint16_t>((most if x > most else x) << unused)
    else:
        (<uint32_t *>to)[0] = x


cdef uint32_t packed_pixel(cl_channel_type type, const float *c) noexcept nogil:
    """"with the first channel in the most significant bits of the bitfield"."""
    if type == CL_UNORM_SHORT_565:
        return unorm(c[0], 31) << 11 | unorm(c[1], 63) << 5 | unorm(c[2], 31)
    if type == CL_UNORM_SHORT_555:
        return unorm(c[0], 31) << 10 | unorm(c[1], 31) << 5 | unorm(c[2], 31)
    if type == CL_UNORM_INT_101010:
        return unorm(c[0], 1023) << 20 | unorm(c[1], 1023) << 10 | unorm(c[2], 1023)
    if type == CL_UNORM_INT_2_101010_EXT:       # here the last one is
        return unorm(c[3], 3) << 30 | unorm(c[2], 1023) << 20 | unorm(c[1], 1023) << 10 | unorm(c[0], 1023)
    return unorm(c[0], 1023) << 22 | unorm(c[1], 1023) << 12 | unorm(c[2], 1023) << 2 | unorm(c[3], 3)


cdef void format_pack(const ImageFormat *format, const void *color, unsigned char *pixel) noexcept nogil:
    cdef uint32_t bits[4]
    cdef float c[4]
    cdef uint32_t size, number = 0
    cdef int rgba[4]
    cdef int i, n
    cdef bint packed = False
    # "The fill color is a single floating-point value if the channel order is CL_DEPTH."
    memcpy(bits, color, 4 if format.order == CL_DEPTH else 16)
    memcpy(c, bits, sizeof(c))
    size = type_bytes(format.type, &packed)
    if format.is_other:
        if CL_SNORM_INT8 <= format.type <= CL_UNORM_INT16:
            for i in range(4):
                put_float(format.type, c[i], &number)
                bits[i] = number
        format.pack(bits, pixel)
        return
    if packed:
        number = packed_pixel(format.type, c)
        memcpy(pixel, &number, size)
        return
    if format.order == CL_sRGBA or format.order == CL_sBGRA or format.order == CL_sRGBx:
        for i in range(3):
            c[i] = to_srgb(c[i])
    n = in_memory(format.order, rgba)
    for i in range(n):
        if is_integer_type(format.type):
            put_integer(format.type, bits[rgba[i]], pixel + i * size)
        else:
            put_float(format.type, c[rgba[i]], pixel + i * size)


fill_table()
add_others()
