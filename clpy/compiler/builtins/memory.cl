// SPDX-License-Identifier: Apache-2.0
// vloadn, vstoren, prefetch: the address is a multiple of the element's size, no more. A vector of three is not
// accessed as such, since Clang makes four elements of it in memory.
#include "builtins.h"

#define UNALIGNED(N, T) typedef T##N __attribute__((aligned(sizeof(T)))) unaligned_##T##N;
#define LOAD(A, N, T) \
    OVERLOAD T##N vload##N(size_t i, const A T *p) { return *(const A unaligned_##T##N *)(p + i * N); }
#define STORE(A, N, T) \
    OVERLOAD void vstore##N(T##N v, size_t i, A T *p) { *(A unaligned_##T##N *)(p + i * N) = v; }
#define LOAD_STORE(N, T) UNALIGNED(N, T) READABLE_SPACES(LOAD, N, T) WRITABLE_SPACES(STORE, N, T)
#define LOAD3(A, T) \
    OVERLOAD T##3 vload3(size_t i, const A T *p) { p += i * 3; return (T##3)(p[0], p[1], p[2]); }
#define STORE3(A, T) \
    OVERLOAD void vstore3(T##3 v, size_t i, A T *p) { p += i * 3; p[0] = v.x; p[1] = v.y; p[2] = v.z; }
#define PREFETCH(N, T) OVERLOAD void prefetch(const __global T##N *p, size_t n) {}
#define FOR_TYPE(T) \
    LOAD_STORE(2, T) LOAD_STORE(4, T) LOAD_STORE(8, T) LOAD_STORE(16, T) \
    READABLE_SPACES(LOAD3, T) WRITABLE_SPACES(STORE3, T) WIDTHS(PREFETCH, T)
FOR_TYPE(char)
FOR_TYPE(uchar)
FOR_TYPE(short)
FOR_TYPE(ushort)
FOR_TYPE(int)
FOR_TYPE(uint)
FOR_TYPE(long)
FOR_TYPE(ulong)
FOR_TYPE(half)
FOR_TYPE(float)
FOR_TYPE(double)
