/* SPDX-License-Identifier: Apache-2.0
 * The tables behind the library: types, widths and address spaces, as macros that apply a macro to each row.
 * A function is written once as such a macro; Clang's table of builtins gives its declaration and its mangled name.
 */
#ifndef CLPY_BUILTINS_H
#define CLPY_BUILTINS_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define OVERLOAD __attribute__((overloadable, always_inline))
#define INTERNAL static __attribute__((overloadable, always_inline, unused))

/* M(N, ...) for each width; N is empty for the scalar, so that T##N is the type. */
#define VECTORS(M, ...) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)
#define WIDTHS(M, ...) M(, __VA_ARGS__) VECTORS(M, __VA_ARGS__)

/* M(N, T, I, U): T the type of an element, I and U the signed and the unsigned integer type of its size. */
#define FLOAT_WIDTHS(M) WIDTHS(M, float, int, uint)
#define DOUBLE_WIDTHS(M) WIDTHS(M, double, long, ulong)
#define FLOATING(M) FLOAT_WIDTHS(M) DOUBLE_WIDTHS(M)
#define FLOATING_VECTORS(M) VECTORS(M, float, int, uint) VECTORS(M, double, long, ulong)
#define SIGNED(M) \
    WIDTHS(M, char, char, uchar) WIDTHS(M, short, short, ushort) WIDTHS(M, int, int, uint) WIDTHS(M, long, long, ulong)
#define UNSIGNED(M) \
    WIDTHS(M, uchar, char, uchar) WIDTHS(M, ushort, short, ushort) WIDTHS(M, uint, int, uint) \
    WIDTHS(M, ulong, long, ulong)
#define INTEGER(M) SIGNED(M) UNSIGNED(M)
#define INTEGER_VECTORS(M) \
    VECTORS(M, char, char, uchar) VECTORS(M, uchar, char, uchar) VECTORS(M, short, short, ushort) \
    VECTORS(M, ushort, short, ushort) VECTORS(M, int, int, uint) VECTORS(M, uint, int, uint) \
    VECTORS(M, long, long, ulong) VECTORS(M, ulong, long, ulong)
#define EVERY_TYPE(M) INTEGER(M) FLOATING(M)

/* M(A, ...) for each address space a pointer to be written (or only read) may have. */
#define WRITABLE_SPACES(M, ...) \
    M(__private, __VA_ARGS__) M(__global, __VA_ARGS__) M(__local, __VA_ARGS__) M(__generic, __VA_ARGS__)
#define READABLE_SPACES(M, ...) WRITABLE_SPACES(M, __VA_ARGS__) M(__constant, __VA_ARGS__)

/* E(lane, ...) for the lanes of a vector, separated by commas: (float4)(LANES_4(CALL1, sin)). */
#define LANES_2(E, ...) E(0, __VA_ARGS__), E(1, __VA_ARGS__)
#define LANES_3(E, ...) LANES_2(E, __VA_ARGS__), E(2, __VA_ARGS__)
#define LANES_4(E, ...) LANES_3(E, __VA_ARGS__), E(3, __VA_ARGS__)
#define LANES_8(E, ...) \
    LANES_4(E, __VA_ARGS__), E(4, __VA_ARGS__), E(5, __VA_ARGS__), E(6, __VA_ARGS__), E(7, __VA_ARGS__)
#define LANES_16(E, ...) \
    LANES_8(E, __VA_ARGS__), E(8, __VA_ARGS__), E(9, __VA_ARGS__), E(a, __VA_ARGS__), E(b, __VA_ARGS__), \
    E(c, __VA_ARGS__), E(d, __VA_ARGS__), E(e, __VA_ARGS__), E(f, __VA_ARGS__)

/* f of the lanes of the parameters x, y, z. */
#define CALL1(i, f) f(x.s##i)
#define CALL2(i, f) f(x.s##i, y.s##i)
#define CALL3(i, f) f(x.s##i, y.s##i, z.s##i)

/* Of vectors of T, the function of T for each element. */
#define BY_LANES1(N, T, f) OVERLOAD T##N f(T##N x) { return (T##N)(LANES_##N(CALL1, f)); }
#define BY_LANES2(N, T, f) OVERLOAD T##N f(T##N x, T##N y) { return (T##N)(LANES_##N(CALL2, f)); }
#define BY_LANES3(N, T, f) OVERLOAD T##N f(T##N x, T##N y, T##N z) { return (T##N)(LANES_##N(CALL3, f)); }

/* ANY_##N(c): whether a lane of c is not zero; not a reduction of LLVM's, which a vectorizer would have to know. */
#define ANY_(c) (c)
#define ANY_2(c) ((c).s0 | (c).s1)
#define ANY_3(c) (ANY_2((c).s01) | (c).s2)
#define ANY_4(c) ANY_2((c).lo | (c).hi)
#define ANY_8(c) ANY_4((c).lo | (c).hi)
#define ANY_16(c) ANY_8((c).lo | (c).hi)

/* CONVERT_##N(x, T): x, of N elements, with elements of type T. */
#define CONVERT_(x, T) ((T)(x))
#define CONVERT_2(x, T) __builtin_convertvector(x, T##2)
#define CONVERT_3(x, T) __builtin_convertvector(x, T##3)
#define CONVERT_4(x, T) __builtin_convertvector(x, T##4)
#define CONVERT_8(x, T) __builtin_convertvector(x, T##8)
#define CONVERT_16(x, T) __builtin_convertvector(x, T##16)

#endif
