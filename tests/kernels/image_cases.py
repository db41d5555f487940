# SPDX-License-Identifier: Apache-2.0
"""The kernels that test_images.py runs: reading and writing through each kind of image, coordinates from an array."""

# kind -> (type, integer coordinates, float coordinates, dimensions, has layers)
KINDS = {
    "1d": ("image1d_t", "c.x", "f.x", 1, False),
    "1da": ("image1d_array_t", "c.xy", "f.xy", 1, True),
    "2d": ("image2d_t", "c.xy", "f.xy", 2, False),
    "2da": ("image2d_array_t", "c", "f", 2, True),
    "3d": ("image3d_t", "c", "f", 3, False),
    "1db": ("image1d_buffer_t", "c.x", "f.x", 1, False),
    "2dd": ("image2d_depth_t", "c.xy", "f.xy", 2, False),
    "2dad": ("image2d_array_depth_t", "c", "f", 2, True),
}
COLORS = {"f": "float4", "i": "int4", "ui": "uint4"}

# Read-write images: each work-item reads its pixel and writes another.
MORE = r"""
kernel void update(read_write image2d_t image, int n) {
    int2 c = (int2)(get_global_id(0), get_global_id(1));
    float4 color = read_imagef(image, c);
    if ((c.x + c.y) % 3 != n)
        write_imagef(image, c, color * 0.5f);
}

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
float4 around(read_only image2d_t image, sampler_t s, int2 c) {
    float4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imagef(image, s, c + (int2)(x, y));
    return sum;
}
kernel void blur(read_only image2d_t image, write_only image2d_t out, sampler_t given, int which) {
    int2 c = (int2)(get_global_id(0), get_global_id(1));
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    float4 sum = which == 0 ? around(image, nearest, c) : which == 1 ? around(image, edge, c) : around(image, given, c);
    write_imagef(out, c, sum);
}

kernel void choose(read_only image2d_t a, read_only image2d_t b, sampler_t s, sampler_t t, int n, global float4 *out) {
    int i = get_global_id(0);
    const sampler_t chosen = n & 2 ? s : t;
    out[i] = n & 1 ? read_imagef(a, chosen, (float2)(i, 1)) : read_imagef(b, chosen, (float2)(i, 1));
}

kernel void add(read_only image2d_t a, int n, global const int *ends, global float4 *out) {
    int i = get_global_id(0);
    if (i < n) {
        float4 sum = 0;
        for (int x = i; x < ends[i]; x++)
            sum += read_imagef(a, nearest, (int2)(x % 40, x / 40));
        out[i] = sum;
    }
}

kernel void ask(read_only image1d_t a, write_only image1d_array_t b, read_write image2d_t c,
                read_only image2d_array_t d, read_write image3d_t e, write_only image1d_buffer_t f,
                read_only image2d_depth_t g, read_only image2d_array_depth_t h, global int *out) {
    int n = 0;
    out[n++] = get_image_width(a);
    out[n++] = get_image_channel_order(a);
    out[n++] = get_image_channel_data_type(a);
    out[n++] = get_image_width(b);
    out[n++] = get_image_array_size(b);
    out[n++] = get_image_channel_data_type(b);
    out[n++] = get_image_dim(c).x;
    out[n++] = get_image_height(c);
    out[n++] = get_image_dim(d).y;
    out[n++] = get_image_array_size(d);
    out[n++] = get_image_depth(e);
    out[n++] = get_image_dim(e).y;
    out[n++] = get_image_dim(e).z;
    out[n++] = get_image_dim(e).w;
    out[n++] = get_image_width(f);
    out[n++] = get_image_dim(g).y;
    out[n++] = get_image_channel_order(g);
    out[n++] = get_image_array_size(h);
}
"""


def read_source(kind):
    """read_CHANNEL_KIND(image, sampler, ints, floats, how, out); `how`: 0 no sampler, 1 integers, 2 floats."""
    type_, ints, floats, _, _ = KINDS[kind]
    for suffix, color in COLORS.items():
        if "depth" in type_ and suffix != "f":
            continue
        color = "float" if "depth" in type_ else color
        sampled = "" if kind == "1db" else f"""
    if (how == 1) out[i] = read_image{suffix}(image, s, {ints});
    if (how == 2) out[i] = read_image{suffix}(image, s, {floats});"""
        yield f"""
kernel void read_{suffix}_{kind}(read_only {type_} image, sampler_t s, global const int4 *at, global const float4 *to,
                                 int how, global {color} *out) {{
    size_t i = get_global_id(0);
    int4 c = at[i];
    float4 f = to[i];
    if (how == 0) out[i] = read_image{suffix}(image, {ints});{sampled}
}}
kernel void write_{suffix}_{kind}(write_only {type_} image, global const int4 *at, global const {color} *in) {{
    size_t i = get_global_id(0);
    int4 c = at[i];
    write_image{suffix}(image, {ints}, in[i]);
}}
"""


GRADIENTS = {"1d": "x", "1da": "x", "2d": "xy", "2da": "xy", "3d": "xyzw", "2dd": "xy", "2dad": "xy"}


def mip_source(writes=True):
    """mip_CHANNEL_KIND(image, sampler, to, lods, steps, how, out); `how`: 0 by the level, 1 by the steps.
    put_CHANNEL_KIND(image, at, levels, in), of devices that write levels."""
    yield "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
    if writes:
        yield "#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable\n"
    for kind, components in GRADIENTS.items():
        type_, ints, floats, _, _ = KINDS[kind]
        for suffix, color in COLORS.items():
            if "depth" in type_ and suffix != "f":
                continue
            color = "float" if "depth" in type_ else color
            yield f"""
kernel void mip_{suffix}_{kind}(read_only {type_} image, sampler_t s, global const float4 *to, global const float *lods,
                                global const float4 *steps, int how, global {color} *out) {{
    size_t i = get_global_id(0);
    float4 f = to[i];
    if (how == 0) out[i] = read_image{suffix}(image, s, {floats}, lods[i]);
    if (how == 1) out[i] = read_image{suffix}(image, s, {floats}, steps[2 * i].{components},
                                              steps[2 * i + 1].{components});
    if (how == 2) out[i] = get_image_num_mip_levels(image);
}}
"""
            if writes:
                yield f"""
kernel void put_{suffix}_{kind}(write_only {type_} image, global const int4 *at, global const int *levels,
                                global const {color} *in) {{
    size_t i = get_global_id(0);
    int4 c = at[i];
    write_image{suffix}(image, {ints}, levels[i], in[i]);
}}
"""


def source(kinds, more=True):
    return "".join("".join(read_source(kind)) for kind in kinds) + (MORE if more else "")
