/* SPDX-License-Identifier: Apache-2.0
 * Atomic operations by the names of their memory order.
 */
#ifndef CLPY_ATOMICS_H
#define CLPY_ATOMICS_H

#define clpy_load_acq(p)        __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define clpy_load_rlx(p)        __atomic_load_n((p), __ATOMIC_RELAXED)
#define clpy_store_rel(p, v)    __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define clpy_add(p, v)          __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define clpy_add_rlx(p, v)      __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define clpy_xchg(p, v)         __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define clpy_or(p, v)           __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define clpy_cas(p, old, new_) __atomic_compare_exchange_n(p, old, new_, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)
#define clpy_fence()            __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define clpy_pause()            __builtin_ia32_pause()

#endif
