# SPDX-License-Identifier: Apache-2.0
"""C11-style atomics for nogil code. Names say the memory order; plain `atomic_*` is sequentially consistent."""
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "clpy_atomics.h" nogil:
    # load and store: acquire, relaxed, release
    int32_t atomic_load_i32 "clpy_load_acq"(int32_t *p)
    int32_t atomic_load_i32_relaxed "clpy_load_rlx"(int32_t *p)
    int64_t atomic_load_i64 "clpy_load_acq"(int64_t *p)
    int64_t atomic_load_i64_relaxed "clpy_load_rlx"(int64_t *p)
    uint64_t atomic_load_u64 "clpy_load_acq"(uint64_t *p)
    void *atomic_load_ptr "clpy_load_acq"(void **p)
    void atomic_store_i32 "clpy_store_rel"(int32_t *p, int32_t v)
    void atomic_store_i64 "clpy_store_rel"(int64_t *p, int64_t v)
    void atomic_store_u64 "clpy_store_rel"(uint64_t *p, uint64_t v)
    void atomic_store_ptr "clpy_store_rel"(void **p, void *v)
    # read-modify-write: each returns the value before
    int32_t atomic_add_i32 "clpy_add"(int32_t *p, int32_t v)
    int64_t atomic_add_i64 "clpy_add"(int64_t *p, int64_t v)
    int64_t atomic_add_i64_relaxed "clpy_add_rlx"(int64_t *p, int64_t v)
    int32_t atomic_xchg_i32 "clpy_xchg"(int32_t *p, int32_t v)
    void *atomic_xchg_ptr "clpy_xchg"(void **p, void *v)
    int32_t atomic_or_i32 "clpy_or"(int32_t *p, int32_t v)
    # compare and swap: true when it was `*old`; else *old becomes what was there
    bint atomic_cas_i32 "clpy_cas"(int32_t *p, int32_t *old, int32_t new)
    bint atomic_cas_i64 "clpy_cas"(int64_t *p, int64_t *old, int64_t new)
    bint atomic_cas_u64 "clpy_cas"(uint64_t *p, uint64_t *old, uint64_t new)
    bint atomic_cas_ptr "clpy_cas"(void **p, void **old, void *new)
    void atomic_fence "clpy_fence"()
    void cpu_pause "clpy_pause"()
