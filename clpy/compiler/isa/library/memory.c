/* SPDX-License-Identifier: Apache-2.0
 * Loads and stores of 16 lanes. An address is a base, the same for all, and 32 bits of each lane; or 64 bits of each
 * lane in two halves, which become the former where the upper halves are equal. Addresses that follow each other are
 * one access, equal ones are another, and the rest goes lane by lane.
 */
#include "scattered.h"

typedef struct __attribute__((packed)) { vu v; } plain_vu;
typedef struct __attribute__((packed)) { vb v; } plain_vb;
typedef struct __attribute__((packed)) { vw v; } plain_vw;
typedef __attribute__((ext_vector_type(32))) uint32_t wide2;
typedef __attribute__((ext_vector_type(64))) uint32_t wide4;
typedef struct __attribute__((packed)) { wide2 v; } plain_wide2;
typedef struct __attribute__((packed)) { wide4 v; } plain_wide4;

INLINE static inline int all_equal(vu x)
{
    vm same = CONVERT(x == x[0], vm);
    return bits_of(same) == ALL;
}

INLINE static inline int in_steps(vu x, uint32_t step)
{
    vm same = CONVERT(x == x[0] + IOTA(vu) * step, vm);
    return bits_of(same) == ALL;
}

/* What lies at the first of 16 places that follow each other. */
INLINE static inline single row_u8(char *p) { return (single){{CONVERT(((plain_vb *)p)->v, vu)}}; }
INLINE static inline single row_i8(char *p) { return (single){{(vu)CONVERT(CONVERT(((plain_vb *)p)->v, vc), vi)}}; }
INLINE static inline single row_u16(char *p) { return (single){{CONVERT(((plain_vw *)p)->v, vu)}}; }
INLINE static inline single row_i16(char *p) { return (single){{(vu)CONVERT(CONVERT(((plain_vw *)p)->v, vs), vi)}}; }
INLINE static inline single row_b32(char *p) { return (single){{((plain_vu *)p)->v}}; }

#define EVERY(n, at) at, n + at, 2 * n + at, 3 * n + at, 4 * n + at, 5 * n + at, 6 * n + at, 7 * n + at, 8 * n + at,   \
        9 * n + at, 10 * n + at, 11 * n + at, 12 * n + at, 13 * n + at, 14 * n + at, 15 * n + at

INLINE static inline pair row_b64(char *p)
{
    wide2 x = ((plain_wide2 *)p)->v;
    return (pair){{__builtin_shufflevector(x, x, EVERY(2, 0)), __builtin_shufflevector(x, x, EVERY(2, 1))}};
}

/* What takes many instructions of the host, to read and to write, is one function for all code: a program with some
 * hundred such accesses takes twice as long to compile where each has them. */
APART static void read_row_b128(char *p, quad *out)
{
    wide4 x = ((plain_wide4 *)p)->v;
    *out = (quad){{__builtin_shufflevector(x, x, EVERY(4, 0)), __builtin_shufflevector(x, x, EVERY(4, 1)),
                   __builtin_shufflevector(x, x, EVERY(4, 2)), __builtin_shufflevector(x, x, EVERY(4, 3))}};
}

APART static void read_row_b96(char *p, triple *out)
{
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < LANES; l++)
            out->at[k][l] = ((plain_u32 *)p)[3 * l + k].v;
}

INLINE static inline quad row_b128(char *p) { quad x; read_row_b128(p, &x); return x; }
INLINE static inline triple row_b96(char *p) { triple x; read_row_b96(p, &x); return x; }

/* What lies at one place, for all lanes. */
INLINE static inline single one_u8(char *p) { return (single){{(vu)*(uint8_t *)p}}; }
INLINE static inline single one_i8(char *p) { return (single){{(vu)(uint32_t)*(int8_t *)p}}; }
INLINE static inline single one_u16(char *p) { return (single){{(vu)((plain_u16 *)p)->v}}; }
INLINE static inline single one_i16(char *p) { return (single){{(vu)(uint32_t)(int16_t)((plain_u16 *)p)->v}}; }
INLINE static inline single one_b32(char *p) { return (single){{(vu)((plain_u32 *)p)->v}}; }
INLINE static inline pair one_b64(char *p) { return (pair){{(vu)((plain_u32 *)p)->v, (vu)((plain_u32 *)p)[1].v}}; }
INLINE static inline quad one_b128(char *p)
{
    plain_u32 *q = (plain_u32 *)p;
    return (quad){{(vu)q[0].v, (vu)q[1].v, (vu)q[2].v, (vu)q[3].v}};
}

INLINE static inline void keep_u8(char *p, const single *d) { ((plain_vb *)p)->v = CONVERT(d->at[0], vb); }
INLINE static inline void keep_u16(char *p, const single *d) { ((plain_vw *)p)->v = CONVERT(d->at[0], vw); }
INLINE static inline void keep_b32(char *p, const single *d) { ((plain_vu *)p)->v = d->at[0]; }

#define PAIRS_OF(a) a, 16 + a
#define QUADS_OF(a) a, 16 + a, 32 + a, 48 + a
INLINE static inline void keep_b64(char *p, const pair *d)
{
    ((plain_wide2 *)p)->v = __builtin_shufflevector(
        d->at[0], d->at[1], PAIRS_OF(0), PAIRS_OF(1), PAIRS_OF(2), PAIRS_OF(3), PAIRS_OF(4), PAIRS_OF(5), PAIRS_OF(6),
        PAIRS_OF(7), PAIRS_OF(8), PAIRS_OF(9), PAIRS_OF(10), PAIRS_OF(11), PAIRS_OF(12), PAIRS_OF(13), PAIRS_OF(14),
        PAIRS_OF(15));
}

#define JOIN(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,     \
                                           19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)
APART static void write_row_b128(char *p, const quad *d)
{
    wide2 x = JOIN(d->at[0], d->at[1]), y = JOIN(d->at[2], d->at[3]);
    ((plain_wide4 *)p)->v = __builtin_shufflevector(
        x, y, QUADS_OF(0), QUADS_OF(1), QUADS_OF(2), QUADS_OF(3), QUADS_OF(4), QUADS_OF(5), QUADS_OF(6), QUADS_OF(7),
        QUADS_OF(8), QUADS_OF(9), QUADS_OF(10), QUADS_OF(11), QUADS_OF(12), QUADS_OF(13), QUADS_OF(14), QUADS_OF(15));
}

APART static void write_row_b96(char *p, const triple *d)
{
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < LANES; l++)
            ((plain_u32 *)p)[3 * l + k].v = d->at[k][l];
}

INLINE static inline void keep_b128(char *p, const quad *d) { quad x = *d; write_row_b128(p, &x); }
INLINE static inline void keep_b96(char *p, const triple *d) { triple x = *d; write_row_b96(p, &x); }

/* Lanes that are on and share a base, but neither lie beside each other nor are one: their two halves may. Groups of
 * 8 by 8 work-items have two rows in 16 lanes. */
typedef __attribute__((ext_vector_type(8))) uint32_t half;
typedef __attribute__((ext_vector_type(8))) int32_t half_i;
typedef __attribute__((ext_vector_type(8))) _Bool half_m;
#define HALF(x, first) __builtin_shufflevector(x, x, first, first + 1, first + 2, first + 3, first + 4, first + 5,     \
                                               first + 6, first + 7)
#define BOTH(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define HALF_IOTA(step) ((half){0, 1, 2, 3, 4, 5, 6, 7} * (step))
#define IS_TRUE(x) (AS(uint8_t, CONVERT(x, half_m)) == 0xff)

#define TOGETHER(kind, word, signed_word, wider)                                                                      \
    typedef __attribute__((ext_vector_type(8))) word half_##kind;                                                     \
    typedef struct __attribute__((packed)) { half_##kind v; } plain_half_##kind;                                      \
    typedef struct __attribute__((packed)) { word v; } plain_word_##kind;                                             \
    INLINE static inline half part_##kind(char *base, half low)                                                       \
    {                                                                                                                 \
        half_##kind out;                                                                                              \
        if (IS_TRUE(low == low[0] + HALF_IOTA(sizeof(word))))                                                         \
            out = ((plain_half_##kind *)(base + low[0]))->v;                                                          \
        else if (IS_TRUE(low == low[0]))                                                                              \
            out = (half_##kind)((plain_word_##kind *)(base + low[0]))->v;                                             \
        else                                                                                                          \
            for (uint32_t i = 0; i < 8; i++)                                                                          \
                out[i] = ((plain_word_##kind *)(base + low[i]))->v;                                                   \
        return AS(half, CONVERT(AS(__attribute__((ext_vector_type(8))) signed_word, out), wider));                    \
    }                                                                                                                 \
    APART static void together_##kind(char *base, vu low, single *out)                                                \
    {                                                                                                                 \
        half x = part_##kind(base, HALF(low, 0)), y = part_##kind(base, HALF(low, 8));                                \
        out->at[0] = BOTH(x, y);                                                                                      \
    }

TOGETHER(u8, uint8_t, uint8_t, half)
TOGETHER(i8, uint8_t, int8_t, half_i)
TOGETHER(u16, uint16_t, uint16_t, half)
TOGETHER(i16, uint16_t, int16_t, half_i)
TOGETHER(b32, uint32_t, uint32_t, half)

#define TOGETHER_WIDE(kind, type, count)                                                                              \
    APART static void together_##kind(char *base, vu low, type *out)                                                  \
    {                                                                                                                 \
        for (uint32_t lane = 0; lane < LANES; lane++)                                                                 \
            for (uint32_t i = 0; i < count; i++)                                                                      \
                out->at[i][lane] = ((plain_u32 *)(base + low[lane]))[i].v;                                            \
    }

TOGETHER_WIDE(b64, pair, 2)
TOGETHER_WIDE(b96, triple, 3)
TOGETHER_WIDE(b128, quad, 4)

/* Stores, likewise; in the order of the lanes. */
INLINE static inline void part_store(char *base, half low, half data)
{
    if (IS_TRUE(low == low[0] + HALF_IOTA(4)))
        ((plain_half_b32 *)(base + low[0]))->v = data;
    else
        for (uint32_t i = 0; i < 8; i++)
            ((plain_u32 *)(base + low[i]))->v = data[i];
}

APART static void spread_b32(char *base, vu low, const single *data)
{
    part_store(base, HALF(low, 0), HALF(data->at[0], 0));
    part_store(base, HALF(low, 8), HALF(data->at[0], 8));
}

#define SPREAD(kind, type, word, count)                                                                               \
    APART static void spread_##kind(char *base, vu low, const type *data)                                             \
    {                                                                                                                 \
        for (uint32_t lane = 0; lane < LANES; lane++)                                                                 \
            for (uint32_t i = 0; i < count; i++)                                                                      \
                ((plain_word_##word *)(base + low[lane]))[i].v = data->at[i][lane];                                   \
    }

SPREAD(b8, single, u8, 1)
SPREAD(b16, single, u16, 1)
SPREAD(b64, pair, b32, 2)
SPREAD(b96, triple, b32, 3)
SPREAD(b128, quad, b32, 4)

/* load_KIND_near: a base and 32 bits; load_KIND_far: 64 bits and an offset; load_KIND_flat: any kind of address. */
#define FAR_LOAD(name, kind, context, plain, type, bytes, row, one, gather)                                           \
    INLINE void name(type *to, wave *w, vu low, vu high, uint64_t base, vm exec, uint32_t part)                       \
    {                                                                                                                 \
        uint32_t mask = bits_of(exec);                                                                                \
        int near = mask == ALL && all_equal(high) && (plain);                                                         \
        char *first = (char *)(base + ((uint64_t)high[0] << 32) + low[0]);                                            \
        if (near && in_steps(low, bytes)) {                                                                           \
            *to = row(first);                                                                                         \
        } else if (near && all_equal(low)) {                                                                          \
            *to = one(first);                                                                                         \
        } else if (near) {                                                                                            \
            type out;                                                                                                 \
            together_##kind((char *)(base + ((uint64_t)high[0] << 32)), low, &out);                                   \
            *to = out;                                                                                                \
        } else {                                                                                                      \
            type out = {0};                                                                                           \
            gather(context, low, high, base, mask, part, &out);                                                       \
            *to = out;                                                                                                \
        }                                                                                                             \
    }

#define LOADS(kind, type, bytes, row, one, gather)                                                                    \
    INLINE void load_##kind##_near(type *to, wave *w, vu low, uint64_t base, vm exec, uint32_t part)                  \
    {                                                                                                                 \
        uint32_t mask = bits_of(exec);                                                                                \
        if (mask == ALL && in_steps(low, bytes)) {                                                                    \
            *to = row((char *)(base + low[0]));                                                                       \
        } else if (mask == ALL && all_equal(low)) {                                                                   \
            *to = one((char *)(base + low[0]));                                                                       \
        } else if (mask == ALL) {                                                                                     \
            type out;                                                                                                 \
            together_##kind((char *)base, low, &out);                                                                 \
            *to = out;                                                                                                \
        } else {                                                                                                      \
            type out = {0};                                                                                           \
            gather(NULL, low, (vu)0, base, mask, part, &out);                                                         \
            *to = out;                                                                                                \
        }                                                                                                             \
    }                                                                                                                 \
    FAR_LOAD(load_##kind##_far, kind, NULL, 1, type, bytes, row, one, gather)                                         \
    FAR_LOAD(load_##kind##_flat, kind, w, high[0] < LOCAL_APERTURE, type, bytes, row, one, gather)

#define FAR_STORE(name, kind, context, plain, type, bytes, keep, scatter)                                             \
    INLINE void name(const type *data, wave *w, vu low, vu high, uint64_t base, vm exec, uint32_t part)               \
    {                                                                                                                 \
        uint32_t mask = bits_of(exec);                                                                                \
        int near = mask == ALL && all_equal(high) && (plain);                                                         \
        if (near && in_steps(low, bytes)) {                                                                           \
            keep((char *)(base + ((uint64_t)high[0] << 32) + low[0]), data);                                          \
        } else {                                                                                                      \
            type copy = *data;                                                                                        \
            if (near)                                                                                                 \
                spread_##kind((char *)(base + ((uint64_t)high[0] << 32)), low, &copy);                                \
            else                                                                                                      \
                scatter(context, low, high, base, mask, part, &copy);                                                 \
        }                                                                                                             \
    }

#define STORES(kind, type, bytes, keep, scatter)                                                                      \
    INLINE void store_##kind##_near(const type *data, wave *w, vu low, uint64_t base, vm exec, uint32_t part)         \
    {                                                                                                                 \
        uint32_t mask = bits_of(exec);                                                                                \
        if (mask == ALL && in_steps(low, bytes)) {                                                                    \
            keep((char *)(base + low[0]), data);                                                                      \
        } else {                                                                                                      \
            type copy = *data;                                                                                        \
            if (mask == ALL)                                                                                          \
                spread_##kind((char *)base, low, &copy);                                                              \
            else                                                                                                      \
                scatter(NULL, low, (vu)0, base, mask, part, &copy);                                                   \
        }                                                                                                             \
    }                                                                                                                 \
    FAR_STORE(store_##kind##_far, kind, NULL, 1, type, bytes, keep, scatter)                                          \
    FAR_STORE(store_##kind##_flat, kind, w, high[0] < LOCAL_APERTURE, type, bytes, keep, scatter)

#define ONE_B96(p) ((triple){{(vu)((plain_u32 *)(p))[0].v, (vu)((plain_u32 *)(p))[1].v, (vu)((plain_u32 *)(p))[2].v}})

LOADS(u8, single, 1, row_u8, one_u8, gather_u8)
LOADS(i8, single, 1, row_i8, one_i8, gather_i8)
LOADS(u16, single, 2, row_u16, one_u16, gather_u16)
LOADS(i16, single, 2, row_i16, one_i16, gather_i16)
LOADS(b32, single, 4, row_b32, one_b32, gather_b32)
LOADS(b64, pair, 8, row_b64, one_b64, gather_b64)
LOADS(b96, triple, 12, row_b96, ONE_B96, gather_b96)
LOADS(b128, quad, 16, row_b128, one_b128, gather_b128)
STORES(b8, single, 1, keep_u8, scatter_b8)
STORES(b16, single, 2, keep_u16, scatter_b16)
STORES(b32, single, 4, keep_b32, scatter_b32)
STORES(b64, pair, 8, keep_b64, scatter_b64)
STORES(b96, triple, 12, keep_b96, scatter_b96)
STORES(b128, quad, 16, keep_b128, scatter_b128)

/* Of a whole wavefront, whose vector registers, or others that lie like them, say where and what: for code that is
 * compiled soon. `more` is what the address's register, `at`, is short of. */
#define WORDS(kind, type, count)                                                                                      \
    static inline type words_##kind(const vu (*data)[PARTS], uint32_t part)                                           \
    {                                                                                                                 \
        type words;                                                                                                   \
        for (uint32_t i = 0; i < count; i++)                                                                          \
            words.at[i] = data[i][part];                                                                              \
        return words;                                                                                                 \
    }

#define STORES_OF_WAVE(kind, type, stored)                                                                            \
    void store_##kind##_near_wave(wave *w, const vu (*data)[PARTS], const vu (*at)[PARTS], uint32_t more,             \
                                  uint64_t base, uint64_t exec)                                                       \
    {                                                                                                                 \
        for (uint32_t part = 0; part < PARTS; part++) {                                                               \
            type words = words_##kind(data, part);                                                                    \
            store_##stored##_near(&words, w, at[0][part] + more, base, PART_OF(exec, part), part);                    \
        }                                                                                                             \
    }                                                                                                                 \
    WIDE_STORE_OF_WAVE(kind, type, stored, far)                                                                       \
    WIDE_STORE_OF_WAVE(kind, type, stored, flat)

#define PART_OF(exec, part) AS(vm, (uint16_t)((exec) >> LANES * (part)))
#define WIDE_STORE_OF_WAVE(kind, type, stored, form)                                                                  \
    void store_##kind##_##form##_wave(wave *w, const vu (*data)[PARTS], const vu (*at)[PARTS], uint64_t base,         \
                                      uint64_t exec)                                                                  \
    {                                                                                                                 \
        for (uint32_t part = 0; part < PARTS; part++) {                                                               \
            type words = words_##kind(data, part);                                                                    \
            store_##stored##_##form(&words, w, at[0][part], at[1][part], base, PART_OF(exec, part), part);            \
        }                                                                                                             \
    }

WORDS(b8, single, 1)
WORDS(b16, single, 1)
WORDS(b32, single, 1)
WORDS(b64, pair, 2)
WORDS(b96, triple, 3)
WORDS(b128, quad, 4)

/* Two registers as one value of 64 bits, which need not be taken apart. */
static inline pair words_q64(const vu (*data)[PARTS], uint32_t part)
{
    typedef vq at_64 __attribute__((aligned(64)));
    vq value = ((const at_64 *)data)[part];
    return (pair){{CONVERT(value, vu), CONVERT(value >> 32, vu)}};
}

STORES_OF_WAVE(b8, single, b8)
STORES_OF_WAVE(b16, single, b16)
STORES_OF_WAVE(b32, single, b32)
STORES_OF_WAVE(b64, pair, b64)
STORES_OF_WAVE(b96, triple, b96)
STORES_OF_WAVE(b128, quad, b128)
STORES_OF_WAVE(q64, pair, b64)

/* A value of 64 bits into one part of two registers, the first of which lies `at` there. */
void keep_double(vq value, vu *at, vm mask)
{
    at[0] = choose(mask, CONVERT(value, vu), at[0]);
    at[PARTS] = choose(mask, CONVERT(value >> 32, vu), at[PARTS]);
}

/* Memory of this wavefront alone: the dwords of the 64 lanes lie beside each other. `base` is a place in it for the
 * whole wavefront, `low` each lane's own offset. What lanes that are off have in `low` is no offset: that all 16 have
 * the same says something only where one is on. */
#define PRIVATE_PLACE(at, lane) ((char *)base + (size_t)((at) >> 2) * 256 + (part * LANES + (lane)) * 4 + ((at) & 3))
#define PRIVATE_ROW(at) ((plain_vu *)((char *)base + (size_t)((at) >> 2) * 256 + part * LANES * 4))

#define PRIVATE_WORDS(kind, type, count)                                                                              \
    APART static void load_##kind##_apart(type *to, vu low, uint64_t base, uint32_t mask, uint32_t part)              \
    {                                                                                                                 \
        FOR_LANES(mask, lane)                                                                                         \
            for (uint32_t i = 0; i < count; i++)                                                                      \
                to->at[i][lane] = read_word(PRIVATE_PLACE(low[lane] + 4 * i, lane), 256);                             \
    }                                                                                                                 \
    APART static void store_##kind##_apart(const type *data, vu low, uint64_t base, uint32_t mask, uint32_t part)     \
    {                                                                                                                 \
        FOR_LANES(mask, lane)                                                                                         \
            for (uint32_t i = 0; i < count; i++)                                                                      \
                write_word(PRIVATE_PLACE(low[lane] + 4 * i, lane), 256, data->at[i][lane]);                           \
    }                                                                                                                 \
    INLINE void load_##kind##_private(type *to, wave *w, vu low, uint64_t base, vm exec, uint32_t part)               \
    {                                                                                                                 \
        uint32_t first = low[0];                                                                                      \
        if (all_equal(low) && !(first & 3) && bits_of(exec)) {                                                        \
            for (uint32_t i = 0; i < count; i++)                                                                      \
                to->at[i] = PRIVATE_ROW(first + 4 * i)->v;                                                            \
        } else {                                                                                                      \
            type out = {0};                                                                                           \
            load_##kind##_apart(&out, low, base, bits_of(exec), part);                                                \
            *to = out;                                                                                                \
        }                                                                                                             \
    }                                                                                                                 \
    INLINE void store_##kind##_private(const type *data, wave *w, vu low, uint64_t base, vm exec, uint32_t part)      \
    {                                                                                                                 \
        uint32_t first = low[0];                                                                                      \
        if (all_equal(low) && !(first & 3) && bits_of(exec)) {                                                        \
            for (uint32_t i = 0; i < count; i++) {                                                                    \
                plain_vu *row = PRIVATE_ROW(first + 4 * i);                                                           \
                row->v = choose(exec, data->at[i], row->v);                                                           \
            }                                                                                                         \
        } else {                                                                                                      \
            type copy = *data;                                                                                        \
            store_##kind##_apart(&copy, low, base, bits_of(exec), part);                                              \
        }                                                                                                             \
    }

PRIVATE_WORDS(b32, single, 1)
PRIVATE_WORDS(b64, pair, 2)
PRIVATE_WORDS(b96, triple, 3)
PRIVATE_WORDS(b128, quad, 4)

#define PRIVATE_LOAD(kind, value)                                                                                     \
    void load_##kind##_private(single *to, wave *w, vu low, uint64_t base, vm exec, uint32_t part)                    \
    {                                                                                                                 \
        uint32_t mask = bits_of(exec);                                                                                \
        FOR_LANES(mask, lane)                                                                                         \
            to->at[0][lane] = value(PRIVATE_PLACE(low[lane], lane));                                                  \
    }

#define PRIVATE_STORE(kind, keep)                                                                                     \
    void store_##kind##_private(const single *data, wave *w, vu low, uint64_t base, vm exec, uint32_t part)           \
    {                                                                                                                 \
        uint32_t mask = bits_of(exec);                                                                                \
        FOR_LANES(mask, lane)                                                                                         \
            keep(PRIVATE_PLACE(low[lane], lane), data->at[0][lane]);                                                  \
    }

#define BYTE(place) *(uint8_t *)(place)
#define SIGNED_BYTE(place) (uint32_t)*(int8_t *)(place)
#define SHORT(place) read_short(place, 256)
#define SIGNED_SHORT(place) (uint32_t)(int16_t)read_short(place, 256)
#define KEEP_BYTE(place, value) *(uint8_t *)(place) = (uint8_t)(value)
#define KEEP_SHORT(place, value) write_short(place, 256, value)

PRIVATE_LOAD(u8, BYTE)
PRIVATE_LOAD(i8, SIGNED_BYTE)
PRIVATE_LOAD(u16, SHORT)
PRIVATE_LOAD(i16, SIGNED_SHORT)
PRIVATE_STORE(b8, KEEP_BYTE)
PRIVATE_STORE(b16, KEEP_SHORT)

/* Of gfx6, whose code reaches all memory through descriptors: bit 63 says that it is the wavefront's own. */
#define EITHER(name, type)                                                                                            \
    INLINE void name##_either(type *data, wave *w, vu low, uint64_t words, uint64_t offset, vm exec, uint32_t part)   \
    {                                                                                                                 \
        uint64_t base = (words & (UINT64_C(0xffffffffffff))) + offset;                                                \
        if (words >> 63)                                                                                              \
            name##_private(data, w, low, base, exec, part);                                                           \
        else                                                                                                          \
            name##_near(data, w, low, base, exec, part);                                                              \
    }

EITHER(load_u8, single)
EITHER(load_i8, single)
EITHER(load_u16, single)
EITHER(load_i16, single)
EITHER(load_b32, single)
EITHER(load_b64, pair)
EITHER(load_b96, triple)
EITHER(load_b128, quad)
EITHER(store_b8, const single)
EITHER(store_b16, const single)
EITHER(store_b32, const single)
EITHER(store_b64, const pair)
EITHER(store_b96, const triple)
EITHER(store_b128, const quad)

/* The same apart from the code that calls it: of wavefronts that are not all on, whose code should be short. */
#define APART_LANES_1 vu low, uint64_t base
#define APART_LANES_2 vu low, vu high, uint64_t base
#define APART_LANES_3 vu low, uint64_t words, uint64_t base
#define SOME(name, type, lanes, ...)                                                                                  \
    APART void name##_some(type *data, wave *w, lanes, vm exec, uint32_t part)                                        \
    {                                                                                                                 \
        name(data, w, __VA_ARGS__, exec, part);                                                                       \
    }

#define SOME_OF(name, type)                                                                                           \
    SOME(name##_near, type, APART_LANES_1, low, base)                                                                 \
    SOME(name##_far, type, APART_LANES_2, low, high, base)                                                            \
    SOME(name##_flat, type, APART_LANES_2, low, high, base)                                                           \
    SOME(name##_private, type, APART_LANES_1, low, base)                                                              \
    SOME(name##_either, type, APART_LANES_3, low, words, base)

SOME_OF(load_u8, single)
SOME_OF(load_i8, single)
SOME_OF(load_u16, single)
SOME_OF(load_i16, single)
SOME_OF(load_b32, single)
SOME_OF(load_b64, pair)
SOME_OF(load_b96, triple)
SOME_OF(load_b128, quad)
SOME_OF(store_b8, const single)
SOME_OF(store_b16, const single)
SOME_OF(store_b32, const single)
SOME_OF(store_b64, const pair)
SOME_OF(store_b96, const triple)
SOME_OF(store_b128, const quad)
