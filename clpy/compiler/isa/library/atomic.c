/* SPDX-License-Identifier: Apache-2.0
 * Atomic instructions: lane by lane, in order. `data` comes in; what memory held before goes out by `to`. `w` is NULL
 * where addresses can only be the host's.
 */
#include "clpy_host_calls.h"
#include "lanes.h"

#define PLACE(type)                                                                                                   \
    uint64_t address = FAR(high, lane, low) + base;                                                                   \
    type *place = (type *)(w ? flat_place(w, address, part * LANES + lane) : (char *)address);

#define ATOMIC32(name, body)                                                                                          \
    APART void atomic_##name##_b32(single *to, wave *w, vu low, vu high, uint64_t base, uint32_t mask, uint32_t part, \
                                   const pair *data)                                                                  \
    {                                                                                                                 \
        FOR_LANES(mask, lane) {                                                                                       \
            PLACE(uint32_t)                                                                                           \
            uint32_t value = data->at[0][lane], old;                                                                  \
            body                                                                                                      \
            to->at[0][lane] = old;                                                                                    \
        }                                                                                                             \
    }

#define ATOMIC64(name, body)                                                                                          \
    APART void atomic_##name##_b64(pair *to, wave *w, vu low, vu high, uint64_t base, uint32_t mask, uint32_t part,   \
                                   const quad *data)                                                                  \
    {                                                                                                                 \
        FOR_LANES(mask, lane) {                                                                                       \
            PLACE(uint64_t)                                                                                           \
            uint64_t value = (uint64_t)data->at[1][lane] << 32 | data->at[0][lane], old;                              \
            body                                                                                                      \
            to->at[0][lane] = (uint32_t)old;                                                                          \
            to->at[1][lane] = (uint32_t)(old >> 32);                                                                  \
        }                                                                                                             \
    }

#define ATOMIC(name, body) ATOMIC32(name, body) ATOMIC64(name, body)
#define ORDER __ATOMIC_SEQ_CST
#define SWAP(next) \
    old = __atomic_load_n(place, __ATOMIC_RELAXED); \
    while (!__atomic_compare_exchange_n(place, &old, (next), 0, ORDER, ORDER)) { }

ATOMIC32(swap, old = __atomic_exchange_n(place, value, ORDER);)
ATOMIC64(swap, old = w && address >> 32 == CLPY_HOST_CALLS ? call_host(w, (uint32_t)address, value, part * LANES + lane)
                                                           : __atomic_exchange_n(place, value, ORDER);)
ATOMIC(add, old = __atomic_fetch_add(place, value, ORDER);)
ATOMIC(sub, old = __atomic_fetch_sub(place, value, ORDER);)
ATOMIC(rsub, SWAP(value - old))
ATOMIC(and, old = __atomic_fetch_and(place, value, ORDER);)
ATOMIC(or, old = __atomic_fetch_or(place, value, ORDER);)
ATOMIC(xor, old = __atomic_fetch_xor(place, value, ORDER);)
ATOMIC(umin, old = __atomic_fetch_min(place, value, ORDER);)
ATOMIC(umax, old = __atomic_fetch_max(place, value, ORDER);)
ATOMIC32(smin, old = (uint32_t)__atomic_fetch_min((int32_t *)place, (int32_t)value, ORDER);)
ATOMIC32(smax, old = (uint32_t)__atomic_fetch_max((int32_t *)place, (int32_t)value, ORDER);)
ATOMIC64(smin, old = (uint64_t)__atomic_fetch_min((int64_t *)place, (int64_t)value, ORDER);)
ATOMIC64(smax, old = (uint64_t)__atomic_fetch_max((int64_t *)place, (int64_t)value, ORDER);)
ATOMIC(inc, SWAP(old >= value ? 0 : old + 1))
ATOMIC(dec, SWAP(old == 0 || old > value ? value : old - 1))

/* A second value lies behind the first: what has to be there for the first to come. */
#define EXPECT32 uint32_t expected = data->at[1][lane];
#define EXPECT64 uint64_t expected = (uint64_t)data->at[3][lane] << 32 | data->at[2][lane];
#define EXCHANGE old = expected; __atomic_compare_exchange_n(place, &old, value, 0, ORDER, ORDER);
ATOMIC32(cmpswap, EXPECT32 EXCHANGE)
ATOMIC64(cmpswap, EXPECT64 EXCHANGE)
ATOMIC32(mskor, EXPECT32 SWAP((old & ~value) | expected))
ATOMIC64(mskor, EXPECT64 SWAP((old & ~value) | expected))

#define LESS(type, x, y) (AS(type, x) < AS(type, y))
ATOMIC32(fmin, SWAP(LESS(float, value, old) ? value : old))
ATOMIC32(fmax, SWAP(LESS(float, old, value) ? value : old))
ATOMIC64(fmin, SWAP(LESS(double, value, old) ? value : old))
ATOMIC64(fmax, SWAP(LESS(double, old, value) ? value : old))
ATOMIC32(fadd, SWAP(AS(uint32_t, AS(float, old) + AS(float, value))))
ATOMIC64(fadd, SWAP(AS(uint64_t, AS(double, old) + AS(double, value))))
