/* SPDX-License-Identifier: Apache-2.0
 * Which words of a stack are return addresses: those that lie right behind a call.
 */
#ifndef CLPY_CALL_SITE_H
#define CLPY_CALL_SITE_H

#include <stdint.h>

enum { CLPY_CALL_BYTES = 7 };        /* of the longest one without prefixes */

/* `code` is what is before the address: CALL with an offset is E8 and four bytes, CALL by register or memory FF /2 with
 * no, one or four bytes of offset, with a byte more where there is an index (Intel's manual, volume 2A, CALL). */
static inline int clpy_is_behind_call(const unsigned char *address) {
    static const int lengths[] = { 2, 3, 4, 6, 7 };
    if (address[-5] == 0xE8)
        return 1;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (address[-lengths[i]] == 0xFF && (address[1 - lengths[i]] >> 3 & 7) == 2)
            return 1;
    return 0;
}

#endif
