// SPDX-License-Identifier: Apache-2.0
// vloadn, vstoren, prefetch: the address is a multiple of the element's size, no more.
#include "builtins.h"

#define UNALIGNED(N, T) typedef T##N __attribute__((aligned(sizeof(T)))) unaligned_##T##N;
#define LOAD(A, N, T) \
    OVERLOAD T##N vload##N(size_t i, const A T *p) { return *(const A unaligned_##T##N *)(p + i * N); }
#define STORE(A, N, T) \
    OVERLOAD void vstore##N(T##N v, size_t i, A T *p) { *(A unaligned_##T##N *)(p + i * N) = v; }
#define LOAD_STORE(N, T) UNALIGNED(N, T) READABLE_SPACES(LOAD, N, T) WRITABLE_SPACES(STORE, N, T)
#define PREFETCH(N, T) OVERLOAD void prefetch(const __global T##N *p, size_t n) {}
#define FOR_TYPE(T) VECTORS(LOAD_STORE, T) WIDTHS(PREFETCH, T)
FOR_TYPE(char)
FOR_TYPE(uchar)
FOR_TYPE(short)
FOR_TYPE(ushort)
FOR_TYPE(int)
FOR_TYPE(uint)
FOR_TYPE(long)
FOR_TYPE(ulong)
FOR_TYPE(float)
FOR_TYPE(double)
