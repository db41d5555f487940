/* SPDX-License-Identifier: Apache-2.0
 * Lanes that see each other.
 */
#include "wave.h"

/* Registers found by a number that each lane has for itself: each fourth is of the same channel. */
void register_read(vu *to, wave *w, uint32_t first, uint32_t last, vu index, uint32_t part)
{
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t number = first + 4 * index[lane];
        (*to)[lane] = w->v[number < last ? number : first][part][lane];
    }
}

void register_write(wave *w, uint32_t first, uint32_t last, vu index, vu value, vm mask, uint32_t part)
{
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t number = first + 4 * index[lane];
        if (mask[lane] && number < last)
            w->v[number][part][lane] = value[lane];
    }
}

uint32_t read_lane(vu a, vu b, vu c, vu d, uint32_t lane)
{
    vu parts[PARTS] = {a, b, c, d};
    return ((uint32_t *)parts)[lane];
}

void permute_back(quad *to, vu a, vu b, vu c, vu d, vu e, vu f, vu g, vu h, uint64_t exec)
{
    vu address[PARTS] = {a, b, c, d}, value[PARTS] = {e, f, g, h};
    for (int lane = 0; lane < WAVE; lane++)
        ((uint32_t *)to)[lane] = ((uint32_t *)value)[((uint32_t *)address)[lane] >> 2 & (WAVE - 1)];
}

void permute(quad *to, vu a, vu b, vu c, vu d, vu e, vu f, vu g, vu h, uint64_t exec)
{
    vu address[PARTS] = {a, b, c, d}, value[PARTS] = {e, f, g, h};
    *to = (quad){0};
    for (int lane = 0; lane < WAVE; lane++)
        if (exec >> lane & 1)
            ((uint32_t *)to)[((uint32_t *)address)[lane] >> 2 & (WAVE - 1)] = ((uint32_t *)value)[lane];
}
