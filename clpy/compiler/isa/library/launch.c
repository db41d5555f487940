/* SPDX-License-Identifier: Apache-2.0
 * Running the groups of a translated kernel: what the chip's command processor and dispatcher do.
 */
#include "wave.h"
#include "clpy_host_calls.h"

/* Of the kernel, from its descriptor and metadata; gcn/launch.py writes them. */
typedef struct { uint32_t kind, block, kernarg, size, image; } argument_copy;     /* `image`: TYPE_* */
typedef struct { uint32_t kind, axis, offset, size; } hidden_argument;
typedef struct {
    uint32_t kernarg_bytes, lds_bytes, scratch_bytes, wave_bytes, scratch_offset, suspends;
    uint32_t private_segment_buffer, dispatch_ptr, queue_ptr, kernarg_segment_ptr, dispatch_id, flat_scratch_init,
        private_segment_size, user_sgprs, group_id_x, group_id_y, group_id_z, group_info, scratch_wave_offset,
        work_item_ids, descriptors, all_bytes, windows, window_bits,
        image_window;
    uint32_t lanes, local_ids, payload, private_at;      /* of a Gen chip's thread; `lanes` of any wavefront */
    uint32_t n_copies, n_hidden;
    const argument_copy *copies;
    const hidden_argument *hidden;
    uint64_t image;
} kernel_facts;

typedef uint32_t wave_code(wave *w, uint32_t resume);   /* where to go on; 0: the wavefront is done */

enum { HIDDEN_BLOCK_COUNT, HIDDEN_GROUP_SIZE, HIDDEN_REMAINDER, HIDDEN_GLOBAL_OFFSET, HIDDEN_GRID_DIMS,
       HIDDEN_PRIVATE_BASE, HIDDEN_SHARED_BASE, HIDDEN_PRINTF_BUFFER, HIDDEN_QUEUE_PTR, HIDDEN_DYNAMIC_LDS_SIZE,
       HIDDEN_GLOBAL_SIZE, HIDDEN_IMAGE_BASE, HIDDEN_GROUP_COUNT, HIDDEN_LOCAL_SIZE,
       HIDDEN_BUFFER_OFFSET };

#define DESCRIPTOR 16           /* words of an image or a sampler */
#define BARRIER 0x80000000u     /* in what wave_code returns: go on when all have come so far */
#define FEW_TURNS 64            /* of a loop in which groups wait for others, which may want this processor */

/* hsa_kernel_dispatch_packet_t */
typedef struct {
    uint16_t header, setup, size[3], reserved0;
    uint32_t grid[3], private_bytes, group_bytes;
    uint64_t kernel, kernarg, reserved2, signal;
} dispatch_packet;

/* The part of amd_queue_t that kernels look at. */
typedef struct {
    uint32_t before[16], group_aperture_high, private_aperture_high, behind[14];
} queue_record;

typedef struct {
    const kernel_facts *facts;
    const clpy_launch *launch;
    const unsigned char *args;
    unsigned char *kernarg;
    dispatch_packet *packet;
    queue_record *queue;
    uint64_t *unused;       /* for the counts that nobody wants */
    uint32_t group[3], size[3];
    uint64_t next_window;
} dispatch;

static inline void put(unsigned char *to, uint64_t value, uint32_t size)
{
    __builtin_memcpy(to, &value, size < 8 ? size : 8);
}

/* The address of so many bytes for a chip whose addresses have 32 bits: they lie in windows of their own, one behind
 * the other. The table has for each window what is to be added to an address in it to have the host's; window 0 is that
 * of the null pointer, and of what there is no room for. */
static uint32_t window_address(dispatch *d, uint64_t host, uint64_t bytes)
{
    uint64_t *table = (uint64_t *)(d->kernarg + d->facts->windows);
    uint32_t shift = 32 - d->facts->window_bits;
    uint64_t first = d->next_window, n = bytes ? ((bytes - 1) >> shift) + 1 : 1;
    if (!host || first + n > UINT64_C(1) << d->facts->window_bits)
        return 0;
    for (uint64_t i = first; i < first + n; i++)
        table[i] = host - (first << shift);
    d->next_window = first + n;
    return (uint32_t)(first << shift);
}

static uint64_t word_at(const void *block, uint32_t offset)
{
    uint64_t word;
    __builtin_memcpy(&word, (const unsigned char *)block + offset, 8);
    return word;
}

/* Of the buffer that is argument i. One that came before has the same address. */
static uint32_t buffer_address(dispatch *d, uint32_t i)
{
    const argument_copy *copies = d->facts->copies;
    const clpy_wave_sink *sink = (const clpy_wave_sink *)d->launch->observer;
    const uint64_t *sizes = sink ? sink->sizes : 0;
    uint64_t host = word_at(d->args, copies[i].block), bytes = sizes ? word_at(sizes, copies[i].block) : 0;
    for (uint32_t k = 0; k < i; k++) {
        uint32_t found;
        if (copies[k].kind != CLPY_ARG_GLOBAL && copies[k].kind != CLPY_ARG_CONSTANT)
            continue;
        if (word_at(d->args, copies[k].block) != host || (sizes && word_at(sizes, copies[k].block) != bytes))
            continue;
        __builtin_memcpy(&found, d->kernarg + copies[k].kernarg, 4);
        return found;
    }
    return window_address(d, host, bytes);
}

/* What is to be added to an address of the program's constants on such a chip; they are in window 1. */
static uint64_t image_base(const kernel_facts *f)
{
    return f->image - (UINT64_C(1) << (32 - f->window_bits));
}

static void fill_hidden(dispatch *d, const hidden_argument *h)
{
    const clpy_launch *l = d->launch;
    const clpy_wave_sink *sink = (const clpy_wave_sink *)l->observer;
    uint64_t value = 0;
    switch (h->kind) {
    case HIDDEN_BLOCK_COUNT: value = l->global_size[h->axis] / l->local_size[h->axis]; break;
    case HIDDEN_GROUP_COUNT:
        value = (l->global_size[h->axis] + l->local_size[h->axis] - 1) / l->local_size[h->axis];
        break;
    case HIDDEN_GROUP_SIZE: value = l->local_size[h->axis]; break;
    case HIDDEN_REMAINDER: value = l->global_size[h->axis] % l->local_size[h->axis]; break;
    case HIDDEN_GLOBAL_OFFSET: value = l->global_offset[h->axis]; break;
    case HIDDEN_GLOBAL_SIZE: value = l->global_size[h->axis]; break;
    case HIDDEN_GRID_DIMS: value = l->work_dim; break;
    case HIDDEN_PRIVATE_BASE: value = PRIVATE_APERTURE; break;
    case HIDDEN_SHARED_BASE: value = LOCAL_APERTURE; break;
    case HIDDEN_PRINTF_BUFFER:
        value = sink ? (uint64_t)sink->printf_buffer : 0;
        value = d->facts->window_bits ? window_address(d, value, 0) : value;
        break;
    case HIDDEN_IMAGE_BASE: value = image_base(d->facts); break;
    case HIDDEN_QUEUE_PTR: value = (uint64_t)d->queue; break;
    case HIDDEN_BUFFER_OFFSET: value = UINT64_C(1) << h->axis; break;
    }
    put(d->kernarg + h->offset, value, h->size);
}

/* What stands for an image: as far as code looks at them the chip's 8 words, and behind these the words that AMD's
 * library asks. The address of the clpy_image is where the chip has that of the pixels. */
static void put_image(uint32_t *t, const unsigned char *arg, uint32_t type)
{
    const clpy_image *image;
    __builtin_memcpy(&image, arg, 8);
    if (!image)
        return;
    uint32_t layers = image->array_size - 1, depth = image->depth - 1;
    t[0] = (uint32_t)(uint64_t)image;
    t[1] = (uint32_t)((uint64_t)image >> 32);
    t[2] = ((image->width - 1) & 0x3fff) | ((image->height - 1) & 0x3fff) << 14;
    t[3] = type << 28;
    t[4] = (depth > layers ? depth : layers) & 0x1fff;
    t[5] = (layers & 0x1fff) << 13;
    t[8] = image->channel_type;
    t[9] = image->channel_order;
    t[10] = image->width;
    t[11] = image->num_mip_levels;
}

/* A sampler as the chip has it; images.cl reads it. Levels are in units of 1/256. The filter for magnifying is said to
 * be linear, whatever it is: for others AMD's library would round coordinates. That for minifying says the truth. */
static void put_sampler(uint32_t *t, const unsigned char *arg)
{
    static const uint8_t wrap[8] = {2, 2, 6, 0, 1, 2, 2, 2};     /* by addressing mode: last texel, ..., mirror */
    uint32_t s;
    __builtin_memcpy(&s, arg, 4);
    uint32_t mode = wrap[(s & CLPY_SAMPLER_ADDRESSING) >> 1], low = 2 * (s >> CLPY_SAMPLER_LOD_MIN_SHIFT & 4095);
    uint32_t high = 2 * (CLPY_SAMPLER_LOD_LIMIT - (s >> CLPY_SAMPLER_LOD_MAX_SHIFT & 4095));
    t[0] = mode | mode << 3 | mode << 6 | (s & CLPY_SAMPLER_NORMALIZED ? 0 : 1u << 15);
    t[1] = (low < 4095 ? low : 4095) | (high < 4095 ? high : 4095) << 12;
    t[2] = 1u << 20 | (s & CLPY_SAMPLER_LINEAR ? 1u << 22 : 0) | (s & CLPY_SAMPLER_MIP_LINEAR ? 2u << 26 : 1u << 26);
}

/* What a Gen chip's kernel asks of an image, a word of the clpy_image, or of a sampler, some of its bits. */
#define FIELD 0x100

static uint32_t field_of(const argument_copy *c, const unsigned char *arg)
{
    uint32_t value = 0;
    if (c->kind == CLPY_ARG_SAMPLER) {
        __builtin_memcpy(&value, arg, 4);
        return value & (c->image - FIELD);
    }
    uint64_t image = word_at(arg, 0);
    if (image)
        __builtin_memcpy(&value, (const unsigned char *)image + (c->image - FIELD), 4);
    return value;
}

static void fill_kernarg(dispatch *d)
{
    const kernel_facts *f = d->facts;
    uint32_t *descriptor = (uint32_t *)(d->kernarg + f->descriptors);
    __builtin_memset(d->kernarg, 0, f->all_bytes);
    d->next_window = 1;
    if (f->image_window)
        window_address(d, f->image, (uint64_t)f->image_window << (32 - f->window_bits));
    for (uint32_t i = 0; i < f->n_copies; i++) {
        const argument_copy *c = &f->copies[i];
        uint64_t value = 0;
        if (c->kind == CLPY_ARG_LOCAL) {
            __builtin_memcpy(&value, d->args + c->block, 8);
            put(d->kernarg + c->kernarg, value, 4);
        } else if (f->window_bits && (c->kind == CLPY_ARG_GLOBAL || c->kind == CLPY_ARG_CONSTANT)) {
            put(d->kernarg + c->kernarg, buffer_address(d, i), 4);
        } else if (c->image >= FIELD) {
            put(d->kernarg + c->kernarg, field_of(c, d->args + c->block), 4);
        } else if (c->kind == CLPY_ARG_IMAGE || c->kind == CLPY_ARG_SAMPLER) {
            if (c->kind == CLPY_ARG_IMAGE)
                put_image(descriptor, d->args + c->block, c->image);
            else
                put_sampler(descriptor, d->args + c->block);
            put(d->kernarg + c->kernarg, (uint64_t)descriptor, 8);
            descriptor += DESCRIPTOR;
        } else {
            __builtin_memcpy(d->kernarg + c->kernarg, d->args + c->block, c->size);
            if (c->image)       /* a structure, whose address is wanted there */
                put(d->kernarg + c->image, window_address(d, (uint64_t)(d->kernarg + c->kernarg), c->size), 4);
        }
    }
    for (uint32_t i = 0; i < f->n_hidden; i++)
        fill_hidden(d, &f->hidden[i]);
}

static void fill_packet(const dispatch *d)
{
    dispatch_packet *p = d->packet;
    *p = (dispatch_packet){.header = 2, .setup = (uint16_t)d->launch->work_dim, .kernarg = (uint64_t)d->kernarg,
                           .private_bytes = d->facts->scratch_bytes, .group_bytes = d->facts->lds_bytes};
    for (int i = 0; i < 3; i++) {
        p->size[i] = (uint16_t)d->launch->local_size[i];
        p->grid[i] = (uint32_t)d->launch->global_size[i];
    }
    *d->queue = (queue_record){.group_aperture_high = LOCAL_APERTURE, .private_aperture_high = PRIVATE_APERTURE};
}

static uint32_t *two_words(uint32_t *s, uint64_t value)
{
    s[0] = (uint32_t)value;
    s[1] = (uint32_t)(value >> 32);
    return s + 2;
}

/* Scalar registers as the dispatcher sets them. */
static void set_scalars(const dispatch *d, wave *w)
{
    const kernel_facts *f = d->facts;
    uint32_t *s = w->s;
    if (f->private_segment_buffer) {
        s = two_words(s, (uint64_t)w->scratch | (UINT64_C(1) << 63));
        s = two_words(s, UINT64_C(0x00e00000ffffffff));
    }
    if (f->dispatch_ptr)
        s = two_words(s, (uint64_t)d->packet);
    if (f->queue_ptr)
        s = two_words(s, (uint64_t)d->queue);
    if (f->kernarg_segment_ptr)
        s = two_words(s, (uint64_t)d->kernarg);
    if (f->dispatch_id)
        s = two_words(s, 0);
    if (f->flat_scratch_init)
        s = two_words(s, 0);
    if (f->private_segment_size)
        *s++ = f->scratch_bytes;
    s = w->s + f->user_sgprs;
    if (f->group_id_x)
        *s++ = d->group[0];
    if (f->group_id_y)
        *s++ = d->group[1];
    if (f->group_id_z)
        *s++ = d->group[2];
    if (f->group_info)
        *s++ = 0;
    if (f->scratch_wave_offset)
        *s++ = 0;
}

/* Groups in rows that are a part of a wavefront, or as long as some: ids follow from the lanes' numbers. */
static int set_ids_of_rows(wave *w, uint32_t *id, const uint32_t *size, uint32_t most)
{
    uint32_t row = size[0], shift = (uint32_t)__builtin_ctz(row);
    int is_line = row % most == 0;
    if (!is_line && (row & (row - 1) || row > most || id[0] || id[1] + most / row > size[1]))
        return 0;
    for (uint32_t part = 0; part < PARTS; part++) {
        vu lane = IOTA(vu) + part * LANES;
        w->v[0][part] = is_line ? lane + id[0] : lane & (row - 1);
        w->v[1][part] = is_line ? (vu)id[1] : (lane >> shift) + id[1];
        w->v[2][part] = (vu)id[2];
    }
    id[0] = is_line ? id[0] + most : 0;
    if (id[0] == row || !is_line) {
        id[1] += is_line ? 1 : most / row;
        id[0] = 0;
    }
    if (id[1] == size[1]) {
        id[1] = 0;
        id[2]++;
    }
    return 1;
}

/* Ids of `most` work-items from `id` on, which becomes that of the first one behind them. */
static void set_ids(wave *w, uint32_t *id, const uint32_t *size, uint32_t most)
{
    uint32_t *x = (uint32_t *)w->v[0], *y = (uint32_t *)w->v[1], *z = (uint32_t *)w->v[2];
    if (set_ids_of_rows(w, id, size, most))
        return;
    for (uint32_t lane = 0; lane < most; lane++) {
        x[lane] = id[0];
        y[lane] = id[1];
        z[lane] = id[2];
        if (++id[0] == size[0]) {
            id[0] = 0;
            if (++id[1] == size[1]) {
                id[1] = 0;
                id[2]++;
            }
        }
    }
}

/* The registers of a Gen chip's thread, of 32 bytes: a header with the group's ids, local ids of 16 bits, arguments. */
#define GRF 32
#define SCRATCH_UNIT 1024u      /* of the address of scratch memory in the header */
#define NOWHERE UINT32_MAX

static void set_thread_ids(const dispatch *d, uint16_t *ids, uint32_t lanes, uint32_t *id)
{
    uint32_t row = d->facts->lanes > 16 ? 32 : 16, dims = d->facts->local_ids / (2 * row);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        for (uint32_t i = 0; i < dims; i++)
            ids[i * row + lane] = (uint16_t)id[i];
        if (++id[0] == d->size[0]) {
            id[0] = 0;
            if (++id[1] == d->size[1]) {
                id[1] = 0;
                id[2]++;
            }
        }
    }
}

static void set_thread(const dispatch *d, wave *w, uint32_t *id)
{
    const kernel_facts *f = d->facts;
    unsigned char *file = (unsigned char *)w->v, *payload = file + GRF + f->local_ids;
    uint32_t *header = (uint32_t *)file;
    w->scratch = (unsigned char *)(((uintptr_t)w->scratch + SCRATCH_UNIT - 1) & ~(uintptr_t)(SCRATCH_UNIT - 1));
    __builtin_memset(file, 0, GRF + f->local_ids);
    header[1] = d->group[0];
    header[5] = (uint32_t)(uintptr_t)w->scratch;
    header[6] = d->group[1];
    header[7] = d->group[2];
    set_thread_ids(d, (uint16_t *)(file + GRF), w->lanes, id);
    __builtin_memcpy(payload, d->kernarg, f->payload);
    if (f->private_at != NOWHERE)
        put(payload + f->private_at, (uint64_t)w->scratch, 8);
}

typedef void gives_way(void);

/* The host's function for a wavefront that waits for another group: behind those that code may call, and only there
 * where groups of the launch do. */
static gives_way *way_of(const clpy_wave_sink *sink)
{
    return sink && sink->host_calls ? (gives_way *)sink->host_calls[CLPY_CALLS] : 0;
}

static void start_wave(const dispatch *d, wave *w, const clpy_group_mem *mem, uint32_t index, uint32_t lanes,
                       uint32_t *id)
{
    w->lanes = lanes;
    w->exec = lanes == 64 ? ~UINT64_C(0) : (UINT64_C(1) << lanes) - 1;
    w->vcc = 0;
    w->local = mem->local;
    w->scratch = (unsigned char *)w + d->facts->scratch_offset;
    w->launch = d->launch;
    w->image = d->facts->image;
    w->sink = (clpy_wave_sink *)d->launch->observer;
    w->counts = w->sink ? w->sink->counts : d->unused;
    w->active = w->sink ? w->sink->lanes : d->unused;
    w->kernarg = (uint64_t)d->kernarg;
    w->kernarg_bytes = d->facts->all_bytes;
    for (int i = 0; i < 3; i++)
        w->group[i] = d->group[i];
    w->index = index;
    w->resume = w->m0 = w->scc = 0;
    w->turns = way_of(w->sink) ? MAX_TURNS - FEW_TURNS : 0;
    w->tells = w->sink != NULL && !w->sink->is_silent && (!w->sink->most_waves || index < w->sink->most_waves);
    w->told = 0;
    if (d->facts->payload) {
        set_thread(d, w, id);
        return;
    }
    set_scalars(d, w);
    set_ids(w, id, d->size, d->facts->lanes);
}

/* All wavefronts to the next barrier, until they are done. One that gives way is asked again. One that has told all
 * that is wanted goes on in the code that only counts, `quiet`. */
static void run_waves(const dispatch *d, unsigned char *context, uint32_t n, wave_code *code, wave_code *quiet)
{
    uint32_t bytes = d->facts->wave_bytes, left = n;
    gives_way *give_way = way_of((const clpy_wave_sink *)d->launch->observer);
    while (left) {
        uint32_t at_barrier = 0;
        for (uint32_t i = 0; i < n; i++) {
            wave *w = (wave *)(context + (size_t)i * bytes);
            if (w->resume == BARRIER || w->resume & BARRIER)
                continue;
            w->resume = (w->tells ? code : quiet)(w, w->resume);
            if (!w->resume) {
                w->resume = BARRIER;    /* of no place: it stays here */
                left--;
            } else if (give_way && !(w->resume & BARRIER)) {
                give_way();
                w->turns = MAX_TURNS - FEW_TURNS;
            }
        }
        for (uint32_t i = 0; i < n; i++)
            at_barrier += ((wave *)(context + (size_t)i * bytes))->resume >> 31;
        if (at_barrier < n)
            continue;
        for (uint32_t i = 0; i < n; i++) {
            wave *w = (wave *)(context + (size_t)i * bytes);
            if (w->resume != BARRIER)
                w->resume &= ~BARRIER;
        }
    }
}

static void run_group(dispatch *d, const clpy_group_mem *mem, wave_code *code, wave_code *quiet)
{
    uint32_t total = 1, id[3] = {0}, index = 0, most = d->facts->lanes;
    for (int i = 0; i < 3; i++) {
        uint64_t left = d->launch->global_size[i] - (uint64_t)d->group[i] * d->launch->local_size[i];
        d->size[i] = left < d->launch->local_size[i] ? left : d->launch->local_size[i];
        total *= d->size[i];
    }
    for (uint32_t i = 0; d->facts->payload && i < d->facts->n_hidden; i++)      /* what each group has of its own */
        if (d->facts->hidden[i].kind == HIDDEN_LOCAL_SIZE)
            put(d->kernarg + d->facts->hidden[i].offset, d->size[d->facts->hidden[i].axis], 4);
    for (uint32_t first = 0; first < total; first += most, index++) {
        uint32_t lanes = total - first < most ? total - first : most;
        wave *w = (wave *)(mem->context + (d->facts->suspends ? (size_t)index * d->facts->wave_bytes : 0));
        start_wave(d, w, mem, index, lanes, id);
        if (!d->facts->suspends)
            code(w, 0);
    }
    if (d->facts->suspends)
        run_waves(d, mem->context, index, code, quiet);
}

/* `kernarg` is room for the kernarg segment, `unused` for a count of each block. */
void clpy_run_groups(const clpy_launch *launch, const unsigned char *args, const clpy_group_mem *mem, size_t gx_first,
                     size_t gx_end, size_t gy, size_t gz, const kernel_facts *facts, wave_code *code,
                     wave_code *quiet, unsigned char *kernarg, uint64_t *unused)
{
    dispatch_packet packet;
    queue_record queue;
    dispatch d = {facts, launch, args, kernarg, &packet, &queue, unused, {0, (uint32_t)gy, (uint32_t)gz}, {0}};
    const clpy_wave_sink *sink = (const clpy_wave_sink *)launch->observer;
    if (sink && sink->quiet)
        quiet = (wave_code *)sink->quiet;
    fill_packet(&d);
    fill_kernarg(&d);
    for (size_t gx = gx_first; gx < gx_end; gx++) {
        d.group[0] = (uint32_t)gx;
        run_group(&d, mem, code, quiet);
    }
}
