/* SPDX-License-Identifier: Apache-2.0
 * What printf needs besides stores (compiler/r600/printf_calls.py). Behind the offset of the NDRange kernels that print
 * find the address of the buffer, and what is to be added to an address of the program's constants to have the host's.
 */
#define IMPLICIT ((const __attribute__((address_space(7))) uint *)__builtin_r600_implicitarg_ptr())
#define USED 0      /* words of the buffer: bytes that are taken, bytes that there are */
#define ROOM 1
#define DATA 2

/* Room for a record, 0 where there is not enough. All that ask at once ask for the same size, so that nobody else has
 * more room for what is given back. */
global uint *__clpy_record(uint size)
{
    global uint *buffer = (global uint *)IMPLICIT[4];
    uint at = atomic_add(buffer + USED, size);
    if (at + size <= buffer[ROOM])
        return buffer + DATA + at / 4;
    atomic_sub(buffer + USED, size);
    return 0;
}

ulong __clpy_text(constant char *text)
{
    return text ? (IMPLICIT[5] | (ulong)IMPLICIT[6] << 32) + (uint)text : 0;
}
