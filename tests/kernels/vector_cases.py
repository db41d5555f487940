# SPDX-License-Identifier: Apache-2.0
"""Small kernels, each for one thing a vectorizer can get wrong. All have the same parameters: a holds small numbers (0
to 99), b whole numbers as floats, c and d are results, u is a result that atomics change, n is 5 for all work-items."""
CASES = {}
FUNCTIONS = []
HEAD = ("(global const int *a, global const float *b, global int *c, global float *d, global uint *u, int n, "
        "local int *l)")
LOCAL = ("uint t = get_local_id(0) + get_local_id(1) * get_local_size(0), "
         "m = get_local_size(0) * get_local_size(1); ")
IDS = "int i = get_global_id(0) - get_global_offset(0) + get_global_id(1) * 64; "


def case(name, body, before="", attributes=""):
    """A kernel; `i` numbers its work-items."""
    CASES[name] = f"{attributes} kernel void {name}{HEAD} {{ {IDS}{body} }}"
    if before:
        FUNCTIONS.append(before)


def source(names=CASES):
    return "\n".join([*FUNCTIONS, *(CASES[name] for name in names), ""])


# --- branches
case("if_else", "if (a[i] > 50) c[i] = a[i] * 3; else c[i] = -a[i];")
case("nested_if", """
    int x = a[i]; if (x > 20) { if (x > 60) x = x * 2; else if (x & 1) x -= 7; c[i] = x; } else c[i] = 1;""")
case("short_circuit", """
    int x = a[i]; if ((x > 10 && a[x] < 40) || (x > 60 && (x & 1))) c[i] = x; else if (x == 50) d[i] = 3;""")
case("uniform_if_in_divergent", "if (a[i] & 1) { if (n > 3) c[i] = a[n]; else c[i] = 2; } else if (n < 3) c[i] = 9;")
case("divergent_if_in_uniform", "if (n > 3) { if (a[i] & 1) c[i] = 1; d[i] = n; } else { if (a[i] & 2) c[i] = 2; }")
case("early_return", "if (a[i] > 70) return; c[i] = a[i]; if (a[i] & 1) return; d[i] = b[i];")
case("switch_falls_through", """
    switch (a[i] & 7) { case 0: c[i] = 1; break; case 1: c[i] = 2; case 2: c[i] += 5; break; case 5: return;
    default: c[i] = 9; } d[i] = 1;""")
case("switch_in_loop", """
    int s = 0; for (int j = 0; j < 9; ++j) { switch ((a[i] + j) & 3) { case 0: continue; case 1: s += 2; case 2: s
    *= 3; break; default: s -= j; } if (s > 500) break; } c[i] = s;""")
case("uniform_value_changed_under_mask", "int s = n; if (a[i] & 1) s = 7; c[i] = s; if (a[i] & 2) s += n; d[i] = s;")
case("uniform_value_changed_in_loop", """
    int s = 0, t = 3; for (int j = 0; j < 6; ++j) { if (a[i] & (1 << j)) t = n + j; s += t; } c[i] = s;""")
# --- loops along rows of their own
case("row_updated", "for (int k = 0; k < 7; ++k) for (int j = 0; j < n; ++j) c[i * n + j] += a[i + k] * a[k * n + j];")
case("columns_to_rows", """
    int p[8] = {0}; for (int j = 0; j < n; ++j) for (int k = 0; k < n; ++k) p[j] = p[j] * 3 + a[k * n + j] * (i + k);
    for (int j = 0; j < n; ++j) c[i] = c[i] * 31 + p[j];""")
case("rows_added", "for (int j = 0; j < n; ++j) d[i * n + j] = b[i * n + j] + b[j];")
case("row_counted", "int s = 0; for (int j = 0; j < 4 * n; ++j) s += a[i * n + j] > 50; c[i] = s;")
case("row_shifted", "if (i < 150) for (int j = 0; j < n; ++j) c[i * 6 + j + 1] = c[i * 6 + j] + a[j];")
case("columns", """
    size_t p = get_global_id(0) - get_global_offset(0); int s = a[p] + a[p + 64] * 2 + a[p + 128] * 3 + a[p + 192] * 5
    + a[p + 256] * 7 + a[p + 320] * 11 + a[p + 384] * 13 + a[p + 448] * 17 + a[p + 512] * 19; c[i] = s;
    d[i] = s * b[p + 64] - b[p + 192] * b[p + 320];""")
# --- what all lanes do nearly always, beside what they do under a mask
case("bound", "if (i < 10 * n) c[i] = a[i] * 3;")
case("bounds_in_bounds", """
    int x = 1; if (i < 8 * n) { x = a[i]; c[i] = x; if (i >= n && a[n] > 3) { d[i] = b[i]; x += a[i + 1]; if (i != 3 *
    n) c[i] += x; } else x = -x; } u[i] += x;""")
case("bound_around_loop", """
    int s = 0; if (i > 2 && i < 12 * n) for (int j = 0; j < n; ++j) { s += a[i + j]; if (i < 2 * n + j) c[i] = s; }
    d[i] = s;""")
case("bound_in_loop", """
    int s = 0; for (int j = 0; j < 9; ++j) { if (i + j >= 4 && i + j < 9 * n) { s += a[i + j] * j; c[i] = s; } } d[i] =
    s;""")
case("bound_in_divergent_loop", """
    int s = 0; for (int j = 0; j < (a[i] & 7); ++j) { if (i < 7 * n) { s += a[i]; c[i] = s + j; } else s -= j; } d[i] =
    s;""")
case("border", """
    if (i == 0 || i % 64 == 63 || n < 2) { c[i] = a[i]; return; } c[i] = a[i - 1] + a[i + 1] - a[i + 64]; d[i] =
    b[i];""")
case("bound_of_members", """
    if (i < 9 * n) { float2 p = vload2(i, b); vstore2(p.yx, i, d); } else c[i] = 5;""")
case("bound_around_effect", "if (i < 9 * n) { c[i] = a[i]; atomic_add(&u[a[i] & 7], i); }")
# --- loops
case("trip_count", "int m = a[i] & 15, s = 0; for (int j = 0; j < m; ++j) s += j * a[(i + j) & 255]; c[i] = s;")
case("nested_loops", """
    int s = 0; for (int j = 0; j < (a[i] & 7); ++j) for (int m = 0; m < (a[(i + j) & 255] & 7); ++m) { if (m == 5)
    break; s += m * j + 1; if (s > 40) return; } c[i] = s;""")
case("three_loops", """
    int s = 0; for (int j = 0; j < (a[i] & 3) + 1; ++j) for (int k = 0; k < 3; ++k) for (int m = j; m < (a[k + j] &
    7); ++m) { if ((s + m) % 5 == 4) continue; s += m; } c[i] = s;""")
case("several_exits", """
    int s = 0; for (int j = 0; j < 20; ++j) { if ((a[i] + j) % 7 == 0) break; s += a[(i * 3 + j) & 255]; if (s >
    300) { s = -s; break; } if (s == 77) { c[i] = j; return; } } c[i] = s;""")
case("continue_in_loop", """
    int s = 0; for (int j = 0; j < 20; ++j) { if ((a[i] + j) & 1) continue; s += a[(i ^ j) & 255]; } c[i] = s;""")
case("do_while", "int j = a[i], m = 0; do { j = (j * 5 + 3) & 127; } while (j > 10 && ++m < 99); c[i] = j;")
case("temporal", "int j = 0; while (j < (a[i] & 15)) ++j; c[i] = j; d[i] = j > 5 ? b[j] : b[i];")
case("temporal_of_uniform", """
    int j = 0, last = 0; for (; j < 15; ++j) { if (j == (a[i] & 15)) break; last = a[j]; } c[i] = last + j;""")
case("temporal_twice", """
    int s = 0, k = 0; for (int j = 0; j < 4; ++j) { int m = 0; while (m < (a[(i + j) & 255] & 7)) ++m; k += m; if (k
    > 9) break; s += m * n; } c[i] = s + k * 1000;""")
case("uniform_loop_in_divergent", """
    int s = 0; if (a[i] & 1) { for (int j = 0; j < 10; ++j) s += a[j] * a[i]; } c[i] = s;""")
case("uniform_loop_under_loop", """
    int s = 0; for (int j = 0; j < (a[i] & 3); ++j) for (int m = 0; m < n; ++m) s += a[m * 3] + j; c[i] = s;""")
case("uniform_break", """
    int s = 0; for (int j = 0; j < 50; ++j) { if (a[i] > 50) s += j; if (j * n > 60) break; } c[i] = s;""")
case("loop_after_return", "if (a[i] < 30) return; int s = 0; for (int j = 0; j < n; ++j) s += a[i] * j; c[i] = s;")
case("endless_until_break", "int s = a[i]; for (;;) { if (s > 200) break; s += 3 + (s & 7); } c[i] = s;")
case("loop_carried_swap", """
    int x = a[i], y = i; for (int j = 0; j < (a[i] & 7); ++j) { int t = x; x = y; y = t + 1; } c[i] = x * 1000 + y;""")
case("goto_loop", "int s = 0, j = 0; top: s += a[(i + j) & 255]; ++j; if (s < 100 && j < 10) goto top; c[i] = s + j;")
case("goto_into_loop", """
    int s = 0, j = 0; if (a[i] & 1) goto middle; top: s += 1; middle: s += a[(i + j) & 255]; ++j; if (s < 150 && j <
    9) goto top; c[i] = s;""")
case("goto_irreducible_nested", """
    int s = a[i], j = 0; if (s & 1) goto two; one: s += 3; if (s & 4) goto three; two: s += 5; if (++j < 9) goto
    one; goto out; three: s ^= 9; if (++j < 12) goto two; out: c[i] = s;""")
case("goto_forward", "int s = 1; if (a[i] & 1) goto out; s += a[i]; if (a[i] & 2) goto out; s *= 3; out: c[i] = s;")
case("mask_phi", """
    int done = 0, s = 0; for (int j = 0; j < 9 && !done; ++j) { s += j; bool odd = (a[i] + j) & 1; bool big = s >
    a[i]; done = odd ? big : (s > 20); } c[i] = s + done * 1000;""")
case("mask_phi_of_branch", """
    bool p; if (a[i] & 1) p = a[i] > 50; else p = a[i] < 20; if (p) c[i] = 5; d[i] = p ? 1 : 2;""")
# --- memory
case("uniform_store", "c[5] = 7; if (n > 3) d[3] = n;")
case("reversed", "c[255 - i] = a[i]; d[i] = b[255 - i];")
case("reversed_under_mask", "if (a[i] & 1) { c[255 - i] = a[255 - i]; } else d[255 - i] = b[300 - i];")
case("strided", "c[i] = a[2 * i] + a[2 * i + 1] + a[3 * i + 2]; d[i] = b[4 * i];")
case("strided_store", "u[2 * i + 1] = a[i]; if (a[i] & 1) u[2 * i] = i;")
case("interleaved", """
    float re = b[2 * i], im = b[2 * i + 1]; d[2 * i] = re * re - im * im; d[2 * i + 1] = 2 * re * im; c[3 * i] = a[3 * i
    + 2]; c[3 * i + 2] = a[3 * i]; c[3 * i + 1] = i;""")
case("interleaved_under_mask", """
    if (a[i] & 1) { d[3 * i] = b[3 * i + 1]; d[3 * i + 1] = n; d[3 * i + 2] = b[3 * i]; } else if (a[i] & 2) { c[4 * i +
    3] = a[4 * i] + a[4 * i + 3]; c[4 * i + 1] = 7; }""")
case("interleaved_bytes", """
    global const uchar *p = (global const uchar *)a; global uchar *q = (global uchar *)c; uchar r = p[3 * i], g = p[3 *
    i + 1], z = p[3 * i + 2]; q[3 * i] = z + 1; q[3 * i + 1] = r; q[3 * i + 2] = (r + g) >> 1; global short *s = (global
    short *)u; s[4 * i + 1] = (short)(p[i * 4 + 8] * 3); s[4 * i + 3] = r;""")
case("interleaved_falling", """
    c[600 - 2 * i] = a[700 - 2 * i]; c[601 - 2 * i] = a[701 - 2 * i]; d[700 - 3 * i] = b[700 - 3 * i]; d[701 - 3 * i]
    = b[702 - 3 * i]; if (a[i] & 1) u[400 - 2 * i] = i;""")
case("interleaved_mixed", """
    struct S { int x; float y; short z, w; }; global struct S *p = (global struct S *)c + i; global const struct S *q =
    (global const struct S *)a + i; p->y = q->z * 2.0f; p->x = q->x + q->w; p->z = (short)i; p->w = q->z;""")
case("interleaved_in_place", """
    c[3 * i] = i; c[3 * i + 1] = a[i]; c[3 * i + 2] = 5; c[3 * i] += c[3 * i + 1] * 2; c[3 * i + 1] += c[3 * i + 2]; c[3
    * i + 2] += c[3 * i]; if (a[i] & 1) { c[3 * i + 1] = 9; c[3 * i] = c[3 * i + 1] + 1; c[3 * i + 1] = 8; }""")
case("interleaved_alias", """
    global int *v = n == 5 ? c + 1 : c; c[3 * i] = a[i]; int x = v[3 * i]; c[3 * i + 1] = x + 7; int y = v[3 * i];
    c[3 * i + 2] = y + x; global int *w = (global int *)u; w[2 * i] = 1; ((global char *)u)[8 * i + 1] = 4; w[2 * i + 1]
    = w[2 * i];""")
case("interleaved_in_loops", """
    global int *v = n == 5 ? c + 3 * i + 1 : c; global int (*r)[3] = (global int (*)[3])c; for (int j = 0; j < 3; ++j) {
    r[i][j] = a[i] + j; if (j) u[2 * i] = v[0]; u[2 * i + 1] = r[i][j] + v[1]; } for (int k = 0; k < n; ++k) for (int j
    = 0; j < 3; ++j) r[i][j] = r[i][j] * 3 + r[i][(j + 1) % 3];""")
case("vectors_in_structures", """
    struct S { float4 p; float2 q; float2 r; }; global struct S *o = (global struct S *)d; global const struct S *s
    = (global const struct S *)b; if (i < 100) { o[i].p = s[i].p.wzyx + s[i].q.xyxy; o[i].r = fmax(s[i].r, s[i].q); }
    if (i < 64 && (a[i] & 1)) o[i].q = i;""")
case("stride_of_longs", """
    global const long *p = (global const long *)a; global long *q = (global long *)c; q[2 * i] = p[2 * i] + p[2 * i +
    1];
    if (a[i] & 1) q[2 * i + 1] = p[2 * i];""")
case("stride_in_loop", """
    int s = 0; for (int j = 0; j < n; ++j) { s += a[(i + j * 7) * 3] - a[(i + j * 7) * 3 + 1]; if (a[i] & 1) s ^= a[i *
    3 + 2]; } c[i] = s;""")
case("rows", """
    int s = 0; for (int j = 0; j < n * 11; ++j) s = s * 3 + a[i * n + j]; float t = 0; if (a[i] & 1) for (global const
    float *p = b + i * n; p < b + i * n + n * 9; ++p) t += *p; c[i] = s; d[i] = t;""")
case("rows_of_longs", """
    global const long *p = (global const long *)a; long s = 0; for (int j = 0; j < n * 4 + 2; ++j) { if (i < 90) s = s *
    5 + p[i * n + j]; s ^= j; } c[i] = (int)s; for (int k = 0; k < 2; ++k) for (uint j = 0; j < n * 5; ++j) d[i] +=
    b[(uint)(i * n) + j + k];""")
case("rows_written", """
    int m = n * 2; if (i < 100) for (int j = 0; j < m - 1; ++j) c[i * m + j + 1] += c[i * m + j] + a[i * m + j];""")
case("stride_by_argument", "c[i] = a[n * i & 255] + a[i + n];")
case("wraps_below_zero", "uint t = get_local_id(0); for (uint k = 1; k < 40; k <<= 1) c[i] += t >= k ? a[t - k] : 0;")
case("wraps_in_short", "ushort t = (ushort)(i * 700); uchar v = (uchar)(i + 250); c[i] = t + v; d[i] = b[v];")
case("narrow_index", """
    uchar t = (uchar)i; char v = (char)(i & 127); c[i] = a[t] + a[v]; short w = (short)(i - 1); if (w >= 0) d[i] =
    b[w];""")
case("unsigned_above", "uint t = get_local_id(0) * 3u + 4u; ulong w = (ulong)(t - 4u); c[i] = a[w] + a[t];")
case("unsigned_id", """
    uint g = get_global_id(0), o = get_global_offset(0); c[g - o] = a[g - o]; ulong w = (ulong)g - o; if (w < 1024)
    d[w] = b[w]; u[(g - o) * 2] = g;""")
case("signed_id", """
    int g = get_global_id(0); long w = (long)g - (int)get_global_offset(0); if (w >= 0 && w < 1024) c[w] = a[w] + g;
    else u[i] = g;""")
case("short_id", """
    ushort g = get_global_id(0) + 65500; short h = (short)g; c[i] = g + a[g & 255]; d[i] = h < 0 ? -1 : b[h & 127];""")
case("id_scaled", """
    int g = (uint)get_global_id(0) - (uint)get_global_offset(0); long w = (long)(g * 4 - 16); if (w >= 0) c[w / 4] =
    a[w]; uint v = (uint)g * 2u - 6u; if (v < 500) d[v] = b[v + 1];""")
case("id_and_constant", """
    int x = get_global_id(0) - get_global_offset(0) + 3, y = x - 7; uint w = (uint)get_global_id(0) + 60000u; c[i] =
    a[x] + (y >= 0 ? a[y] : 0); if (w >= 60000u && w < 61000u) d[i] = b[w - 60000u]; global const char *p = (global
    const char *)a + x * 2; u[i] = p[-1] + p[5];""")
case("near_wrap", """
    int x = get_global_id(0) + 30, y = get_global_id(0) - 30; long z = (long)x - (long)(int)get_global_offset(0); if (z
    >= 0 && z < 900) c[i] = a[z]; z = (long)y - (long)(int)get_global_offset(0) + 60; if (z >= 0 && z < 900) u[i] =
    a[z];""")
case("bytes", """
    global uchar *p = (global uchar *)c; p[i] = (uchar)(a[i] * 3); global short *q = (global short *)u; q[i] +=
    (short)a[i];""")
case("bytes_gathered", """
    global const uchar *p = (global const uchar *)a; global const short *q = (global const short *)a; int x = a[i];
    if (x & 1) c[i] = p[x * 37 & 255] * 3 + q[x ^ 21]; else d[i] = p[255 - x] - as_char(p[x * x & 255]);""")
case("private_bytes_gathered", """
    uchar t[13]; char2 v[3]; for (int j = 0; j < 13; ++j) t[j] = a[i] * 5 + j; for (int j = 0; j < 3; ++j)
    v[j] = (char2)(j, a[i]); if (a[i] % 3) c[i] = t[a[i] % 13] + v[a[i] % 3].y; else d[i] = t[a[i] % 7];""")
case("local_bytes_gathered", LOCAL + """
    local uchar *s = (local uchar *)l; s[t] = a[i] * 7 + t; barrier(CLK_LOCAL_MEM_FENCE);
    if (a[i] & 2) c[i] = s[(a[i] + t) % m]; barrier(CLK_LOCAL_MEM_FENCE);""")
case("bytes_under_mask", "global char *p = (global char *)c; if (a[i] & 1) p[i] = (char)a[i]; else p[i] ^= 3;")
case("longs", "long x = a[i]; x = x * x * x + i; c[i] = (int)(x >> 3); d[i] = (float)(x & 1023);")
case("vectors_at_indices", """
    global const float4 *p = (global const float4 *)b; global const int4 *q = (global const int4 *)a;
    float4 v = p[a[i] % 13]; int4 w = q[(a[i] * 7 + i) % 11];
    d[i] = v.x * v.z - v.w; c[i] = w.x + 3 * w.y - w.z * w.w;""")
case("doubles_at_indices", """
    global const double2 *p = (global const double2 *)b; ulong2 v = as_ulong2(p[a[i] % 29]);
    c[i] = v.x ^ (v.y >> 7);""")
for place in ("all", "some"):
    some = "if (a[i] & 1) " if place == "some" else ""
    case(f"vectors_to_indices_{place}", f"""
    int at = a[i] < 200 ? i : 0; float4 v = (float4)(b[i], a[i], i, 3); int2 w = (int2)(a[i], i);
    {some}{{ ((global float4 *)d)[at] = v; ((global int2 *)c)[at] = w; }}""")
    case(f"doubles_to_indices_{place}", f"""
    int at = a[i] < 200 ? i : 0; double2 v = (double2)(b[i], a[i]); short4 w = (short4)(a[i], i, 3, n);
    {some}{{ ((global double2 *)d)[at] = v; ((global short4 *)c)[at] = w; }}""")
    case(f"bytes_to_indices_{place}", f"""
    int at = a[i] < 200 ? i : 0; uchar16 v = (uchar16)((uchar4)(a[i], i, 3, n), (uchar4)i, (uchar8)(b[i]));
    {some}((global uchar16 *)d)[at] = v;""")
case("vectors", """
    float4 v = vload4(i, b); v = v * 2.0f + v.wzyx; vstore4(v, i, d); int2 w = vload2(i, a); c[i] = w.x - w.y;""")
case("vectors_of_three", """
    int3 v = vload3(i, a); v = v.zxy + (int3)(1, 2, 3); vstore3(v, i, c); if (a[i] & 1) vstore3(vload3(i, b), i, d);""")
case("vectors_under_mask", """
    if (a[i] & 1) vstore4(vload4(i, b), i, d); else ((global int2 *)c)[i] = ((global const int2 *)a)[i];""")
case("vector_element_of_lane", """
    int4 v = (int4)(a[i], i, a[i] + 1, 2); ((int *)&v)[a[i] & 3] = 77; c[i] = v.x * v.y + v.z * v.w + ((int *)&v)[i
    & 3];""")
case("halves", """
    float x = vload_half(i, (global const half *)a); d[i] = isnan(x) ? 0 : x; vstore_half((float)a[i], i, (global
    half *)c);""")
case("structs", """
    struct S { int x; float y; int z; }; struct S s; s.x = a[i]; s.y = b[i]; s.z = i; struct S *p = &s; if (a[i] &
    1) p->x += p->z; c[i] = s.x; d[i] = s.y + s.z;""")
case("structs_in_memory", """
    struct S { int x, y, z; }; global struct S *p = (global struct S *)c + i; p->x = a[i]; if (a[i] & 1) p->z = i;
    struct S t = *p; t.y = t.x + t.z; *p = t;""")
case("struct_array", """
    struct S { int x; char y; long z; } s[4]; for (int j = 0; j < 4; ++j) { s[j].x = j; s[j].y = a[i] + j; s[j].z =
    i; } s[a[i] & 3].x += 9; s[n & 3] = s[a[i + 1] & 3]; c[i] = s[0].x + s[1].y + (int)s[2].z + s[3].x * 7;""")
case("private_by_lane", """
    int t[8]; for (int j = 0; j < 8; ++j) t[j] = a[i + j]; int s = 0; for (int j = 0; j < 8; ++j) s += t[(a[i] + j)
    & 7] * j; t[a[i] & 7] = 1000; c[i] = s + t[3];""")
case("private_uniform", """
    int t[4] = {1, 2, 3, 4}; t[n & 3] = a[i]; if (a[i] & 1) t[(n + 1) & 3] = i; c[i] = t[0] + t[1] * t[2] - t[3];""")
case("private_bytes", """
    uchar t[16]; for (int j = 0; j < 16; ++j) t[j] = a[i] + j; t[a[i] & 15] = 0; c[i] = *(int *)(t + 4) ^ t[i & 15];""")
case("private_after_unrolling", """
    short t[9]; for (int j = 0; j < 9; ++j) t[j] = (short)(a[i + j] * 7); for (int j = 1; j < 9; ++j) { short x = t[j -
    1], y = t[j]; t[j - 1] = min(x, y); t[j] = max(x, y); if (a[i] & 1) t[0] += 1; } c[i] = t[8] + t[0] * 3 + t[4];""")
case("private_pointer", """
    int x = a[i], y = i; int *p = a[i] & 1 ? &x : &y; *p += 5; if (a[i] & 2) p = &x; c[i] = *p * 100 + x - y;""")
case("float_out_pointer", """
    float w; float f = fract(b[i] * 0.5f, &w); d[i] = f + w * 4; int e; c[i] = (int)(frexp(b[i], &e) * 64) + e;""")
# --- what may not run for lanes outside of the mask
case("division", "c[i] = a[i] % 3 ? a[i] / (a[i] % 3) + 1000 % (a[i] % 3) : n;")
case("division_in_loop", """
    int s = 0; for (uint k = 1; k < 9; ++k) { if (a[i] % (int)k) s += 1000 / (a[i] % (int)k); if (s > 2000) break; }
    c[i] = s;""")
case("division_of_longs", """
    long x = a[i] - 50; ulong y = a[i] & 3; if (x && y) c[i] = (int)(100000 / x + 7 % y + (long)1 % x);""")
case("load_under_mask", "global const int *p = a[i] & 1 ? a : (global const int *)0; if (p) c[i] = p[i & 127];")
case("atomics_under_mask", """
    if (a[i] & 1) { atomic_add(u + (a[i] & 15), i); atomic_max(u + 16, (uint)i); } else atomic_or(u + 17, 1u << (i &
    31));""")
case("atomics_in_loop", "for (int j = 0; j < (a[i] & 3); ++j) atomic_add(u + ((i + j) & 7), a[j]);")
case("atomic_result", "c[i] = atomic_add(u + 64 + i, a[i]); if (a[i] & 1) c[i] += atomic_cmpxchg(u + 64 + i, a[i], 5);")
case("atomic_uniform_place", "atomic_inc(u); if (a[i] > 50) atomic_sub(u + 1, 3); atomic_min(u + 2, (uint)a[i]);")
case("local_atomic_results", LOCAL + """
    l[t] = 3; barrier(CLK_LOCAL_MEM_FENCE); if (a[i] & 3) c[i] = atomic_inc(l + t) + 8 * atomic_add(l + t, a[i]); else
    d[i] = atomic_cmpxchg(l + t, 3, 9) + 1; barrier(CLK_LOCAL_MEM_FENCE); u[i] = l[t];
    barrier(CLK_LOCAL_MEM_FENCE);""")
case("local_histogram", LOCAL + """
    l[t] = 0; barrier(CLK_LOCAL_MEM_FENCE); for (int j = i; j < 61; j += 7) { uint v = a[j] * 0x1234567u;
    atomic_inc(l + (v & 255) % m); atomic_add(l + (v >> 8) % m, (int)(v & 15)); } barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = l[t]; barrier(CLK_LOCAL_MEM_FENCE);""")
case("local_atomics", """
    int t = get_local_id(0); if (t < 16) l[t] = t; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(l + (a[i] & 7), i); if
    (a[i] & 2) atomic_max(l + 8, a[i]); atomic_xor(l + 9, 1 << (a[i] & 31)); barrier(CLK_LOCAL_MEM_FENCE); if (t <
    16 && get_local_size(0) > 15) c[i] = l[t];""")
case("call", """
    c[i] = three_ways(a[i]) + three_ways(i); if (a[i] & 4) d[i] = three_ways(n);""",
     before="""int three_ways(int x) { if (x & 1) return x * 3; for (int j = 0; j < (x & 3); ++j) { if (j == 2)
    return 7; x += j; } return x; }""")
case("call_with_pointer", """
    int t[4] = {i, 2, 3, 4}; if (a[i] & 1) c[i] = turn(t, a[i]); else c[i] = t[3] + turn(t, 1); d[i] = t[0];""",
     before="""int turn(int *t, int k) { for (int j = 0; j < (k & 3); ++j) { int x = t[j]; t[j] = t[3 - j]; t[3 -
    j] = x; } return t[0]; }""")
case("call_apart", """
    if (a[i] & 1) c[i] = apart(u + 2 * i, a[i]); else if (a[i] & 2) d[i] = apart(u + 2 * i + 1, n) + apart(u, 0); int s
    = 0; for (int j = 0; j < (a[i] & 3); ++j) s += apart(u + 2 * i, j); c[i] += s;""",
     before="""__attribute__((cold, noinline)) int apart(global uint *p, int x) { for (int j = 0; j < (x & 3); ++j) {
    if (*p & 4) return j; *p += x; } if (x) *p ^= x; return x * 3; }""")
case("call_apart_bool", """
    bool odd = a[i] & 1; if (a[i] & 2) odd = flipped(u + 2 * i, odd, a[i]); c[i] = odd; if (flipped(u + 2 * i + 1, odd,
    n)) d[i] = 2;""",
     before="""__attribute__((cold, noinline)) bool flipped(global uint *p, bool x, int n) { for (int j = 0; j < (n &
    3); ++j) { if (*p & 4) return x; *p += n; } if (x) *p ^= n; return !x; }""")
case("half_arithmetic", """
    global _Float16 *p = (global _Float16 *)d; _Float16 x = (_Float16)b[i], y = (_Float16)b[(i * 7) & 63], t[4] = {x, y,
    1, (_Float16)n}; _Float16 z = x * y + t[i & 3]; if (z > (_Float16)99.5f) for (int j = 0; j < (a[i] & 3); ++j) z -=
    x; p[i] = z; c[i] = (int)(z / (y + (_Float16)1));""")
case("narrow_ids", """
    size_t x = get_global_id(0); c[i] = (char)x; u[i] = (uint)(short)(x + 32700) ^ (ushort)x; d[i] = (uchar)(x + 200);
    if (a[i] & 1) c[i] += (short)get_local_id(0) + (char)(i + 100);""")
case("reduced_vectors", """
    int4 v = vload4(i, a); c[i] = any(v > 50) + all(v > n) * 2 + v.x + v.y + v.z + v.w; int8 w = (int8)(v, v.wzyx + i);
    u[i] = max(max(w.s0, w.s1), max(w.s2, w.s3)) ^ (w.s4 & w.s5 & w.s6 & w.s7);""")
case("struct_copies", """
    struct S { int x, y; float z; }; global struct S *p = (global struct S *)c, *q = (global struct S *)d; struct S t =
    ((global const struct S *)a)[i]; p[i] = t; if (a[i] & 1) q[i] = p[i]; t.y = n; if (t.x > 50) p[i] = t;""")
case("private_under_mask", """
    int t[8]; for (int j = 0; j < 8; ++j) t[j] = i + j; for (int j = 0; j < (a[i] & 7); ++j) { t[j] = a[i]; t[(j + a[j])
    & 7] ^= 3; } if (a[i] & 1) t[n] = -1; else t[a[i] & 7] += t[n]; int s = 0; for (int j = 0; j < 8; ++j) s = s * 3 +
    t[j]; c[i] = s;""")
case("private_vectors", """
    float4 t[3]; for (int j = 0; j < 3; ++j) t[j] = vload4(j + (i & 3), b); if (a[i] & 1) t[n % 3] *= 2.0f; t[a[i] % 3]
    += 1.0f; vstore4(t[0] + t[1].wzyx * t[2], i, d);""")
case("math_under_mask", """
    if (a[i] & 1) d[i] = floor(sqrt(b[i] * b[i])); else d[i] = fmax(b[i], 50.0f) + fabs(b[i] - 60);""")
case("store_under_two_masks", """
    if (a[i] & 1) { c[i] = 1; if (a[i] & 2) { c[i] += 2; d[i] = c[i]; } else d[i] = -c[i]; } else c[i] = d[i] - 1;""")
case("read_back", """
    c[i] = a[i]; if (a[i] & 1) c[i] += n; int s = 0; for (int j = 0; j < (a[i] & 3); ++j) { c[i] += j; s += c[i]; }
    d[i] = s + c[i];""")
case("saturation", """
    char x = convert_char_sat(a[i] * 3 - 100); c[i] = add_sat(x, (char)(a[i] - 50)) * 256 + sub_sat((uchar)a[i],
    (uchar)60); u[i] = mul_hi((uint)a[i] << 24, 77u) + convert_ushort_sat(a[i] * 1000 - 9000);""")
# --- barriers
case("tree", LOCAL + """
    l[t] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); for (uint s = 64; s > 0; s >>= 1) { if (t < s && t + s < m) l[t] += l[t
    + s]; barrier(CLK_LOCAL_MEM_FENCE); } if (t == 0) c[i] = l[0];""")
case("scan", LOCAL + """
    l[t] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); for (uint s = 1; s < m; s <<= 1) { int v = t >= s ? l[t - s] : 0;
    barrier(CLK_LOCAL_MEM_FENCE); l[t] += v; barrier(CLK_LOCAL_MEM_FENCE); } c[i] = l[t];""")
case("private_across_barrier", """
    int t[4] = {a[i], i, n, 7}; int id = get_local_id(0); l[id] = t[a[i] & 3]; barrier(CLK_LOCAL_MEM_FENCE); t[a[i]
    & 3] += l[get_local_size(0) - 1 - id]; barrier(CLK_LOCAL_MEM_FENCE); c[i] = t[0] + t[1] * 3 + t[2] * 5 + t[3] *
    7;""")
case("bool_across_barrier", """
    bool p = a[i] & 1; char4 v = (char4)(i, 2, a[i], 4); int id = get_local_id(0); l[id] = i;
    barrier(CLK_LOCAL_MEM_FENCE); if (p) c[i] = l[(id + 1) % get_local_size(0)] + v.z; else d[i] = v.x;""")
case("return_in_last_region", """
    int id = get_local_id(0); l[id] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); if (l[get_local_size(0) - 1 - id] & 1)
    return; c[i] = 3; if (a[i] > 60) return; d[i] = l[0];""")
case("uniform_return_before_barrier", """
    int id = get_local_id(0); l[id] = a[i]; if (get_group_id(0) & 1) return; barrier(CLK_LOCAL_MEM_FENCE); c[i] =
    l[(id + 3) % get_local_size(0)];""")
case("loop_around_barrier", """
    int id = get_local_id(0), s = 0; for (int j = 0; j < n; ++j) { l[id] = a[i + j] + s;
    barrier(CLK_LOCAL_MEM_FENCE); for (int k = 0; k < (a[i] & 3); ++k) s += l[(id + k) % get_local_size(0)];
    barrier(CLK_LOCAL_MEM_FENCE); } c[i] = s;""")
# --- work-items that end while others go to a barrier, or to another one
PARTED = LOCAL + "l[t] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); "
case("guarded_barrier", PARTED + """
    if (i < 40 + n) { int x = l[(t + 1) % m]; barrier(CLK_LOCAL_MEM_FENCE); l[t] += x; barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = l[m - 1 - t]; }""")
case("return_before_barrier", PARTED + """
    c[i] = 1; if (a[i] % 3 == 0) return; for (int j = 0; j < n; ++j) { int x = l[(t + j) % m];
    barrier(CLK_LOCAL_MEM_FENCE); l[t] += x + j; c[i] += j; barrier(CLK_LOCAL_MEM_FENCE); } d[i] = l[m - 1 - t];""")
case("ends_in_different_rounds", PARTED + """
    int s = 0; for (int j = 0; j < n; ++j) { l[t] = a[i] + s; barrier(CLK_LOCAL_MEM_FENCE); if ((a[i] & 7) == j) {
    d[i] = j; return; } s += l[(t + j) % m]; barrier(CLK_LOCAL_MEM_FENCE); c[i] = s; } d[i] = l[t];""")
case("guard_around_a_divergent_loop", PARTED + """
    if (a[i] > 20) { int s = 0; for (int j = i; j < 60; j += 9) s += a[j]; l[t] = s; barrier(CLK_LOCAL_MEM_FENCE);
    for (int h = 8; h > 0; h /= 2) { int x = l[(t + h) % m] & 1; barrier(CLK_LOCAL_MEM_FENCE); if ((t & 15) < h)
    l[t] += x; barrier(CLK_LOCAL_MEM_FENCE); } if (t & 1) c[i] = l[t]; else d[i] = s; }""")
case("divergent_loop_then_barriers", LOCAL + """
    int s = 0; for (int j = i; j < 60; j += m) s += a[j]; for (int k = 0; k < 3; ++k) { l[t] = s + k;
    barrier(CLK_LOCAL_MEM_FENCE); for (uint h = m / 2; h > 0; h /= 2) { int x = t < h ? l[t + h] : 0;
    barrier(CLK_LOCAL_MEM_FENCE); l[t] += x; barrier(CLK_LOCAL_MEM_FENCE); } c[i] += l[0]; d[i] = l[t];
    barrier(CLK_LOCAL_MEM_FENCE); }""")
case("private_array_and_return", PARTED + """
    int own[5]; for (int j = 0; j < 5; ++j) own[j] = a[i + j]; if (a[i] & 1) { c[i] = own[n - 1]; return; }
    barrier(CLK_LOCAL_MEM_FENCE); own[a[i] % 5] += l[(t + 1) % m]; barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < n; ++j) c[i] += own[j] * j;""")
case("different_barriers", PARTED + """
    int x = a[i]; if (x & 1) { x += n; barrier(CLK_LOCAL_MEM_FENCE); c[i] = x + l[t]; } else { x *= n;
    barrier(CLK_LOCAL_MEM_FENCE); d[i] = x - l[t]; } u[i] = x;""")
case("rounds_of_different_number", PARTED + """
    int s = 0; for (int j = 0; j < (a[i] & 3); ++j) { l[t] += j * n; barrier(CLK_LOCAL_MEM_FENCE); s += l[t] + j; }
    d[i] = s; barrier(CLK_LOCAL_MEM_FENCE); c[i] = l[t] + s;""")
case("volatile_private_variables", """
    volatile int x = a[i]; volatile float s = b[i]; int t = 0; while (x > n) { s += b[t]; t++; x -= 7;
    if (t & 1) continue; s = s * 0.5f; if (a[t] > 50) x = x - 1; } c[i] = t * 1000 + x; d[i] = s;""")
case("volatile_private_uniform", "volatile int x = n; if (a[i] & 1) x += 2; c[i] = x; if (n > 3) x = 9; d[i] = x;")
case("volatile_private_others", """
    volatile int w[4] = {1, 2, 3, 4}; volatile int4 v = (int4)(a[i]); volatile char k = a[i];
    volatile bool y = a[i] > 9;
    if (a[i] & 1) { w[a[i] & 3] += n; v.y = 7; k += 100; y = !y; } c[i] = w[n & 3] + v.y * 10 + k; d[i] = y;""")
case("volatile_local_memory", """
    volatile local int *v = l; """ + LOCAL + """v[t] = a[i]; if (a[i] > 10) { barrier(CLK_LOCAL_MEM_FENCE);
    int x = v[m - 1 - t]; barrier(CLK_LOCAL_MEM_FENCE); if (t & 1) v[t] += x; barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = v[t]; }""")
case("compare_and_exchange_until_it_succeeds", """
    volatile local int *v = l; """ + LOCAL + """if (t == 0) v[0] = n; barrier(CLK_LOCAL_MEM_FENCE);
    int seen, before; do { before = v[0]; seen = atomic_cmpxchg(v, before, before + a[i] + 1); } while (seen != before);
    c[i] = seen >= n; barrier(CLK_LOCAL_MEM_FENCE); d[i] = v[0];""")
case("exchanged_with_what_was_stored", """
    int s = a[i], times = 0; c[i] = i; for (int j = 0; j < 9 || times == 0; ++j) { int seen = atomic_cmpxchg(u + i,
    (uint)s, (uint)c[i]); if (seen == s) { c[i] = s; ++times; } s = seen; } d[i] = times;""")
# --- group sizes that the kernel knows
case("known_size", """
    c[i] = a[i] + get_local_size(0); if (a[i] & 1) d[i] = b[i];""",
     attributes="__attribute__((reqd_work_group_size(24, 1, 1)))")
case("known_size_of_three", """
    int s = 0; for (int j = 0; j < (a[i] & 7); ++j) s += j; c[i] = s;""",
     attributes="__attribute__((reqd_work_group_size(3, 1, 1)))")
case("vector_hint", "c[i] = a[i] * 2;", attributes="__attribute__((vec_type_hint(int4)))")
