/* SPDX-License-Identifier: Apache-2.0
 * Calls of the host (clpy_host_calls.h). What the arguments point to in a work-item's private memory, where its words
 * do not lie beside each other, is copied for the host; all other memory is the host's.
 */
#include "lanes.h"
#include "clpy_host_calls.h"

#define FAILED (-5)             /* CLK_OUT_OF_RESOURCES */
#define MOST_COPIED (1u << 16)  /* bytes of private memory, on the stack */
#define RANGE_BYTES 80          /* of an ndrange_t */
#define WORDS 12                /* the most that a call has */
#define WAIT_KERNEL 1           /* CLK_ENQUEUE_FLAGS_WAIT_KERNEL */

/* Arguments of each call. */
static const uint8_t COUNTS[CLPY_CALLS] = {
    [CLPY_CALL_ENQUEUE_KERNEL] = 12, [CLPY_CALL_ENQUEUE_MARKER] = 4, [CLPY_CALL_KERNEL_WORK_GROUP_SIZE] = 1,
    [CLPY_CALL_KERNEL_PREFERRED_MULTIPLE] = 1, [CLPY_CALL_KERNEL_SUB_GROUP_SIZE] = 1,
    [CLPY_CALL_KERNEL_MOST_SUB_GROUPS] = 1, [CLPY_CALL_KERNEL_ITEMS_OF_SUB_GROUPS] = 2,
    [CLPY_CALL_KERNEL_SUB_GROUP_COUNT] = 2, [CLPY_CALL_RETAIN_EVENT] = 1, [CLPY_CALL_RELEASE_EVENT] = 1,
    [CLPY_CALL_IS_VALID_EVENT] = 1, [CLPY_CALL_SET_USER_EVENT_STATUS] = 2, [CLPY_CALL_CAPTURE_EVENT_TIMES] = 2};

typedef struct {
    wave *w;
    uint32_t lane;
    uint64_t at[WORDS];         /* arguments */
} call;

static inline int is_private(uint64_t address) { return address >> 32 == PRIVATE_APERTURE; }

static inline void *shared(const call *c, uint64_t address) { return address ? flat_place(c->w, address, c->lane) : 0; }

static void take(const call *c, void *to, uint64_t from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        ((char *)to)[i] = *flat_place(c->w, from + i, c->lane);
}

static void give(const call *c, uint64_t to, const void *from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        *flat_place(c->w, to + i, c->lane) = ((const char *)from)[i];
}

/* Room on the stack for copies. */
typedef struct {
    uint32_t used;
    uint64_t words[MOST_COPIED / 8];
} copies;

/* Where the host can read so many bytes from an address on; NULL where there is no room. */
static const void *seen(const call *c, copies *room, uint64_t address, uint64_t bytes)
{
    if (!is_private(address))
        return shared(c, address);
    uint64_t *to = &room->words[room->used];
    if (bytes > sizeof(room->words) - 8 * room->used)
        return 0;
    take(c, to, address, (uint32_t)bytes);
    room->used += (uint32_t)(bytes + 7) / 8;
    return to;
}

typedef int32_t enqueue_kernel(uint64_t queue, uint32_t flags, const void *range, uint32_t n_wait, const void *events,
                               uint64_t *event, uint64_t handle, const void *data, uint32_t size, uint32_t align,
                               uint32_t n_locals, const void *sizes);
typedef int32_t enqueue_marker(uint64_t queue, uint32_t n_wait, const void *events, uint64_t *event);
typedef uint32_t sub_group_count(const void *range, uint64_t handle);
typedef uint64_t plain(uint64_t first, uint64_t second);    /* all others: numbers and addresses that are the host's */

static uint64_t with_event(const call *c, int32_t result, uint64_t to, const uint64_t *event)
{
    if (result == 0 && to)
        give(c, to, event, sizeof(*event));
    return (uint64_t)result;
}

/* A chip's queue starts what a kernel enqueues when that kernel has ended, whatever the flags say. */
APART static uint64_t enqueue(const call *c, enqueue_kernel *function)
{
    const uint64_t *a = c->at;
    uint32_t n_wait = (uint32_t)a[3], size = (uint32_t)a[8], n_locals = (uint32_t)a[10];
    uint64_t event = 0;
    char range[RANGE_BYTES];
    copies room;
    room.used = 0;
    const void *waits = seen(c, &room, a[4], 8 * (uint64_t)n_wait), *block = seen(c, &room, a[7], size);
    const void *locals = seen(c, &room, a[11], 8 * (uint64_t)n_locals);
    if ((a[4] && !waits) || (a[7] && !block) || (a[11] && !locals))
        return (uint64_t)FAILED;
    take(c, range, a[2], RANGE_BYTES);
    int32_t result = function(a[0], WAIT_KERNEL, range, n_wait, waits, a[5] ? &event : 0, a[6], block, size,
                              (uint32_t)a[9], n_locals, locals);
    return with_event(c, result, a[5], &event);
}

APART static uint64_t mark(const call *c, enqueue_marker *function)
{
    const uint64_t *a = c->at;
    uint64_t event = 0;
    copies room;
    room.used = 0;
    const void *waits = seen(c, &room, a[2], 8 * (uint64_t)(uint32_t)a[1]);
    if (a[2] && !waits)
        return (uint64_t)FAILED;
    int32_t result = function(a[0], (uint32_t)a[1], waits, a[3] ? &event : 0);
    return with_event(c, result, a[3], &event);
}

static uint64_t count_sub_groups(const call *c, sub_group_count *function)
{
    char range[RANGE_BYTES];
    take(c, range, c->at[0], RANGE_BYTES);
    return function(range, c->at[1]);
}

APART uint64_t call_host(wave *w, uint32_t number, uint64_t arguments, uint32_t lane)
{
    const void *const *functions = w->sink ? w->sink->host_calls : 0;
    call c = {w, lane, {0}};
    if (!functions || number >= CLPY_CALLS || !functions[number])
        return (uint64_t)FAILED;
    take(&c, c.at, arguments, 8 * COUNTS[number]);
    switch (number) {
    case CLPY_CALL_ENQUEUE_KERNEL: return enqueue(&c, (enqueue_kernel *)functions[number]);
    case CLPY_CALL_ENQUEUE_MARKER: return mark(&c, (enqueue_marker *)functions[number]);
    case CLPY_CALL_KERNEL_SUB_GROUP_COUNT: return count_sub_groups(&c, (sub_group_count *)functions[number]);
    }
    return ((plain *)functions[number])(c.at[0], c.at[1]);
}
